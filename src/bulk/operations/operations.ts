/** The bulk operations by name, and what may be claimed of a batch and done with it next. Pure: the crash tests and the model run it too. */
import type { BatchState } from '../record/batch-state.ts'
import type { BulkOperation } from '../record/events.ts'
import { addContacts, needsIsolating } from './add.ts'
import { assignTickets } from './assign.ts'
import { deleteContacts } from './delete.ts'
import { mergeContacts } from './merge.ts'
import type { Batch, BatchOutcome, NextAction, Operation } from './operation.ts'

const operations = {
  'contacts.delete': deleteContacts,
  'lists.add-contacts': addContacts,
  'contacts.merge': mergeContacts,
  'tickets.assign': assignTickets,
} satisfies Record<BulkOperation, Operation>

export const operationOf = (name: BulkOperation): Operation => operations[name]

/** What help says of one, as a type: a verb's options load no operation. */
export type SendingFacts<N extends BulkOperation> = Pick<(typeof operations)[N], 'isSingle' | 'concurrency'>

/** Those that take files of pairs. */
export type PairOperation = {
  [name in BulkOperation]: (typeof operations)[name] extends { pairs: object } ? name : never
}[BulkOperation]
export const pairsOf = (name: PairOperation): NonNullable<Operation['pairs']> => operations[name].pairs

/** The outcome of each id of a batch in this state. Throws a RangeError for a merge or an assign that is not one pair. */
export function outcomesOf(batch: Batch, state: BatchState): BatchOutcome {
  const { judge, judgeUnanswered } = operationOf(batch.operation)
  return state.answer === undefined ? judgeUnanswered(batch, state) : judge(batch, state, state.answer.data)
}

/** What resuming does with a batch. One with an accepted answer is not sent again, even when its sums do not add up. */
export function nextAction(batch: Batch, state: BatchState): NextAction {
  if (state.answer === undefined) return operationOf(batch.operation).next(batch, state)
  return batch.isolate === true && needsIsolating(outcomesOf(batch, state)) ? 'isolate' : 'finished'
}
