/**
 * The one way into a run, for new, resumed, retried and repeated ones alike: take the name and the run, replay its record,
 * find what is left, ask, record, send, report. New and repeated runs differ only in what is replayed.
 *
 * Order: lock of the name, lock of the run, question, `ids`, `lines`, `run.json`, the journal with its first line, name → run.
 * Whatever ends it before that leaves nothing behind; nothing is sent before all of it is on disk.
 */
import { usageError } from '../../errors.ts'
import { checkOutputs } from '../files/annotate.ts'
import { reopenable } from '../operations/outcome.ts'
import type { ReopenEvent } from '../record/events.ts'
import { commandOf, isolatingCommands, operationOf } from '../operations/operations.ts'
import { findRun, type RunReference } from '../runs/find-run.ts'
import { Holdings } from './holdings.ts'
import { checkSameJob } from './job.ts'
import { isRecorded, readName, writeName } from '../runs/names.ts'
import { startNew } from './new-run.ts'
import type { Plan } from './plan.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import { resumeRecorded, openRecorded } from './resume.ts'
import { readRunFile } from '../record/run-files.ts'
import type { RunFile } from '../record/run.ts'
import { prepareFolders, runFolder } from '../runs/store.ts'
import type { BulkTarget, BulkTools, RunOutput, SessionOptions } from '../tools.ts'
import { dryRun, nothingToDo, refuseEmpty, showPruned } from './without-sending.ts'

export async function startPlan(tools: BulkTools, plan: Plan, wanted: BulkTarget): Promise<RunOutput> {
  try {
    return await start(tools, plan, wanted)
  } catch (error) {
    await plan.rejects?.discard()
    throw error
  }
}

async function start(tools: BulkTools, planned: Plan, wanted: BulkTarget): Promise<RunOutput> {
  const configuration = await tools.configuration()
  const { rate, maxDelete } = configuration.settings
  const typed = planned.options
  const options = { ...typed, rate: typed.rate ?? rate.value, maxDelete: typed.maxDelete ?? maxDelete.value }
  const plan = { ...planned, options }
  await refuseEmpty(tools, plan)
  if (options.dryRun === true) return dryRun(tools, plan, wanted)
  if (plan.input.unique === 0) return nothingToDo(tools, plan)
  if (options.plan !== undefined) return dryRun(tools, plan, wanted)
  const profile = configuration.profile()
  const stateDir = configuration.stateDir.value
  await prepareFolders(tools.host, stateDir)
  return holding(tools, options.takeOver, async (held) => {
    const { once } = options
    const { concurrency, rejects, source } = plan
    const resume = (recorded: RecordedRun) =>
      resumeRecorded({ tools, held, recorded, options: { ...options, concurrency, rejects, source } })
    const begin = () =>
      startNew({ tools, held, plan, wanted, profile, stateDir }, async (folder, run) => {
        if (run.once !== undefined) await takeOwnName(held, folder, run.run, run.once.name)
        return resume(await openRecorded(tools, held, folder, run.run))
      })
    if (once === undefined) return begin()
    await held.takeName(stateDir, once)
    const record = readName(stateDir, once)
    if (record === undefined) return begin()
    if (!isRecorded(stateDir, record.run)) {
      await held.release()
      await plan.rejects?.discard()
      return showPruned(tools, record, { plan, wanted, profile })
    }
    const recorded = await openRecorded(tools, held, stateDir, record.run)
    checkSameJob(recorded.run, recorded.keys, { plan, wanted, profile }, recorded.state.items)
    return resume(recorded)
  })
}

/** Gives back whatever is held when this ends without a run that holds it. */
async function holding(tools: BulkTools, takeOver: boolean | undefined, work: (held: Holdings) => Promise<RunOutput>) {
  const held = new Holdings(tools, takeOver)
  try {
    return await work(held)
  } catch (error) {
    await held.release()
    throw error
  }
}

/** `svc runs resume`: resumes a run where it stopped; with nothing left it prints the run's summary again and ends with its code. */
export async function resumeRun(tools: BulkTools, reference: RunReference, options: SessionOptions) {
  return withRecorded(tools, await findRun(tools, reference, true), options, async (held, recorded) =>
    resumeRecorded({ tools, held, recorded, options: await howToSend(tools, recorded.run, options) }),
  )
}

/** `svc runs retry`: opens batches of the same run again that ended in these outcomes. */
export async function retryRun(
  tools: BulkTools,
  reference: RunReference,
  options: SessionOptions & { readonly outcomes: readonly string[]; readonly isolate: boolean },
): Promise<RunOutput> {
  const id = await findRun(tools, reference)
  const outcomes = reopenable.filter((outcome) => options.outcomes.includes(outcome))
  const others = options.outcomes.filter((outcome) => !outcomes.some((each) => each === outcome))
  return withRecorded(tools, id, options, async (held, recorded) => {
    refuseToRetry(recorded.run, others, options.isolate)
    const isolate = options.isolate ? { isolate: true as const } : {}
    const again: ReopenEvent = { t: 'reopen', at: tools.host.now(), outcomes, ...isolate }
    return resumeRecorded({ tools, held, recorded, again, options: await howToSend(tools, recorded.run, options) })
  })
}

/** As this command line says, else its environment, else as the run began; a default of a file is for a run that began without. */
async function howToSend(tools: BulkTools, { options: began }: RunFile, options: SessionOptions) {
  const { rate, maxDelete } = (await tools.configuration()).settings
  const isNow = rate.source === 'SVC_RATE'
  const usual = { rate: isNow ? rate.value : (began.rate ?? rate.value), maxDelete: maxDelete.value }
  return { ...began, ...usual, ...options }
}

function refuseToRetry({ run, operation }: RunFile, outcomes: readonly string[], isolate: boolean): void {
  if (isolate && operationOf(operation).isolates === undefined)
    throw usageError(`--isolate is for runs of ${isolatingCommands}`)
  if (outcomes.length === 0) return
  throw usageError(
    `${outcomes.join(', ')}: the service has answered for these ids, so they are not sent again in the same run`,
    `to send them as a new run:\n  svc runs export ${run} --outcome ${outcomes.join(',')} -o ids | svc ${commandOf(operation)} - …`,
  )
}

async function withRecorded(
  tools: BulkTools,
  id: string,
  options: SessionOptions,
  work: (held: Holdings, recorded: RecordedRun) => Promise<RunOutput>,
): Promise<RunOutput> {
  checkOutputs(tools.host, options)
  const stateDir = (await tools.configuration()).stateDir.value
  const { run } = readRunFile(runFolder(stateDir, id), id)
  return holding(tools, options.takeOver, async (held) => {
    if (run.once !== undefined) await takeOwnName(held, stateDir, run.run, run.once.name)
    return work(held, await openRecorded(tools, held, stateDir, id))
  })
}

/** A run is resumed under its own name only: a crash right after it began may have left the name to another one. */
async function takeOwnName(held: Holdings, stateDir: string, run: string, name: string): Promise<void> {
  await held.takeName(stateDir, name)
  const record = readName(stateDir, name)
  if (record === undefined) await writeName(stateDir, { schema: 'svc.name/1', name, run })
  else if (record.run !== run) {
    throw usageError(
      `the name "${name}" now belongs to run ${record.run}; run ${run} was not resumed`,
      `svc runs resume ${name}`,
    )
  }
}
