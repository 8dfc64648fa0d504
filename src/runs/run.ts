/**
 * A run, from its command to its end: read → take → ask → record → send → conclude. New, repeated, resumed, undone and
 * applied runs, and a single change, differ only in where their items come from; all of them go through these phases.
 * `readStart` and `resolve` read; `beginNameless`, `beginNamed` and `resumeNamed` take, ask and record; `finishRun` sends
 * and concludes. A new run without a name has nothing to take: its file is created after the question.
 *
 * A kill leaves: before `record`, an older run as it was (one that is to be undone may be marked: `runs undo` goes on),
 * and of a new one no file, or a run that has sent nothing. After `record`, every line that was synced, and the same command
 * goes on with the run. After `conclude`, a result that the same command prints. A run is held from its `session` line until
 * it is freed, after its result was printed.
 */
import type { Profile } from '../config/profile.ts'
import { exit, mayRetry, usageError } from '../errors.ts'
import type { AnnotatedTable } from '../input/annotated.ts'
import { say, svc } from '../message.ts'
import { conclude, type EndedRun } from './conclude.ts'
import { inPieces, type RunFile } from './file.ts'
import { rereadForAnnotation } from './files/annotate.ts'
import { checkLaterOutputs, removeDrafts, UserFiles } from './files/files.ts'
import type { RecordedRun, RunLog } from './fold.ts'
import {
  headLines,
  jobHeadOf,
  keyFingerprint,
  resolveJob,
  type Command,
  type Job,
  type LaterOptions,
  type ReadyJob,
  type RunTools,
} from './jobs/job.ts'
import { readJob, type TypedStart } from './jobs/read.ts'
import {
  checkNamed,
  checkReopen,
  checkService,
  checkUnfinished,
  findSame,
  isAlone,
  runToResume,
  sentSince,
} from './jobs/same.ts'
import { readUndo, type UndoStart } from './jobs/undo.ts'
import { isFinished, recordedIn, type RunReference } from './list.ts'
import { newRunId, type RunPlace } from './names.ts'
import { operationOf } from './operations/operations.ts'
import { send } from './send.ts'
import { beginAgain, createRun, takeRun, type TakenRun } from './take.ts'
import { tellOtherIds, tellResumed } from './telling/notes.ts'
import { endUnsent, sendsNothing, type UnsentRun } from './telling/preview.ts'
import { confirm, describeRun } from './telling/question.ts'
import { aboutPeople } from './telling/who.ts'

/** A recorded run that a command names. `outcomes`: batches are opened again in which an id ended as one of these. */
export interface ResumeStart {
  kind: 'resume'
  run: RunReference
  options: LaterOptions
  outcomes?: readonly string[] | undefined
}

export type Start = TypedStart | ResumeStart | UndoStart

/** Takes a command to the end of its run. With `--dry-run` nothing is sent. */
export async function startRun(
  tools: RunTools,
  start: Start,
): Promise<EndedRun | UnsentRun> {
  if (start.kind === 'resume') return finishRun(tools, await resumeNamed(tools, start))
  const job = await readStart(tools, start)
  if (sendsNothing(job)) return endUnsent(tools, job)
  const ready = await resolve(tools, job)
  const begun =
    job.name === undefined
      ? await beginNameless(tools, ready)
      : await beginNamed(tools, ready, job.name)
  return finishRun(tools, begun)
}

async function readStart(
  tools: RunTools,
  start: Exclude<Start, ResumeStart>,
): Promise<Job> {
  switch (start.kind) {
    case 'new':
      return readJob(tools, start)
    case 'undo':
      return readUndo(tools, start)
  }
}

/** The job with its names resolved and what its run records. Throws what forbids it, before the first change is sent. */
async function resolve(tools: RunTools, job: Job): Promise<ReadyJob> {
  // A folder that cannot be written is an error before the first request.
  await (await tools.runs()).prepare()
  const resolved = resolveJob(job, await job.resolveContents())
  const profile = await tools.profile()
  await tools.permit({ operation: job.operation, ids: resolved.items.size })
  for (const note of job.notes ?? []) tools.note(note)
  return { ...resolved, head: jobHeadOf(tools.host, resolved, profile), profile }
}

