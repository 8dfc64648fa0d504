/**
 * The ten operations of the service, in the order of its description, and its limits. The shapes of their results are in
 * `schemas.ts`, a file of its own because many commands do not load it.
 */
import type { RetryClass } from '../http/failures.ts'

export const limits = {
  /** How far the timestamp of a request may be off, in milliseconds (API: Limits). */
  timestampWindowMs: 5 * 60 * 1000,
  pageSize: { min: 1, max: 100, default: 20 },
  listName: { min: 1, max: 100 },
  listDescription: { max: 1000 },
  contactIds: { min: 1, max: 100 },
  messagesPerChunk: 20,
  historyDays: 30,
  employees: 1000,
} as const

/**
 * How long a lost request may still reach the service and be applied, in milliseconds. If this machine's clock is a whole
 * timestamp window ahead, the service accepts a request until two windows after it was signed. A minute is added to be safe.
 */
const lostRequestMs = 2 * limits.timestampWindowMs + 60 * 1000

/** `11 minutes` */
export const arrivalTime = `${lostRequestMs / 60_000} minutes`

/** Says until when a lost request may be applied. `sentAt` is in milliseconds since 1970. */
export function arrivalNotice(sentAt: number) {
  const until = new Date(sentAt + lostRequestMs).toISOString()
  return `the request may still arrive within ${arrivalTime}, until ${until}`
}

/** All keys that `identities` can have (API: Contact). */
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

/** When an assignee can be changed (API: Change ticket assignee; States and transitions, rule 2). */
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
  /** The path, with `{name}` for each id. */
  path: string
  retry: RetryClass
  /** Another meaning of a 403, in addition to a missing scope or subscription. */
  forbidden?: string
  /** The probable meaning of any other refusal. Without it, the hint is a general one. */
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

/** The operations that runs send in bulk. */
export type BulkOperationName =
  'lists.add-contacts' | 'contacts.merge' | 'contacts.delete' | 'tickets.assign'

/** The operations that change something. */
export type WriteOperationName = 'lists.create' | 'lists.update' | BulkOperationName
