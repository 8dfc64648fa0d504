/**
 * Undoing a recorded run of assigns: each ticket that an answer said it changed goes back to who had it before, while the
 * assignee is still the one that the run gave it. That is a new run of its own.
 */
import { dirname } from 'node:path'
import { say, svc } from '../../message.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { idPattern } from '../../values.ts'
import { groupDigits, joinOr } from '../../words.ts'
import { cutBatches, numbers } from '../record/batches.ts'
import type { JournalEvent, UndoneEvent } from '../record/events.ts'
import { Journal } from '../record/journal.ts'
import { landingOf } from '../record/batch-state.ts'
import { lookAt, momentReader, type Moment } from '../record/landing.ts'
import { describeCount } from '../telling/confirm.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import { isRecorded } from '../runs/names.ts'
import { findRun } from '../runs/find-run.ts'
import { itemsSha256, pairItems } from '../record/items.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import { isDone } from '../operations/outcome.ts'
import { commandOf, operationOf } from '../operations/operations.ts'
import { bulkOperations } from '../record/events.ts'
import { allReceipts, formatOfReceipts } from '../files/receipts.ts'
import { readRecorded, type RecordedRun } from '../runs/recorded.ts'
import { readRunFile } from '../record/run-files.ts'
import type { RunFile } from '../record/run.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'
import { checkBelongs, openRecorded } from './from-record.ts'
import { createJob, type Job } from './job.ts'
import { SessionLocks } from './session-locks.ts'
import type { Session, SessionContext, UndoStart } from './start.ts'
import { pairsSetSha256 } from '../record/checksum.ts'

