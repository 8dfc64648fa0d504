/**
 * A run, from its command to its end: read → take → ask → record → send → conclude. New, repeated, resumed, undone and applied runs, and a single change,
 * differ in where their items come from, never in their way.
 *
 * A kill leaves, at any line: before `record` no run, or one of which nothing was sent; after it the run with all lines that were synced, with which the
 * same command goes on; and behind `conclude` a result that the same command prints.
 */
import { keyEnding, type Profile } from '../config/profile.ts'
import { exit, usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { version } from '../version.ts'
import { joinOr } from '../words.ts'
import { conclude, type EndedRun } from './conclude.ts'
import { linesPerWrite, type RunFile } from './file.ts'
import { annotationOf, type Annotation } from './files/annotate.ts'
import { checkLaterOutputs, removeDrafts, UserFiles } from './files/files.ts'
import type { RecordedRun, RunLog } from './fold.ts'
import { Batches } from './items.ts'
import {
  concurrencyOf,
  newState,
  type Contents,
  type Job,
  type LaterOptions,
  type RunTools,
} from './jobs/job.ts'
import { readJob, type NewStart } from './jobs/read.ts'
import {
  checkNamed,
  checkService,
  checkUnfinished,
  keyFingerprint,
  lookForSame,
  type JobFacts,
  type Look,
} from './jobs/same.ts'
import { readUndo, type UndoStart } from './jobs/undo.ts'
import type { JobHead, NewLine, NewLineOf } from './lines.ts'
import { isFinished, recordedIn, type RunReference, type Runs } from './list.ts'
import { newRunId, type RunPlace } from './names.ts'
import { commandOf, operationOf } from './operations/operations.ts'
import { acceptedBy, outcomesOfOperation, reopenable } from './outcomes.ts'
import { send } from './send.ts'
import { beginAgain, createRun, takeRun } from './take.ts'
import { beginNotes, tellResumed } from './telling/notes.ts'
import { endUnsent, type UnsentRun } from './telling/preview.ts'
import { confirm, currentActor } from './telling/question.ts'
import { aboutPeople } from './telling/who.ts'

/** A job that was made elsewhere: that of a plan. */
export interface JobStart {
  readonly kind: 'job'
  readonly job: Job
}

/** A recorded run that a command names. `outcomes`: batches are opened again in which an id ended as one of these. */
export interface ResumeStart {
  readonly kind: 'resume'
  readonly run: RunReference
  readonly options: LaterOptions
  readonly outcomes?: readonly string[] | undefined
}

export type Start = NewStart | JobStart | ResumeStart | UndoStart

/** Takes a command to the end of its run. With `--plan` or `--dry-run` nothing is sent. */
export async function startRun(
  tools: RunTools,
  start: Start,
): Promise<EndedRun | UnsentRun> {
  if (start.kind === 'resume') return resume(tools, start)
  const job = await readStart(tools, start)
  const unsent = await endUnsent(tools, job)
  if (unsent !== undefined) return unsent
  const runs = await tools.runs()
  // A folder that cannot be written is an error before the first request.
  await runs.prepare()
  const contents = await job.contents()
  const profile = await tools.profile()
  await permit(tools, job.operation, contents.items.size)
  for (const note of job.notes ?? []) tools.note(note)
  const resolved = { job, contents, profile, runs, facts: factsOf(job, contents, profile) }
  return job.name === undefined
    ? startNameless(tools, resolved)
    : startNamed(tools, resolved, runs.placeOf(job.name))
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
    case 'job':
      return start.job
  }
}

/** Throws exit 5 when the profile does not allow the change. Sets the pace. */
async function permit(tools: RunTools, operation: Job['operation'], ids: number) {
  await tools.permit({ operation, ids })
  const { settings } = await tools.configuration()
  const { client } = await tools.api()
  client.pace.limit(settings.rate.value ?? Infinity)
}

/** A job whose names were resolved. */
interface ResolvedJob {
  readonly job: Job
  readonly contents: Contents
  readonly profile: Profile
  readonly runs: Runs
  readonly facts: JobFacts
}

export const factsOf = (
  { operation }: Job,
  { parameters, items }: Contents,
  { baseUrl }: Pick<Profile, 'baseUrl'>,
): JobFacts => ({ operation, baseUrl, parameters, set: items.setSha256() })

