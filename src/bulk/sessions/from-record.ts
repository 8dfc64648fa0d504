/**
 * A session that starts from a record: what is left of a run is found, and the run goes on, or ends again. `runs resume`, `runs retry`,
 * a repeated `--once` command, and a person who was asked about an unfinished run of the same ids come here by way of `session.ts`.
 */
import { say, svc, svcWords } from '../../message.ts'
import { exit, usageError } from '../../errors.ts'
import { checkOutputs } from '../files/annotate.ts'
import { allReceipts } from '../files/receipts.ts'
import { assertDefined } from '../operations/operation.ts'
import { commandOf, isolatingCommands, operationOf, targetOf } from '../operations/operations.ts'
import { outcomesOfOperation, reopenable } from '../operations/outcome.ts'
import { countIds } from '../record/batches.ts'
import type { JournalEvent, ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { Moment, Clock } from '../record/landing.ts'
import type { RunFile } from '../record/run.ts'
import { findRun } from '../runs/find-run.ts'
import { endingOf, recordedSummary, type RecordedRun } from '../runs/recorded.ts'
import { describeCount, toTarget } from '../telling/confirm.ts'
import { pluralize } from '../../words.ts'
import type { SessionOptions } from '../tools.ts'
import { Outputs } from './outputs.ts'
import type { Service } from './service.ts'
import { writeEnd } from './send.ts'
import type {
  Ending,
  OpenSession,
  Resumption,
  ResumeStart,
  RetryStart,
  Session,
  SessionContext,
} from './start.ts'

/** Takes the run that a command names. Throws exit 2 when there is none, or its outcomes are not to be tried again. */
export async function holdRun(
  context: SessionContext,
  start: ResumeStart | RetryStart,
): Promise<Resumption> {
  const { service, store, clock } = context
  const purpose = start.kind === 'resume' ? 'resume' : 'show'
  const id = await findRun(store, service, start.run, purpose)
  checkFiles(start.options)
  const header = store.readHeader(id)
  const recorded = await holdRecorded(context, header)
  const reopen = start.kind === 'retry' ? reopenEvent(clock, recorded.run, start) : undefined
  const { file: inputPath, ...session } = start.options
  const options = await sendOptionsOf(service, recorded.run, session)
  return { kind: 'resumption', recorded, reopen, options, inputPath }
}

/** Throws exit 2 for files that cannot be written as they are named. */
function checkFiles({ file, ...outputs }: SessionOptions): void {
  checkOutputs({ ...outputs, file: file === undefined ? [] : [file] })
  if (file !== undefined && outputs.annotate === undefined) {
    throw usageError('--file goes with --annotate: the run has its ids')
  }
}

/**
 * The line with which a retry opens batches again. Throws exit 2 for outcomes that no id of this operation ends as, and for those with
 * which the service has answered: these ids are sent as a new run, which the error names.
 */
function reopenEvent(
  clock: Clock,
  { run, operation }: RunFile,
  { outcomes: wanted, isolate }: RetryStart,
): ReopenEvent {
  const outcomes = reopenable.filter((outcome) => wanted.includes(outcome))
  const others = wanted.filter((outcome) => !reopenable.includes(outcome))
  if (isolate && operationOf(operation).isolates === undefined) {
    throw usageError(`--isolate is for runs of ${isolatingCommands}`)
  }
  const possible = outcomesOfOperation(operation)
  const foreign = wanted.filter((outcome) => !possible.includes(outcome))
  if (foreign.length > 0) {
    const open = possible.filter((outcome) => reopenable.includes(outcome))
    throw usageError(
      `${foreign.join(', ')}: no run of ${commandOf(operation)} ends so`,
      `its outcomes that can be tried again: ${open.join(', ')}`,
    )
  }
  if (others.length > 0) {
    const into = svcWords(`${commandOf(operation)} - …`)
    throw usageError(
      `${others.join(', ')}: the service has answered for these ids, so they are not sent again in the same run`,
      say`to send them as a new run:\n  ${{ ...svc`runs export ${run} --outcome ${others.join(',')} -o ids`, into }}`,
    )
  }
  return {
    t: 'reopen',
    at: clock.now(),
    outcomes,
    ...(isolate && { isolate }),
  }
}

/** As this command line says, else its environment, else as the run began; a default of a file is for a run that began without. */
async function sendOptionsOf(
  service: Service,
  { options: began }: RunFile,
  options: Omit<SessionOptions, 'file'>,
) {
  const { rate, maxDelete } = await service.settings()
  const isNow = rate.source === 'SVC_RATE'
  const usual = {
    rate: isNow ? rate.value : (began.rate ?? rate.value),
    maxDelete: maxDelete.value,
  }
  return {
    ...began,
    ...usual,
    ...options,
  }
}

/** A run is resumed under its own name only: a crash right after it began may have left the name to another one. */
export async function holdRecorded(context: SessionContext, { run, once }: RunFile) {
  const { locks, store } = context
  if (once !== undefined) {
    const { name } = once
    await locks.takeName(store, name)
    const entry = store.names.read(name)
    if (entry === undefined) {
      // A name never belongs to a run that a power loss may take.
      await store.makeLast({ run })
      await store.names.write({ name, run })
    } else if (entry.run !== run) {
      throw usageError(
        `the name "${name}" now belongs to run ${entry.run}; run ${run} was not resumed`,
        [svc`runs resume ${name}`],
      )
    }
  }
  return openRecorded(context, run)
}

/** Takes the lock of a run, reads it, and cuts off what a crash left at the end of its journal. */
export async function openRecorded(
  { locks, store, clock, teller }: SessionContext,
  id: string,
): Promise<RecordedRun> {
  await locks.takeRun(store, id)
  const recorded = await store.read(id)
  await store.makeLast(recorded.run)
  await store.removeDrafts(recorded)
  const { state, replay } = recorded
  if (replay.torn > 0) {
    const { length } = replay
    const check = (): Promise<void> => locks.recheck()
    const b = replay.damagedLines === 0 ? undefined : state.nextOpen()
    const event = b && {
      t: 'cut' as const,
      at: clock.now(),
      ...clock.moment(),
      b,
    }
    await store.cutJournal(id, { length, event, check })
    if (event !== undefined) state.cut(event)
    const bytes = pluralize(replay.torn, 'byte was', 'bytes were')
    teller.note(`the end of the journal was not written whole: its last ${bytes} cut off`)
  }
  return recorded
}

/** Lines about a run whose lock is held, on disk when this resolves. */
export async function appendTo(
  { store, locks }: Pick<SessionContext, 'store' | 'locks'>,
  { run }: RecordedRun,
  lines: readonly JournalEvent[],
): Promise<void> {
  if (lines.length === 0) return
  const journal = await store.openJournal(run.run, locks)
  try {
    for (const line of lines) await journal.append(line)
    await journal.sync()
  } finally {
    await journal.close()
  }
}

/** Finds what is left of a run. With nothing left no request is made, nor anything asked. */
export async function sessionOfRecord(
  context: SessionContext,
  resumption: Resumption,
): Promise<Session> {
  const { locks, service, teller, clock } = context
  const { recorded, reopen, options, job, inputPath } = resumption
  const { run, state } = recorded
  teller.run(run)
  const moment = clock.moment()
  const resume = resumeEvent(context, moment)
  const isFirstLook = recorded.isFirstLook(moment)
  state.resume(resume)
  if (reopen !== undefined) state.reopen(reopen)
  const left = state.openBatches()
  const { receipts, annotate } = options
  const isSending = left.length > 0
  const outputs = new Outputs({
    ...context,
    id: run.run,
    recorded,
    named: { receipts, annotate },
    inputPath,
    isSending,
  })
  await outputs.readInput(recorded)
  const isRepeated = job?.options.once !== undefined
  const session = {
    kind: 'session' as const,
    run,
    state,
    left,
    options,
    outputs,
    profile: undefined,
    recorded,
    isRepeated,
    one: job?.one,
  }
  // A take-over makes claims weaker, and a first look begins a time: both are recorded, so that the next command says the same.
  if (!isSending) {
    return locks.isTakenOver || isFirstLook ? { ...session, lines: [resume] } : session
  }
  const { profile, fingerprint } = await service.checkBelongs(recorded, options.newKey)
  await service.askPermit({
    operation: run.operation,
    input: run.input,
    name: run.once?.name,
    rate: options.rate,
    maxDelete: options.maxDelete,
  })
  const count = countIds(state.batches, left)
  const target = toTarget(run.operation, targetOf(run.operation, run.parameters))
  teller.note(`resuming run ${run.run}: ${describeCount(run.operation, count)} left${target}`)
  const key = fingerprint === run.key.fingerprint ? {} : { key: fingerprint }
  const lines = [{ ...resume, ...key }, ...(reopen === undefined ? [] : [reopen])]
  return {
    ...session,
    profile,
    lines,
  }
}

/** The line with which a run goes on. After a take-over it says that the session before may have sent more than it wrote. */
function resumeEvent({ locks, clock }: SessionContext, moment: Moment): ResumeEvent {
  const takeOver = locks.isTakenOver ? { takeOver: true as const } : {}
  return {
    t: 'resume',
    at: clock.now(),
    ...moment,
    ...takeOver,
  }
}

/** Nothing is left to send: the summary again, and the run's ending, which a killed process could not write. */
export async function concludeAgain(
  { teller, clock }: SessionContext,
  session: OpenSession,
): Promise<Ending> {
  const { run, state, outputs, options, lines, isRepeated = false } = session
  const recorded = assertDefined(session.recorded)
  const { end } = recorded
  const summary = recordedSummary(recorded, endingOf({ options, once: run.once }))
  if (
    outputs.isAsked ||
    lines !== undefined ||
    end?.exitCode !== summary.exitCode ||
    end.left !== 0
  ) {
    await writeEnd(clock, session, () => summary)
  }
  const when = new Date(end?.at ?? clock.now()).toISOString().slice(0, 10)
  teller.note(
    isRepeated ? `done on ${when}; nothing was sent` : `nothing is left to do in run ${run.run}`,
  )
  if (session.one === undefined) {
    teller.unknown(state)
    teller.tooMany(summary, run.run)
  }
  const isSilent = isRepeated && teller.isQuiet
  const { failed } = outputs
  // The summary keeps the run's own code.
  const isOwn = failed === undefined || summary.exitCode === exit.unavailable
  const exitCode = isOwn ? summary.exitCode : failed.exitCode
  if (failed !== undefined) teller.error(failed.endingWith(exitCode))
  return {
    kind: 'ending',
    open: session,
    receipts: allReceipts(state),
    conclude: () => Promise.resolve({ ...summary, exitCode, isSilent }),
  }
}