/** The job that takes back a recorded run, whose undoing is locked. Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function readUndo(
  context: SessionContext,
  { run: reference, options, isDry }: UndoStart,
): Promise<Job> {
  const { tools } = context
  const { receipts, newKey } = options
  if (receipts !== undefined) {
    formatOfReceipts(receipts)
    await checkPlace(tools.host, { path: receipts, kind: 'receipts' }, noFiles)
  }
  const now = momentReader(tools.host)()
  const id = await findRun(tools, reference, 'undo')
  const recorded = await readEnded(context, id, isDry ? undefined : now)
  await checkBelongs(tools, recorded, newKey)
  const { run, operation } = recorded.run
  const { pairs, late } = await changesBack(tools, recorded, now)
  const items = pairItems(pairs)
  const input = {
    read: items.size,
    unique: items.size,
    duplicates: 0,
    invalid: 0,
    sha256: itemsSha256(items),
  }
  return createJob(tools, {
    operation,
    options: { file: [], dryRun: isDry, ...(receipts !== undefined && { receipts }) },
    input,
    setSha256: () => pairsSetSha256(pairs),
    cut: () => ({ items, batches: cutBatches(items.size, 1), input }),
    typed: {},
    find: () => Promise.resolve({}),
    undoes: run,
    late: isDry ? undefined : late,
  })
}

/** A run that nobody works on, so that what it changed is known. `look`: the moment that is recorded where a lost attempt can still land. */
async function readEnded(
  { tools, locks }: SessionContext,
  id: string,
  look: Moment | undefined,
): Promise<RecordedRun> {
  const stateDir = (await tools.configuration()).stateDir.value
  const dir = runFolder(stateDir, id)
  const { operation } = readRunFile(tools.host, dir, id).run
  const { undo } = operationOf(operation)
  if (undo.whyNot !== undefined) {
    const undoable = bulkOperations.filter((name) => operationOf(name).undo.whyNot === undefined)
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${undo.whyNot}`,
      say`only runs of ${joinOr(undoable.map(commandOf))} can be undone; to see what this one did:\n  ${svc`runs export ${id}`}`,
    )
  }
  await holdUndoing({ tools, locks }, dir, id)
  const reading = new SessionLocks(tools, locks.takeOver)
  try {
    if (look === undefined) {
      await reading.takeRun(dir, id)
      return await readRecorded(tools.host, stateDir, id)
    }
    const recorded = await openRecorded({ tools, locks: reading }, stateDir, id)
    const lines = isFirstLook(recorded, look)
      ? [{ t: 'look' as const, at: tools.host.now(), ...look }]
      : []
    await appendTo({ tools, locks: reading }, recorded, lines)
    recorded.state.look(look)
    return recorded
  } finally {
    await reading.release()
  }
}

/** Whether the time of a lost attempt begins anew with a look at this moment. */
function isFirstLook({ state }: RecordedRun, moment: Moment): boolean {
  return [...numbers(state.batches.total)].some((batch) => {
    const landing = landingOf(state.of(batch))
    return landing !== undefined && lookAt(landing, moment) !== landing
  })
}

/** How many tickets a note names. */
const mostNamed = 20

/** The tickets of a run, by what an undo does with them. */
interface Sorted {
  readonly pairs: Pair[]
  /** No answer says that the run changed them. */
  readonly unconfirmed: string[]
  /** A lost attempt can still take effect. */
  readonly late: string[]
  /** An earlier undo gave them back, or may have, or still will: by its run. */
  readonly returned: Map<string, string[]>
}

/** The tickets that the run certainly changed, with who had them before; names the others, and says why they stay. */
async function changesBack(tools: BulkTools, recorded: RecordedRun, now: Moment) {
  const { run, operation } = recorded.run
  const { state } = recorded
  state.closeAll()
  const isTaken = takenByOthers(tools, recorded)
  const sorted: Sorted = { pairs: [], unconfirmed: [], late: [], returned: new Map() }
  let wait = 0
  for (const receipt of allReceipts(state)) {
    const { id, batch } = receipt
    const pair = state.of(batch).answer !== undefined ? pairBack(receipt) : undefined
    const time = state.timeToLand(batch, now)
    const undoing = pair && (await isTaken(batch, id))
    if (pair === undefined) sorted.unconfirmed.push(id)
    else if (undoing !== undefined)
      sorted.returned.set(undoing, [...(sorted.returned.get(undoing) ?? []), id])
    else if (time > 0) {
      sorted.late.push(id)
      wait = Math.max(wait, time)
    } else sorted.pairs.push(pair)
  }
  const { pairs, unconfirmed, late, returned } = sorted
  tools.note(`run ${run} changed ${describeCount(operation, pairs.length)} that can be given back`)
  const leftOut = (ids: readonly string[], why: string): string => {
    const more = ids.length > mostNamed ? [`and ${groupDigits(ids.length - mostNamed)} more`] : []
    return [`${why}:`, ...ids.slice(0, mostNamed), ...more].join('\n  ')
  }
  const countOf = (ids: readonly string[]): string =>
    `${describeCount(operation, ids.length)} left out`
  for (const [undoing, ids] of returned) {
    const why = `run ${undoing} gave ${ids.length === 1 ? 'it' : 'them'} back, or may have`
    tools.note(
      say`${leftOut(ids, `${countOf(ids)}: ${why}`)}\nto see what it did:\n  ${svc`runs show ${undoing}`}`,
    )
  }
  if (unconfirmed.length > 0)
    tools.note(
      leftOut(
        unconfirmed,
        `${countOf(unconfirmed)}: no answer says that the run changed the assignee`,
      ),
    )
  if (late.length === 0) return { pairs, late: undefined }
  const why = `${countOf(late)}: an attempt whose answer was lost can still take effect`
  const from = new Date(tools.host.now() + wait).toISOString()
  const hint = say`from ${from} on:\n  ${svc`runs undo ${run}`}`
  tools.note(say`${leftOut(late, why)}\n${hint}`)
  return { pairs, late: new SvcError('unavailable', why, { hint, run }) }
}

/** Which other run gave a change back, may have, or still will; what was refused to it, or left alone by it, is free. */
function takenByOthers(tools: BulkTools, recorded: RecordedRun) {
  const stateDir = dirname(dirname(recorded.dir))
  const reading = new Map<string, Promise<ReadonlySet<string>>>()
  const readFree = async (run: string): Promise<ReadonlySet<string>> => {
    // Its record was removed: it had ended, and nothing tells how.
    if (!isRecorded(tools.host, stateDir, run)) return new Set()
    const { state } = await readRecorded(tools.host, stateDir, run)
    state.closeAll()
    const refused = [...allReceipts(state)].filter(
      ({ outcome, batch }) => outcome === 'error' && !state.isLeft(batch),
    )
    return new Set(refused.map(({ id }) => id.toLowerCase()))
  }
  return async (batch: number, id: string): Promise<string | undefined> => {
    for (const run of recorded.undoingsOf(batch)) {
      const free = reading.get(run) ?? readFree(run)
      reading.set(run, free)
      if (!(await free).has(id.toLowerCase())) return run
    }
    return undefined
  }
}

/** Batches in a line of a journal, so that it is far shorter than the longest. */
const mostBatches = 10_000

/**
 * The journal of the run that is undone says so before the undo sends anything: each change is given back once. Throws exit 6 for
 * an undo that goes on after another one took what is left of it; exit 10 and 11 for the other run's record.
 */
export async function recordUndoing(context: SessionContext, session: Session): Promise<void> {
  const { tools } = context
  const { run, left } = session
  if (run.undoes === undefined || left.length === 0) return
  const stateDir = (await tools.configuration()).stateDir.value
  const isGoingOn = session.recorded !== undefined
  if (!isRecorded(tools.host, stateDir, run.undoes)) {
    // Tickets that were refused to an undo may be another's since; those it left unfinished are not.
    if (session.lines?.some(({ t }) => t === 'reopen') === true) throw untoldUndoings(run)
    return
  }
  if (isGoingOn) await holdUndoing(context, runFolder(stateDir, run.undoes), run.undoes)
  const locks = new SessionLocks(tools)
  try {
    const undone = await openRecorded({ tools, locks }, stateDir, run.undoes)
    const batches = batchesToUndo(undone, session)
    if (isGoingOn && batches.some((batch) => undone.undoingsOf(batch).length > 0))
      throw new SvcError(
        'rejected',
        `another undo of run ${run.undoes} has begun since; nothing was sent`,
        { hint: say`to undo what is left:\n  ${svc`runs undo ${run.undoes}`}`, run: run.run },
      )
    const lines: UndoneEvent[] = []
    for (let from = 0; from < batches.length; from += mostBatches) {
      const b = batches.slice(from, from + mostBatches)
      lines.push({ t: 'undone', at: tools.host.now(), run: run.run, b })
    }
    await appendTo({ tools, locks }, undone, lines)
  } finally {
    await locks.release()
  }
}

/** No other undo begins, or goes on, until the end of this session. Throws exit 11 while one works. */
async function holdUndoing(
  { tools, locks }: SessionContext,
  dir: string,
  id: string,
): Promise<void> {
  // Apart from the locks of the session: the folder of the run that is undone may be pruned meanwhile.
  const undoing = new SessionLocks(tools, locks.takeOver)
  locks.atEnd(() => undoing.release())
  await undoing.takeUndo(dir, id)
}

/** Batches of a run that this undo will give back, and whose last undo, if they have one, is another. */
function batchesToUndo(undone: RecordedRun, { run, left, state }: Session): number[] {
  const ids = new Set(left.map((batch) => state.items.id(batch - 1).toLowerCase()))
  return [...numbers(undone.state.batches.total)].filter(
    (batch) =>
      ids.has(undone.state.items.id(batch - 1).toLowerCase()) &&
      undone.undoingsOf(batch).at(-1) !== run.run,
  )
}

function untoldUndoings({ run, undoes }: RunFile): SvcError {
  return new SvcError(
    'rejected',
    `the record of run ${undoes} was removed, so it cannot be told whether another undo gave these tickets back; nothing was sent`,
    {
      hint: say`to see which tickets these are:\n  ${svc`runs export ${run} --outcome error,unknown`}`,
      run,
    },
  )
}

/** Lines about a run whose lock is held, on disk when this resolves. */
async function appendTo(
  { tools, locks }: SessionContext,
  { dir, run }: RecordedRun,
  lines: readonly JournalEvent[],
): Promise<void> {
  if (lines.length === 0) return
  const journal = await Journal.open(tools.host, dir, run.run, locks)
  try {
    for (const line of lines) await journal.append(line)
    await journal.sync()
  } finally {
    await journal.close()
  }
}

/** Undefined unless an answer said whose ticket it was and is. */
function pairBack({ id, line, outcome, before, after }: Receipt): Pair | undefined {
  // A command is made of ids only, whatever the service sent.
  if (
    !isDone(outcome) ||
    before == null ||
    after == null ||
    !idPattern.test(before) ||
    !idPattern.test(after)
  )
    return undefined
  if (before.toLowerCase() === after.toLowerCase()) return undefined
  return { id, other: before, expected: after, line: line ?? 0 }
}
