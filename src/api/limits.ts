/** The limits of the service's description as numbers, apart from the schemas: most commands need no more than these. */

/** Numbers of the description's table of limits. */
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

export { idPattern } from '../values.ts'

/** Lengths are counted in code points, as the surface says. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
