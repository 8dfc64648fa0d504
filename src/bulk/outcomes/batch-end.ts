/** How a batch of a run has ended. */
import type { Assignees } from '../operations/operation.ts'
import type { BatchOutcome } from '../operations/outcome.ts'
import type { BatchState } from '../record/batch-state.ts'

/** Everything known of a batch that has ended. */
export interface BatchEnd extends BatchOutcome {
  readonly state: BatchState
  /** Said of ids that were not sent, or not isolated. */
  readonly why?: string | undefined
  readonly assignees?: Assignees | undefined
  /** Merge: no resume will do it, and what that means for the merges that must come later. */
  readonly never?: string | undefined
}
