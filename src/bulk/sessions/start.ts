/** Sessions: what they start from, and what they are on their way. */
import type { Profile } from '../../config/profile.ts'
import type { OutputFile } from '../files/output-file.ts'
import type { Outcome } from '../operations/outcome.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import type { ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { RunFile, Source } from '../record/run.ts'
import type { RunReference } from '../runs/find-run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTarget, BulkTools, RunOutput, SendOptions, SessionOptions, UndoOptions } from '../tools.ts'
import type { Contents, Job } from './job.ts'
import type { Outputs } from './outputs.ts'
import type { SessionLocks } from './session-locks.ts'

/** Everything that a phase has at hand beside its session. */
export interface SessionContext {
  readonly tools: BulkTools
  readonly locks: SessionLocks
}

/** An input that was read, and what it works on. */
export interface JobStart {
  readonly kind: 'new' | 'apply'
  readonly job: Job
  readonly target: BulkTarget
}

/** A recorded run that a command names. */
interface RunStart<Kind extends string, Options> {
  readonly kind: Kind
  readonly run: RunReference
  readonly options: Options
}

export interface RetryOptions extends SessionOptions {
  /** Batches are opened again in which an id ended as one of these. */
  readonly outcomes: readonly Outcome[]
  readonly isolate: boolean
}

export type UndoStart = RunStart<'undo', UndoOptions>
export type RecordStart = RunStart<'resume', SessionOptions> | RunStart<'retry', RetryOptions>
export type Start = JobStart | UndoStart | RecordStart

/** How a recorded run goes on: as it was, or, under a repeated `--once` command, as that says now. */
export interface Resumption {
  readonly recorded: RecordedRun
  readonly options: SendOptions & Omit<SessionOptions, 'rate'>
  readonly reopen?: ReopenEvent
  /** The `--once` name of a repeated command. */
  readonly once?: string | undefined
  /** The bad lines of the input that this command has read, and where it lies. */
  readonly rejects?: OutputFile | undefined
  readonly source?: Source | undefined
}

/** The folder of a run that begins, which goes again unless it has begun. */
export interface RunFolder {
  readonly stateDir: string
  readonly run: string
  readonly dir: string
  hasBegun: boolean
}

export interface Beginning {
  readonly job: Job
  readonly contents: Contents
  readonly folder: RunFolder
}

export interface Session {
  readonly run: RunFile
  readonly dir: string
  readonly state: RunState
  /** Numbers of the batches to send, in order. */
  readonly left: readonly number[]
  readonly options: SendOptions
  readonly outputs: Outputs
  /** Undefined when nothing is left: then no request is made. */
  readonly profile: Profile | undefined
  /** Texts about who is meant, for a terminal of so many columns. */
  readonly about: (columns: number) => Promise<string[]>
  /** A run that begins. */
  readonly beginning?: Beginning
  /** A run that is there already. */
  readonly resumption?: {
    readonly recorded: RecordedRun
    /** The command is a repeated `--once` command. */
    readonly isRepeated: boolean
    /** Lines of the journal with which it goes on. */
    readonly lines: readonly (ResumeEvent | ReopenEvent)[]
  }
}

/** A session whose run is on disk. */
export interface OpenSession extends Session {
  readonly journal: Journal
}

export type RunSummary = Awaited<ReturnType<RunOutput['summary']>>

/** How a session ends: receipts as they come, and what is still to be done until the summary is there. */
export interface Ending {
  readonly receipts: AsyncIterable<Receipt>
  readonly conclude: () => Promise<RunSummary>
}
