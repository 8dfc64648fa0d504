/**
 * A recorded run that goes on with what is left, or is shown again: `runs resume`, `runs retry`, a repeated command of a named job, and a person who was
 * asked about an unfinished run of the same ids. `session.ts` and `begin.ts` come here.
 */
import { keyEnding, type Profile } from '../config/profile.ts'
import { lastSession } from '../disk/claim.ts'
import { usageError, type SvcError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { annotationOfRun } from './annotate.ts'
import { conclude } from './conclude.ts'
import { checkOutputs, UserFiles } from './files.ts'
import type { Job, OneChange } from './job.ts'
import { hold, permit, sendAndConclude, type EndedRun, type OpenSession } from './open.ts'
import {
  outcomesOfOperation,
  reopenable,
  usuallyReopened,
  type Outcome,
} from './operations/outcome.ts'
import { commandOf } from './operations/operations.ts'
import { keyFingerprint, type Header } from './record/header.ts'
import { Journal, type LineOf, type NewLine } from './record/journal.ts'
import { readRun, type RecordedRun } from './record/read-run.ts'
import type { RunReference } from './record/runs.ts'
import { removeDrafts, removeSummary } from './record/write-run.ts'
import { beginNotes } from './telling/notes.ts'
import { confirm, describeCount, toParties } from './telling/question.ts'
import type { BulkTools, ResumeOptions, SendOptions } from './tools.ts'

/** A recorded run that a command names. `outcomes`: batches are opened again in which an id ended as one of these. */
export interface ResumeStart {
  readonly kind: 'resume'
  readonly run: RunReference
  readonly options: ResumeOptions
  readonly outcomes?: readonly string[] | undefined
}

/** How a recorded run goes on: as it was, or, under a repeated command, as that says now. */
interface Resumption {
  readonly options: SendOptions & Omit<ResumeOptions, 'rate' | 'file'>
  /** Where the command says that the input lies. */
  readonly inputPath: string | undefined
  readonly reopen?: readonly string[] | undefined
  readonly isRepeated: boolean
  readonly isLast: boolean
  readonly one?: OneChange | undefined
}

/** A run goes on as this command line says: options that bear on how it is sent are never those of the record. */
export const resumptionOf = (job: Job, isRepeated: boolean): Resumption => ({
  options: { ...job.options, concurrency: job.concurrency },
  inputPath: job.source?.path,
  isRepeated,
  isLast: false,
  one: job.one,
})

/** `runs resume` and `runs retry`. */
export async function resume(tools: BulkTools, start: ResumeStart): Promise<EndedRun> {
  const { host } = tools
  const { file: inputPath, ...options } = start.options
  checkOutputs({ ...options, file: inputPath === undefined ? [] : [inputPath] })
  if (inputPath !== undefined && options.annotate === undefined) {
    throw usageError('--file goes with --annotate: the run has its ids')
  }
  const runs = await tools.runs()
  const run = await runs.find(start.run, async () => (await tools.profile()).baseUrl)
  const dir = runs.folderOf(run)
  const before = await readRun(host, dir, run, { isHeld: true })
  checkReopen(before.header, run, start.outcomes)
  const resumption = {
    options: await sendOptionsOf(tools, before.header, options),
    inputPath,
    reopen: start.outcomes,
    isRepeated: false,
    isLast: start.run.last,
  }
  const isHeld = lastSession(host, dir).kind === 'held'
  const isNamed = options.receipts !== undefined || options.annotate !== undefined
  const isEnded = before.end !== undefined && start.outcomes === undefined
  if (isEnded && !isHeld && !isNamed && before.state.listLeft().length === 0) {
    return showFinished(tools, before, resumption)
  }
  const open = await hold(tools, run, dir, options.takeOver)
  const recorded = await readRun(host, dir, run, { session: open.place.claim.number })
  return goOn(tools, open, recorded, resumption)
}

/** With nothing to send and no file to write, no session is taken. */
async function showFinished(
  tools: BulkTools,
  recorded: RecordedRun,
  resumption: Resumption,
): Promise<EndedRun> {
  refuseLast(recorded, resumption)
  beginNotes(tools, recorded.run, recorded.header)
  const files = new UserFiles(tools, {
    named: {},
    annotation: undefined,
    own: recorded.files,
  })
  const concluded = await conclude(tools, {
    recorded,
    files,
    options: resumption.options,
    writing: undefined,
    sent: undefined,
    isNew: false,
    isRepeated: resumption.isRepeated,
    isOne: resumption.one !== undefined,
  })
  return { kind: 'run', recorded, concluded }
}

/** `--last` means a run to resume. Throws exit 2 where nothing is left of it. */
function refuseLast({ run }: RecordedRun, { isLast }: Resumption): void {
  if (!isLast) return
  throw usageError(
    `nothing is left to do in run ${run}, the newest of this service; nothing was sent`,
    say`to see the others:\n  ${svc`runs list`}`,
  )
}

/** Throws exit 2 for outcomes that no id of the operation ends as, and for those with which the service has answered. */
function checkReopen(
  { operation }: Header,
  run: string,
  wanted: readonly string[] = [],
): void {
  const possible: readonly string[] = outcomesOfOperation(operation)
  if (wanted === usuallyReopened) return
  const foreign = wanted.filter((outcome) => !possible.includes(outcome))
  if (foreign.length > 0) {
    const open = possible.filter((outcome) => isReopenable(outcome))
    throw usageError(
      `${foreign.join(', ')}: no run of ${commandOf(operation)} ends so`,
      `its outcomes that can be tried again: ${open.join(', ')}`,
    )
  }
  const others = wanted.filter((outcome) => !isReopenable(outcome))
  if (others.length === 0) return
  const command = svc`runs export ${run} --outcome ${others.join(',')} -o ids`
  throw usageError(
    `${others.join(', ')}: the service has answered for these ids, so they are not sent again in the same run`,
    say`to send them as a new run:\n  ${command} | svc ${commandOf(operation)} -`,
  )
}

const isReopenable = (outcome: string): boolean =>
  reopenable.some((each: Outcome) => each === outcome)

/** As this command line says, else its environment, else as the run began; a default of a file is for a run that began without. */
async function sendOptionsOf(
  tools: BulkTools,
  { options: began }: Header,
  options: Omit<ResumeOptions, 'file'>,
) {
  const { rate, maxDelete } = (await tools.configuration()).settings
  const isNow = rate.source === 'SVC_RATE'
  const usual = {
    rate: isNow ? rate.value : (began.rate ?? rate.value),
    maxDelete: maxDelete.value,
  }
  return { ...began, ...usual, ...options }
}

/** A run whose session is held goes on with what is left, or is shown again. */
export async function goOn(
  tools: BulkTools,
  open: OpenSession,
  recorded: RecordedRun,
  resumption: Resumption,
): Promise<EndedRun> {
  const { options, reopen, one, isRepeated } = resumption
  const { claim } = open.place
  const { host } = tools
  for (const path of recorded.files.keys()) await removeDrafts(host, open.place, path)
  beginNotes(tools, recorded.run, recorded.header)
  if (recorded.damage !== undefined) tools.note(recorded.damage)
  const { end } = recorded
  const line: SessionLine = {
    t: 'session',
    at: host.now(),
    ...(claim.isTakenOver ? { takeOver: true } : {}),
    ...(reopen !== undefined && { reopen: [...reopen] }),
  }
  recorded.take({ n: claim.number, ...line })
  const left = recorded.state.listLeft()
  if (left.length === 0) refuseLast(recorded, resumption)
  const files = await filesOf(tools, recorded, resumption)
  const key = left.length === 0 ? {} : await askToSend(tools, recorded, resumption, left)
  if (left.length === 0 && end !== undefined && !files.isAsked && !claim.isTakenOver) {
    recorded.end = end
    return showFinished(tools, recorded, resumption)
  }
  const journal = await reopenRecord(tools, open, recorded, { ...line, ...key })
  const session = { recorded, journal, left, files, options, isNew: false, isRepeated, one }
  return sendAndConclude(tools, open, session)
}

type SessionLine = NewLine & { readonly t: 'session' }

/** The files that the command names; of a run that another command began, the input is read again. Throws exit 2. */
async function filesOf(
  tools: BulkTools,
  recorded: RecordedRun,
  { options, inputPath }: Resumption,
): Promise<UserFiles> {
  const { annotate } = options
  const rows =
    annotate === undefined
      ? undefined
      : await annotationOfRun(tools.host, recorded, annotate, inputPath)
  const files = new UserFiles(tools, {
    named: options,
    annotation: rows,
    own: recorded.files,
  })
  await files.check()
  return files
}

/** The phases `permit` and `ask`. Returns the key of the session, where it is another one than that of the run. Throws exit 2, 5 and 9. */
async function askToSend(
  tools: BulkTools,
  recorded: RecordedRun,
  { options, one }: Resumption,
  left: readonly number[],
): Promise<Pick<LineOf<'session'>, 'key'>> {
  const { run, header, state, undone, keys } = recorded
  if (undone !== undefined) throw undoneError(recorded)
  const profile = await profileOf(tools, recorded, options.newKey)
  const { operation, parameters, input } = header
  const name = header.name ?? undefined
  await permit(tools, { ...options, operation, count: input.unique, name })
  const count = describeCount(operation, state.batches.count(left))
  tools.note(`resuming run ${run}: ${count} left${toParties(operation, parameters)}`)
  await confirm(tools, { run, header, state, left, profile, isNew: false, one })
  const fingerprint = keyFingerprint(profile.apiKey)
  keys.add(fingerprint)
  return fingerprint === header.key.fingerprint ? {} : { key: fingerprint }
}

/** The profile of this command. Throws exit 2 when the run is another service's, or another key's. */
export async function profileOf(
  tools: BulkTools,
  { run, header, keys }: Pick<RecordedRun, 'run' | 'header' | 'keys'>,
  newKey: boolean | undefined,
): Promise<Profile> {
  const profile = await tools.profile()
  if (profile.baseUrl !== header.baseUrl) {
    const way =
      header.profile === null
        ? 'use the profile or the environment variables of that service'
        : `use its profile: -p ${header.profile}`
    throw usageError(
      `run ${run} belongs to ${header.baseUrl}, the profile to ${profile.baseUrl}; nothing was sent`,
      way,
    )
  }
  if (keys.has(keyFingerprint(profile.apiKey)) || newKey === true) return profile
  // Ids are those of one company: the key of another one would change other people's contacts, or none.
  throw usageError(
    `run ${run} was started with the key ${header.key.ending}, this key is ${keyEnding(profile.apiKey)}; nothing was sent`,
    'another company does not know these ids; if both keys belong to the same company, add --new-key',
  )
}

function undoneError({ run, undone = '' }: RecordedRun): SvcError {
  return usageError(
    `an undo of run ${run} has begun, so it is not resumed; nothing was sent`,
    say`to see the undo:\n  ${svc`runs show ${undone}`}`,
  )
}

/** The phase `record` of a run that goes on: its last summary does not hold any more. */
async function reopenRecord(
  { host }: BulkTools,
  open: OpenSession,
  { isUnended }: RecordedRun,
  line: SessionLine,
): Promise<Journal> {
  await removeSummary(host, open.place)
  const journal = await Journal.open(host, open.place, isUnended)
  await journal.appendSynced(line)
  open.hasLine = true
  return journal
}
