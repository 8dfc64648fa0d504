import type { Command } from '@commander-js/extra-typings'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { parseChoice } from '../args.ts'
import { messageOf, usageError } from '../errors.ts'
import type { RawAnswer } from '../http/http.ts'
import { document, text, type View } from '../output/output.ts'
import type { Run, Tools } from '../verb.ts'
import { examples } from './options.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const bodyView: View<never> = { columns: [], fields: [], defaultFormat: 'json' }

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** `name=value`. */
function parsePair(word: string, option: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`${option} takes name=value, not "${word}"`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** A JSON value if it parses as one, else the text itself. */
function fieldValue(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** Any path below /v1/, as it is sent. Throws exit 2. */
export function requestPath(path: string, queries: readonly string[]): string {
  const rule = 'a path begins with /v1/, for example /v1/lists'
  if (!path.startsWith('/v1/')) throw usageError(`"${path}" is not below /v1/`, rule)
  // What is signed is not the path: it must be exactly what was typed, with nothing that a URL parser would walk up.
  if (!/^[\x21-\x7e]+$/.test(path) || /[#\\]/.test(path)) throw usageError(`"${path}" has characters that a path cannot have`, rule)
  const [route = '', query] = path.split('?', 2)
  let plain: string
  try {
    plain = decodeURIComponent(route)
  } catch {
    throw usageError(`"${path}" is not encoded rightly`, rule)
  }
  if (plain.split(/[/\\]/).some((part) => part === '.' || part === '..') || plain.includes('//')) throw usageError(`"${path}" leaves /v1/`, rule)
  const parameters = new URLSearchParams(queries.map((word) => parsePair(word, '--query'))).toString()
  const all = [query, parameters].filter((part) => part !== undefined && part !== '').join('&')
  return all === '' ? route : `${route}?${all}`
}

interface BodyChoice {
  readonly field: readonly string[]
  readonly body?: string
}

async function readBody({ host }: Tools, { field, body }: BodyChoice): Promise<Buffer> {
  if (body !== undefined && field.length > 0) throw usageError('--body and --field exclude each other')
  if (field.length > 0) {
    const object = Object.fromEntries(field.map((word) => parsePair(word, '--field')).map(([name, value]) => [name, fieldValue(value)]))
    return Buffer.from(JSON.stringify(object))
  }
  if (body === undefined) return Buffer.alloc(0)
  if (body === '-' && host.isTerminal.stdin) throw usageError('--body - reads standard input, which is a terminal', 'pipe the body in')
  try {
    return body === '-' ? await buffer(host.stdin) : await readFile(body)
  } catch (error) {
    throw usageError(`cannot read the body from "${body}": ${messageOf(error)}`)
  }
}

function headText({ status, headers }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  return `HTTP ${status}\n${lines.join('\n')}\n\n`
}

export function api(program: Command, run: Run): void {
  program
    .command('api')
    .summary('send any signed request below /v1/')
    .description(
      'Send any signed request below /v1/ and print the body of its answer. GET is sent again after a lost answer, everything\n' +
        'else is not.',
    )
    .argument('<path>', 'for example /v1/lists')
    .option('-X, --method <method>', `${methods.join(', ')} (default: GET; POST with a field or a body)`, (word) =>
      parseChoice(word.toUpperCase(), '-X', methods),
    )
    .option('--query <name=value>', 'a query parameter; may be repeated', collect, [] as string[])
    .option('-f, --field <name=value>', 'a member of the JSON body; a JSON value if it parses; may be repeated', collect, [] as string[])
    .option('--body <path>', 'send this file as the body, or - for standard input')
    .option('-i, --include', 'print the status and the headers too')
    .addHelpText(
      'after',
      examples('svc api /v1/lists --query limit=2', 'svc api /v1/lists -f name=Spring -f "description=from svc api"', 'svc api /v1/employees -i'),
    )
    .action(
      run(bodyView, async (tools, path, options) => {
        const target = requestPath(path, options.query)
        const body = await readBody(tools, options)
        const method = options.method ?? (body.length > 0 ? 'POST' : 'GET')
        if (method === 'GET' && body.length > 0) throw usageError('a GET has no body')
        if (method !== 'GET') await tools.confirmProtected(`Send ${method} ${target}`)
        const http = await tools.http()
        const answer = await http.raw(method, target, body)
        if (options.include === true) return text(headText(answer) + answer.text + (answer.text.endsWith('\n') ? '' : '\n'))
        try {
          return document(JSON.parse(answer.text) as unknown, [])
        } catch {
          return text(answer.text === '' || answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`)
        }
      }),
    )
}
