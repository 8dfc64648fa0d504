/** Bulk runs as verbs see them: plan, execute, and what can be done with recorded runs. Loaded when used. */
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import type { Outcome } from './operations/outcome.ts'
import type { BulkOperation } from './record/events.ts'
import type { RunReference } from './runs/find-run.ts'
import type { PairOperation } from './operations/operations.ts'
import type { Plan } from './sessions/plan.ts'
import type { BulkOptions, BulkTarget, BulkTools, SessionOptions, UndoOptions } from './tools.ts'

export type Bulk = ReturnType<typeof createBulk>

export function createBulk(tools: BulkTools) {
  return {
    /** Reads and checks the whole input. Throws exit 2 with every mistake in it; nothing was sent. */
    async plan(operation: BulkOperation, ids: readonly string[], options: BulkOptions): Promise<Plan> {
      const { planIds } = await import('./sessions/plan.ts')
      return planIds(tools, operation, ids, options)
    },
    /** The same for files of pairs. `hasNames`: the second party may be a name, which the target resolves. */
    async planPairs(operation: PairOperation, options: BulkOptions, hasNames = false): Promise<Plan> {
      const { planPairs } = await import('./sessions/plan.ts')
      return planPairs(tools, operation, options, hasNames)
    },
    /** Asks, records, sends; resumes a job of the same `--once` name. With `--dry-run` only says what would be sent. */
    execute(plan: Plan, target: BulkTarget = {}): BulkOutput<OutcomeRow> {
      return later(async () => (await import('./sessions/session.ts')).startPlan(tools, plan, target))
    },
    async resume(run: RunReference, options: SessionOptions): Promise<BulkOutput<OutcomeRow>> {
      const { resumeRun } = await import('./sessions/session.ts')
      return resumeRun(tools, run, options)
    },
    /** Gives the tickets of a run of assigns back, as a new run. */
    async undo(run: RunReference, options: UndoOptions): Promise<BulkOutput<OutcomeRow>> {
      const { undoRun } = await import('./sessions/undo.ts')
      return undoRun(tools, run, options)
    },
    /** Opens batches again that ended in these outcomes. */
    async retry(
      run: RunReference,
      again: { readonly outcomes: readonly Outcome[]; readonly isolate: boolean },
      options: SessionOptions,
    ): Promise<BulkOutput<OutcomeRow>> {
      const { retryRun } = await import('./sessions/session.ts')
      return retryRun(tools, run, { ...options, ...again })
    },
  }
}

/** An output whose run begins when it is first looked at. */
function later(begin: () => Promise<BulkOutput<OutcomeRow>>): BulkOutput<OutcomeRow> {
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