/** A run that is on disk and whose question was answered. */
interface BegunRun {
  file: RunFile
  /** This process holds it. False for a run that is only shown again. */
  isHeld: boolean
  /** An earlier command began it. */
  isResumed: boolean
  command: Command
  files: UserFiles
}

/**
 * A run without a name: the same unfinished job of the last hours, or a new one, of which nothing is on disk before the
 * answer.
 */
async function beginNameless(tools: RunTools, job: ReadyJob): Promise<BegunRun> {
  const { host, signals } = tools
  const isForcedNew = job.options.newRun === true
  const findNow = (own?: string) => findSame(tools, job.head, own)
  const look = async () => (isForcedNew ? undefined : findNow())
  const first = await look()
  let files: UserFiles | undefined
  for (let before = first; ; before = await look()) {
    const earlier =
      before && (runToResume(before, job, job.profile) ?? sentSince(before, first))
    if (earlier !== undefined) return resumeRun(tools, earlier, commandFor(job))
    if (files === undefined && first !== undefined) await tellOtherIds(tools, job.head)
    files ??= await askForNew(tools, job)
    const file = await recordNew(tools, job)
    // Somebody else has just begun a run with that id.
    if (file === undefined) continue
    // Two commands at the same moment: the one that sees the other backs off.
    const isOnly = await beforeSending(
      tools,
      file,
      async () => isForcedNew || isAlone(await findNow(file.place.path), before),
    )
    if (isOnly) {
      return { file, isHeld: true, isResumed: false, command: commandFor(job), files }
    }
    await file.remove()
    await file.close()
    await host.sleep(host.random() * 1000, signals.cancelled)
  }
}

/**
 * The phase `record` of a run without a name: its file with session and head is on disk, whose name is synced before the
 * first `try`. Undefined if there is one of that id.
 */
async function recordNew(tools: RunTools, job: ReadyJob): Promise<RunFile | undefined> {
  const runs = await tools.runs()
  const startedAt = await runs.nextStart()
  const place = runs.placeOf(newRunId(startedAt, tools.host.random()))
  const head = inPieces(headLines(job, startedAt))
  // The first piece is written with the `session` line, in one call.
  const first = head.next()
  const file = await createRun(tools, place, first.done === true ? [] : first.value)
  if (file === undefined) return undefined
  return beforeSending(tools, file, async () => {
    for (const piece of head) file.append(...piece)
    await file.sync()
    return file
  })
}

/**
 * The run of a name: a recorded one, finished or not, or a new one. The file of a new one is there while the question is
 * asked, so that nobody else takes the name.
 */
async function beginNamed(tools: RunTools, job: ReadyJob, name: string): Promise<BegunRun> {
  const runs = await tools.runs()
  const place = runs.placeOf(name)
  const command = commandFor(job)
  const taken = await takeRun(tools, place, {
    canCreate: true,
    takeOver: job.options.takeOver,
    decideToClaim: (log) =>
      log.recorded === undefined || decideToClaim(log, command, job.profile),
  })
  if (taken === undefined) throw runs.missing(place.run)
  const { file } = taken
  if (file.log.recorded !== undefined) return resumeTaken(tools, taken, command)
  const files = await beforeSending(tools, file, async () => {
    // The same job may be unfinished without a name.
    checkUnfinished(await findSame(tools, job.head, place.path), job, job.profile)
    const asked = await askForNew(tools, job)
    await job.beforeStart?.()
    const head = headLines(job, await runs.nextStart())
    for (const piece of inPieces(head)) file.append(...piece)
    await file.sync()
    return asked
  })
  return { file, isHeld: true, isResumed: false, command, files }
}

/**
 * The phase `ask` of a new run. Returns the files that it is to write. Throws exit 2 if one of them cannot be written, and
 * exit 2.
 */
