/**
 * Items of a run by position: ids, or pairs, wherever they are kept; and the checksums by which inputs, plans and recorded files are
 * compared. What sends, records or shows items asks for positions, so that a million ids stay in one table of bytes. `sessions/job.ts`
 * holds those that were read, `run-files.ts` those that were recorded; plans compare the checksums.
 */
import { keyOf, type Pair } from '../../input/pairs.ts'
import { createHash } from 'node:crypto'
import type { IdTable } from '../../input/id-table.ts'

/** By position from 0; a table of ids is one. */
export interface Items {
  readonly size: number
  /** Undefined where they are ids. */
  readonly pairs?: readonly Pair[]
  id(position: number): string
  /** From position `from` up to, not including, `to`. */
  slice(from: number, to: number): string[]
  json(from: number, to: number): Buffer
  /** The same as the file of a run has them. */
  encode(from: number, to: number): Iterable<Uint8Array>
  /** Line of the input; 0 for an argument. */
  line(position: number): number
  /** Position of an id in either letter case; -1 when it is not there. */
  indexOf(id: string): number
}

export function pairItems(pairs: readonly Pair[]): Items {
  let positions: Map<string, number> | undefined
  const at = (position: number): Pair => {
    const pair = pairs[position]
    if (pair === undefined) throw new RangeError(`no pair at ${position}`)
    return pair
  }
  const slice = (from: number, to: number): string[] => pairs.slice(from, to).map(({ id }) => id)
  return {
    size: pairs.length,
    pairs,
    id: (position) => at(position).id,
    slice,
    json: (from, to) => Buffer.from(JSON.stringify(slice(from, to))),
    encode: (from, to) => pairLines(pairs, from, to),
    line: (position) => at(position).line,
    indexOf(id) {
      positions ??= positionsById(pairs)
      return positions.get(id.toLowerCase()) ?? -1
    },
  }
}

/** Positions of pairs by their ids in lower case. */
function positionsById(pairs: readonly Pair[]): Map<string, number> {
  const positions = new Map<string, number>()
  for (const [position, { id }] of pairs.entries()) {
    positions.set(id.toLowerCase(), position)
  }
  return positions
}

/** One a line; to undo assigns with the expected assignee too. */
function* pairLines(pairs: readonly Pair[], from: number, to: number): Generator<Buffer> {
  const atOnce = 4096
  for (let start = from; start < to; start += atOnce) {
    const end = Math.min(start + atOnce, to)
    const lines = pairs.slice(start, end).map(pairLine)
    yield Buffer.from(lines.join(''))
  }
}

function pairLine({ id, other, expected }: Pair): string {
  return expected === undefined ? `${id} ${other}\n` : `${id} ${other} ${expected}\n`
}

/** SHA-256 of them as the file of a run has them. */
export function itemsSha256(items: Items, from = 0, to = items.size): string {
  return sha256(items.encode(from, to))
}

/** SHA-256 of all pieces together, in hexadecimal. */
export function sha256(pieces: Iterable<Uint8Array | string>): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** Checksum of ids as a set: no matter their order, letter case and duplicates. */
export function setSha256(ids: IdTable): string {
  return sha256(ids.encodeSet())
}

/** The same of pairs. */
export function pairsSetSha256(pairs: readonly Pair[]): string {
  const keys = new Set(pairs.map(keyOf))
  const sorted = [...keys].sort()
  return sha256(sorted.map((key) => `${key}\n`))
}
