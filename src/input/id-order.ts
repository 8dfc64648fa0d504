/** How ids lie in memory, and their order, found without making a text of any. */

/** Ids lie in blocks, so that a table grows without being copied. */
export const blockBits = 16
export const blockSize = 1 << blockBits
export const blockMask = blockSize - 1

/** Three words of eight digits an id. */
type Blocks = readonly Uint32Array[]

/** An id is sorted by so many bits at a time. */
const digitBits = 8
const digits = 12

/** The positions of the first `size` ids, sorted by id: by one digit after the other, the last one first. */
export function sortedPositions(blocks: Blocks, size: number): Uint32Array {
  let order = new Uint32Array(size)
  for (let index = 0; index < size; index += 1) order[index] = index
  let next = new Uint32Array(size)
  for (let digit = digits - 1; digit >= 0; digit -= 1) {
    const places = firstPlaces(blocks, size, digit)
    if (places === undefined) continue
    for (let i = 0; i < size; i += 1) {
      const index = order[i] ?? 0
      const value = digitOf(blocks, index, digit)
      const place = places[value] ?? 0
      next[place] = index
      places[value] = place + 1
    }
    ;[order, next] = [next, order]
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

/** The `digit`th of twelve. */
function digitOf(blocks: Blocks, index: number, digit: number): number {
  const word = blocks[index >>> blockBits]?.[(index & blockMask) * 3 + (digit >>> 2)] ?? 0
  return (word >>> (24 - (digit & 3) * 8)) & 255
}
