/** Positions in the sandbox's data, and the ids that follow from them, the same on every start. Also durations in milliseconds. */

/** Ten digits for each kind of thing. The order gives each kind a number. */
const kinds = {
  contact: 'd5aad2927b',
  list: '81a0fa394c',
  membership: 'fb829da811',
  employee: '76ded2c460',
  ticket: 'caa033e218',
  chat: '97e4820e34',
  channel: 'a60186e414',
  attachment: '69c295364a',
} as const

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

/** Returns an id: 8 hexadecimal digits that grow with the position, 10 digits of the kind, and 6 digits of the position. */
export function idOf(kind: keyof typeof kinds, position: number): string {
  const start = 0x64000000 + position * 37 + Object.keys(kinds).indexOf(kind)
  return `${hex(start, 8)}${kinds[kind]}${hex(position, 6)}`
}

/** Picks an item by a number, which may be larger than the length. */
export function pick<T>(from: readonly T[], number: number): T {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Positions that follow one another. */
export function range(start: number, length: number) {
  return Array.from({ length }, (_, n) => start + n)
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number) => new Date(time).toISOString()