async function askForNew(tools: RunTools, job: ReadyJob): Promise<UserFiles> {
  const { state, profile, items, annotation } = job
  const files = new UserFiles(tools, { named: job.options, annotation })
  await files.check()
  if (items.size === 0) tools.note('the input is empty; there is nothing to do')
  else {
    await confirm(tools, {
      state,
      left: [...state.batches.numbers()],
      count: items.size,
      profile,
      job,
      about: (columns) => aboutPeople(tools, job, columns),
    })
  }
  return files
}

/** A command and what it asks of its run. */
interface RunCommand extends Command {
  annotation: (recorded: RecordedRun) => Promise<AnnotatedTable | undefined>
  /** Throws exit 2 if the run is not that of the command. */
  check: (recorded: RecordedRun, profile: Profile) => void
  reopen?: readonly string[] | undefined
}

/** The command of a job that was typed. */
const commandFor = (job: ReadyJob): RunCommand => ({
  options: job.options,
  input: job.items,
  isOne: job.isOne,
  annotation: () => Promise.resolve(job.annotation),
  check: (recorded) => {
    if (job.name !== undefined) checkNamed(recorded, job)
  },
})

/** The run that `runs resume` names. */
async function resumeNamed(tools: RunTools, start: ResumeStart): Promise<BegunRun> {
  const { file: inputPath, ...options } = start.options
  const { outcomes } = start
  checkLaterOutputs(start.options)
  const runs = await tools.runs()
  const place = await runs.find(
    start.run,
    tools.profile,
    (listed) => !listed.isUndone && (!listed.isFinished || outcomes !== undefined),
  )
  return resumeRun(tools, place, {
    options,
    input: undefined,
    isOne: false,
    annotation: ({ run, head }) => {
      const known = { what: `run ${run}`, source: undefined, ...head }
      return rereadForAnnotation(tools, known, options.annotate, inputPath)
    },
    check: (recorded, profile) => {
      checkReopen(recorded, outcomes)
      checkService(recorded, profile, options.newKey)
    },
    reopen: outcomes,
  })
}

/** Takes a recorded run and resumes it. If nothing is left, the run is only shown. */
async function resumeRun(
  tools: RunTools,
  place: RunPlace,
  command: RunCommand,
): Promise<BegunRun> {
  const profile = await tools.profile()
  const taken = await takeRun(tools, place, {
    takeOver: command.options.takeOver,
    decideToClaim: (log) => decideToClaim(log, command, profile),
  })
  if (taken === undefined) throw (await tools.runs()).missing(place.run)
  return resumeTaken(tools, taken, command)
}

/** Throws exit 2 if a command may not resume the run. Returns whether there is more to do with it than to show it. */
function decideToClaim(log: RunLog, command: RunCommand, profile: Profile) {
  const recorded = recordedIn(log)
  const { options, reopen, check } = command
  const { run, undone } = recorded
  if (undone !== undefined) {
    throw usageError(
      `an undo of run ${run} has begun, so the run cannot be resumed; nothing was sent`,
      say`to resume the undo:\n  ${svc`runs undo ${run}`}`,
    )
  }
  check(recorded, profile)
  const hasFiles = options.receipts !== undefined || options.annotate !== undefined
  return !isFinished(log) || reopen !== undefined || hasFiles
}

/** Resumes an existing run. One that is not held is only shown. */
async function resumeTaken(
  tools: RunTools,
  { file, isHeld }: TakenRun,
  command: RunCommand,
): Promise<BegunRun> {
  const recorded = recordedIn(file.log)
  const own = recorded.files
  const files = await beforeSending(tools, file, async () => {
    if (recorded.damage !== undefined) tools.note(recorded.damage)
    if ((command.options.reason ?? recorded.head.reason) !== recorded.head.reason)
      tools.note('--reason is not recorded: the run has the reason that it began with')
    if (!isHeld) return new UserFiles(tools, { named: {}, own })
    await removeDrafts(tools.host, recorded.drafts, file)
    const annotation = await command.annotation(recorded)
    const { options: named, input } = command
    const toWrite = new UserFiles(tools, { named, annotation, own, input })
    await toWrite.check()
    await checkNoOther(tools, file, command)
    await confirmRest(tools, file, command.reopen)
    return toWrite
  })
  return { file, isHeld, isResumed: true, command, files }
}