/** A run without a name: the same unfinished job of the last hours, or a new one. */
async function startNameless(tools: RunTools, resolved: ResolvedJob): Promise<EndedRun> {
  const { job, profile, runs, facts } = resolved
  const { host } = tools
  const isAnew = job.options.newRun === true
  for (let isAsked = false; ; isAsked = true) {
    const before = isAnew ? undefined : await lookForSame(tools, runs, facts)
    if (before?.unfinished !== undefined) {
      checkUnfinished(before.unfinished, job, profile)
      return goOn(tools, before.unfinished, repetitionOf(resolved))
    }
    const files = new UserFiles(tools, { named: job.options, annotation: job.annotation })
    await files.check()
    if (!isAsked) await askForNew(tools, resolved, '')
    await job.beforeStart?.()
    const start = await runs.nextStart()
    const place = runs.placeOf(newRunId(start, host.random()))
    const head = [...headOf(tools, resolved, start)]
    const file = await createRun(tools, place, head.slice(0, linesPerWrite))
    if (file === undefined) continue
    const hold = holdToEnd(tools, file)
    await recordRest(file, head.slice(linesPerWrite))
    await file.syncFolder()
    // Two commands at the same moment: the one that sees the other makes room.
    const isAlone =
      isAnew || isAloneIn(await lookForSame(tools, runs, facts, place.run), before)
    if (isAlone)
      return sendAll(tools, hold, { ...repetitionOf(resolved), files, isNew: true })
    await file.remove()
    await file.close()
    await host.sleep(host.random() * 1000, tools.signals.cancelled)
  }
}

/** Whether no other run that is the same is worked on, unfinished, or began since the look before. */
function isAloneIn({ seen, isHeld, unfinished }: Look, before: Look | undefined): boolean {
  const isNewer = [...seen].some((run) => before?.seen.has(run) !== true)
  return !isNewer && !isHeld && unfinished === undefined
}

/** The run of a name: recorded, finished or not, or a new one. */
async function startNamed(
  tools: RunTools,
  resolved: ResolvedJob,
  place: RunPlace,
): Promise<EndedRun> {
  const { job, profile, runs, facts } = resolved
  const repetition = repetitionOf(resolved)
  const taken = await takeRun(tools, place, {
    isMade: true,
    takeOver: job.options.takeOver,
    isToClaim: (log) =>
      log.recorded === undefined || isToContinue(log, repetition, profile),
  })
  if (taken === undefined) throw runs.missing(place.run)
  const { file, isHeld } = taken
  const hold = holdToEnd(tools, file)
  if (file.log.recorded !== undefined) return goOnTaken(tools, hold, isHeld, repetition)
  const { unfinished } = await lookForSame(tools, runs, facts, place.run.toLowerCase())
  if (unfinished !== undefined) checkUnfinished(unfinished, job, profile)
  const files = new UserFiles(tools, { named: job.options, annotation: job.annotation })
  await files.check()
  await askForNew(tools, resolved, place.run)
  await job.beforeStart?.()
  file.appendAll(headOf(tools, resolved, await runs.nextStart()))
  await file.sync()
  return sendAll(tools, hold, { ...repetition, files, isNew: true })
}

/** The phase `ask` of a new run. Throws exit 9. */
async function askForNew(tools: RunTools, resolved: ResolvedJob, run: string) {
  const { job, contents, profile } = resolved
  if (contents.items.size === 0) {
    tools.note('the input is empty; there is nothing to do')
    return
  }
  const state = newState(job, contents)
  const head = { ...jobHeadOf(tools, resolved), undoes: job.undoes, startedAt: '' }
  const about = (columns: number) => aboutPeople(tools, { ...job, ...contents }, columns)
  const left = [...state.batches.numbers()]
  await confirm(tools, { run, head, state, left, profile, isNew: true, about })
}

/** The members of a run that a plan has too. */
export function jobHeadOf(
  { host }: Pick<RunTools, 'host'>,
  { job, contents, profile, facts }: Omit<ResolvedJob, 'runs'>,
): JobHead {
  const { options, source } = job
  const { items, input } = contents
  return {
    ...facts,
    profile: profile.name ?? null,
    keyEnding: keyEnding(profile.apiKey),
    accept: [...acceptedBy(options.accept)],
    input,
    kind: items.kind,
    batches: batchesOf(job, contents).total,
    ...(source !== undefined && { source }),
    by: currentActor(host),
    ...(options.reason !== undefined && { reason: options.reason }),
  }
}

