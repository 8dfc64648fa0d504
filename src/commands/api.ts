/** `svc api`: a signed request that has no command of its own. */
import type { Context } from '../cli/context.ts'
import { defineVerb } from '../cli/verb.ts'
import { usageError, withHintIfLost, say, svc } from '../errors.ts'
import { readWhole } from '../input/text.ts'
import { text } from '../output/result.ts'
import { inert } from '../safe-text.ts'
import { isJson, parseChoice } from '../values.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const verb = defineVerb({
  description:
    'Send any signed request below /v1/ and print the body of the answer. If the answer is lost, svc sends the request again only if it is a GET. ' +
    'It asks before a change if the profile is protected, and records nothing: prefer the other commands for changes.',
  examples: [
    'svc api lists --query search=VIP --query limit=5',
    'svc api lists -f name=Spring -f "description=from svc api"',
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
      parse: (method: string, name: string) =>
        parseChoice(method.toUpperCase(), name, methods),
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
    const requestPath = pathWithQuery(path, options.query)
    const body = await readBody(context, options)
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    if (method !== 'GET' && context.options.out !== undefined)
      throw usageError('--out needs a GET')
    if (method === 'GET' && body !== undefined)
      throw usageError('a GET request cannot have a body')
    const request = { method, path: requestPath, body: body ?? Buffer.alloc(0) }
    const answer = await send(context, request)
    const whole = answer === '' || answer.endsWith('\n') ? answer : `${answer}\n`
    // `inert` keeps the value of JSON. The printer makes any other text safe.
    return text(isJson(whole) ? inert(whole) : whole)
  },
})

interface TypedRequest {
  method: string
  path: string
  body: Buffer
}

/** Sends the request, and returns the body of the answer. A change must be allowed, and is asked about in a protected profile. */
async function send(
  context: Context,
  { method, path, body }: TypedRequest,
): Promise<string> {
  const api = await context.api()
  if (method === 'GET') return api.raw(method, path, body)
  await context.permit({ operation: 'unknown' })
  await context.confirmChange(() => `Send ${method} ${path}`)
  const lostHint = say`svc did not send it again; check what happened before you try again, for example:\n  ${svc`api ${path}`}`
  return withHintIfLost(() => api.raw(method, path, body), lostHint)
}

/**
 * The path and query to send. Throws a usage error for a path that is not below /v1/, or that a server could take for one
 * outside.
 */
function pathWithQuery(typed: string, queries: readonly string[]) {
  const rule = 'a path is below /v1/, for example lists or /v1/lists'
  const path = pathBelowV1(typed)
  if (path === undefined) throw usageError(`"${typed}" is not below /v1/`, rule)
  // URL parsers rewrite or cut anything but printable ASCII without `#` and a backslash. No signature covers the path, so nobody
  // would notice.
  const isPlain = /^[\x21-\x7e]+$/.test(path) && !/[#\\]/.test(path)
  if (!isPlain) throw usageError(`"${typed}" has characters that a path cannot have`, rule)
  const [route = '', typedQuery = ''] = path.split(/\?(.*)/)
  const hasDotSegment = /\/\.\.?(?:[/;]|$)/.test(route)
  // A service may decode `%2e` (a dot), `%2f` (a slash), `%5c` (a backslash), `%3b` (a semicolon) and `%25` (a percent sign).
  const hasEncodedSeparator = /%(?:2[5ef]|3b|5c)/i.test(route)
  if (hasDotSegment || hasEncodedSeparator)
    throw usageError(`"${typed}" points outside /v1/`, rule)
  const pairs = queries.map((word) => parsePair(word, '--query'))
  const parts = [typedQuery, new URLSearchParams(pairs).toString()]
  const query = parts.filter((part) => part !== '').join('&')
  return query === '' ? route : `${route}?${query}`
}

/** Makes `/v1/lists` of `lists`. Returns undefined for a path that is not below /v1/. */
function pathBelowV1(typed: string): string | undefined {
  if (typed.startsWith('/v1/')) return typed
  const [first = ''] = typed.split(/[/?#]/)
  const isUrl = first.includes(':')
  // `v2/lists` would become `/v1/v2/lists`.
  const isVersion = /^v\d+$/.test(first)
  const isAbsolute = first === ''
  const isDots = /^\.+$/.test(first)
  return isUrl || isVersion || isAbsolute || isDots ? undefined : `/v1/${typed}`
}

/** Reads the body from the options. Returns undefined without one. Throws a usage error for a bad field or file. */
async function readBody(
  { host }: Context,
  { field, bodyFile }: { field: readonly string[]; bodyFile?: string },
): Promise<Buffer | undefined> {
  if (field.length > 0) return Buffer.from(jsonBody(field))
  if (bodyFile === undefined) return undefined
  return readWhole(host, bodyFile)
}

/** The JSON object of the fields. A value that is JSON is sent as it was typed, so that long numbers keep their digits. */
function jsonBody(fields: readonly string[]) {
  const members = new Map<string, string>()
  for (const field of fields) {
    const [name, text] = parsePair(field, '--field')
    if (members.has(name)) throw usageError(`--field ${name} appears twice`)
    const value = isJson(text) ? text : JSON.stringify(text)
    members.set(name, `${JSON.stringify(name)}:${value}`)
  }
  return `{${[...members.values()].join(',')}}`
}

/** Reads a name and a value: `name=value`. Throws a usage error. */
function parsePair(word: string, option: string): [name: string, value: string] {
  const equals = word.indexOf('=')
  if (equals < 1) throw usageError(`${option} takes name=value, not "${word}"`)
  return [word.slice(0, equals), word.slice(equals + 1)]
}
