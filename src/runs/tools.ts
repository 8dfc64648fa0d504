/** The parts of the program that a run needs. Commands pass their context; the simulator has tools of its own. */
import type { Api } from '../api/api.ts'
import type { BulkOperationName } from '../api/operations.ts'
import type { Profile } from '../config/profile.ts'
import type { Host, Signal } from '../host.ts'
import type { Progress, ProgressOptions } from '../output/progress.ts'
import type { Questions } from '../output/questions.ts'
import type { Messages } from '../output/stderr.ts'
import type { Operation } from './job.ts'

export interface RunTools {
  host: Host
  /** Throws exit 4 without credentials. */
  profile: () => Promise<Profile>
  api: () => Promise<Api>
  /** Returns the operation of a recorded run. */
  operation: (name: BulkOperationName) => Promise<Operation>
  /** Throws exit 2 if the profile does not allow the change. */
  permit: (change: { operation: BulkOperationName; ids: number }) => Promise<void>
  note: (message: string) => void
  warn: (message: string) => void
  questions: () => Promise<Pick<Questions, 'confirm'>>
  signals: {
    caught: Signal | undefined
    /** Aborted by the first signal. */
    cancelled: AbortSignal
    /** Lets work finish, even if a first signal comes. A second one aborts it. */
    shield: <T>(work: () => Promise<T>) => Promise<T>
    /** From now on, the first signal lets the output of the command finish. */
    protectOutput: () => void
  }
  messages: Pick<Messages, 'error' | 'withProfile' | 'redactor'>
  progress: (
    options: Pick<ProgressOptions, 'label' | 'total' | 'done'>,
  ) => Promise<Progress>
}
