/** The ten operations in the order and with the scope of the description, and their retry class. A new one is a row; `schemas.ts` has its shapes. */
import { assignRules } from './limits.ts'
import type { RetryClass } from '../http/retry.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path with `{name}` for each id. */
  readonly path: string
  readonly scope: 'read' | 'read-write'
  readonly retry: RetryClass
  /** It is sent in batches: `bulk/operations` has a file for it. */
  readonly isBulk?: true
  /** Contacts are gone for good after it, in this way. */
  readonly end?: 'deleted' | 'merged'
  /** Meaning of a 403 that does not come from scope or subscription. */
  readonly forbidden?: string
  /** Probable meaning of every other refusal. */
  readonly rejected?: string
}

type More = Pick<Operation, 'forbidden' | 'rejected' | 'end'>

function read(path: string, more: More = {}) {
  return { method: 'GET', path, scope: 'read', retry: 'read', ...more } as const
}

function change(method: 'POST' | 'PATCH', path: string, retry: RetryClass, more: More = {}) {
  return { method, path, scope: 'read-write', retry, ...more } as const
}

function bulk(method: 'POST' | 'PATCH', path: string, retry: RetryClass, more: More = {}) {
  return { ...change(method, path, retry, more), isBulk: true } as const
}

export const operations = {
  'lists.list': read('/v1/lists'),
  'lists.create': change('POST', '/v1/lists', 'once'),
  'lists.get': read('/v1/lists/{listId}'),
  'lists.update': change('PATCH', '/v1/lists/{listId}', 'repeatable'),
  'lists.add-contacts': bulk('POST', '/v1/lists/{listId}/contacts', 'repeatable'),
  'contacts.merge': bulk('POST', '/v1/contacts/{sourceContactId}/merge', 'once', { end: 'merged' }),
  'contacts.delete': bulk('POST', '/v1/contacts/bulk-delete', 'convergent', { end: 'deleted' }),
  'tickets.history': read('/v1/tickets/{ticketId}/history', {
    forbidden: 'on plans with limited history a ticket older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new": its history can be read once someone has picked it up; or the id is unknown to this company',
  }),
  'tickets.assign': bulk('PATCH', '/v1/tickets/{ticketId}/assignee', 'once', {
    rejected: [
      assignRules.title,
      ...Object.values(assignRules.rules).map((rule) => `  ${rule}`),
    ].join('\n'),
  }),
  'employees.list': read('/v1/employees'),
} satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export type BulkOperation = {
  [name in OperationName]: (typeof operations)[name] extends { isBulk: true } ? name : never
}[OperationName]

const rows: Readonly<Record<string, Operation>> = operations

const isBulk = (name: string): name is BulkOperation => rows[name]?.isBulk === true

export const bulkOperations = Object.keys(operations).filter(isBulk)

/** The end of contacts by an operation, if it is one after which they are gone for good. */
export function endOf(name: string): Operation['end'] {
  return Object.hasOwn(rows, name) ? rows[name]?.end : undefined
}
