/**
 * Undoing a recorded run of assigns: each ticket that an answer said it changed goes back to who had it before, while the
 * assignee is still the one that the run gave it. That is a new run of its own.
 */
import { exit, SvcError, usageError } from '../../errors.ts'
import { pairsSetSha256, type Pair } from '../../ids/pairs.ts'
import { idPattern } from '../../values.ts'
import { grouped } from '../../words.ts'
import { undoableFrom } from '../record/batch-state.ts'
import { cutBatches } from '../record/batches.ts'
import { counted } from '../telling/confirm.ts'
import type { Receipt } from '../outcomes/ended-batches.ts'
import { findRun, type RunReference } from '../runs/find-run.ts'
import { Holdings } from './holdings.ts'
import { itemsSha256, pairItems } from '../record/items.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import type { Plan } from './plan.ts'
import { operationOf } from '../operations/operations.ts'
import { allReceipts, checkReceiptsPath } from '../files/receipts.ts'
import { readRecorded, type RecordedRun } from '../runs/recorded.ts'
import { checkBelongs } from './resume.ts'
import { readRunFile } from '../record/run-files.ts'
import { startPlan } from './session.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools, RunOutput, UndoOptions } from '../tools.ts'

/** Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function undoRun(tools: BulkTools, reference: RunReference, options: UndoOptions): Promise<RunOutput> {
  const { dryRun, receipts, newKey } = options
  if (receipts !== undefined) {
    checkReceiptsPath(receipts)
    await checkPlace(receipts, 'receipts', noFiles)
  }
  const recorded = await readMeant(tools, reference, options.takeOver)
  await checkBelongs(tools, recorded, newKey)
  const { run, operation } = recorded.run
  const { pairs, isLate } = changesBack(tools, recorded)
  const items = pairItems(pairs)
  const input = { read: items.size, unique: items.size, duplicates: 0, invalid: 0, sha256: itemsSha256(items) }
  const plan: Plan = {
    operation,
    options: { file: [], journal: true, ...(dryRun && { dryRun }), ...(receipts !== undefined && { receipts }) },
    concurrency: (await tools.configuration()).settings.concurrency.value ?? operationOf(operation).concurrency,
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
async function readMeant(tools: BulkTools, reference: RunReference, takeOver?: boolean): Promise<RecordedRun> {
  try {
    const recorded = await readEnded(tools, await findRun(tools, reference), takeOver)
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

/** A run that nobody works on: what it will have changed is known. */
async function readEnded(tools: BulkTools, id: string, takeOver: boolean | undefined): Promise<RecordedRun> {
  const stateDir = (await tools.configuration()).stateDir.value
  const dir = runFolder(stateDir, id)
  const { operation } = readRunFile(dir, id).run
  const { whyNoUndo } = operationOf(operation)
  if (whyNoUndo !== undefined) {
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${whyNoUndo}`,
      `only runs of tickets assign can be undone; to see what this one did:\n  svc runs export ${id}`,
    )
  }
  const held = new Holdings(tools, takeOver)
  try {
    await held.takeRun(dir, id)
    return await readRecorded(stateDir, id)
  } finally {
    await held.release()
  }
}

/** The tickets that the run certainly changed, with who had them before; says how many, and why the others stay. */
function changesBack(tools: BulkTools, { run: { run, operation }, state }: RecordedRun) {
  state.closeAll()
  const now = tools.host.now()
  const pairs: Pair[] = []
  const others = { unsure: 0, unchanged: 0, unsent: 0 }
  let late = 0
  let from = 0
  for (const receipt of allReceipts(state)) {
    const possible = undoableFrom(state.of(receipt.batch))
    const pair = pairBack(receipt, possible !== undefined)
    if (typeof pair === 'string') others[pair] += 1
    else if (possible !== undefined && possible > now) {
      late += 1
      from = Math.max(from, possible)
    } else pairs.push(pair)
  }
  const { unsure, unchanged, unsent } = others
  const reasons = [
    ...(unsure > 0 ? [`${grouped(unsure)} whose change, or assignee before it, is not certain`] : []),
    ...(unchanged > 0 ? [`${grouped(unchanged)} already had that assignee`] : []),
    ...(unsent > 0 ? [`${grouped(unsent)} that the run did not change`] : []),
  ]
  const rest = reasons.length === 0 ? '' : `; the others stay as they are: ${reasons.join(', ')}`
  tools.note(`run ${run} changed ${counted(operation, pairs.length)} that can be given back${rest}`)
  if (late > 0) {
    const when = new Date(from).toISOString()
    tools.note(
      `${counted(operation, late)} left out: an attempt whose answer was lost can still take effect; from ${when} on:\n` +
        `  svc runs undo ${run}`,
    )
  }
  return { pairs, isLate: late > 0 }
}

function pairBack(
  { id, line, outcome, attempts, before, after }: Receipt,
  isConfirmed: boolean,
): Pair | 'unsure' | 'unchanged' | 'unsent' {
  if (outcome === 'error' || outcome === 'not-attempted') return 'unsent'
  if (outcome !== 'done' || after == null || !idPattern.test(after)) return 'unsure'
  if (attempts === 0 || before?.toLowerCase() === after.toLowerCase()) return 'unchanged'
  // A command is made of ids only, whatever the service sent.
  if (!isConfirmed || before == null || !idPattern.test(before)) return 'unsure'
  return { id, other: before, expected: after, line: line ?? 0 }
}
