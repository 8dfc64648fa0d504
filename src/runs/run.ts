/**
 * Takes a job to the end of its run: check → ask → record → send → receipts → end. README.md in this folder says what a kill
 * leaves after each step; `svc runs resume` and the same `--once` go on from there.
 */
import { refuseInStateFolder } from '../config/paths.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { SvcError } from '../errors.ts'
import { keyFingerprint, onceRun, recordedRuns } from './find.ts'
import type { Job, RunTools } from './job.ts'
import { schema, type Head } from './lines.ts'
import { refuseOpenIds, takeRivalsAway } from './open-ids.ts'
import { refuseForeign, refuseOtherJob } from './refusals.ts'
import { changeOf, confirmChange } from './question.ts'
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
import {
  tellBeginning,
  tellEnding,
  tellFinished,
  tellNewKey,
  tellUnfinished,
  tellUnreadable,
} from './telling.ts'

/** A command at work on a run. */
interface Work extends Pick<Job, 'operation' | 'concurrency' | 'receipts'> {
  tools: RunTools
  record: RunRecord
}

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
  if (recorded !== undefined) return goOn({ ...job, tools, record: recorded })
  const runs = recordedRuns(tools)
  runs.prepare()
  await confirmChange(tools, job)
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
  return sendAndEnd({ ...job, tools, record })
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
  if (operation.isIrreversible === true) tellUnreadable(tools, listed)
  tellUnfinished(tools, listed, profile, recorded?.run)
}

/** Goes on with a recorded run, after a question. Gives its result again if nothing is due. */
export async function resumeRun(tools: RunTools, record: RunRecord): Promise<ShownRun> {
  const { run, state } = record
  const profile = await tools.profile()
  tellUnfinished(tools, await recordedRuns(tools).list(), profile, run)
  refuseForeign(record, profile)
  const operation = await tools.operation(state.head.operation)
  if (state.due > 0) {
    await tools.permit({ operation: operation.name, ids: state.items.size })
    await tools.api()
  }
  return goOn({ tools, operation, record }, true)
}

async function goOn(work: Work, isAlwaysAsked = false): Promise<ShownRun> {
  const { tools, operation, record, receipts } = work
  const { run, state } = record
  const hasNewReceipts = receipts !== undefined && !state.receiptsFiles.has(receipts.path)
  if (state.due === 0 && !hasNewReceipts) return repeatResult(work)
  if (record.isHeld) throw busyError(run)
  recordedRuns(tools).prepare()
  tellNewKey(tools, record, await tools.profile())
  const change = changeOf(operation, record)
  await confirmChange(tools, change, { recorded: record, isAlwaysAsked })
  await record.addPart()
  return sendAndEnd(work)
}

/** Sends what is due, writes the receipts and the `end` of this command, and tells how it ended. */
async function sendAndEnd(work: Work): Promise<ShownRun> {
  const { tools, operation, record } = work
  return tools.signals.shield(async () => {
    tellBeginning(tools, changeOf(operation, record), record)
    try {
      const { stop, error, hasFailed } = await send(work)
      const failure = await endRecord(work, stop)
      tools.signals.protectOutput()
      return tellResult(work, {
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
async function send({ tools, operation, record, concurrency }: Work): Promise<Sender> {
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
    await sender.sendAll(concurrency ?? operation.concurrency)
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
async function endRecord(work: Work, stop: Sender['stop']): Promise<SvcError | undefined> {
  const { tools, record } = work
  let failure = record.failure
  try {
    if (failure !== undefined) throw failure
    // The results are on disk before a file shows them.
    await record.sync()
    record.check()
    const receipts = record.state.due === 0 ? work.receipts : undefined
    if (receipts !== undefined) failure = await writeReceiptsFile(work, receipts)
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
  { tools, record: { run, state } }: Work,
  file: ReceiptsFile,
): Promise<SvcError | undefined> {
  try {
    await writeReceipts(tools.host, file, receiptsOf(state), { run, state })
    tools.note(`wrote "${file.path}"`)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
}

/** Gives the result of a run again in which nothing is due. Writes its receipts again. */
async function repeatResult(work: Work): Promise<ShownRun> {
  const { tools, record, receipts } = work
  // The command that ended may have been killed before its `end` was on disk.
  record.syncParts()
  tellFinished(tools, record)
  const failure = receipts && (await writeReceiptsFile(work, receipts))
  // Why an earlier command stopped says nothing of the result by now.
  const ending = { stop: undefined, errors: [failure], hasFailed: failure !== undefined }
  return tellResult(work, ending)
}

/** Tells how the command ended. Returns the result of the run. */
function tellResult({ tools, operation, record }: Work, ending: Ending): ShownRun {
  const result = { operation, record, summary: summaryOf(record, ending) }
  tellEnding(tools, result, ending)
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
