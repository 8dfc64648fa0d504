/** Options that all data of a sandbox is made from, and times in it. */
export interface SeedOptions {
  readonly seed: number
  readonly contacts: number
  readonly empty: boolean
  /** Start of the day that times are relative to, in milliseconds since 1970. */
  readonly epoch: number
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (time: number): string => new Date(time).toISOString()
