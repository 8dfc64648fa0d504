/**
 * The one way through a run: read, hold its name, permit, ask, record, send, conclude. Sessions differ in what they start from (an
 * input, or a record), and in where they end: a dry run and a plan end after reading, and send nothing.
 *
 * Order on disk: lock of the name, lock of the run, question, `ids`, `lines`, `run.json`, the journal with its first line, name → run.
 * Whatever ends it before that leaves nothing behind; nothing is sent before all of it is on disk.
 *
 * `cli/start-bulk.ts` calls `startSession` for commands on many ids and on records, and `changeOne` for one change. The phases are in files of
 * their own: `read-job.ts` and `undo.ts` make a job, `from-job.ts` and `from-record.ts` a session of it, `send.ts` sends and concludes.
 */
import { Clock } from '../record/landing.ts'
import { RunStore } from '../runs/store.ts'
import { confirm } from '../telling/confirm.ts'
import { Teller } from '../telling/teller.ts'
import type { BulkTools, RunOutput } from '../tools.ts'
import { holdName, sessionOfJob } from './from-job.ts'
import { createJob, type Job, type OneEnding } from './job.ts'
import { concludeAgain, holdRun, sessionOfRecord } from './from-record.ts'
import { send } from './send.ts'
import { Service } from './service.ts'
import { SessionLocks } from './session-locks.ts'
import type {
  Ending,
  NewStart,
  OpenSession,
  ResumeStart,
  RetryStart,
  RunSummary,
  Session,
  SessionContext,
  Start,
} from './start.ts'
import { readJob } from './read-job.ts'
import { readUndo } from './undo.ts'
import { recordUndoing } from './undoing.ts'
import { endUnsent, previewOne, showPruned, type Preview } from './unsent.ts'

/** Leads a session to where its run is sent, or to a preview for who writes or shows it. Whatever it holds is given back at its end. */
export function startSession(tools: BulkTools, start: Start): Promise<RunOutput | Preview> {
  return leading(tools, start, (ending, conclude) => {
    const summary = conclude()
    // Thrown where the summary is asked for.
    summary.catch(() => undefined)
    return {
      kind: 'bulk',
      receipts: ending.receipts,
      summary: () => summary,
    }
  })
}

/** Leads the session of one change to its end; a dry run to a preview. */
export function changeOne(tools: BulkTools, start: NewStart): Promise<OneEnding | Preview> {
  return leading(tools, start, async ({ open }, conclude) => {
    const { failure } = await conclude()
    if (open === undefined) throw new TypeError('one change ended without a run')
    const { run, state } = open
    const outcome = state.outcome(1)
    const { problem } = outcome
    return {
      kind: 'one',
      parameters: run.parameters,
      state: state.of(1),
      outcome: outcome.outcomes[0],
      problem,
      failure,
    }
  })
}

/**
 * Splits the context of the command into the parts of a session, and follows it to its end. `end` gets how it ends and what concludes it,
 * after which everything is given back; so it is at once after a preview or an error.
 */
async function leading<Output>(
  tools: BulkTools,
  start: Start,
  end: (ending: Ending, conclude: () => Promise<RunSummary>) => Output | Promise<Output>,
): Promise<Output | Preview> {
  const { takeOver } = start.kind === 'apply' ? start.parts.options : start.options
  const clock = new Clock(tools.host)
  const teller = new Teller(tools, clock)
  const service = new Service(tools)
  const configuration = await tools.configuration()
  const store = new RunStore(tools.host, () => configuration.stateDir.value)
  const locks = new SessionLocks(tools, takeOver)
  try {
    const ending = await follow(
      {
        tools,
        locks,
        store,
        service,
        teller,
        clock,
      },
      start,
    )
    if (ending.kind === 'preview') {
      await locks.release()
      return ending
    }
    const conclude = () =>
      tools.criticalSection.run(async () => {
        try {
          return await ending.conclude()
        } finally {
          await locks.release()
        }
      })
    return await end(ending, conclude)
  } catch (error) {
    await locks.release()
    throw error
  }
}

/** The phases in their order. A repeated `--once` command begins as a job, and becomes a session of the record that has its name. */
async function follow(context: SessionContext, start: Start): Promise<Ending | Preview> {
  if (start.kind === 'resume' || start.kind === 'retry') {
    return finish(context, await sessionOfRecord(context, await holdRun(context, start)))
  }
  const job = await readStart(context, start)
  const isOne = job.one !== undefined
  if (isOne && job.options.dryRun === true) return previewOne(job)
  const unsent = isOne ? undefined : await endUnsent(context, job)
  if (unsent !== undefined) return unsent
  const name = await holdName(context, job)
  if (name.kind === 'pruned') return showPruned(context, name.entry, job)
  const heldRun = name.kind === 'free' ? await sessionOfJob(context, job) : name
  return finish(
    context,
    heldRun.kind === 'session' ? heldRun : await sessionOfRecord(context, heldRun),
  )
}

/** The job that is to be sent: read from an input, from a plan, or from what a recorded run changed. */
function readStart(
  context: SessionContext,
  start: Exclude<Start, ResumeStart | RetryStart>,
): Promise<Job> {
  switch (start.kind) {
    case 'new':
      return readJob(context, start)
    case 'apply':
      return createJob(context.service, start.parts)
    case 'undo':
      return readUndo(context, start)
  }
}

/** Asks, records, and sends what is left; a record with nothing left concludes again, without a request. */
async function finish(context: SessionContext, session: Session): Promise<Ending> {
  await confirm(context.tools, session)
  const open = await record(context, session)
  const isNew = open.recorded === undefined
  return isNew || open.left.length > 0 ? send(context, open) : concludeAgain(context, open)
}

/** All of a session is on disk when this resolves, and what was asked for it may be sent. */
async function record(context: SessionContext, session: Session): Promise<OpenSession> {
  const { locks, store } = context
  const { outputs, beginning, lines = [] } = session
  await locks.recheck()
  beginning?.job.checkTime?.()
  await outputs.open()
  const run = beginning === undefined ? session.run : await beginning.record()
  const journal = await store.openJournal(run.run, locks)
  locks.atEnd(() => journal.close())
  await outputs.recordDrafts(journal)
  // Before the run is reopened: one that may not go on stays as it ended.
  await recordUndoing(context, session)
  for (const line of lines) await journal.append(line)
  if (lines.length > 0) await journal.sync()
  if (beginning !== undefined && session.one === undefined) await removeOld(context)
  return { ...session, run, journal }
}

/** Removes runs that ended longer ago than the configuration says that they are kept. */
async function removeOld({ tools, service, store }: SessionContext): Promise<void> {
  const { keepRuns } = await service.settings()
  if (keepRuns.value === undefined) return
  const { pruneEnded } = await import('./prune.ts')
  await pruneEnded(tools, store, keepRuns.value)
}
