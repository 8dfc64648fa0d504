/** Bulk runs as verbs see them. Loaded when used. */
import type { BulkOptions, BulkTools, RunOutput } from '../bulk/tools.ts'
import type { BulkOperation } from '../bulk/record/events.ts'
import type { Job } from '../bulk/sessions/job.ts'
import type { Start } from '../bulk/sessions/start.ts'

export type Bulk = ReturnType<typeof createBulk>

/** `refuseTypedSecret`: throws exit 2 when the command line has the secret in it. */
type Tools = BulkTools & { readonly refuseTypedSecret: () => Promise<void> }

export function createBulk(tools: Tools) {
  const job = () => import('../bulk/sessions/job.ts')
  return {
    /** Reads and checks the whole input. Throws exit 2 with every mistake in it; nothing was sent. */
    jobOfIds: async (
      operation: BulkOperation,
      ids: readonly string[],
      options: BulkOptions,
    ): Promise<Job> => (await job()).jobOfIds(tools, operation, ids, options),
    /** The same for files of pairs. `hasNames`: the second party may be a name, which the target resolves. */
    jobOfPairs: async (
      operation: BulkOperation,
      options: BulkOptions,
      hasNames = false,
    ): Promise<Job> => (await job()).jobOfPairs(tools, operation, options, hasNames),
    /** Asks, records, sends; resumes a job of the same `--once` name. With `--dry-run` and `--plan` nothing is sent. */
    start: (start: Start): Promise<RunOutput> => lead(tools, start),
  }
}

/** Leads a session to its end: the service, or, for one that sends nothing, a plan file and its words. */
async function lead(tools: Tools, start: Start): Promise<RunOutput> {
  const { startSession } = await import('../bulk/sessions/session.ts')
  const output = await startSession(tools, start)
  if ('summary' in output) return output
  const { plan } = output.job.options
  const [{ writePlan }, { tellPreview }] = await Promise.all([
    import('../plans/write-plan.ts'),
    import('../bulk/sessions/unsent.ts'),
  ])
  await tools.refuseTypedSecret()
  if (plan !== undefined) await writePlan(tools, plan, output)
  const summary = await tellPreview(tools, output)
  return { kind: 'bulk', receipts: [], summary: () => Promise.resolve(summary) }
}
