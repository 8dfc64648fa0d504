import { say, svc } from '../message.ts'
import { defineVerb } from '../cli/verb.ts'
import { isJson } from '../json.ts'
import { parseChoice } from '../values.ts'
import { withHintIfLost, usageError } from '../errors.ts'
import { text } from '../output/result.ts'
import { inert } from '../safe-text.ts'
import type { Context } from '../cli/context.ts'
import { readWhole } from '../input/source.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const verb = defineVerb({
  description:
    'Send any signed request below /v1/ and print the body of the answer. If the answer is lost, svc sends only a GET\n' +
    'again. It asks only with a protected profile, and records nothing: prefer the other commands for changes.',
  examples: [
    'svc api lists -f name=Spring -f "description=from svc api"',
    'svc api lists --query search=VIP --query limit=5',
  ],
  arguments: [
    {
      name: 'path',
      summary: 'below /v1/: lists or /v1/lists',
      isRequired: true,
    },
  ],
  options: {
    method: {
      short: 'X',
      value: 'method',
      summary: methods.join(', '),
      default: 'GET; POST with a field or a body',
      choices: methods,
      parse: (word: string, what: string) => parseChoice(word.toUpperCase(), what, methods),
    },
    query: {
      value: 'name=value',
      takes: 'text',
      summary: 'a query parameter',
      isRepeatable: true,
    },
    field: {
      short: 'f',
      value: 'name=value',
      takes: 'text',
      summary: 'a member of the JSON body; a JSON value if it parses',
      isRepeatable: true,
    },
    body: {
      value: 'text',
      takes: 'text',
      summary: 'send this text as the body',
      conflicts: ['field', 'bodyFile'],
    },
    bodyFile: {
      value: 'path|-',
      takes: 'file',
      summary: 'send this file as the body, or - for standard input',
      conflicts: ['field'],
    },
  },
  effect: 'from method',
  formats: ['json'],
  run: async (context, [path], options) => {
    const target = requestPath(path, options.query)
    const body = await readBody(context, options)
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    if (method !== 'GET' && context.options.out !== undefined)
      throw usageError('--out needs a GET')
    if (method === 'GET' && body !== undefined)
      throw usageError('a GET request cannot have a body')
    const answer = await send(context, method, target, body ?? Buffer.alloc(0))
    const whole = answer === '' || answer.endsWith('\n') ? answer : `${answer}\n`
    return text(isJson(whole) ? inert(whole) : whole)
  },
})

/** Sends the request, a change only if it is allowed. If the answer to a change is lost, the error says how to check. */
async function send(context: Context, method: string, target: string, body: Buffer) {
  if (method !== 'GET') {
    await context.permit({ operation: 'unknown' })
    await context.confirmChange(() => `Send ${method} ${target}`)
  }
  const api = await context.api()
  const look = say`svc did not send it again; check what happened before you try again, for example:\n  ${svc`api ${target}`}`
  return withHintIfLost(() => api.raw(method, target, body), look)
}

/** A name and a value as they were typed. */
function parsePair(word: string, option: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`${option} takes name=value, not "${word}"`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Any path below /v1/, as it is sent. Throws exit 2. */
function requestPath(typed: string, queries: readonly string[]) {
  const rule = 'a path is below /v1/, for example lists or /v1/lists'
  const path = pathBelowV1(typed)
  if (path === undefined) throw usageError(`"${typed}" is not below /v1/`, rule)
  // The signature does not cover the path, so nobody would notice a parser that changed it: refuse what one could rewrite.
  if (!/^[\x21-\x7e]+$/.test(path) || /[#\\]/.test(path))
    throw usageError(`"${typed}" has characters that a path cannot have`, rule)
  const [route = '', typedQuery = ''] = path.split(/\?(.*)/)
  // A service may decode a dot, a slash, or the percent sign of one.
  if (/\/\.\.?(?:[/;]|$)|%(?:2[5ef]|3b|5c)/i.test(route))
    throw usageError(`"${typed}" points outside /v1/`, rule)
  const pairs = queries.map((word) => parsePair(word, '--query'))
  const parts = [typedQuery, new URLSearchParams(pairs).toString()]
  const query = parts.filter((part) => part !== '').join('&')
  return query === '' ? route : `${route}?${query}`
}

/** `lists` is `/v1/lists`. Undefined for a path that is not below /v1/. */
function pathBelowV1(typed: string): string | undefined {
  if (typed.startsWith('/v1/')) return typed
  const [first = ''] = typed.split(/[/?#]/)
  const isAddress = first.includes(':')
  // `v2/lists` would become `/v1/v2/lists`.
  const isVersion = /^v\d+$/.test(first)
  const isAbsoluteOrDots = /^\.*$/.test(first)
  return isAddress || isVersion || isAbsoluteOrDots ? undefined : `/v1/${typed}`
}

interface BodyChoice {
  field: readonly string[]
  body?: string
  bodyFile?: string
}

/** The body that the options give; undefined if there is none. Throws exit 2. */
async function readBody(
  { host }: Context,
  { field, body, bodyFile }: BodyChoice,
): Promise<Buffer | undefined> {
  if (field.length > 0)
    return Buffer.from(jsonBody(field.map((word) => parsePair(word, '--field'))))
  if (body !== undefined) return Buffer.from(body)
  if (bodyFile === undefined) return undefined
  return readWhole(host, bodyFile)
}

/** Values that parse as JSON go out as they were typed, so that long numbers keep their digits. */
function jsonBody(pairs: readonly [string, string][]) {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageError(`--field ${twice} appears twice`)
  const members = pairs.map(([name, typed]) => {
    const value = isJson(typed) ? typed : JSON.stringify(typed)
    return `${JSON.stringify(name)}:${value}`
  })
  return `{${members.join(',')}}`
}
