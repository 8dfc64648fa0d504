/** Limits and names of the service's description, apart from the schemas: most commands need no more than this. */
import type { Host } from '../host.ts'

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
 * Milliseconds for which a request without an answer can still change something, from when it was sent. `usual`: the window of
 * its signature, as much by which a clock that the service accepts may be ahead, and a minute. `early`: when nothing shows that
 * this machine's clock is near the service's.
 */
export const lostRequestLands = {
  usual: 2 * limits.timestampWindow + 60 * 1000,
  early: 24 * 60 * 60 * 1000,
} as const

const minute = 60_000

/** For how long a request can still be applied, in words: `wait` milliseconds, those of one that was sent just now unless said. */
export function mayArrive(host: Pick<Host, 'now'>, wait: number = lostRequestLands.usual): string {
  const minutes = Math.ceil(wait / minute)
  const within = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
  const until = new Date(host.now() + wait).toISOString()
  return `the request may still arrive within ${within}, until ${until}`
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

/** API: Change ticket assignee, and States and transitions, rule 2. The verb marks each rule with what can be seen of it. */
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

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
