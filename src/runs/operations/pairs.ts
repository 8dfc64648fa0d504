/** Shared by the operations on pairs: a contact and the one that it is merged into, a ticket and its new assignee. */
import { SvcError } from '../../errors.ts'
import { firstOf } from '../../words.ts'
import type { Batch } from './operation.ts'

/** The pair of a batch. Throws a RangeError for what is not one pair. */
export function pairOf({ operation, ids, other }: Batch): { id: string; other: string } {
  const [id] = ids
  if (id === undefined || other === undefined || ids.length !== 1) {
    throw new RangeError(`a batch of ${operation} is one pair`)
  }
  return { id, other }
}

/** Exit 2 for pairs that contradict each other, each problem on a line of its own. */
export function contradiction(problems: readonly string[]): SvcError {
  const lines = firstOf(problems, 20)
  return new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines,
  })
}
