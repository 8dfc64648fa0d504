/**
 * Undoing a recorded run of assigns: each ticket that an answer said it changed goes back to who had it before, while the
 * assignee is still the one that the run gave it. That is a new run of its own.
 */
import { exit, SvcError, usageError } from '../../errors.ts'
import { pairsSetSha256 } from '../../ids/checksum.ts'
import type { Pair } from '../../ids/pairs.ts'
import { idPattern } from '../../values.ts'
import { grouped, listed } from '../../words.ts'
import { undoableFrom } from '../record/batch-state.ts'
import { cutBatches } from '../record/batches.ts'
import { readLandingTime } from '../record/landing.ts'
import { counted } from '../telling/confirm.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import { findRun, type RunReference } from '../runs/find-run.ts'
import { Holdings } from './holdings.ts'
import { itemsSha256, pairItems } from '../record/items.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import type { Plan } from './plan.ts'
import { isDone } from '../operations/outcome.ts'
import { commandOf, operationOf } from '../operations/operations.ts'
import { bulkOperations } from '../record/events.ts'
import { allReceipts, checkReceiptsPath } from '../files/receipts.ts'
import { readRecorded, type RecordedRun } from '../runs/recorded.ts'
import { checkBelongs } from './resume.ts'
import { readRunFile } from '../record/run-files.ts'
import { startPlan } from './session.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools, RunOutput, UndoOptions } from '../tools.ts'

/** Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function undoRun(tools: BulkTools, reference: RunReference, options: UndoOptions): Promise<RunOutput> {
  const { receipts } = options
  if (receipts !== undefined) {
    checkReceiptsPath(receipts)
    await checkPlace(tools.host, { path: receipts, kind: 'receipts' }, noFiles)
  }
  const held = new Holdings(tools, options.takeOver)
  try {
    const output = await undoHeld(tools, reference, options, held)
    const summary = async (): ReturnType<RunOutput['summary']> => {
      try {
        return await output.summary()
      } finally {
        await held.release()
      }
    }
    return { ...output, summary }
  } catch (error) {
    await held.release()
    throw error
  }
}

async function undoHeld(tools: BulkTools, reference: RunReference, options: UndoOptions, held: Holdings) {
  const { dryRun, receipts, newKey } = options
  const recorded = await readMeant(tools, reference, options.takeOver, held)
  await checkBelongs(tools, recorded, newKey)
  const { run, operation } = recorded.run
  const { pairs, isLate } = await changesBack(tools, recorded)
  const items = pairItems(pairs)
  const input = { read: items.size, unique: items.size, duplicates: 0, invalid: 0, sha256: itemsSha256(items) }
  const plan: Plan = {
    operation,
    options: { file: [], ...(dryRun && { dryRun }), ...(receipts !== undefined && { receipts }) },
    concurrency: (await tools.configuration()).settings.concurrency.value ?? operationOf(operation).batch.concurrency,
    input,
    setSha256: () => pairsSetSha256(pairs),
    cut: () => ({ items, batches: cutBatches(items.size, 1), input }),
    undoes: run,
  }
  const output = await startPlan(tools, plan, {})
  if (!isLate || dryRun === true) return output
  return { ...output, summary: async () => leftOut(await output.summary()) }
}

const single = 'a single change is not recorded; to undo one, use the UNDO line that it printed'

/** With --last a person may mean a change that is no run: they are told. */
async function readMeant(tools: BulkTools, reference: RunReference, takeOver: boolean | undefined, held: Holdings) {
  try {
    const recorded = await readEnded(tools, await findRun(tools, reference), takeOver, held)
    if (reference.last) tools.note(single)
    return recorded
  } catch (error) {
    if (!reference.last || !(error instanceof SvcError) || error.category !== 'usage') throw error
    throw error.withHint([error.details.hint, single].filter((line) => line !== undefined).join('\n'))
  }
}

/** The run that was made is what it is; the command is to be given again. */
function leftOut(summary: Awaited<ReturnType<RunOutput['summary']>>): typeof summary {
  // A signal comes first.
  if (summary.exitCode > 128) return summary
  const exitCode = exit.unavailable
  return { ...summary, exitCode, document: { ...summary.document, exitCode } }
}

