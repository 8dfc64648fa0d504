/** `svc api`: a signed GET of any path below the base URL. */
import { Argument } from '@commander-js/extra-typings'
import { defineVerb } from '../cli/verb.ts'
import { usageError } from '../errors.ts'
import type { Output } from '../output/result.ts'
import { escapeJson } from '../safe-text.ts'
import { quote } from '../wording.ts'

/** Parts that a path must not have: the request could go elsewhere, or be read differently. */
const refusals: readonly (readonly [part: RegExp, problem: string])[] = [
  [/^[a-z][a-z\d+.-]*:/i, 'is a whole URL; leave out the base URL'],
  [/[\s\p{C}]/u, 'contains a space or a control character; write a space as %20'],
  [
    /[^\x21-\x7e]/,
    'contains a character that is not ASCII; percent-encode it (é is %C3%A9)',
  ],
  [/\\/, 'contains a backslash'],
  [/#/, 'contains a "#"; write it as %23'],
  [/^[^?]*\/\//, 'contains "//"'],
  // In any encoding that a server may decode, and with parameters.
  [
    /^(?:[^?]*(?:\/|%2f|%5c))?(?:\.|%2e){1,2}(?:;[^/?]*)?(?:$|[/?]|%2f|%5c)/i,
    'contains the segment "." or ".."',
  ],
]

/** Returns a path that begins with `/` and stays below the base URL. Throws a usage error. */
function parsePath(text: string) {
  for (const [part, problem] of refusals)
    if (part.test(text)) throw usageError(`the path ${quote(text)} ${problem}`)
  return text.startsWith('/') ? text : `/${text}`
}

export const verb = defineVerb({
  summary: 'send a GET request to any path of the API',
  description:
    'Send a signed GET request to a path of the API, and print the JSON that comes back.' +
    '\n\nsvc api never changes anything. It reads one page.',
  examples: [
    'svc api "/v1/lists?page=1&limit=5"',
    'svc api /v1/employees | jq -r ".data[].id"',
    'svc api /v1/employees --out employees.json',
  ],
  arguments: [
    new Argument('<path>', 'a path and its query, such as "/v1/lists?limit=5"').argParser(
      parsePath,
    ),
  ],
  isRead: true,
  formats: ['json'],
  action: async ({ api }, [path]): Promise<Output<never>> => {
    const json = escapeJson(await (await api()).readPath(path)).trim()
    return { kind: 'text', text: `${json}\n` }
  },
})
