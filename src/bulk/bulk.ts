/** Bulk runs as verbs see them: plan, execute, and what can be done with recorded runs. Loaded when used. */
import type { Writable } from 'node:stream'
import type { Shard } from '../args.ts'
import type { Signal } from '../host.ts'
import type { Messages } from '../output/messages.ts'
import type { BulkOutput, OutcomeRow } from '../output/output.ts'
import type { Progress } from '../output/progress.ts'
import type { Tools } from '../verb.ts'
import type { Receipt } from './book.ts'
import type { Plan } from './plan.ts'
import type { BulkOperation, Outcome } from './reconcile.ts'

/** Options of section 4 of the surface, as commander hands them over. */
export interface BulkOptions {
  readonly file: readonly string[]
  readonly inputFormat?: string
  readonly column?: string
  readonly skipInvalid?: boolean
  readonly rejects?: string
  readonly batchSize?: number
  readonly concurrency?: number
  readonly dryRun?: boolean
  readonly expect?: number
  readonly maxDelete?: number
  readonly maxFailures?: number
  readonly deadline?: number
  readonly shard?: Shard
  readonly receipts?: string
  /** False with `--no-journal`. */
  readonly journal: boolean
  readonly isolate?: boolean
  readonly ignoreNotFound?: boolean
  readonly ignoreBlocked?: boolean
}

/** An id, and the name by which it was found. */
export interface Named {
  readonly id: string
  readonly name: string | undefined
}

/** What the operation works on beside the ids: found by reading, after everything that is local was checked. */
export interface BulkTarget {
  /** Add: the list. Assign with one employee for all: the employee. */
  readonly find?: () => Promise<Named>
  /** Assign: the present assignee that is expected. */
  readonly ifAssignee?: () => Promise<Named>
}

/** What bulk needs beyond the tools of a verb. */
export interface BulkTools extends Tools {
  readonly hardSignal: AbortSignal
  /** Runs work as something that a first signal lets end. */
  during<T>(work: () => Promise<T>): Promise<T>
  readonly messages: Messages
  /** The signal that was caught, once `signal` is aborted. */
  caught(): Signal | undefined
  /** A bar, events, or nothing, as the settings say. */
  progress(label: string, total: number): Promise<Progress>
  writeReceipts(
    stream: Writable,
    format: 'csv' | 'ndjson',
    operation: BulkOperation,
    rows: Iterable<Receipt>,
  ): Promise<void>
  readonly version: string
}

export interface Bulk {
  /** Reads and checks the whole input. Throws exit 2 with every mistake in it; nothing was sent. */
  plan(operation: BulkOperation, ids: readonly string[], options: BulkOptions): Promise<Plan>
  /** The same for files of pairs. `resolve` turns the second party into an id. */
  planPairs(
    operation: 'contacts.merge' | 'tickets.assign',
    options: BulkOptions,
    resolve?: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
  ): Promise<Plan>
  /** Asks, records, sends. With `--dry-run` only says what would be sent. */
  execute(plan: Plan, target?: BulkTarget): BulkOutput<OutcomeRow>
  /** Without a run: the newest unfinished one. */
  resume(run: string | undefined, options: { newKey?: boolean; receipts?: string }): Promise<BulkOutput<OutcomeRow>>
  retry(
    run: string,
    wanted: readonly Outcome[],
    options: { newKey?: boolean; receipts?: string },
  ): Promise<BulkOutput<OutcomeRow>>
}

export function createBulk(tools: BulkTools): Bulk {
  return {
    async plan(operation, ids, options) {
      const { planIds } = await import('./plan.ts')
      return planIds(tools, operation, ids, options)
    },
    async planPairs(operation, options, resolve) {
      const { planPairs } = await import('./plan.ts')
      return planPairs(tools, operation, options, resolve)
    },
    execute(plan, target = {}) {
      return later(async () => (await import('./execute.ts')).execute(tools, plan, target))
    },
    async resume(run, options) {
      const { resume } = await import('./resume.ts')
      return resume(tools, run, options)
    },
    async retry(run, wanted, options) {
      const { retry } = await import('./resume.ts')
      return retry(tools, run, wanted, options)
    },
  }
}

/** An output whose run begins when it is first looked at. */
export function later(begin: () => Promise<BulkOutput<OutcomeRow>>): BulkOutput<OutcomeRow> {
  let begun: Promise<BulkOutput<OutcomeRow>> | undefined
  const run = (): Promise<BulkOutput<OutcomeRow>> => (begun ??= begin())
  return {
    kind: 'bulk',
    receipts: {
      async *[Symbol.asyncIterator]() {
        yield* (await run()).receipts
      },
    },
    summary: async () => (await run()).summary(),
  }
}
