/** Sessions: what they start from, and what they are on their way. */
import type { Profile } from '../../config/profile.ts'
import type { Outcome } from '../operations/outcome.ts'
import type { RunState } from '../outcomes/state.ts'
import type { ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { RunFile } from '../record/run.ts'
import type { RunReference } from '../runs/find-run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { BulkTarget, BulkTools, RunOutput, SendOptions, SessionOptions } from '../tools.ts'
import type { Job } from './job.ts'
import type { Outputs } from './outputs.ts'
import type { SessionLocks } from './session-locks.ts'

/** Everything that a phase has at hand beside its session. */
export interface SessionContext {
  readonly tools: BulkTools
  readonly locks: SessionLocks
}

/** An input that was read, and what it works on. */
export interface JobStart {
  readonly job: Job
  readonly target: BulkTarget
}

/** A recorded run that a command names. */
export interface RecordStart {
  readonly kind: 'resume' | 'retry' | 'undo'
  readonly run: RunReference
  readonly options: SessionOptions & {
    /** Retry: batches are opened again in which an id ended as one of these. */
    readonly outcomes?: readonly Outcome[]
    readonly isolate?: boolean
    readonly dryRun?: boolean
  }
}

export type Start = JobStart | RecordStart

/** How a recorded run goes on: as it was, or, under a repeated `--once` command, as that says now. */
export interface Resumption {
  readonly recorded: RecordedRun
  readonly options: SendOptions & Omit<SessionOptions, 'rate'>
  readonly reopen?: ReopenEvent
  /** Input of this command, if it has one of its own. */
  readonly job?: Job
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
  readonly about?: (columns: number) => Promise<string[]>
  /** A run that begins, and how it comes to be on disk. */
  readonly beginning?: { readonly job: Job; readonly record: () => Promise<RunFile> }
  /** A run that is there already. */
  readonly recorded?: RecordedRun
  /** The command is a repeated `--once` command. */
  readonly isRepeated?: boolean
  /** Lines of the journal with which a recorded run goes on. */
  readonly lines?: readonly (ResumeEvent | ReopenEvent)[]
}

/** A session whose run is on disk. */
export interface OpenSession extends Session {
  readonly journal: Journal
}

export type RunSummary = Awaited<ReturnType<RunOutput['summary']>>

/** How a session ends: receipts as they come, and what is still to be done until the summary is there. */
export interface Ending {
  readonly receipts: RunOutput['receipts']
  readonly conclude: () => Promise<RunSummary>
}
