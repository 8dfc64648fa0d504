/** The parts of the program that a run needs. Commands pass their context; the simulator has tools of its own. */
import type { Api } from '../api/client.ts'
import type { NameOptions } from '../api/names.ts'
import type { BulkOperation } from '../api/operations.ts'
import type { Employee } from '../api/schemas.ts'
import type { Profile } from '../config/profile.ts'
import type { Message } from '../errors.ts'
import type { Host, Signal } from '../host.ts'
import type { Progress, ProgressOptions } from '../output/progress.ts'
import type { Questions } from '../output/questions.ts'
import type { Messages } from '../output/stderr.ts'
import type { Runs } from './list.ts'

export interface RunTools {
  host: Host
  /** Throws exit 4 without credentials. */
  profile: () => Promise<Profile>
  runs: () => Promise<Runs>
  api: () => Promise<Api>
  /** The employees, read when they are first needed, and once. */
  employees: () => Promise<readonly Employee[]>
  /** Throws exit 2 if the profile does not allow the change. */
  permit: (change: { operation: BulkOperation; ids: number }) => Promise<void>
  note: (message: Message) => void
  warn: (message: Message) => void
  questions: () => Promise<Pick<Questions, 'confirm'>>
  /** How svc deals with a name of a list or employee that is only similar to the typed one. */
  nameOptions: NameOptions
  signals: {
    caught: Signal | undefined
    /** Aborted by the first signal. */
    cancelled: AbortSignal
    /** Runs work to its end, even if a first signal comes. A second one aborts it. */
    runCritical: <T>(work: () => Promise<T>) => Promise<T>
  }
  messages: Pick<Messages, 'error' | 'textOf'>
  progress: (
    options: Pick<ProgressOptions, 'label' | 'total' | 'done'>,
  ) => Promise<Progress>
  /** Adds a check just before results are printed. The check throws if they may not be printed. */
  beforePrint: (check: () => Promise<void>) => void
  /** Adds work for the end of the command, after its results were printed or could not be. */
  atEnd: (work: (isPrinted: boolean) => Promise<void>) => void
}
