/**
 * Keys of ids in blocks: how an id table keeps them, and how it sorts them for the checksum of a set. Blocks, because a table then grows
 * without being copied. Called by `id-table.ts` alone. Pure.
 */

/** The keys of a table, `wordsOfId` words for each id. */
type Blocks = readonly Uint32Array[]

/** A key is three words of eight digits each. */
export const wordsOfId = 3

/** A block has so many ids that a position is a block's number and, in its lower bits, a place in it. */
export const blockBits = 16
export const blockSize = 1 << blockBits
export const blockMask = blockSize - 1

/** Ids are sorted by so many bits at a time: twelve digits of a byte each. */
const digitBits = 8
const digits = 12

/**
 * The positions of the first `size` ids, sorted by id: by one digit after the other, the last one first. Each pass leaves ids with the same
 * digit in the order of the pass before, so that the order is right after the last one. Nothing is compared, and nothing is made into a text.
 */
export function sortedPositions(blocks: Blocks, size: number): Uint32Array {
  let order = new Uint32Array(size)
  for (let index = 0; index < size; index += 1) order[index] = index
  let next = new Uint32Array(size)
  for (let digit = digits - 1; digit >= 0; digit -= 1) {
    const places = firstPlaces(blocks, size, digit)
    // A pass by a digit that all ids share would change nothing.
    if (places === undefined) continue
    for (let i = 0; i < size; i += 1) {
      const index = order[i] ?? 0
      const value = digitOf(blocks, index, digit)
      const place = places[value] ?? 0
      next[place] = index
      places[value] = place + 1
    }
    const before = order
    order = next
    next = before
  }
  return order
}

/** By value of this digit: how many ids have a smaller one. Undefined when all ids have the same. */
function firstPlaces(blocks: Blocks, size: number, digit: number): Uint32Array | undefined {
  const counts = new Uint32Array(1 << digitBits)
  for (let index = 0; index < size; index += 1) {
    const value = digitOf(blocks, index, digit)
    counts[value] = (counts[value] ?? 0) + 1
  }
  if (counts.includes(size)) return undefined
  let before = 0
  return counts.map((count) => {
    before += count
    return before - count
  })
}

/** The `digit`th of twelve: four of them are a word. */
function digitOf(blocks: Blocks, index: number, digit: number): number {
  const block = blocks[index >>> blockBits]
  const at = (index & blockMask) * wordsOfId + (digit >>> 2)
  const word = block?.[at] ?? 0
  const shift = 24 - (digit & 3) * 8
  return (word >>> shift) & 255
}
