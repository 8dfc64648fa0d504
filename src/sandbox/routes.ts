/**
 * From a method, a path and a body to one of the ten operations.
 *
 * Unknown query parameters are ignored, as most services do; a known one that is given twice, and unknown fields of a
 * body, are refused with 400.
 */
import type { GenericSchema, InferOutput } from 'valibot'
import {
  AssignBody,
  ContactIdsBody,
  CreateListBody,
  HistoryQuery,
  ListsQuery,
  MembersQuery,
  MergeBody,
  UpdateListBody,
} from '../api/contract.ts'
import { idPattern } from '../api/limits.ts'
import { operations, type Operation, type OperationName } from '../api/operations.ts'
import { refusals } from './refusal.ts'
import type { Chunking, Company, Outcome } from './store.ts'

/** An operation that a path and a method name. */
export interface Route {
  readonly name: OperationName
  readonly operation: Operation
  /** The ids in the path by name, as they were sent and not checked yet. */
  readonly ids: Readonly<Record<string, string>>
}

export interface Call {
  readonly company: Company
  readonly route: Route
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  readonly rawBody: Buffer
  /** The service's time in milliseconds since 1970. */
  readonly now: number
  readonly limitedHistory: boolean
  readonly chunking: Chunking
  /** Carry out only the first half of a bulk request. */
  readonly half: boolean
}

const names = Object.keys(operations).filter(isOperation)

const templates = names.map((name) => ({ name, operation: operations[name], words: operations[name].path.split('/') }))

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name)
}

export const operationNames: readonly OperationName[] = names

/** Finds the operation. `allowed` has the methods of the path when it is known; empty: there is no such path. */
export function findRoute(method: string, path: string): { route: Route | undefined; allowed: string[] } {
  const words = path.split('/')
  const allowed: string[] = []
  let route: Route | undefined
  for (const template of templates) {
    const found = match(template.words, words)
    if (found === undefined) continue
    allowed.push(template.operation.method)
    if (template.operation.method === method) route ??= { ...template, ids: found }
  }
  return { route, allowed }
}

function match(template: readonly string[], words: readonly string[]): Record<string, string> | undefined {
  if (template.length !== words.length) return undefined
  const found: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const word = words[index] ?? ''
    if (expected.startsWith('{') && word !== '') found[expected.slice(1, -1)] = word
    else if (expected !== word) return undefined
  }
  return found
}

/** Checks the input and carries the operation out. Throws a `Refusal`. */
export function perform(call: Call): Outcome {
  const { company, now } = call
  switch (call.route.name) {
    case 'lists.list':
      return company.lists(checked(ListsQuery, queryOf(call, ['page', 'limit', 'search'])))
    case 'lists.create':
      return company.createList(checked(CreateListBody, bodyOf(call)), now)
    case 'lists.get':
      return company.list(idOf(call, 'listId'), checked(MembersQuery, queryOf(call, ['page', 'limit'])))
    case 'lists.update':
      return company.updateList(idOf(call, 'listId'), checked(UpdateListBody, bodyOf(call)), now)
    case 'lists.add-contacts':
      return company.addContacts(idOf(call, 'listId'), contactIdsOf(call), now)
    case 'contacts.merge':
      return company.merge(idOf(call, 'sourceContactId'), checked(MergeBody, bodyOf(call)).targetContactId, now)
    case 'contacts.delete':
      return company.deleteContacts(contactIdsOf(call))
    case 'tickets.history': {
      const { chunkLastMessageId } = checked(HistoryQuery, queryOf(call, ['chunkLastMessageId']))
      return company.history(idOf(call, 'ticketId'), chunkLastMessageId, call.limitedHistory, now, call.chunking)
    }
    case 'tickets.assign':
      return company.assign(idOf(call, 'ticketId'), checked(AssignBody, bodyOf(call)).newAssigneeId)
    case 'employees.list':
      return company.employees()
  }
}

/** API: Endpoints, `{id}` path segments are ids. */
function idOf({ route }: Call, name: string): string {
  const id = route.ids[name] ?? ''
  if (!idPattern.test(id)) throw refusals.validation(`${name} must be 24 hexadecimal digits`)
  return id
}

function contactIdsOf(call: Call): string[] {
  const { contactIds } = checked(ContactIdsBody, bodyOf(call))
  return call.half ? contactIds.slice(0, Math.ceil(contactIds.length / 2)) : contactIds
}

function queryOf({ query }: Call, known: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of known) {
    const [value, ...more] = query.getAll(name)
    if (more.length > 0) throw refusals.validation(`${name} is given twice`)
    if (value !== undefined) values[name] = name === 'page' || name === 'limit' ? numberOf(value) : value
  }
  return values
}

/** Digits become a number; anything else stays text, which the schema refuses. */
function numberOf(value: string): unknown {
  return /^\d{1,15}$/.test(value) ? Number(value) : value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function bodyOf({ contentType, rawBody }: Call): unknown {
  // API: Endpoints, requests with a body use `Content-Type: application/json`.
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw refusals.validation('Content-Type must be application/json')
  try {
    return JSON.parse(utf8.decode(rawBody))
  } catch {
    throw refusals.validation('the body is not JSON')
  }
}

function checked<S extends GenericSchema>(schema: S, value: unknown): InferOutput<S> {
  // The standard interface of the contract's schemas; they are all synchronous.
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new Error('the contract has no asynchronous schemas')
  if (result.issues === undefined) return result.value
  const [issue] = result.issues
  const path = issue?.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.') ?? ''
  throw refusals.validation(`${path === '' ? 'body' : path}: ${issue?.message ?? 'not allowed'}`)
}
