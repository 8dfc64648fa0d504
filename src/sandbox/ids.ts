/** Ids and random-looking numbers that are the same on every start, and durations in milliseconds. */

/**
 * Returns a 32-bit number that looks random, but is always the same for the same values. Callers put a constant of their own among
 * the values, such as 11 for contacts and 21 for lists, so that contacts and lists get different numbers.
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

/** Picks an item by a number, which may be larger than the length. */
export function pick<T>(from: readonly T[], number: number): T {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

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

/** Ten digits for each kind, in the order of `kinds`. */
const kindDigits = kinds.map(
  (_, index) => hex(mix(1, 0, index), 8) + hex(mix(1, 0, index, 1) & 0xff, 2),
)

/** Returns an id: 8 hexadecimal digits that grow with the position, 10 digits of the kind, and 6 digits of the position. */
export function idOf(kind: (typeof kinds)[number], position: number): string {
  const index = kinds.indexOf(kind)
  // Any step that is larger than the number of kinds.
  const start = hex(0x64000000 + position * 37 + index, 8)
  return `${start}${kindDigits[index]}${hex(position, 6)}`
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number) => new Date(time).toISOString()
