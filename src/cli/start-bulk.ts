/**
 * A bulk run as verbs start it: `bulk-command.ts` starts a new one, the verbs of `runs` and `plans apply` go on with one that is written down.
 * The sessions are loaded when one starts.
 */
import type { Start } from '../bulk/session.ts'
import type { RunOutput } from '../output/result.ts'
import type { Context } from './context.ts'

/** Reads, asks, records, sends; with `--plan` and `--dry-run` nothing is sent, and a plan file or its words are the result. */
export async function startBulk(context: Context, start: Start): Promise<RunOutput> {
  const { startSession } = await import('../bulk/session.ts')
  const output = await startSession(context, start)
  if (output.kind !== 'preview') return output
  const { plan } = output.job.options
  const [{ writePlan }, { tellPreview, unsentOutput }] = await Promise.all([
    import('../plans/write-plan.ts'),
    import('../bulk/telling/preview.ts'),
  ])
  await context.refuseTypedSecret()
  const written = plan === undefined ? undefined : await writePlan(context, plan, output)
  const { document, ...summary } = await tellPreview(context, output)
  return unsentOutput({ ...summary, document: { ...document, ...written } })
}
