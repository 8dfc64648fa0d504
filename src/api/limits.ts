/** Limits of the service, from the API's description, and what follows from them. */

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
