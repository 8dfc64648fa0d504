/**
 * Resumes a recorded run, or shows it again if nothing is left: for `runs resume`, a repeated command of a named job, and a person who was
 * asked about an unfinished run of the same ids. `session.ts` and `begin.ts` call it.
 */
import { lastSession } from '../disk/claim.ts'
import { usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { annotationOf } from './annotate.ts'
import { conclude } from './conclude.ts'
import { checkLaterOutputs, UserFiles } from './files.ts'
import type { Job, OneChange } from './job.ts'
import {
  hold,
  openRecord,
  sendAndConclude,
  sessionLine,
  type EndedRun,
  type OpenSession,
} from './open.ts'
import { joinOr } from '../words.ts'
import { outcomesOfOperation, reopenable } from './operations/outcome.ts'
import { commandOf } from './operations/operations.ts'
import { keyFingerprint, type Header } from './record/header.ts'
import type { LineOf } from './record/journal.ts'
import { readRun, type RecordedRun } from './record/read-run.ts'
import type { ListedRun, RunReference } from './record/runs.ts'
import { removeDrafts } from './record/write-run.ts'
import { checkSame } from './same.ts'
import { beginNotes } from './telling/notes.ts'
import { confirm, describeCount, toParties } from './telling/question.ts'
import type { BulkTools, LaterOptions, SendOptions } from './tools.ts'

/** A recorded run that a command names. `outcomes`: batches are opened again in which an id ended as one of these. */
export interface ResumeStart {
  readonly kind: 'resume'
  readonly run: RunReference
  readonly options: LaterOptions
  readonly outcomes?: readonly string[] | undefined
}

/** How a recorded run is resumed: as it was, or as a repeated command says now. */
interface Resumption {
  readonly options: SendOptions
  /** Where the input is, if the command says so. */
  readonly inputPath: string | undefined
  readonly reopen?: readonly string[] | undefined
  readonly isRepeated: boolean
  readonly isLast: boolean
  readonly one?: OneChange | undefined
}

/** A run is resumed as this command line says: options for sending never come from the record. */
export const resumptionOf = (job: Job, isRepeated: boolean): Resumption => ({
  options: { ...job.options, concurrency: job.concurrency },
  inputPath: job.source?.path,
  isRepeated,
  isLast: false,
  one: job.one,
})

/** `runs resume`. */
export async function resume(tools: BulkTools, start: ResumeStart): Promise<EndedRun> {
  const { host } = tools
  const { file: inputPath, ...options } = start.options
  const { outcomes: reopen } = start
  checkLaterOutputs(start.options)
  const runs = await tools.runs()
  const run = await runs.find(start.run, async () => (await tools.profile()).baseUrl)
  const dir = runs.folderOf(run)
  const before = await readRun(host, dir, run, { isHeld: true })
  checkReopen(before.header, run, reopen)
  const resumption = {
    options: { ...before.header.options, ...options },
    inputPath,
    reopen,
    isRepeated: false,
    isLast: start.run.last === true,
  }
  // With nothing to send and no file to write, no session is taken.
  const isNamed = options.receipts !== undefined || options.annotate !== undefined
  const isEnded = before.end !== undefined && reopen === undefined && !isNamed
  const isFree = isEnded && lastSession(host, dir).kind !== 'held'
  if (isFree && before.state.listLeft().length === 0) {
    return showFinished(tools, before, resumption)
  }
  return continueRun(tools, { run, dir }, resumption)
}

/** Claims a recorded run and resumes it. */
export async function continueRun(
  tools: BulkTools,
  { run, dir }: Pick<ListedRun, 'run' | 'dir'>,
  resumption: Resumption,
): Promise<EndedRun> {
  const open = await hold(tools, { run, dir, takeOver: resumption.options.takeOver })
  const session = open.place.claim.number
  return goOn(tools, open, await readRun(tools.host, dir, run, { session }), resumption)
}

async function showFinished(
  tools: BulkTools,
  recorded: RecordedRun,
  { options, isRepeated, isLast, one }: Resumption,
): Promise<EndedRun> {
  refuseLast(recorded, isLast)
  beginNotes(tools, recorded.run, recorded.header)
  const files = new UserFiles(tools, { named: {} })
  const concluded = await conclude(tools, {
    recorded,
    left: [],
    files,
    options,
    isNew: false,
    isRepeated,
    one,
    writing: undefined,
  })
  return { kind: 'run', recorded, concluded }
}

/** `--last` names a run to resume. Throws exit 2 if nothing is left to do in it. */
function refuseLast({ run }: RecordedRun, isLast: boolean): void {
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
  const possible = outcomesOfOperation(operation).filter((each) =>
    reopenable.includes(each),
  )
  const others = wanted.filter((outcome) => possible.every((each) => each !== outcome))
  if (others.length === 0) return
  const command = svc`runs export ${run} --outcome ${others.join(',')} -o ids`
  throw usageError(
    `${others.join(', ')}: only ids that ended as ${joinOr(possible)} are sent again in the same run`,
    say`to send others as a new run:\n  ${command} | svc ${commandOf(operation)} -`,
  )
}

/** Resumes a run whose session is held, or shows it again if nothing is left. */
export async function goOn(
  tools: BulkTools,
  open: OpenSession,
  recorded: RecordedRun,
  resumption: Resumption,
): Promise<EndedRun> {
  const { options, reopen, one, isRepeated, isLast, inputPath } = resumption
  const { host } = tools
  const { claim } = open.place
  for (const path of recorded.files.keys()) await removeDrafts(host, open.place, path)
  beginNotes(tools, recorded.run, recorded.header)
  if (recorded.damage !== undefined) tools.note(recorded.damage)
  const { end } = recorded
  const line = {
    ...sessionLine(tools, open.place),
    ...(reopen !== undefined && { reopen: [...reopen] }),
  }
  recorded.take({ n: claim.number, ...line })
  const left = recorded.state.listLeft()
  if (left.length === 0) refuseLast(recorded, isLast)
  const input = { what: `run ${recorded.run}`, source: undefined, ...recorded.header }
  const annotation = await annotationOf(host, input, options.annotate, inputPath)
  const files = new UserFiles(tools, { named: options, annotation, own: recorded.files })
  await files.check()
  const key = left.length === 0 ? {} : await askToSend(tools, recorded, resumption, left)
  // A line that a dead holder left unended weakens claims: what is shown now must be on disk.
  const isSettled = end !== undefined && !recorded.isUnended && !claim.isTakenOver
  if (left.length === 0 && isSettled && !files.isAsked) {
    recorded.end = end
    return showFinished(tools, recorded, resumption)
  }
  return sendAndConclude(tools, open, {
    recorded,
    journal: await openRecord(tools, open, recorded, { ...line, ...key }),
    left,
    files,
    options,
    isNew: false,
    isRepeated,
    one,
  })
}

/** The phases `permit` and `ask`. Returns the key of the session, where it is another one than that of the run. Throws exit 2, 5 and 9. */
async function askToSend(
  tools: BulkTools,
  recorded: RecordedRun,
  { options, one }: Resumption,
  left: readonly number[],
): Promise<Pick<LineOf<'session'>, 'key'>> {
  const { run, header, state, undone, keys } = recorded
  if (undone !== undefined) {
    throw usageError(
      `an undo of run ${run} has begun, so it is not resumed; nothing was sent`,
      say`to see the undo:\n  ${svc`runs show ${undone}`}`,
    )
  }
  const profile = await tools.profile()
  checkSame(recorded, profile, options.newKey)
  const { operation, parameters, input } = header
  await tools.permit({ operation, ids: input.unique })
  const count = describeCount(operation, state.batches.count(left))
  tools.note(`resuming run ${run}: ${count} left${toParties(operation, parameters)}`)
  await confirm(tools, { run, header, state, left, profile, isNew: false, one })
  const fingerprint = keyFingerprint(profile.apiKey)
  keys.add(fingerprint)
  return fingerprint === header.key.fingerprint ? {} : { key: fingerprint }
}