/** Throws exit 2 for a run that has sent nothing, if the same job has begun since and is not finished. */
async function checkNoOther(
  tools: RunTools,
  { place, log }: RunFile,
  { options }: Command,
) {
  const { run, head, firstTryAt } = recordedIn(log)
  if (firstTryAt !== undefined) return
  const same = await findSame(tools, head, place.path)
  // As if the run had a name: a command that names a run never resumes another one.
  checkUnfinished(same, { name: run, options }, await tools.profile())
}

/** The phase `ask` of an existing run, for what is left of it. */
async function confirmRest(
  tools: RunTools,
  file: RunFile,
  reopen: readonly string[] | undefined,
) {
  const recorded = recordedIn(file.log)
  const { run, head, state } = recorded
  const left = state.listLeft(reopen)
  if (left.length === 0) return
  await tools.permit({ operation: head.operation, ids: head.input.unique })
  const count = state.countLeft(left, reopen)
  tellResumed(tools, recorded, count)
  const profile = await tools.profile()
  await confirm(tools, {
    state,
    left,
    count,
    profile,
    job: head,
    run: describeRun(tools, run, head),
  })
  await recordConfirmed(tools, file, profile, reopen)
}

/** The phase `record` of an existing run: another key, and outcomes that are opened again, as the question said. */
async function recordConfirmed(
  tools: RunTools,
  file: RunFile,
  { apiKey }: Profile,
  reopen: readonly string[] | undefined,
) {
  const key = keyFingerprint(apiKey)
  const changes = {
    ...(!recordedIn(file.log).keys.has(key) && { key }),
    ...(reopen && { reopen: [...reopen] }),
  }
  if (Object.keys(changes).length > 0) await beginAgain(tools, file, changes)
}

/**
 * Does work before anything is sent, and closes the file when the command ends. If the work fails, or the answer is no, the
 * run is freed. Only a settled run that was not free before stays so, for the same command to print it (`finishRun`).
 */
async function beforeSending<T>(
  tools: RunTools,
  file: RunFile,
  work: () => Promise<T>,
): Promise<T> {
  let isToFree = false
  tools.atEnd((exitCode) => {
    if (isToFree) file.free(exitCode)
    return file.close()
  })
  try {
    return await work()
  } catch (error) {
    const { recorded, sessions } = file.log
    isToFree = sessions.wasFreeBefore || recorded?.state.isSettled() !== true
    throw error
  }
}

/** The phases `send` and `conclude`. A run that is not held is only shown. */
async function finishRun(tools: RunTools, begun: BegunRun): Promise<EndedRun> {
  const { file, isHeld, command } = begun
  const recorded = recordedIn(file.log)
  if (!isHeld) return conclude(tools, undefined, { ...begun, recorded })
  const { state, head } = recorded
  const { isOne } = command
  const left = state.listLeft()
  const { settings } = await tools.configuration()
  const { batch } = operationOf(head.operation)
  const concurrency = settings.concurrency ?? batch.concurrency
  const ended = await tools.signals.runCritical(async () => {
    const sent =
      left.length === 0
        ? undefined
        : await send(tools, { file, recorded, left, concurrency, isOne })
    return conclude(tools, file, { ...begun, recorded, sent })
  })
  tools.atEnd(async (code) => {
    // Without a name, a free run with nothing left is over, and the same command begins a new one. So it is not freed if the
    // command is to be typed again, for its files or its result.
    const isOver = head.name === null && state.isSettled()
    const isToRepeat = mayRetry(code) || code === exit.failed
    if (!isOver || !isToRepeat) file.free()
    const { removeOldChanges } = await import('./prune.ts')
    await removeOldChanges(tools)
  })
  return ended
}
