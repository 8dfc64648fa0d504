/** The request of `svc api`, from what was typed. */
import { usageError } from '../../errors.ts'
import type { Context } from '../../cli/context.ts'
import { climbs } from '../../config/rules.ts'
import { isJson } from '../../values.ts'
import { readSource } from '../source.ts'

function parsePair(word: string, option: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`${option} takes name=value, not "${word}"`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Any path below /v1/, as it is sent. Throws exit 2. */
export function requestPath(typed: string, queries: readonly string[]): string {
  const rule = 'a path is below /v1/, for example lists or /v1/lists'
  const path = absolute(typed)
  if (path === undefined) throw usageError(`"${typed}" is not below /v1/`, rule)
  // The path is not signed: it must be exactly what was typed, with nothing that a URL parser would walk up.
  if (!/^[\x21-\x7e]+$/.test(path) || /[#\\]/.test(path))
    throw usageError(`"${typed}" has characters that a path cannot have`, rule)
  const at = path.indexOf('?')
  const route = at < 0 ? path : path.slice(0, at)
  if (climbs(route)) throw usageError(`"${typed}" leaves /v1/`, rule)
  const parameters = new URLSearchParams(
    queries.map((word) => parsePair(word, '--query')),
  ).toString()
  const query = [at < 0 ? '' : path.slice(at + 1), parameters]
    .filter((part) => part !== '')
    .join('&')
  return query === '' ? route : `${route}?${query}`
}

/** `lists` and `v1/lists` are `/v1/lists`; another version, a bare `v1` and an address are undefined. */
function absolute(typed: string): string | undefined {
  if (typed.startsWith('/v1/')) return typed
  if (typed.startsWith('v1/')) return `/${typed}`
  const [first = ''] = typed.split(/[/?#]/)
  return first === '' || /^(?:v\d+|\.*)$|:/.test(first) ? undefined : `/v1/${typed}`
}

interface BodyChoice {
  readonly field: readonly string[]
  readonly body?: string
  readonly bodyFile?: string
}

/** Undefined when there is none. Throws exit 2. */
export async function readBody(
  { host }: Context,
  { field, body, bodyFile }: BodyChoice,
): Promise<Buffer | undefined> {
  const given = [
    ...(body === undefined ? [] : ['--body']),
    ...(bodyFile === undefined ? [] : ['--body-file']),
    ...(field.length === 0 ? [] : ['--field']),
  ]
  if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other`)
  if (field.length > 0)
    return Buffer.from(jsonBody(field.map((word) => parsePair(word, '--field'))))
  if (body !== undefined) return Buffer.from(body)
  return bodyFile === undefined
    ? undefined
    : readSource(host, bodyFile, { option: '--body-file', what: 'the body' })
}

/** Values that parse as JSON go out as they were typed, so that long numbers keep their digits. */
function jsonBody(pairs: readonly [string, string][]): string {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageError(`--field ${twice} appears twice`)
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${isJson(value) ? value : JSON.stringify(value)}`).join(',')}}`
}