/** A run that nobody works on, so that what it changed is known, and that `held` keeps others from undoing at the same time. */
async function readEnded(
  tools: BulkTools,
  id: string,
  takeOver: boolean | undefined,
  undoing: Holdings,
): Promise<RecordedRun> {
  const stateDir = (await tools.configuration()).stateDir.value
  const dir = runFolder(stateDir, id)
  const { operation } = readRunFile(dir, id).run
  const { undo } = operationOf(operation)
  if ('whyNot' in undo) {
    const those = bulkOperations.filter((name) => 'by' in operationOf(name).undo).map(commandOf)
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${undo.whyNot}`,
      `only runs of ${listed(those)} can be undone; to see what this one did:\n  svc runs export ${id}`,
    )
  }
  const held = new Holdings(tools, takeOver)
  try {
    await undoing.takeUndo(dir, id)
    await held.takeRun(dir, id)
    return await readRecorded(stateDir, id)
  } finally {
    await held.release()
  }
}

/** Why a ticket is left out, in words. */
const reasons = {
  late: 'an attempt whose answer was lost can still take effect',
  unsure: 'the change, or the assignee before it, is not certain',
  unchanged: 'it already had that assignee',
  unsent: 'the run did not change it',
} as const

/** How many tickets a note names. */
const mostNamed = 20

/** The tickets that the run certainly changed, with who had them before; names the others, and says why they stay. */
async function changesBack(tools: BulkTools, { run: { run, operation }, state }: RecordedRun) {
  state.closeAll()
  const isPending = ({ batch }: Receipt): boolean => (undoableFrom(state.of(batch)) ?? 0) > 0
  const receipts = [...allReceipts(state)]
  const { now, margin } = receipts.some(isPending) ? await readLandingTime(tools) : { now: 0, margin: 0 }
  const pairs: Pair[] = []
  const others: Record<keyof typeof reasons, string[]> = { late: [], unsure: [], unchanged: [], unsent: [] }
  let from = 0
  for (const receipt of receipts) {
    const possible = undoableFrom(state.of(receipt.batch))
    const pair = pairBack(receipt, possible !== undefined)
    const until = possible === undefined || possible === 0 ? 0 : possible + margin
    if (typeof pair === 'string') others[pair].push(receipt.id)
    else if (until > now) {
      others.late.push(receipt.id)
      from = Math.max(from, until)
    } else pairs.push(pair)
  }
  tools.note(`run ${run} changed ${counted(operation, pairs.length)} that can be given back`)
  for (const reason of ['late', 'unsure', 'unchanged', 'unsent'] as const) {
    const ids = others[reason]
    if (ids.length === 0) continue
    const more = ids.length > mostNamed ? [`and ${grouped(ids.length - mostNamed)} more`] : []
    const named = [...ids.slice(0, mostNamed), ...more].map((line) => `\n  ${line}`).join('')
    // Where the service tells no time, it is this machine's.
    const clock = margin === 0 ? ", by the service's clock" : ''
    const again = reason === 'late' ? `\nfrom ${new Date(from).toISOString()} on${clock}:\n  svc runs undo ${run}` : ''
    tools.note(`${counted(operation, ids.length)} left out: ${reasons[reason]}:${named}${again}`)
  }
  return { pairs, isLate: others.late.length > 0 }
}

function pairBack(
  { id, line, outcome, attempts, before, after }: Receipt,
  isConfirmed: boolean,
): Pair | 'unsure' | 'unchanged' | 'unsent' {
  if (outcome === 'error' || outcome === 'not-attempted') return 'unsent'
  if (!isDone(outcome) || after == null || !idPattern.test(after)) return 'unsure'
  if (attempts === 0 || before?.toLowerCase() === after.toLowerCase()) return 'unchanged'
  // A command is made of ids only, whatever the service sent.
  if (!isConfirmed || before == null || !idPattern.test(before)) return 'unsure'
  return { id, other: before, expected: after, line: line ?? 0 }
}
