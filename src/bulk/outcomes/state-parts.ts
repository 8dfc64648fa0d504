/** Parts of a run that `state.ts` folds events over: what is sent, and how. */
import type { Chain } from '../operations/merge-order.ts'
import type { Batches } from '../record/batches.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Items } from '../record/items.ts'
import type { ParameterValues } from '../record/run.ts'

export interface RunStateParts {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  /** Values by key; the target is the second party of every item of an operation on pairs that was given ids alone. */
  readonly parameters: ParameterValues
  /** Answers are kept whole, as the journal has them: of a run of one thing. */
  readonly keepsAnswers?: boolean | undefined
  readonly chain?: Chain | undefined
  /** How many batches are in flight: as many may have been sent by a `try` that a power loss took away. */
  readonly concurrency?: number | undefined
}
