/**
 * Ids, times and other numbers that are the same on every start, and the options that they are made from.
 */

/** A well mixed 32-bit number from some numbers: the same ones give the same. */
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

/** One of a list, by a number of any size. */
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
export type IdKind = (typeof kinds)[number]

/** Ids of one kind of one company: 24 hexadecimal digits from a position. */
export type Ids = (position: number) => string

export function ids(seed: number, company: number, kind: IdKind): Ids {
  const number = kinds.indexOf(kind)
  const eightDigits = hex(mix(seed, company, number), 8)
  const twoDigits = hex(mix(seed, company, number, 1) & 0xff, 2)
  return (position) => {
    const start = hex(0x64000000 + position * 37 + number, 8)
    return start + eightDigits + twoDigits + hex(position, 6)
  }
}

/** Options that all data of a sandbox is made from. */
export interface SeedOptions {
  seed: number
  contacts: number
  /** Start of the day that times are relative to, in milliseconds since 1970. */
  epoch: number
}

/** Everything that the data of one company is made from: 0 is the large one, 1 the small one that another key sees. */
export interface Seeding extends SeedOptions {
  company: number
  ids: Record<IdKind, Ids>
}

export function seedingOf(options: SeedOptions, company: number): Seeding {
  const all = kinds.map((kind) => [kind, ids(options.seed, company, kind)])
  return { ...options, company, ids: Object.fromEntries(all) as Record<IdKind, Ids> }
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number): string => new Date(time).toISOString()
