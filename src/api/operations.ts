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
  /** What a 403 means here that does not come from scope or plan. */
  readonly forbidden?: string
  /** What every other refusal probably means here. */
  readonly rejected?: string
}

type Words = Pick<Operation, 'forbidden' | 'rejected'>

function read(path: string, words: Words = {}) {
  return { method: 'GET', path, scope: 'read', retry: 'read', ...words } as const
}

function change(method: 'POST' | 'PATCH', path: string, retry: RetryClass, words: Words = {}) {
  return { method, path, scope: 'read-write', retry, ...words } as const
}

function bulk(method: 'POST' | 'PATCH', path: string, retry: RetryClass, words: Words = {}) {
  return { ...change(method, path, retry, words), isBulk: true } as const
}

export const operations = {
  'lists.list': read('/v1/lists'),
  'lists.create': change('POST', '/v1/lists', 'once'),
  'lists.get': read('/v1/lists/{listId}'),
  'lists.update': change('PATCH', '/v1/lists/{listId}', 'repeatable'),
  'lists.add-contacts': bulk('POST', '/v1/lists/{listId}/contacts', 'repeatable'),
  'contacts.merge': bulk('POST', '/v1/contacts/{sourceContactId}/merge', 'once'),
  'contacts.delete': bulk('POST', '/v1/contacts/bulk-delete', 'convergent'),
  'tickets.history': read('/v1/tickets/{ticketId}/history', {
    forbidden: 'on plans with limited history a ticket older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new": its history can be read once someone has picked it up; or the id is unknown to this company',
  }),
  'tickets.assign': bulk('PATCH', '/v1/tickets/{ticketId}/assignee', 'once', {
    rejected: [assignRules.title, ...Object.values(assignRules.rules).map((rule) => `  ${rule}`)].join('\n'),
  }),
  'employees.list': read('/v1/employees'),
} satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export type BulkOperation = {
  [name in OperationName]: (typeof operations)[name] extends { isBulk: true } ? name : never
}[OperationName]

const isBulk = (name: string): name is BulkOperation =>
  Object.hasOwn(operations, name) && 'isBulk' in operations[name as OperationName]

export const bulkOperations = Object.keys(operations).filter(isBulk)

/** Those after which a contact is gone for good. */
export const removals = { delete: 'contacts.delete', merge: 'contacts.merge' } as const satisfies Record<
  string,
  OperationName
>
