/**
 * The one way through a run: read, hold its name, permit, ask, record, send, conclude. Sessions differ in what they start from (an
 * input, or a record), and in where they end: a dry run and a plan end after reading, and send nothing.
 *
 * Order on disk: lock of the name, lock of the run, question, `ids`, `lines`, `run.json`, the journal with its first line, name → run.
 * Whatever ends it before that leaves nothing behind; nothing is sent before all of it is on disk.
 */
import { Journal } from '../record/journal.ts'
import { confirm } from '../telling/confirm.ts'
import type { BulkTools, RunOutput } from '../tools.ts'
import { holdName, sessionOfJob } from './from-job.ts'
import { concludeAgain, holdRun, sessionOfRecord } from './from-record.ts'
import { send } from './send.ts'
import { SessionLocks } from './session-locks.ts'
import type {
  Ending,
  JobStart,
  OpenSession,
  RecordStart,
  Session,
  SessionContext,
  Start,
} from './start.ts'
import { readUndo, recordUndoing } from './undo.ts'
import { endUnsent, showPruned, type Preview } from './unsent.ts'

/** Leads a session to where its run is sent, or to a preview for who writes or shows it. Whatever it holds is given back at its end. */
export async function startSession(tools: BulkTools, start: Start): Promise<RunOutput | Preview> {
  const locks = new SessionLocks(tools, ('job' in start ? start.job : start).options.takeOver)
  try {
    const ending = await follow({ tools, locks }, start)
    if ('contents' in ending) {
      await locks.release()
      return ending
    }
    const summary = tools.criticalSection.run(async () => {
      try {
        return await ending.conclude()
      } finally {
        await locks.release()
      }
    })
    // Thrown where the summary is asked for.
    summary.catch(() => undefined)
    return { kind: 'bulk', receipts: ending.receipts, summary: () => summary }
  } catch (error) {
    await locks.release()
    throw error
  }
}

async function follow(context: SessionContext, start: Start): Promise<Ending | Preview> {
  const from = await read(context, start)
  let found
  if ('job' in from) {
    const unsent = await endUnsent(context, from)
    if (unsent !== undefined) return unsent
    const name = await holdName(context, from)
    if (name !== undefined && !('recorded' in name)) return showPruned(context, name, from)
    found = name ?? (await sessionOfJob(context, from))
  } else found = await holdRun(context, from)
  const session = 'run' in found ? found : await sessionOfRecord(context, found)
  await confirm(context.tools, session)
  const open = await record(context, session)
  return open.left.length > 0 ? send(context, open) : concludeAgain(context, open)
}

/** A job with the usual limits, or the run that is meant. */
async function read(context: SessionContext, start: Start): Promise<JobStart | RecordStart> {
  if ('kind' in start && start.kind !== 'undo') return start
  const from = 'job' in start ? start : await readUndo(context, start)
  const { job } = from
  const { rejects } = job
  const { rate, maxDelete } = (await context.tools.configuration()).settings
  const limits = { rate: rate.value, maxDelete: maxDelete.value }
  if (rejects !== undefined) context.locks.atEnd(() => rejects.discard())
  return { ...from, job: { ...job, options: { ...job.options, ...limits } } }
}

/** All of a session is on disk when this resolves, and what was asked for it may be sent. */
async function record({ tools, locks }: SessionContext, session: Session): Promise<OpenSession> {
  const { dir, outputs, beginning, lines = [] } = session
  await locks.recheck()
  beginning?.job.file?.checkTime()
  await outputs.open()
  const run = beginning === undefined ? session.run : await beginning.record()
  const journal = await Journal.open(tools.host, dir, run.run, locks)
  locks.atEnd(() => journal.close())
  await outputs.recordDrafts(journal)
  for (const line of lines) await journal.append(line)
  if (lines.length > 0) await journal.sync()
  await recordUndoing({ tools, locks }, session)
  if (beginning !== undefined) await removeOld(tools)
  await outputs.placeRejects(journal)
  return { ...session, run, journal }
}

/** Removes runs that ended longer ago than the configuration says that they are kept. */
async function removeOld(tools: BulkTools): Promise<void> {
  const { settings, stateDir } = await tools.configuration()
  if (settings.keepRuns.value === undefined) return
  const { pruneEnded } = await import('./prune.ts')
  await pruneEnded(tools, stateDir.value, settings.keepRuns.value)
}
