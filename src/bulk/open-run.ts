/** A run, new or resumed, whose lock is held: what it is sent with. */
import type { Guard, Journal } from './journal.ts'
import type { OutputFile, OwnFiles } from './output-file.ts'
import type { InputCounts } from './run.ts'
import type { SendPlan } from './scheduler.ts'
import type { RunState } from './state.ts'
import type { Ending } from './totals.ts'

export interface OpenRun {
  /** Undefined when it is not recorded. */
  readonly run: { readonly id: string; readonly name: string | undefined } | undefined
  readonly state: RunState
  /** Numbers of the batches to send, in order. */
  readonly todo: readonly number[]
  readonly plan: SendPlan
  readonly journal: Journal | undefined
  readonly guard: Guard | undefined
  readonly receipts: OutputFile | undefined
  /** Files that earlier sessions wrote. */
  readonly files: OwnFiles
  readonly input: InputCounts
  readonly profile: string | null
  readonly ending: Omit<Ending, 'stop' | 'signal' | 'left'>
  /** Milliseconds of earlier sessions. */
  readonly durationBefore: number
  /** Closes the journal and gives the locks back. */
  readonly release: () => Promise<void>
}

/** How a recorded run goes on: as it was, or, under a repeated `--once` command, as that says now. */
export interface GoOnOptions {
  readonly concurrency: number
  readonly maxFailures: number | undefined
  readonly deadline: number | undefined
  readonly ignoreNotFound: boolean | undefined
  readonly ignoreBlocked: boolean | undefined
  readonly receipts: string | undefined
  readonly newKey: boolean
  /** A repeated command of this name, and the bad lines of its input. */
  readonly once: string | undefined
  readonly rejects: OutputFile | undefined
}
