/**
 * From an operation and its input to a request, and from the answer to checked data. Both directions are
 * checked against the contract: a request keeps every limit, so that the service never has to refuse half of
 * something. An answer must have everything that svc relies on, or it does not count as an answer.
 */
import { say } from '../message.ts'
import * as v from 'valibot'
import { SvcError } from '../errors.ts'
import {
  beyondLimits,
  header,
  parseAnswer,
  readText,
  type Hooks,
  type ReadAnswer,
} from '../http/attempt.ts'
import type { Client, Request } from '../http/client.ts'
import { showProfile, type RefusalHints } from '../http/errors.ts'
import { idPattern, isObject } from '../values.ts'
import { operations, type ApiOperation, type OperationName } from './operations.ts'
import { shapes, type OperationResult, type Shapes } from './schemas.ts'

/** The input of an operation: the ids in its path, its query and its body. */
export interface RequestInput {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
}

/** Rejects with SvcError; `details.ambiguous` says that the change may have been made. */
export function call<N extends OperationName>(
  client: Client,
  name: N,
  input: RequestInput,
  hooks?: Hooks,
): Promise<OperationResult<N>> {
  // Not an async function, because that would keep the input in memory until the answer arrives.
  const sent = Promise.resolve().then(() => client.send(prepare(name, input), hooks))
  return sent as Promise<OperationResult<N>>
}

/** Sends a request to any path below /v1/, with `body` as it is: the text of its answer, which may not be JSON. Only a GET is ever sent again. */
export async function callRaw(
  client: Client,
  method: string,
  path: string,
  body: Buffer,
): Promise<string> {
  const retryClass = method === 'GET' ? 'read' : 'once'
  const request = {
    method,
    path,
    body,
    retryClass,
    read: readRaw,
    hints: method === 'GET' ? rawHints : { ...rawHints, rejected: notChanged },
  } as const
  const text = await client.send(request)
  return text as string
}

/** Checks the input against the contract and makes a request of it. Throws exit 2. */
function prepare(name: OperationName, input: RequestInput): Request {
  const operation: ApiOperation = operations[name]
  const shape: Shapes = shapes[name]
  const { query = {}, body, path = {} } = input
  if (shape.query !== undefined) check(shape.query, query)
  if (shape.body !== undefined) check(shape.body, body)
  return {
    method: operation.method,
    path: pathOf(operation, path) + searchOf(query),
    // The bytes that are sent and signed; none without a body.
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    retryClass: operation.retry,
    read: reading(name, input),
    hints: hintsOf(operation),
  }
}

/** The query from its `?` on; empty without parameters. A parameter that is undefined is not sent. */
function searchOf(query: NonNullable<RequestInput['query']>) {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

/** The path with its ids. A path is not signed, so it may contain only ids. */
function pathOf(operation: ApiOperation, ids: Readonly<Record<string, string>>) {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name] ?? ''
    if (!idPattern.test(value)) {
      throw new SvcError('usage', `"${value}" is not an id: ids have 24 hexadecimal digits`)
    }
    return value
  })
}

/** Throws exit 2 with the first way in which a request breaks the contract. */
function check(schema: v.GenericSchema, value: unknown) {
  const checked = v.safeParse(schema, value, { abortEarly: true })
  if (checked.success) return
  throw new SvcError('usage', problemOf(checked.issues[0], 'the request'))
}

/** `the answer has no pagination`, `the answer's lists.0.id must be 24 hexadecimal digits`. */
function problemOf(issue: v.BaseIssue<unknown>, what: string) {
  const path = v.getDotPath(issue) ?? 'data'
  if (issue.received === 'undefined') return `${what} has no ${path}`
  // Checks have messages of our own. The library's messages about types are about JavaScript.
  const isCheck = issue.kind === 'validation' || issue.type === 'custom'
  const words = isCheck ? issue.message : 'is not as described'
  return `${what}'s ${path} ${words}`
}

const refused = 'the service refused the request'
const notChanged = `${refused}; nothing was changed`

const rawHints: RefusalHints = {
  scope: 'this API key does not have the scope that the request needs',
  forbidden: 'the key, its scope or the plan does not allow this',
  notFound:
    'the service does not have this path with this method, or an id in it is unknown to this company',
  rejected: refused,
}

/** Hints for a refused operation. */
function hintsOf(operation: ApiOperation): RefusalHints {
  const { scope, forbidden, rejected, path, method } = operation
  const notAllowed = `the key's scope (the operation needs "${scope}") or the company's plan does not allow this`
  const unknownPath = path.includes('{')
    ? 'the id is unknown to this company'
    : say`the base URL may be wrong: ${showProfile}`
  return {
    scope: `this API key does not have the scope "${scope}", which the operation needs`,
    forbidden: forbidden ?? notAllowed,
    notFound: rejected ?? unknownPath,
    rejected: rejected ?? (method === 'GET' ? refused : notChanged),
  }
}

/**
 * API: "a JSON object whose single top-level property `data` holds the result". Schemas transform nothing. Keeps
 * only the path of the input, because the ids of a batch would stay in memory too long.
 */
function reading(name: OperationName, input: RequestInput): ReadAnswer {
  const echo = echoes[name] as ((data: unknown) => string) | undefined
  const ids = Object.values(input.path ?? {}).map((id) => id.toLowerCase())
  return (response) => {
    const parsed = parseAnswer(response)
    if (!parsed.ok) return parsed
    const { document } = parsed
    if (!isObject(document) || !Object.hasOwn(document, 'data')) {
      return { ok: false, problem: 'the answer has no "data"' }
    }
    const { data } = document
    const checked = v.safeParse(shapes[name].result, data, { abortEarly: true })
    if (!checked.success)
      return { ok: false, problem: problemOf(checked.issues[0], 'the answer') }
    // An answer about a different list or ticket says nothing about the requested one. Letter case may differ.
    if (echo === undefined || ids.includes(echo(data).toLowerCase()))
      return { ok: true, data }
    const problem = 'the answer is about a different id from the one that was requested'
    return { ok: false, problem }
  }
}

/** Accepts any text, but a body that is declared as JSON must be JSON, and an empty body must have been announced. */
const readRaw: ReadAnswer = (response) => {
  const { status, headers } = response
  const decoded = readText(response)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const hasNoContent = status === 204 || status === 205
  const isAnnouncedEmpty = hasNoContent || header(headers, 'content-length')?.trim() === '0'
  const isEmpty = text === '' && isAnnouncedEmpty
  const isJson = /\bjson\b/i.test(header(headers, 'content-type') ?? '')
  if (isJson && !isEmpty) {
    const parsed = parseAnswer(response)
    if (!parsed.ok) return parsed
  } else if (/^\s*[[{]/.test(text)) {
    const problem = beyondLimits(text)
    if (problem !== undefined) return { ok: false, problem }
  }
  return { ok: true, data: text }
}

/** The id that an answer has, where it must be the one in the path of the request. Answers to bulk operations are judged in `src/runs/operations`. */
const echoes: { readonly [N in OperationName]?: (data: OperationResult<N>) => string } = {
  'lists.get': ({ list }) => list.id,
  'lists.update': ({ id }) => id,
  'tickets.history': ({ ticket }) => ticket.id,
}
