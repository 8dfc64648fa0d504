/**
 * Sessions: what they start from, and what they are on their way. A start becomes a job or a resumption, that a session, that an open
 * session, and that an ending; each type has what is known at that point, so that nothing is sent before it is on disk. The phases take and
 * return these types: `session.ts` leads through them, and `cli/context.ts` and `plans/apply.ts` make starts.
 */
import type { Profile } from '../../config/profile.ts'
import type { SvcError } from '../../errors.ts'
import type { Outcome } from '../operations/outcome.ts'
import type { RunState } from '../outcomes/state.ts'
import type { ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Journal } from '../record/journal.ts'
import type { RunFile } from '../record/run.ts'
import type { Clock } from '../record/landing.ts'
import type { RunReference } from '../runs/find-run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { RunStore } from '../runs/store.ts'
import type { Teller } from '../telling/teller.ts'
import type { BulkOptions, BulkTools, RunOutput, SendOptions, SessionOptions } from '../tools.ts'
import type { Job, JobParts, OneChange } from './job.ts'
import type { Outputs } from './outputs.ts'
import type { Service } from './service.ts'
import type { SessionLocks } from './session-locks.ts'

/** Everything that a phase has at hand beside its session. Each part holds what it needs of the host. */
export interface SessionContext {
  /** Questions, signals, progress, and how output is printed. */
  readonly tools: BulkTools
  readonly locks: SessionLocks
  readonly store: RunStore
  readonly service: Service
  readonly teller: Teller
  readonly clock: Clock
}

/** A command line as it was typed. */
export interface NewStart {
  readonly kind: 'new'
  readonly operation: BulkOperation
  /** Ids, or `-`. */
  readonly ids: readonly string[]
  /** By their keys; `true` for a flag. */
  readonly parameters: Readonly<Record<string, string | true | undefined>>
  readonly options: BulkOptions
  readonly one?: OneChange
}

/** A plan that was read from its file. */
export interface ApplyStart {
  readonly kind: 'apply'
  readonly parts: JobParts
}

/** A recorded run that a command names. */
interface RecordedStart<Kind extends string> {
  readonly kind: Kind
  readonly run: RunReference
  readonly options: SessionOptions
}

export type ResumeStart = RecordedStart<'resume'>

export interface RetryStart extends RecordedStart<'retry'> {
  /** Batches are opened again in which an id ended as one of these. */
  readonly outcomes: readonly Outcome[]
  readonly isolate: boolean
}

export interface UndoStart extends RecordedStart<'undo'> {
  readonly options: SessionOptions & Pick<BulkOptions, 'reason'>
  readonly isDry: boolean
}

export type Start = NewStart | ApplyStart | ResumeStart | RetryStart | UndoStart

/** How a recorded run goes on: as it was, or, under a repeated `--once` command, as that says now. */
export interface Resumption {
  readonly kind: 'resumption'
  readonly recorded: RecordedRun
  readonly options: SendOptions & Omit<SessionOptions, 'rate' | 'file'>
  /** Where the command says that the input lies. */
  readonly inputPath: string | undefined
  readonly reopen?: ReopenEvent | undefined
  /** Input of this command, if it has one of its own. */
  readonly job?: Job
}

export interface Session {
  readonly kind: 'session'
  readonly run: RunFile
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
  /** The one change that its command named. */
  readonly one?: OneChange | undefined
  /** The command is a repeated `--once` command. */
  readonly isRepeated?: boolean
  /** Lines of the journal with which a recorded run goes on. */
  readonly lines?: readonly (ResumeEvent | ReopenEvent)[]
}

/** A session whose run is on disk. */
export interface OpenSession extends Session {
  readonly journal: Journal
}

export type RunSummary = Awaited<ReturnType<RunOutput['summary']>> & {
  /** The error that ended the last batch, if one did. */
  readonly failure?: SvcError | undefined
}

/** How a session ends: receipts as they come, and what is still to be done until the summary is there. */
export interface Ending {
  readonly kind: 'ending'
  /** Undefined where no run is on disk: nothing to send, or a run that was removed. */
  readonly open?: OpenSession
  readonly receipts: RunOutput['receipts']
  readonly conclude: () => Promise<RunSummary>
}
