/** Makes ids, times and other numbers that are the same on every start. */

/**
 * Returns a 32-bit number that looks random, but is always the same for the same values. Callers put a constant among the values,
 * such as 11 for contacts and 21 for lists, so that their numbers are independent.
 */
export function mix(...values: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const value of values) {
    hash ^= value
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return hash >>> 0
}

/** Picks an item by a number of any size. */
export function pick<T>(from: readonly T[], number: number): T {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

const kinds = [
  'contact',
  'list',
  'membership',
  'employee',
  'ticket',
  'chat',
  'channel',
  'attachment',
] as const

/** The ten digits in the ids of each kind. */
const digits = kinds.map(
  (_, kind) => hex(mix(1, 0, kind), 8) + hex(mix(1, 0, kind, 1) & 0xff, 2),
)

/** Returns an id: 8 hexadecimal digits that grow with the position, 10 digits of its kind, and 6 digits with the position. */
export function idOf(kind: (typeof kinds)[number], position: number): string {
  const number = kinds.indexOf(kind)
  const start = hex(0x64000000 + position * 37 + number, 8)
  return `${start}${digits[number]}${hex(position, 6)}`
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number) => new Date(time).toISOString()
