/**
 * Reads requests to the sandbox (their operation, ids, query and body), or refuses them with an answer. Uses none of svc's own
 * schemas, so that client and sandbox do not share a mistake. "API" means the description of the service, which leaves some
 * questions open. Here, unknown query parameters are ignored. An unknown field in a body is refused with 400.
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { limits, operations, type OperationName } from '../api/operations.ts'
import { isId } from '../identifiers.ts'
import { isObject } from '../json.ts'

/** A request whose signature and scope are checked. Its ids, query and body are not checked yet. */
export interface SandboxCall {
  request: Pick<IncomingMessage, 'headers'>
  body: Buffer
  /** The id in the path, in lower case; empty if the path has none. */
  id: string
  query: URLSearchParams
  /** Whether the company's subscription shows no history older than 30 days. */
  hasLimitedHistory: boolean
  /** The service's time in milliseconds since 1970. */
  now: number
}

/** The names of the operations. `service.ts` has a method with the same name for each. */
export const operationNames = Object.keys(operations) as OperationName[]

const routes = operationNames.map((name) => {
  const { method, path } = operations[name]
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`)
  return { name, method, pattern }
})

/**
 * Returns the operation of a request, with the unchecked id in its path; undefined if there is no such operation. `path` must be as
 * it was sent. `URL` would turn `/v1/x/../lists` into an operation's path.
 */
export function findRoute(method: string | undefined, path: string) {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null
    if (match !== null) return { name: route.name, id: match[1] }
  }
  return undefined
}

/** Returns an id (API: Resources) in lower case. Throws a `Refusal` for any other value. */
export function checkId(value: unknown, name: string) {
  check(isId(value), `${name} must be 24 hexadecimal digits`)
  return value.toLowerCase()
}

/** Returns a query parameter; undefined if it is missing. Throws a `Refusal` if it is empty. */
export function queryText(query: URLSearchParams, name: string) {
  const value = query.get(name) ?? undefined
  check(value !== '', `${name} must not be empty`)
  return value
}

/** Returns the requested page (API: Pagination; Limits, page and limit). A page after the last is empty. */
export function pageOf<T>(all: readonly T[], query: URLSearchParams) {
  const numberOf = (name: string, usual: number, max: number) => {
    const text = queryText(query, name) ?? String(usual)
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    check(value >= 1 && value <= max, `${name} must be a whole number from 1 to ${max}`)
    return value
  }
  const page = numberOf('page', 1, Number.MAX_SAFE_INTEGER)
  const limit = numberOf('limit', limits.pageSize.default, limits.pageSize.max)
  const total = all.length
  const totalPages = Math.ceil(total / limit)
  const hasNext = page < totalPages
  const pagination = { page, limit, total, totalPages, hasNext, hasPrev: page > 1 }
  return { items: all.slice((page - 1) * limit, page * limit), pagination }
}

/** Returns the body of a request. Throws a `Refusal` unless it is a JSON object with only these fields. */
export function fieldsOf({ request, body }: SandboxCall, ...names: readonly string[]) {
  // API: Endpoints. Requests with a body have `Content-Type: application/json`.
  const isJson = request.headers['content-type']?.startsWith('application/json') === true
  check(isJson, 'Content-Type must be application/json')
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    check(false, 'the body is not JSON')
  }
  check(isObject(value), 'the body must be an object')
  for (const name of Object.keys(value))
    check(names.includes(name), `${name} is not a field of this request`)
  return value
}

/** Returns the `contactIds` of a body (API: Limits, contactIds). */
export function contactIdsOf(call: SandboxCall) {
  const { contactIds } = fieldsOf(call, 'contactIds')
  check(Array.isArray(contactIds), 'contactIds must be an array of ids')
  const { min, max } = limits.contactIds
  const hasLength = contactIds.length >= min && contactIds.length <= max
  check(hasLength, `contactIds must have ${min} to ${max} elements`)
  return contactIds.map((id) => checkId(id, 'each of contactIds'))
}

/** Returns the name and the description of a list (API: Limits), undefined where one is missing. */
export function listTextOf(call: SandboxCall) {
  const fields = fieldsOf(call, 'name', 'description')
  const textOf = (name: string, min: number, max: number) => {
    const value = fields[name]
    if (value === undefined) return undefined
    check(typeof value === 'string', `${name} must be text`)
    const { length } = Array.from(value)
    check(length >= min && length <= max, `${name} must have ${min} to ${max} characters`)
    return value
  }
  return {
    name: textOf('name', 1, limits.listName.max),
    description: textOf('description', 0, limits.listDescription.max),
  }
}

export type SandboxAnswer = ReturnType<typeof jsonAnswer>

/** Returns an answer with a value as JSON. Its headers have their names in lower case. */
export function jsonAnswer(status: number, value: unknown) {
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
  }
  return { status, headers, body: JSON.stringify(value) }
}

/** The usual errors of statuses (API: Errors). */
const usualErrors: Readonly<Record<number, { code: number; message: string }>> = {
  400: { code: 40001, message: 'Validation error' },
  401: { code: 40121, message: 'Invalid API credentials' },
  403: { code: 40361, message: 'API key scope is not sufficient' },
  500: { code: 50001, message: 'Internal server error' },
}

/** Returns an error as an answer. Without a message or a code, the answer has the usual one of its status. */
export function errorAnswer(status: number, message?: string, code?: number) {
  const usual = usualErrors[status]
  return jsonAnswer(status, {
    code: code ?? usual?.code ?? status * 100,
    message: message ?? usual?.message ?? STATUS_CODES[status] ?? 'Error',
  })
}

/** An error that becomes the answer to a request. */
export class Refusal extends Error {
  readonly answer: SandboxAnswer

  constructor(status: number, message?: string, code?: number) {
    super(message)
    this.answer = errorAnswer(status, message, code)
  }
}

/** Throws a `Refusal` with the reason if a request breaks a rule of the service. */
export function check(isValid: boolean, reason: string): asserts isValid {
  if (!isValid) throw new Refusal(400, `Validation error: ${reason}`)
}
