/** The ten operations in the order and with the scope of the description, and their retry class. A new one is a row. */
import { assignRules } from './limits.ts'
import type { GenericSchema, InferOutput } from 'valibot'
import type { RetryClass } from '../http/retry.ts'
import * as schemas from './schemas.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path with `{name}` for each id. */
  readonly path: string
  readonly scope: 'read' | 'read-write'
  readonly retry: RetryClass
  /** It is sent in batches: `bulk/operations` has a file for it. */
  readonly isBulk?: true
  readonly query?: GenericSchema
  readonly body?: GenericSchema
  readonly result: GenericSchema
  /** What a 403 means here that does not come from scope or plan. */
  readonly forbidden?: string
  /** What every other refusal probably means here. */
  readonly rejected?: string
}

function read<More extends Pick<Operation, 'result'> & Partial<Operation>>(path: string, more: More) {
  return { method: 'GET', path, scope: 'read', retry: 'read', ...more } as const
}

function change<More extends Pick<Operation, 'body' | 'result'> & Partial<Operation>>(
  method: 'POST' | 'PATCH',
  path: string,
  retry: RetryClass,
  more: More,
) {
  return { method, path, scope: 'read-write', retry, ...more } as const
}

const { ContactIdsBody, ContactList } = schemas

export const operations = {
  'lists.list': read('/v1/lists', { query: schemas.ListsQuery, result: schemas.ListPage }),
  'lists.create': change('POST', '/v1/lists', 'once', { body: schemas.CreateListBody, result: ContactList }),
  'lists.get': read('/v1/lists/{listId}', { query: schemas.MembersQuery, result: schemas.MemberPage }),
  'lists.update': change('PATCH', '/v1/lists/{listId}', 'repeatable', {
    body: schemas.UpdateListBody,
    result: ContactList,
  }),
  'lists.add-contacts': change('POST', '/v1/lists/{listId}/contacts', 'repeatable', {
    isBulk: true,
    body: ContactIdsBody,
    result: schemas.AddResult,
  }),
  'contacts.merge': change('POST', '/v1/contacts/{sourceContactId}/merge', 'once', {
    isBulk: true,
    body: schemas.MergeBody,
    result: schemas.MergeResult,
  }),
  'contacts.delete': change('POST', '/v1/contacts/bulk-delete', 'convergent', {
    isBulk: true,
    body: ContactIdsBody,
    result: schemas.DeleteResult,
  }),
  'tickets.history': read('/v1/tickets/{ticketId}/history', {
    query: schemas.HistoryQuery,
    result: schemas.HistoryChunk,
    forbidden: 'on plans with limited history a ticket older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new": its history can be read once someone has picked it up; or the id is unknown to this company',
  }),
  'tickets.assign': change('PATCH', '/v1/tickets/{ticketId}/assignee', 'once', {
    isBulk: true,
    body: schemas.AssignBody,
    result: schemas.AssignResult,
    rejected: [assignRules.title, ...Object.values(assignRules.rules).map((rule) => `  ${rule}`)].join('\n'),
  }),
  'employees.list': read('/v1/employees', { result: schemas.EmployeeList }),
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

/** The checked result of an operation: what stands under `data`. */
export type Result<N extends OperationName> = InferOutput<(typeof operations)[N]['result']>
