/** How ids lie in memory, and their order, found without making a text of any. */

/** Ids lie in blocks, so that a table grows without being copied. */
export const blockBits = 16
export const blockSize = 1 << blockBits
export const blockMask = blockSize - 1

/** Three words of eight digits an id. */
type Blocks = readonly Uint32Array[]

/** Fewer ids are compared: to count 65,536 values takes longer. */
const few = 4096

/** The positions of the first `size` ids, sorted by id: of many with a radix sort by 16 bits at a time, the last ones first. */
export function sortedPositions(blocks: Blocks, size: number): Uint32Array {
  let order = new Uint32Array(size)
  for (let index = 0; index < size; index += 1) order[index] = index
  if (size < few) return order.sort((a, b) => compared(blocks, a, b))
  let next = new Uint32Array(size)
  for (let half = 5; half >= 0; half -= 1) {
    const places = firstPlaces(blocks, size, half)
    if (places === undefined) continue
    for (let i = 0; i < size; i += 1) {
      const index = order[i] ?? 0
      const value = halfOf(blocks, index, half)
      const place = places[value] ?? 0
      next[place] = index
      places[value] = place + 1
    }
    ;[order, next] = [next, order]
  }
  return order
}

/** By value of these bits: how many ids have a smaller one. Undefined when all ids have the same. */
function firstPlaces(blocks: Blocks, size: number, half: number): Uint32Array | undefined {
  const counts = new Uint32Array(1 << 16)
  for (let index = 0; index < size; index += 1) {
    const value = halfOf(blocks, index, half)
    counts[value] = (counts[value] ?? 0) + 1
  }
  if (counts.includes(size)) return undefined
  let before = 0
  return counts.map((count) => {
    before += count
    return before - count
  })
}

function compared(blocks: Blocks, a: number, b: number): number {
  for (let half = 0; half < 6; half += 1) {
    const difference = halfOf(blocks, a, half) - halfOf(blocks, b, half)
    if (difference !== 0) return difference
  }
  return 0
}

/** 16 bits of an id, the `half`th of six. */
function halfOf(blocks: Blocks, index: number, half: number): number {
  const word = blocks[index >>> blockBits]?.[(index & blockMask) * 3 + (half >>> 1)] ?? 0
  return (half & 1) === 0 ? word >>> 16 : word & 0xffff
}
