/**
 * The ten operations of the service's description, in its order, with their method and retry class, and its limits. A new
 * operation is a row; `schemas.ts` has its result, apart from here because most commands do not load them.
 */
import type { RetryClass } from '../http/retry.ts'

export const limits = {
  /** API: Limits, timestamp window, in milliseconds. */
  timestampWindow: 5 * 60 * 1000,
  pageSize: { min: 1, max: 100, default: 20 },
  listName: { min: 1, max: 100 },
  listDescription: { max: 1000 },
  contactIds: { min: 1, max: 100 },
  messagesPerChunk: 20,
  historyDays: 30,
  employees: 1000,
} as const

/**
 * How long, in milliseconds, a request without an answer can still be applied: its window, the same again for a clock that
 * is ahead, and a minute.
 */
const lostRequestLands = 2 * limits.timestampWindow + 60 * 1000

/** How long a request can still be applied, in words. `sentAt`: milliseconds since 1970. */
export function mayArrive(sentAt: number): string {
  const until = new Date(sentAt + lostRequestLands).toISOString()
  return `the request may still arrive within ${lostRequestLands / 60_000} minutes, until ${until}`
}

/** API: Contact, the fixed set of keys of `identities`. */
export const identityKeys = [
  'phone',
  'email',
  'messengerA_phone',
  'messengerA_user_id',
  'messengerA_parent_user_id',
  'messengerB_user_id',
  'messengerB_username',
  'messengerB_phone',
  'messengerC_user_id',
  'messengerC_username',
  'messengerC_phone',
  'socialA_user_id',
  'socialB_user_id',
  'socialC_user_id',
  'socialC_username',
] as const

export type IdentityKey = (typeof identityKeys)[number]

/** API: Change ticket assignee, and States and transitions, rule 2. */
export const assignRules = [
  'an assignee can be changed only if:',
  'the ticket is active',
  'the ticket already has an assignee',
  'the ticket is the current one of its chat',
  'the new assignee is an active employee of this company',
  'the new assignee is not the current assignee',
  "the new assignee has access to the ticket's channel",
].join('\n  ')

export interface ApiOperation {
  /** A GET needs the scope "read", every other method "read-write". */
  method: 'GET' | 'POST' | 'PATCH'
  /** Path with `{name}` for each id. */
  path: string
  retry: RetryClass
  /** Another meaning of a 403. */
  forbidden?: string
  /** Probable meaning of every other refusal. */
  rejected?: string
}

export const operations = {
  'lists.list': { method: 'GET', path: '/v1/lists', retry: 'read' },
  'lists.create': { method: 'POST', path: '/v1/lists', retry: 'once' },
  'lists.get': { method: 'GET', path: '/v1/lists/{listId}', retry: 'read' },
  'lists.update': { method: 'PATCH', path: '/v1/lists/{listId}', retry: 'repeatable' },
  'lists.add-contacts': {
    method: 'POST',
    path: '/v1/lists/{listId}/contacts',
    retry: 'repeatable',
  },
  'contacts.merge': {
    method: 'POST',
    path: '/v1/contacts/{sourceContactId}/merge',
    retry: 'once',
  },
  'contacts.delete': {
    method: 'POST',
    path: '/v1/contacts/bulk-delete',
    retry: 'repeatable',
  },
  'tickets.history': {
    method: 'GET',
    path: '/v1/tickets/{ticketId}/history',
    retry: 'read',
    forbidden:
      'with a subscription that limits history, tickets older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new" (nobody has picked it up yet), or your company has no such ticket',
  },
  'tickets.assign': {
    method: 'PATCH',
    path: '/v1/tickets/{ticketId}/assignee',
    retry: 'once',
    rejected: assignRules,
  },
  'employees.list': { method: 'GET', path: '/v1/employees', retry: 'read' },
} as const satisfies Record<string, ApiOperation>

export type OperationName = keyof typeof operations

/** The operations that are sent in batches: `runs/operations` has a file for each. */
export const bulkOperations = [
  'lists.add-contacts',
  'contacts.merge',
  'contacts.delete',
  'tickets.assign',
] as const satisfies readonly OperationName[]

export type BulkOperation = (typeof bulkOperations)[number]

/** The operations that change something. */
export const writeOperations = [
  'lists.create',
  'lists.update',
  ...bulkOperations,
] as const satisfies readonly OperationName[]

export type WriteOperation = (typeof writeOperations)[number]

/** The operation whose ids `maxDelete` limits. */
export const deletion = 'contacts.delete'
