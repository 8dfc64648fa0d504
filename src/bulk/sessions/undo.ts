/**
 * Undoing a recorded run of assigns: each ticket that an answer said it changed goes back to who had it before, while the
 * assignee is still the one that the run gave it. That is a new run of its own.
 */
import { SvcError, usageError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { idPattern } from '../../values.ts'
import { groupDigits, joinOr } from '../../words.ts'
import { undoableFrom } from '../record/batch-state.ts'
import { cutBatches } from '../record/batches.ts'
import { readLandingTime } from '../record/landing.ts'
import { describeCount } from '../telling/confirm.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import { findRun } from '../runs/find-run.ts'
import { itemsSha256, pairItems } from '../record/items.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import { isDone } from '../operations/outcome.ts'
import { commandOf, operationOf } from '../operations/operations.ts'
import { bulkOperations } from '../record/events.ts'
import { allReceipts, formatOfReceipts } from '../files/receipts.ts'
import { readRecorded, type RecordedRun } from '../runs/recorded.ts'
import { readRunFile } from '../record/run-files.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'
import { checkBelongs } from './from-record.ts'
import type { Job } from './job.ts'
import { SessionLocks } from './session-locks.ts'
import type { JobStart, RecordStart, SessionContext } from './start.ts'
import { pairsSetSha256 } from '../record/checksum.ts'

/** The job that takes back a recorded run, whose undoing is locked. Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function readUndo(
  context: SessionContext,
  { run: reference, options }: RecordStart,
): Promise<JobStart> {
  const { tools } = context
  const { dryRun, receipts, newKey, takeOver } = options
  if (receipts !== undefined) {
    formatOfReceipts(receipts)
    await checkPlace(tools.host, { path: receipts, kind: 'receipts' }, noFiles)
  }
  const recorded = await readEnded(context, await findRun(tools, reference, 'undo'), takeOver)
  await checkBelongs(tools, recorded, newKey)
  const { run, operation } = recorded.run
  const { pairs, late } = await changesBack(tools, recorded)
  const items = pairItems(pairs)
  const input = {
    read: items.size,
    unique: items.size,
    duplicates: 0,
    invalid: 0,
    sha256: itemsSha256(items),
  }
  const job: Job = {
    operation,
    options: { file: [], ...(dryRun && { dryRun }), ...(receipts !== undefined && { receipts }) },
    concurrency:
      (await tools.configuration()).settings.concurrency.value ??
      operationOf(operation).batch.concurrency,
    input,
    setSha256: () => pairsSetSha256(pairs),
    cut: () => ({ items, batches: cutBatches(items.size, 1), input }),
    undoes: run,
    late: dryRun === true ? undefined : late,
  }
  return { job, target: {} }
}

/** A run that nobody works on, so that what it changed is known. */
async function readEnded(
  { tools, locks }: SessionContext,
  id: string,
  takeOver?: boolean,
): Promise<RecordedRun> {
  const stateDir = (await tools.configuration()).stateDir.value
  const dir = runFolder(stateDir, id)
  const { operation } = readRunFile(tools.host, dir, id).run
  const { undo } = operationOf(operation)
  if ('whyNot' in undo) {
    const those = bulkOperations.filter((name) => 'by' in operationOf(name).undo).map(commandOf)
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${undo.whyNot}`,
      `only runs of ${joinOr(those)} can be undone; to see what this one did:\n  svc runs export ${id}`,
    )
  }
  // Apart from the locks of the new run, which goes on when the folder of the one that it undoes is pruned.
  const undoing = new SessionLocks(tools, takeOver)
  locks.atEnd(() => undoing.release())
  await undoing.takeUndo(dir, id)
  const reading = new SessionLocks(tools, takeOver)
  try {
    await reading.takeRun(dir, id)
    return await readRecorded(tools.host, stateDir, id)
  } finally {
    await reading.release()
  }
}

/** How many tickets a note names. */
const mostNamed = 20

/** The tickets that the run certainly changed, with who had them before; names the others, and says why they stay. */
async function changesBack(tools: BulkTools, { run: { run, operation }, state }: RecordedRun) {
  state.closeAll()
  const isPending = ({ batch }: Receipt): boolean => (undoableFrom(state.of(batch)) ?? 0) > 0
  const receipts = [...allReceipts(state)]
  const { now, margin } = receipts.some(isPending)
    ? await readLandingTime(tools)
    : { now: 0, margin: 0 }
  const pairs: Pair[] = []
  const [late, others]: [string[], string[]] = [[], []]
  let from = 0
  for (const receipt of receipts) {
    const possible = undoableFrom(state.of(receipt.batch))
    const pair = possible === undefined ? undefined : pairBack(receipt)
    const until = possible === undefined || possible === 0 ? 0 : possible + margin
    if (pair === undefined) others.push(receipt.id)
    else if (until > now) {
      late.push(receipt.id)
      from = Math.max(from, until)
    } else pairs.push(pair)
  }
  tools.note(`run ${run} changed ${describeCount(operation, pairs.length)} that can be given back`)
  const leftOut = (ids: readonly string[], why: string): string => {
    const more = ids.length > mostNamed ? [`and ${groupDigits(ids.length - mostNamed)} more`] : []
    return [`${why}:`, ...ids.slice(0, mostNamed), ...more].join('\n  ')
  }
  const countOf = (ids: readonly string[]): string =>
    `${describeCount(operation, ids.length)} left out`
  if (others.length > 0)
    tools.note(
      leftOut(others, `${countOf(others)}: no answer says that the run changed the assignee`),
    )
  if (late.length === 0) return { pairs, late: undefined }
  const why = `${countOf(late)}: an attempt whose answer was lost can still take effect`
  // Where the service tells no time, it is this machine's.
  const clock = margin === 0 ? ", by the service's clock" : ''
  const hint = `from ${new Date(from).toISOString()} on${clock}:\n  svc runs undo ${run}`
  tools.note(`${leftOut(late, why)}\n${hint}`)
  return { pairs, late: new SvcError('unavailable', why, { hint, run }) }
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
