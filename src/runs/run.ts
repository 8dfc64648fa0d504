/**
 * Takes a job to the end of its run: check → ask → record → send → receipts → end. What a kill leaves:
 *
 * - before the run has its name, or the command its part: what was there before;
 * - then: a run in which this command has sent nothing;
 * - behind a `try` line: ids that are `unknown` until a result or a later attempt says more;
 * - behind `end`: the result, which `svc runs show` prints.
 *
 * `svc runs resume` and the same `--once` go on from there.
 */
import { refuseInStateFolder } from '../config/paths.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { SvcError } from '../errors.ts'
import { keyFingerprint, onceRun, recordedRuns } from './find.ts'
import type { Job, Operation } from './job.ts'
import { schema, type Head } from './lines.ts'
import { refuseOpenIds, takeRivalsAway } from './open-ids.ts'
import { refuseForeign, refuseOtherJob } from './refusals.ts'
import {
  checkReceiptsPlace,
  removeDraft,
  writeReceipts,
  type ReceiptsFile,
} from './receipts-file.ts'
import { receiptsOf } from './receipts.ts'
import { busyError, RunRecord } from './record.ts'
import { Sender } from './send.ts'
import { summaryOf, type ShownRun, type Ending } from './summary.ts'
import * as tell from './telling.ts'
import type { RunTools } from './tools.ts'

/** The options of a command that works on a run, besides its job. */
type WorkOptions = Pick<Job, 'concurrency' | 'receipts'>

/**
 * Begins a run of a job. `recorded` is the run of its `--once` name, if there is one: then it goes on with that run, or gives its
 * result again.
 */
export async function beginRun(
  tools: RunTools,
  job: Job,
  recorded?: RunRecord,
): Promise<ShownRun> {
  const { operation, items, once } = job
  await checkJob(tools, job, recorded)
  if (recorded !== undefined) return goOn(tools, operation, recorded, job)
  const runs = recordedRuns(tools)
  runs.prepare()
  await tell.confirmChange(tools, job)
  const profile = await tools.profile()
  const record = await RunRecord.begin(runs.host, runs.folder, {
    name: () => (once === undefined ? runs.newName(operation.words.run) : onceRun(once)),
    // A name of a list or employee may have the secret in it.
    headFor: (run) => tools.messages.redactor.hide(headOf(tools, job, profile, run)),
    items,
    checkOthers: async (folder, run) => {
      if (operation.isIrreversible !== true) return
      await takeRivalsAway(runs, { operation, items, run }, profile, folder)
      await refuseOpenIds(runs, await runs.list(), { operation, items, run }, profile)
    },
  })
  return sendAndEnd(tools, operation, record, job)
}

/** Checks whether a job may begin or go on, before anything is asked; a dry run ends here. */
export async function checkJob(tools: RunTools, job: Job, recorded?: RunRecord) {
  const { operation, items, once, receipts } = job
  const runs = recordedRuns(tools)
  const profile = await tools.profile()
  const run = once === undefined ? runs.newName(operation.words.run) : onceRun(once)
  if (recorded !== undefined) refuseForeign(recorded, profile)
  await tools.permit({ operation: operation.name, ids: items.size })
  // A secret that cannot be used is refused before anything is recorded.
  await tools.api()
  const listed = await runs.list()
  if (recorded !== undefined) refuseOtherJob(recorded, job)
  else if (operation.isIrreversible === true)
    await refuseOpenIds(runs, listed, { operation, items, run }, profile)
  if (receipts !== undefined) {
    refuseInStateFolder(tools.host, receipts.path)
    checkReceiptsPlace(tools.host, receipts.path, run, recorded?.state)
  }
  if (operation.isIrreversible === true) tell.tellUnreadable(tools, listed)
  tell.tellUnfinished(tools, listed, profile, recorded?.run)
}

/** Goes on with a recorded run, after a question. Gives its result again if nothing is due. */
export async function resumeRun(tools: RunTools, record: RunRecord): Promise<ShownRun> {
  const { run, state } = record
  const profile = await tools.profile()
  tell.tellUnfinished(tools, await recordedRuns(tools).list(), profile, run)
  refuseForeign(record, profile)
  const operation = await tools.operation(state.head.operation)
  if (state.due > 0) {
    await tools.permit({ operation: operation.name, ids: state.items.size })
    await tools.api()
  }
  return goOn(tools, operation, record, { isAlwaysAsked: true })
}

async function goOn(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
  { isAlwaysAsked = false, ...options }: WorkOptions & { isAlwaysAsked?: boolean },
): Promise<ShownRun> {
  const { run, state } = record
  const path = options.receipts?.path
  const hasNewReceipts = path !== undefined && !state.receiptsFiles.has(path)
  if (state.due === 0 && !hasNewReceipts)
    return repeatResult(tools, operation, record, options)
  if (record.isHeld) throw busyError(run)
  recordedRuns(tools).prepare()
  tell.tellNewKey(tools, record, await tools.profile())
  const change = tell.changeOf(operation, record)
  await tell.confirmChange(tools, change, { recorded: record, isAlwaysAsked })
  await record.addPart()
  return sendAndEnd(tools, operation, record, options)
}