const batchesOf = ({ operation }: Job, { items }: Contents): Batches =>
  new Batches(items.size, operationOf(operation).batch.most)

/** The head of a run: everything that it needs without the command line. `start`: milliseconds since 1970. */
function* headOf(
  tools: RunTools,
  resolved: ResolvedJob,
  start: number,
): Generator<NewLine> {
  const { job, contents, profile } = resolved
  const { undoes, plan, name = null } = job
  const run: NewLineOf<'run'> = {
    t: 'run',
    schema: 'svc.run/6',
    name,
    startedAt: new Date(start).toISOString(),
    key: keyFingerprint(profile.apiKey),
    version,
    ...(undoes !== undefined && { undoes }),
    ...(plan !== undefined && { plan }),
    ...jobHeadOf(tools, resolved),
  }
  yield run
  yield* contents.items.lines(batchesOf(job, contents))
}

async function recordRest(file: RunFile, lines: readonly NewLine[]): Promise<void> {
  if (lines.length === 0) return
  file.appendAll(lines)
  await file.sync()
}

/** A run file that this process has open until its results are printed. */
interface Hold {
  readonly file: RunFile
  /** The exit code of the run; undefined while it is being sent. */
  exitCode?: number | undefined
}

/** Frees the run at the very end, unless its results could not be printed. */
function holdToEnd(tools: RunTools, file: RunFile): Hold {
  const hold: Hold = { file, exitCode: exit.done }
  tools.atEnd(async (code) => {
    const isPrinted =
      code === hold.exitCode || (code !== exit.local && code !== exit.internal)
    if (hold.exitCode !== undefined && isPrinted) file.free()
    await file.close()
  })
  return hold
}

/** How a command works on a run: as its line says. */
interface Working {
  readonly options: Omit<LaterOptions, 'file'>
  /** The input of this command, if it has read one: receipts are in its order. */
  readonly input: Contents['items'] | undefined
  readonly annotation: (recorded: RecordedRun) => Promise<Annotation | undefined>
  readonly reopen?: readonly string[] | undefined
  /** Throws exit 2 if the run is not that of the command. */
  readonly check: (recorded: RecordedRun, profile: Profile) => void
  readonly isRepeated: boolean
  readonly isOne: boolean
}

/** The command of a job is repeated. */
const repetitionOf = ({ job, contents, facts }: ResolvedJob): Working => ({
  options: job.options,
  input: contents.items,
  annotation: () => Promise.resolve(job.annotation),
  check: (recorded, profile) => {
    if (job.name !== undefined) checkNamed(recorded, job, facts, profile)
  },
  isRepeated: job.name !== undefined,
  isOne: job.isOne,
})

/** `runs resume`. */
async function resume(tools: RunTools, start: ResumeStart): Promise<EndedRun> {
  const { file: inputPath, ...options } = start.options
  checkLaterOutputs(start.options)
  const runs = await tools.runs()
  const baseUrl = async () => (await tools.profile()).baseUrl
  const place = await runs.find(
    start.run,
    baseUrl,
    (listed) => !listed.isUndone && (!listed.isFinished || start.outcomes !== undefined),
  )
  return goOn(tools, place, {
    options,
    input: undefined,
    annotation: ({ run, head }) => {
      const known = { what: `run ${run}`, source: undefined, ...head }
      return annotationOf(tools.host, known, options.annotate, inputPath)
    },
    reopen: start.outcomes,
    check: (recorded, profile) => {
      checkReopen(recorded, start.outcomes)
      checkService(recorded, profile, options.newKey)
    },
    isRepeated: false,
    isOne: false,
  })
}

/** Throws exit 2 for outcomes that no id of the operation ends as, for those with which the service has answered, and for merges that may have been made. */
function checkReopen({ run, head }: RecordedRun, wanted: readonly string[] = []): void {
  const { operation } = head
  const isUnrepeatable = operation === 'contacts.merge'
  const possible = outcomesOfOperation(operation).filter(
    (outcome) => reopenable.includes(outcome) && !(isUnrepeatable && outcome === 'unknown'),
  )
  const others = wanted.filter((outcome) => possible.every((each) => each !== outcome))
  if (others.length === 0) return
  const command = svc`runs export ${run} --outcome ${others.join(',')} -o csv`
  const flag = isUnrepeatable ? ' --new-run' : ''
  throw usageError(
    `${others.join(', ')}: only ids that ended as ${joinOr(possible)} are sent again in the same run`,
    say`to send others as a new run:\n  ${command} | svc ${commandOf(operation)} --file -${flag}`,
  )
}

