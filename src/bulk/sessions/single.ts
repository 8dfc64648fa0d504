/** One change that a command line names: a run of one. */
import type { Api } from '../../api/client.ts'
import type { SvcError } from '../../errors.ts'
import type { Question } from '../../output/questions/prompt.ts'
import type { Outcome } from '../operations/outcome.ts'
import type { BatchState } from '../record/batch-state.ts'
import type { ParameterValues } from '../record/run.ts'

/** One change that a command line names: its question, and what is looked at on the way. */
export interface OneChange {
  /** Its target was not typed, and nobody can be asked. */
  readonly missing: SvcError
  readonly question: (parameters: ParameterValues) => Promise<Question | undefined>
  /** An API that shows the whole answers: a run keeps no more of them than its claims need. */
  readonly watch: (api: Api) => Api
}

/** How one change ended. */
export interface OneEnding {
  readonly kind: 'one'
  readonly parameters: ParameterValues
  readonly state: BatchState
  readonly outcome: Outcome | undefined
  /** Why, in words, when it is not what the last attempt ended with. */
  readonly problem: string | undefined
  /** The error that ended it, if one did. */
  readonly failure: SvcError | undefined
}
