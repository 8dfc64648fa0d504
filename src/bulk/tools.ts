/**
 * The program as bulk runs need it, and the options of the commands that start one. `cli/context.ts` makes them; `session.ts` gets them and gives
 * each phase its part.
 */
import type { Api } from '../api/client.ts'
import type { AcceptNear } from '../api/names.ts'
import type { BulkOperation } from '../api/operations.ts'
import type { Employee } from '../api/schemas.ts'
import type { Configuration, Profile } from '../config/profile.ts'
import type { Host, Signal } from '../host.ts'
import type { Message } from '../message.ts'
import type { Progress, ProgressOptions } from '../output/progress.ts'
import type { Questions } from '../output/questions/questions.ts'
import type { PrintOptions } from '../output/result.ts'
import type { Messages } from '../output/stderr.ts'
import type { Runs } from './record/runs.ts'
import type { InputCounts, ParameterValues, Source } from './record/header.ts'
import type { Items } from './record/items.ts'

export interface BulkOptions {
  readonly file: readonly string[]
  readonly once?: string
  readonly column?: string
  readonly sheet?: string
  readonly where?: readonly string[]
  readonly skipInvalid?: boolean
  readonly dryRun?: boolean
  /** The file that the plan is written to, instead of sending anything. */
  readonly plan?: string
  /** The reason in words, recorded with the run. */
  readonly reason?: string
  readonly expect?: number
  readonly maxDelete?: number | undefined
  readonly receipts?: string
  readonly annotate?: string
  readonly takeOver?: boolean
  readonly newKey?: boolean
  /** Names and lists of contacts are read and shown. */
  readonly who?: true
  readonly accept?: readonly string[]
  readonly allowEmpty?: boolean
}

/** Options of the commands on a run or plan that has its ids. */
export type LaterOptions = Partial<Omit<BulkOptions, 'file'>> & {
  /** Where the input is now. */
  readonly file?: string
}

/** How a session sends: as the command says, or as the run was recorded. */
export type SendOptions = {
  readonly [K in Exclude<keyof BulkOptions, 'file'>]?: BulkOptions[K] | undefined
} & { readonly concurrency: number }

/** The items to send, after names were resolved. */
export interface Contents {
  readonly parameters: ParameterValues
  readonly items: Items
  readonly input: InputCounts
}

/** A job with its contents, for a plan. */
export interface Planned extends Contents {
  readonly operation: BulkOperation
  readonly options: BulkOptions
  readonly source?: Source | undefined
}

export interface BulkTools {
  readonly host: Host
  readonly print: PrintOptions
  readonly configuration: () => Promise<Configuration>
  /** Throws exit 4 without credentials. */
  readonly profile: () => Promise<Profile>
  /** The recorded runs of the state folder, which is looked up when a run or name is. */
  readonly runs: () => Promise<Runs>
  readonly api: () => Promise<Api>
  /** The employees, read when they are first needed, and once. */
  readonly employees: () => Promise<readonly Employee[]>
  /** Throws exit 5 when the profile forbids the change. */
  readonly permit: (change: {
    readonly operation: BulkOperation
    readonly ids: number
  }) => Promise<void>
  /** Writes the plan of a job into a new file, and returns what the summary has of it. */
  readonly writePlan: (path: string, planned: Planned) => Promise<object>
  readonly note: (message: Message) => void
  readonly warn: (message: Message) => void
  readonly questions: Questions
  /** Decides whether to use a similar name. */
  readonly acceptNear: AcceptNear
  readonly signals: {
    readonly caught: Signal | undefined
    /** Aborted by the first signal. */
    readonly cancelled: AbortSignal
    /** Aborted by the second signal, or at the end of the grace period. */
    readonly aborted: AbortSignal
    /** Runs work that the first signal lets finish. */
    readonly runCritical: <T>(work: () => Promise<T>) => Promise<T>
  }
  readonly messages: Messages
  /** Shows progress until it is stopped. */
  readonly progress: (
    of: Pick<ProgressOptions, 'label' | 'total' | 'state'>,
  ) => Promise<Progress>
  /** `--replace-out`: files of the user are replaced. */
  readonly replacesFiles: boolean
  /** Work at the very end of the command, once its results are printed; it gets the exit code. */
  readonly atEnd: (work: (exitCode: number) => void) => void
}
