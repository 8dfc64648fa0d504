/**
 * Cutting a run into batches: arithmetic, so a million ids need no list of batches. A recorded run is cut again from
 * its size and its batch size alone: what this says of a number of ids must never change. Pure. `sessions/job.ts` and `runs/recorded.ts`
 * cut, and the run state and the scheduler count by its numbers.
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

/** A command sends no more ids or pairs, and a plan holds no more. */
export const mostSent = 1_000_000

function isCount(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least
}

/** Cuts `count` ids into batches of `size`. Throws RangeError on numbers that are no counts. */
export function cutBatches(count: number, size: number): Batches {
  if (!isCount(count, 0)) throw new RangeError(`not a count of ids: ${count}`)
  if (!isCount(size, 1)) throw new RangeError(`not a batch size: ${size}`)
  const total = Math.ceil(count / size)
  return { from: 0, to: count, size, total }
}

/** Positions of the `number`-th batch, from 1: `from` up to, not including, `to`. Throws RangeError when there is no such batch. */
export function batchRange(batches: Batches, number: number): Pick<Batches, 'from' | 'to'> {
  if (!isCount(number, 1) || number > batches.total)
    throw new RangeError(`no batch ${number} of ${batches.total}`)
  const from = batches.from + (number - 1) * batches.size
  const to = Math.min(from + batches.size, batches.to)
  return { from, to }
}

/** The batch of a position. */
export function batchAt({ from, size }: Batches, position: number): number {
  return 1 + Math.floor((position - from) / size)
}

/** Positions of the ids of a batch, in input order. */
export function positionsOf(batches: Batches, batch: number): number[] {
  const { from, to } = batchRange(batches, batch)
  return Array.from({ length: to - from }, (_, i) => from + i)
}

/** How many ids these batches have. */
export function countIds(batches: Batches, numbers: readonly number[]): number {
  let count = 0
  for (const number of numbers) {
    const { from, to } = batchRange(batches, number)
    count += to - from
  }
  return count
}

/** Numbers of batches: from 1 up to `total`. */
export function* numbers(total: number): Generator<number> {
  for (let batch = 1; batch <= total; batch += 1) yield batch
}
