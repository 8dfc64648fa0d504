/** Bulk runs as verbs see them. Loaded when used. */
import type { BulkTools, RunOutput } from '../bulk/tools.ts'
import type { OneEnding } from '../bulk/sessions/single.ts'
import type { NewStart, Start } from '../bulk/sessions/start.ts'
import type { Preview } from '../bulk/sessions/unsent.ts'

export type Bulk = ReturnType<typeof createBulk>

/** `refuseTypedSecret`: throws exit 2 when the command line has the secret in it. */
type Tools = BulkTools & { readonly refuseTypedSecret: () => Promise<void> }

export function createBulk(tools: Tools) {
  return {
    /** Reads, asks, records, sends; resumes a job of the same `--once` name. With `--dry-run` and `--plan` nothing is sent. */
    start: (start: Start): Promise<RunOutput> => lead(tools, start),
    /** The same for one change; a preview with `--dry-run`. */
    changeOne: async (start: NewStart): Promise<OneEnding | Preview> => {
      const { changeOne } = await import('../bulk/sessions/session.ts')
      return changeOne(tools, start)
    },
  }
}

/** Leads a session to its end: the service, or, for one that sends nothing, a plan file and its words. */
async function lead(tools: Tools, start: Start): Promise<RunOutput> {
  const { startSession } = await import('../bulk/sessions/session.ts')
  const output = await startSession(tools, start)
  if (output.kind === 'bulk') return output
  const { plan } = output.job.options
  const [{ writePlan }, { tellPreview }] = await Promise.all([
    import('../plans/write-plan.ts'),
    import('../bulk/sessions/unsent.ts'),
  ])
  await tools.refuseTypedSecret()
  const written = plan === undefined ? undefined : await writePlan(tools, plan, output)
  const { document, ...summary } = await tellPreview(tools, output)
  const whole = { ...summary, document: { ...document, ...written } }
  return { kind: 'bulk', receipts: [], summary: () => Promise.resolve(whole) }
}