/** Whether there is more to do with a run than to show it. Throws exit 2. */
function isToContinue(log: RunLog, working: Working, profile: Profile): boolean {
  const recorded = recordedIn(log)
  const { options, reopen, check } = working
  const { run, undone } = recorded
  if (undone !== undefined) {
    throw usageError(
      `an undo of run ${run} has begun, so it is not resumed; nothing was sent`,
      say`to resume the undo:\n  ${svc`runs undo ${run}`}`,
    )
  }
  check(recorded, profile)
  const isToWrite = options.receipts !== undefined || options.annotate !== undefined
  return !isFinished(log) || reopen !== undefined || isToWrite
}

/** Takes a recorded run and goes on with it, or shows it again if nothing is left. */
async function goOn(tools: RunTools, place: RunPlace, working: Working): Promise<EndedRun> {
  const profile = await tools.profile()
  const taken = await takeRun(tools, place, {
    takeOver: working.options.takeOver,
    isToClaim: (log) => isToContinue(log, working, profile),
  })
  if (taken === undefined) throw (await tools.runs()).missing(place.run)
  const hold = holdToEnd(tools, taken.file)
  return goOnTaken(tools, hold, taken.isHeld, working)
}

async function goOnTaken(
  tools: RunTools,
  hold: Hold,
  isHeld: boolean,
  working: Working,
): Promise<EndedRun> {
  const { file } = hold
  const recorded = recordedIn(file.log)
  beginNotes(tools, recorded)
  if (recorded.damage !== undefined) tools.note(recorded.damage)
  const own = recorded.files
  if (!isHeld) {
    const files = new UserFiles(tools, { named: {}, own })
    return conclude(tools, undefined, {
      ...endingOf(recorded, working, files),
      sent: undefined,
    })
  }
  await removeDrafts(tools.host, recorded.drafts, file)
  const annotation = await working.annotation(recorded)
  const { options, input } = working
  const files = new UserFiles(tools, { named: options, annotation, own, input })
  await files.check()
  const { state, head } = recorded
  const { reopen } = working
  const left = state.listLeft(reopen)
  if (left.length > 0) {
    await permit(tools, head.operation, head.input.unique)
    tellResumed(tools, recorded, left)
    const profile = await tools.profile()
    await confirm(tools, { run: recorded.run, head, state, left, profile, isNew: false })
    const key = keyFingerprint(profile.apiKey)
    const isNewKey = !recorded.keys.has(key)
    if (isNewKey || reopen !== undefined) {
      const changes = { ...(isNewKey && { key }), ...(reopen && { reopen: [...reopen] }) }
      await beginAgain(tools, file, changes)
    }
  }
  return sendAll(tools, hold, { ...working, files, isNew: false })
}

/** The phases `send` and `conclude` of a run that is on disk. */
async function sendAll(
  tools: RunTools,
  hold: Hold,
  working: Working & { readonly files: UserFiles; readonly isNew: boolean },
): Promise<EndedRun> {
  const { file } = hold
  const recorded = recordedIn(file.log)
  const { isOne, isNew, files } = working
  if (isNew) beginNotes(tools, recorded)
  const left = recorded.state.listLeft()
  const concurrency = await concurrencyOf(tools, recorded.head.operation)
  hold.exitCode = undefined
  const ended = await tools.signals.runCritical(async () => {
    const sent =
      left.length === 0
        ? undefined
        : await send(tools, { file, recorded, left, concurrency, isOne })
    return conclude(tools, file, {
      ...endingOf(recorded, working, files),
      isResumed: !isNew,
      sent,
    })
  })
  hold.exitCode = ended.summary.document.exitCode
  tools.atEnd(async () => {
    const { removeOldChanges } = await import('./prune.ts')
    await removeOldChanges(tools)
  })
  return ended
}

const endingOf = (
  recorded: RecordedRun,
  { options: { accept }, isRepeated, isOne, input }: Working,
  files: UserFiles,
) => ({ recorded, files, accept, input, isResumed: true, isRepeated, isOne })
