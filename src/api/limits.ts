/**
 * Limits of the service, keys of its contacts and a rule of its tickets, from the API's
 * description.
 */

export const limits = {
  /** How far the timestamp of a request may be off, in milliseconds (API: Limits). */
  timestampWindowMs: 5 * 60 * 1000,
  pageSize: { max: 100, default: 20 },
  listName: { min: 1, max: 100 },
  listDescription: { max: 1000 },
  contactIds: { min: 1, max: 100 },
  messagesPerChunk: 20,
  historyDays: 30,
  employees: 1000,
} as const

/**
 * How long a lost request may still reach the service and be applied, in milliseconds. That is two
 * timestamp windows, because this machine's clock may be a whole window ahead, and a minute to be
 * safe.
 */
const lostRequestMs = 2 * limits.timestampWindowMs + 60 * 1000

/** How long a lost request may still be applied, in words: `11 minutes`. */
export const arrivalTime = `${lostRequestMs / 60_000} minutes`

export const arrivalNotice = `the service may still do this within ${arrivalTime}`

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

/**
 * When an assignee can be changed (API: Change ticket assignee; States and transitions, rule 2).
 */
export const assignRules = [
  'the service changes an assignee only if:',
  'the ticket is active',
  'the ticket already has an assignee',
  'the ticket is the current one of its chat',
  'the new assignee is an active employee of this company',
  'the new assignee is not the current assignee',
  "the new assignee has access to the ticket's channel",
].join('\n  ')
