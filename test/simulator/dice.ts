/** Random numbers that a seed decides: from 0 up to, not including, 1. */
export type Dice = () => number

/** Where dice are in their row of numbers. */
export interface DiceState {
  value: number
}

export const diceState = (seed: number): DiceState => ({
  value: (Math.imul(seed, 2654435761) + 12345) >>> 0 || 1,
})

/** Returns the next number. */
export function rollOf(state: DiceState): number {
  let { value } = state
  value ^= value << 13
  value >>>= 0
  value ^= value >>> 17
  value ^= value << 5
  value >>>= 0
  state.value = value
  return value / 2 ** 32
}

export function dice(seed: number): Dice {
  const state = diceState(seed)
  return () => rollOf(state)
}

export const below = (roll: Dice, most: number) => Math.floor(roll() * most)
