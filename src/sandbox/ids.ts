/** Ids, times and other numbers that are the same on every start, and the options that they are made from. */

/**
 * A well mixed 32-bit number from some numbers: the same ones give the same. Callers put a constant among them, 11 for
 * contacts and 21 for lists, so that their numbers are independent.
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
type IdKind = (typeof kinds)[number]

/**
 * The ids of one kind and company (the sandbox has company 0): 24 hexadecimal digits for each position. The first 8 grow with the position, the next 10
 * belong to the kind and company, and the last 6 are the position.
 */
export type Ids = (position: number) => string

export function ids(seed: number, company: number, kind: IdKind): Ids {
  const kindNumber = kinds.indexOf(kind)
  const eightDigits = hex(mix(seed, company, kindNumber), 8)
  const twoDigits = hex(mix(seed, company, kindNumber, 1) & 0xff, 2)
  return (position) => {
    const start = hex(0x64000000 + position * 37 + kindNumber, 8)
    return start + eightDigits + twoDigits + hex(position, 6)
  }
}

/** The options from which all data of a sandbox is made. */
export interface SeedOptions {
  seed: number
  contacts: number
  /** Start of the day to which times are relative, in milliseconds since 1970. */
  epoch: number
}

/** Everything from which the data of the company is made. */
export interface Seeding extends SeedOptions {
  ids: Record<IdKind, Ids>
}

export function seedingOf(options: SeedOptions): Seeding {
  const all = kinds.map((kind) => [kind, ids(options.seed, 0, kind)])
  return { ...options, ids: Object.fromEntries(all) as Record<IdKind, Ids> }
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number) => new Date(time).toISOString()
