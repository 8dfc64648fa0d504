/**
 * The ten operations of the service's description, in its order, with their scope and retry class, and its
 * limits. A new operation is a row; `schemas.ts` has its shapes, apart from here because most commands do
 * not load them.
 */
import type { Host } from '../host.ts'
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

/** How long, in milliseconds, a request without an answer can still be applied: its window, the same again for a clock that is ahead, and a minute. */
const lostRequestLands = 2 * limits.timestampWindow + 60 * 1000

/** How long a request that was just sent can still be applied, in words. */
export function mayArrive(host: Pick<Host, 'now'>): string {
  const until = new Date(host.now() + lostRequestLands).toISOString()
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

/** API: Change ticket assignee, and States and transitions, rule 2. The verb marks each rule as yes, no or unknown. */
export const assignRules = {
  title: 'an assignee can be changed only if:',
  rules: {
    active: 'the ticket is active',
    assigned: 'the ticket already has an assignee',
    current: 'the ticket is the current one of its chat',
    employee: 'the new assignee is an active employee of this company',
    another: 'the new assignee is not the current assignee',
    channel: "the new assignee has access to the ticket's channel",
  },
} as const

/** The length of a text as the description counts it: in code points. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

export interface ApiOperation {
  method: 'GET' | 'POST' | 'PATCH'
  /** Path with `{name}` for each id. */
  path: string
  scope: 'read' | 'read-write'
  retry: RetryClass
  /** It is sent in batches: `runs/operations` has a file for it. */
  isBulk?: true
  /** How it makes contacts disappear for good. */
  end?: 'deleted' | 'merged'
  /** Meaning of a 403 that does not come from scope or subscription. */
  forbidden?: string
  /** Probable meaning of every other refusal. */
  rejected?: string
}

type More = Pick<ApiOperation, 'forbidden' | 'rejected' | 'end'>

function read(path: string, more: More = {}) {
  return {
    method: 'GET',
    path,
    scope: 'read',
    retry: 'read',
    ...more,
  } as const
}

function change(
  method: 'POST' | 'PATCH',
  path: string,
  retry: RetryClass,
  more: More = {},
) {
  return {
    method,
    path,
    scope: 'read-write',
    retry,
    ...more,
  } as const
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
  'contacts.merge': bulk('POST', '/v1/contacts/{sourceContactId}/merge', 'once', {
    end: 'merged',
  }),
  'contacts.delete': bulk('POST', '/v1/contacts/bulk-delete', 'convergent', {
    end: 'deleted',
  }),
  'tickets.history': read('/v1/tickets/{ticketId}/history', {
    forbidden:
      'with a subscription that limits history, tickets older than 30 days cannot be read',
    rejected:
      'the ticket may still be "new", so that nobody has picked it up yet; or the id is unknown to this company',
  }),
  'tickets.assign': bulk('PATCH', '/v1/tickets/{ticketId}/assignee', 'once', {
    rejected: [
      assignRules.title,
      ...Object.values(assignRules.rules).map((rule) => `  ${rule}`),
    ].join('\n'),
  }),
  'employees.list': read('/v1/employees'),
} satisfies Record<string, ApiOperation>

export type OperationName = keyof typeof operations

export type BulkOperation = {
  [name in OperationName]: (typeof operations)[name] extends { isBulk: true } ? name : never
}[OperationName]

const rows: Readonly<Record<string, ApiOperation>> = operations

const isBulk = (name: string): name is BulkOperation => rows[name]?.isBulk === true

export const bulkOperations = Object.keys(operations).filter(isBulk)

export type WriteOperation = {
  [name in OperationName]: (typeof operations)[name]['scope'] extends 'read-write'
    ? name
    : never
}[OperationName]

const isWrite = (name: string): name is WriteOperation => rows[name]?.scope === 'read-write'

/** The operations that change something. */
export const writeOperations = Object.keys(operations).filter(isWrite)

/** How an operation makes contacts disappear for good, if it does. */
export function endOf(name: string): ApiOperation['end'] {
  return Object.hasOwn(rows, name) ? rows[name]?.end : undefined
}
