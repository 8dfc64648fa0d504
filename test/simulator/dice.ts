/** Random numbers that a seed decides: from 0 up to, not including, 1. */
export type Dice = () => number

export function dice(seed: number): Dice {
  let state = (Math.imul(seed, 2654435761) + 12345) >>> 0 || 1
  return () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}

export const below = (roll: Dice, most: number) => Math.floor(roll() * most)
