/** Bulk runs as verbs see them: plan, execute, and what can be done with recorded runs. Loaded when used. */
import type { Outcome } from './operations/outcome.ts'
import type { BulkOperation } from './record/events.ts'
import type { RunReference } from './runs/find-run.ts'
import type { Plan } from './sessions/plan.ts'
import type { BulkOptions, BulkTarget, BulkTools, RunOutput, SessionOptions, UndoOptions } from './tools.ts'

export type Bulk = ReturnType<typeof createBulk>

type Output = Promise<RunOutput>
type Again = { readonly outcomes: readonly Outcome[]; readonly isolate: boolean }

export function createBulk(tools: BulkTools) {
  const [plan, session] = [() => import('./sessions/plan.ts'), () => import('./sessions/session.ts')]
  return {
    /** Reads and checks the whole input. Throws exit 2 with every mistake in it; nothing was sent. */
    plan: async (operation: BulkOperation, ids: readonly string[], options: BulkOptions): Promise<Plan> =>
      (await plan()).planIds(tools, operation, ids, options),
    /** The same for files of pairs. `hasNames`: the second party may be a name, which the target resolves. */
    planPairs: async (operation: BulkOperation, options: BulkOptions, hasNames = false): Promise<Plan> =>
      (await plan()).planPairs(tools, operation, options, hasNames),
    /** Asks, records, sends; resumes a job of the same `--once` name. With `--dry-run` only says what would be sent. */
    execute: async (planned: Plan, target: BulkTarget = {}): Output =>
      (await session()).startPlan(tools, planned, target),
    resume: async (run: RunReference, options: SessionOptions): Output =>
      (await session()).resumeRun(tools, run, options),
    /** Gives the tickets of a run of assigns back, as a new run. */
    undo: async (run: RunReference, options: UndoOptions): Output =>
      (await import('./sessions/undo.ts')).undoRun(tools, run, options),
    /** Opens batches again that ended in these outcomes. */
    retry: async (run: RunReference, again: Again, options: SessionOptions): Output =>
      (await session()).retryRun(tools, run, { ...options, ...again }),
  }
}