/** Sends what is due, writes the receipts and the `end` of this command, and tells how it ended. */
async function sendAndEnd(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
  options: WorkOptions,
): Promise<ShownRun> {
  return tools.signals.shield(async () => {
    tell.tellBeginning(tools, tell.changeOf(operation, record), record)
    try {
      const { stop, error, hasFailed } = await send(tools, operation, record, options)
      const failure = await endRecord(tools, record, stop, options.receipts)
      tools.signals.protectOutput()
      return tellResult(tools, operation, record, {
        stop,
        errors: [error, failure],
        hasFailed: hasFailed || failure !== undefined,
        signal: tools.signals.caught,
      })
    } finally {
      record.closeFile()
    }
  })
}

/** Sends what is due. Throws if another command works on the run by now: then nothing is printed. */
async function send(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
  { concurrency = operation.concurrency }: WorkOptions,
): Promise<Sender> {
  const { state } = record
  const sender = new Sender(record, operation, await tools.api())
  const onSignal = () => {
    tools.note('stopping: requests in flight may finish; press Ctrl-C again to abort them')
    sender.stopFor('signal')
  }
  const { cancelled } = tools.signals
  cancelled.addEventListener('abort', onSignal, { once: true })
  const bar = {
    label: operation.words.doing,
    total: state.due,
    done: () => sender.doneItems,
  }
  const progress = state.due < 2 ? undefined : await tools.progress(bar)
  try {
    // The first signal may have come before the listener was added.
    if (cancelled.aborted) onSignal()
    await sender.sendAll(concurrency)
  } catch (error) {
    // The result so far is printed, although the record cannot be written.
    if (error !== record.failure || record.failure?.category !== 'local') throw error
  } finally {
    progress?.stop()
    cancelled.removeEventListener('abort', onSignal)
  }
  return sender
}

/** Writes the receipts, if nothing is due, and then the `end`. Returns why that failed; what is known is printed then. */
async function endRecord(
  tools: RunTools,
  record: RunRecord,
  stop: Sender['stop'],
  file: ReceiptsFile | undefined,
): Promise<SvcError | undefined> {
  let failure = record.failure
  try {
    if (failure !== undefined) throw failure
    // The results are on disk before a file shows them.
    await record.sync()
    record.check()
    const receipts = record.state.due === 0 ? file : undefined
    if (receipts !== undefined) failure = await writeReceiptsFile(tools, record, receipts)
    const isWritten = receipts !== undefined && failure === undefined
    record.writeEnd({ stop, ...(isWritten && { receipts: receipts.path }) })
    await record.sync()
    record.check()
    if (isWritten) removeDraft(tools.host, receipts.path, record.run)
    return failure
  } catch (error) {
    if (!(error instanceof SvcError) || error.category !== 'local') throw error
    return error
  }
}

async function writeReceiptsFile(
  { host, note }: RunTools,
  { run, state }: RunRecord,
  file: ReceiptsFile,
): Promise<SvcError | undefined> {
  try {
    await writeReceipts(host, file, receiptsOf(state), { run, state })
    note(`wrote "${file.path}"`)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
}

/** Gives the result of a run again in which nothing is due. Writes its receipts again. */
async function repeatResult(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
  { receipts }: WorkOptions,
): Promise<ShownRun> {
  // The command that ended may have been killed before its `end` was on disk.
  record.syncParts()
  record.closeFile()
  tell.tellFinished(tools, record)
  const failure = receipts && (await writeReceiptsFile(tools, record, receipts))
  // Why an earlier command stopped says nothing of the result by now.
  const ending = { stop: undefined, errors: [failure], hasFailed: failure !== undefined }
  return tellResult(tools, operation, record, ending)
}

/** Tells how the command ended. Returns the result of the run. */
function tellResult(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
  ending: Ending,
): ShownRun {
  const result = { operation, record, summary: summaryOf(record, ending) }
  tell.tellEnding(tools, result, ending)
  return result
}

/** Returns the head of a run of a job. */
function headOf(
  { host }: RunTools,
  job: Job,
  profile: Profile,
  run: string,
): Omit<Head, 'at'> {
  const { operation, target, ifAssignee, undoes, once, accept, input, source, receipts } =
    job
  const { userName, hostname } = host.computer
  return {
    t: 'run',
    schema,
    run,
    operation: operation.name,
    isFinalIfLost: operation.isFinalIfLost,
    baseUrl: profile.baseUrl,
    target,
    ifAssignee,
    undoes,
    once: once ?? null,
    accept: [...new Set(accept)].sort(),
    profile: profile.name ?? null,
    key: keyFingerprint(profile.apiKey),
    keyEnding: keyEnding(profile.apiKey),
    user: userName ?? `uid ${host.userId}`,
    host: hostname,
    input,
    source,
    receipts: receipts?.path,
    count: job.items.size,
  }
}
