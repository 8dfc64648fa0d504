/**
 * Checks the input of a request without svc's own schemas, so that client and sandbox do not share a mistake. Unknown query
 * parameters are ignored, as most services do. A known parameter that appears twice, and an unknown field of a body, are
 * refused with 400.
 */
import { limits } from '../api/operations.ts'
import { idPattern, isObject } from '../values.ts'
import { type Arrival, headerOf, refusals } from './exchange.ts'

/** A request that its key may send. The operation checks its input. */
export interface SandboxCall {
  /** The ids in the path by name, as they were sent. */
  ids: Record<string, string>
  query: URLSearchParams
  request: Arrival
  /** The company's subscription shows no history older than 30 days. */
  limitedHistory: boolean
  /** The service's time in milliseconds since 1970. */
  now: number
}

type Fields = Readonly<Record<string, unknown>>

/** An id of the path or of a body. */
export function idIn(fields: Fields, name: string): string {
  return checkId(fields[name], name)
}

/** API: Endpoints, `{id}` path segments are ids. Those of a body look the same. */
function checkId(value: unknown, name: string) {
  if (typeof value === 'string' && idPattern.test(value)) return value
  throw refusals.validation(`${name} must be 24 hexadecimal digits`)
}

export type PageRequest = Readonly<Partial<Record<'page' | 'limit', number | undefined>>>

/** API: Limits, page and limit. */
export function pagingIn(query: URLSearchParams): PageRequest {
  const { min, max } = limits.pageSize
  return {
    page: queryNumber(query, 'page', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    limit: queryNumber(query, 'limit', { min, max }),
  }
}

/** A query parameter, which must not be empty. */
export function queryText(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  if (more.length > 0) throw refusals.validation(`${name} appears twice`)
  if (value === '') throw refusals.validation(`${name} must not be empty`)
  return value
}

type LimitRange = Readonly<Record<'min' | 'max', number>>

function queryNumber(
  query: URLSearchParams,
  name: string,
  { min, max }: LimitRange,
): number | undefined {
  const text = queryText(query, name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  throw refusals.validation(`${name} must be a whole number from ${min} to ${max}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The id that is the only field of a body. */
export function bodyIdIn(call: SandboxCall, name: string): string {
  return idIn(bodyFields(call, name), name)
}

/** The body of a request: a JSON object with these fields and no others. */
function bodyFields({ request }: SandboxCall, ...names: readonly string[]): Fields {
  // API: Endpoints, requests with a body use `Content-Type: application/json`.
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw refusals.validation('Content-Type must be application/json')
  }
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(request.rawBody))
  } catch {
    throw refusals.validation('the body is not JSON')
  }
  if (!isObject(value)) throw refusals.validation('body: must be an object')
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw refusals.validation(`${unknown}: is not a field of this request`)
  return value
}

/** API: Limits, contactIds. */
export function contactIdsIn(call: SandboxCall): string[] {
  const { contactIds } = bodyFields(call, 'contactIds')
  if (!Array.isArray(contactIds))
    throw refusals.validation('contactIds: must be an array of ids')
  const { min, max } = limits.contactIds
  if (contactIds.length < min || contactIds.length > max) {
    throw refusals.validation(`contactIds: must have ${min} to ${max} elements`)
  }
  return contactIds.map((id, index) => checkId(id, `contactIds: number ${index + 1}`))
}

/** API: Limits, list name and description. */
export function listTextIn(call: SandboxCall) {
  const fields = bodyFields(call, 'name', 'description')
  return {
    name: bodyText(fields, 'name', limits.listName),
    description: bodyText(fields, 'description', { min: 0, ...limits.listDescription }),
  }
}

/** A text of a body, whose length is checked; undefined if it is missing. */
function bodyText(
  fields: Fields,
  name: string,
  { min, max }: LimitRange,
): string | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw refusals.validation(`${name}: must be text`)
  const length = Array.from(value).length
  if (length >= min && length <= max) return value
  throw refusals.validation(`${name}: must have ${min} to ${max} characters`)
}
