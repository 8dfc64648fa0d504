/**
 * The ten operations as a table: in the order and with the scope of the service's description, the retry class as svc treats them.
 * A new operation is a row here.
 */
import { assignRules } from './limits.ts'
import type { GenericSchema, InferOutput } from 'valibot'
import type { RetryClass } from '../http/retry.ts'
import {
  AddResult,
  AssignBody,
  AssignResult,
  ContactIdsBody,
  ContactList,
  CreateListBody,
  DeleteResult,
  EmployeeList,
  HistoryChunk,
  HistoryQuery,
  ListPage,
  ListsQuery,
  MemberPage,
  MembersQuery,
  MergeBody,
  MergeResult,
  UpdateListBody,
} from './schemas.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path with `{name}` for each id. */
  readonly path: string
  readonly scope: 'read' | 'read-write'
  readonly retry: RetryClass
  readonly query?: GenericSchema
  readonly body?: GenericSchema
  readonly result: GenericSchema
  /** What a 403 means here that does not come from scope or plan. */
  readonly forbidden?: string
  /** What every other refusal probably means here. */
  readonly rejected?: string
}

export const operations = {
  'lists.list': {
    method: 'GET',
    path: '/v1/lists',
    scope: 'read',
    retry: 'read',
    query: ListsQuery,
    result: ListPage,
  },
  'lists.create': {
    method: 'POST',
    path: '/v1/lists',
    scope: 'read-write',
    retry: 'once',
    body: CreateListBody,
    result: ContactList,
  },
  'lists.get': {
    method: 'GET',
    path: '/v1/lists/{listId}',
    scope: 'read',
    retry: 'read',
    query: MembersQuery,
    result: MemberPage,
  },
  'lists.update': {
    method: 'PATCH',
    path: '/v1/lists/{listId}',
    scope: 'read-write',
    retry: 'repeatable',
    body: UpdateListBody,
    result: ContactList,
  },
  'lists.add-contacts': {
    method: 'POST',
    path: '/v1/lists/{listId}/contacts',
    scope: 'read-write',
    retry: 'repeatable',
    body: ContactIdsBody,
    result: AddResult,
  },
  'contacts.merge': {
    method: 'POST',
    path: '/v1/contacts/{sourceContactId}/merge',
    scope: 'read-write',
    retry: 'once',
    body: MergeBody,
    result: MergeResult,
  },
  'contacts.delete': {
    method: 'POST',
    path: '/v1/contacts/bulk-delete',
    scope: 'read-write',
    retry: 'convergent',
    body: ContactIdsBody,
    result: DeleteResult,
  },
  'tickets.history': {
    method: 'GET',
    path: '/v1/tickets/{ticketId}/history',
    scope: 'read',
    retry: 'read',
    query: HistoryQuery,
    result: HistoryChunk,
    forbidden: 'on plans with limited history a ticket older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new": its history can be read once someone has picked it up; or the id is unknown to this company',
  },
  'tickets.assign': {
    method: 'PATCH',
    path: '/v1/tickets/{ticketId}/assignee',
    scope: 'read-write',
    retry: 'once',
    body: AssignBody,
    result: AssignResult,
    rejected: [assignRules.title, ...Object.values(assignRules.rules).map((rule) => `  ${rule}`)].join('\n'),
  },
  'employees.list': {
    method: 'GET',
    path: '/v1/employees',
    scope: 'read',
    retry: 'read',
    result: EmployeeList,
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

/** The checked result of an operation: what stands under `data`. */
export type Result<N extends OperationName> = InferOutput<(typeof operations)[N]['result']>
