/**
 * Cutting a run into batches and a file into shards: arithmetic over positions, so that five million ids need no list
 * of batches. Pure.
 */

/** A run of consecutive positions, cut into batches of `size`; the last one may be shorter. */
export interface Batches {
  /** Position of the first id, from 0. */
  readonly from: number
  /** Position after the last id. */
  readonly to: number
  readonly size: number
  readonly total: number
}

function counted(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least
}

/** Cuts `count` ids into batches of `size`. Throws RangeError on numbers that are no counts. */
export function cutBatches(count: number, size: number): Batches {
  if (!counted(count, 0)) throw new RangeError(`not a count of ids: ${count}`)
  if (!counted(size, 1)) throw new RangeError(`not a batch size: ${size}`)
  return { from: 0, to: count, size, total: Math.ceil(count / size) }
}

/**
 * The `part`-th (from 1) of `parts` parts, in whole batches and in input order: the parts of one file cover every batch
 * exactly once and differ by at most one batch. Batches of the part are numbered from 1 again.
 */
export function shardBatches(batches: Batches, part: number, parts: number): Batches {
  if (!counted(parts, 1)) throw new RangeError(`not a number of parts: ${parts}`)
  if (!counted(part, 1) || part > parts) throw new RangeError(`not a part of ${parts}: ${part}`)
  const first = Math.floor((batches.total * (part - 1)) / parts)
  const end = Math.floor((batches.total * part) / parts)
  const from = Math.min(batches.from + first * batches.size, batches.to)
  const to = Math.min(batches.from + end * batches.size, batches.to)
  return { from, to, size: batches.size, total: end - first }
}

/** Positions of the `number`-th batch, from 1: `from` up to, not including, `to`. Throws RangeError when there is no such batch. */
export function batchRange(batches: Batches, number: number): Pick<Batches, 'from' | 'to'> {
  if (!counted(number, 1) || number > batches.total) throw new RangeError(`no batch ${number} of ${batches.total}`)
  const from = batches.from + (number - 1) * batches.size
  return { from, to: Math.min(from + batches.size, batches.to) }
}

/** The numbers of all batches, in input order. */
export function* numbers(total: number): Generator<number> {
  for (let batch = 1; batch <= total; batch += 1) yield batch
}
