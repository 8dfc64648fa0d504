/**
 * Undoing a recorded run of assigns: each ticket that it changed goes back to who had it before, while the assignee is still
 * the one that the run gave it. That is a new run of its own.
 */
import { usageError } from '../errors.ts'
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import { pairsSetSha256, type Pair } from '../ids/pairs.ts'
import { idPattern } from '../values.ts'
import { grouped } from '../words.ts'
import { cutBatches } from './batches.ts'
import { counted } from './confirm.ts'
import type { Receipt } from './ended-batches.ts'
import type { BulkOperation } from './events.ts'
import { findRun, type RunReference } from './find-run.ts'
import { Holdings } from './holdings.ts'
import { pairItems } from './items.ts'
import { checkPlace, noFiles } from './output-file.ts'
import { concurrency, type Plan } from './plan.ts'
import { allReceipts, checkReceiptsPath } from './receipts.ts'
import { readRecorded, type RecordedRun } from './recorded.ts'
import { checkBelongs } from './resume.ts'
import { pairsSha256, readRunFile } from './run-files.ts'
import { startPlan } from './session.ts'
import { runFolder } from './store.ts'
import type { BulkTools, UndoOptions } from './tools.ts'

const whyNot: Record<Exclude<BulkOperation, 'tickets.assign'>, string> = {
  'contacts.delete': 'deleted contacts cannot be brought back',
  'contacts.merge': 'merged contacts cannot be separated again',
  'lists.add-contacts': 'the service has no operation that removes a contact from a list',
}

/** Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function undoRun(
  tools: BulkTools,
  reference: RunReference,
  options: UndoOptions,
): Promise<BulkOutput<OutcomeRow>> {
  const { dryRun, receipts, newKey } = options
  if (receipts !== undefined) {
    checkReceiptsPath(receipts)
    await checkPlace(receipts, 'receipts', noFiles)
  }
  const recorded = await readEnded(tools, await findRun(tools, reference), options.takeOver)
  await checkBelongs(tools, recorded, newKey)
  const { run } = recorded.run
  const pairs = changesBack(tools, recorded)
  const input = { read: pairs.length, unique: pairs.length, duplicates: 0, invalid: 0, sha256: pairsSha256(pairs) }
  const plan: Plan = {
    operation: 'tickets.assign',
    options: { file: [], journal: true, ...(dryRun && { dryRun }), ...(receipts !== undefined && { receipts }) },
    concurrency: (await tools.configuration()).settings.concurrency.value ?? concurrency['tickets.assign'],
    input,
    setSha256: () => pairsSetSha256(pairs),
    cut: () =>
      Promise.resolve({
        items: pairItems(pairs),
        batches: cutBatches(pairs.length, 1),
        recorded: { kind: 'pairs', pairs },
        input,
        chain: undefined,
      }),
    rejects: undefined,
    source: undefined,
    annotation: undefined,
    undoes: run,
  }
  return startPlan(tools, plan, {})
}

/** A run that nobody works on: what it will have changed is known. */
async function readEnded(tools: BulkTools, id: string, takeOver: boolean | undefined): Promise<RecordedRun> {
  const stateDir = (await tools.configuration()).stateDir.value
  const dir = runFolder(stateDir, id)
  const { operation } = readRunFile(dir, id).run
  if (operation !== 'tickets.assign') {
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${whyNot[operation]}`,
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
function changesBack(tools: BulkTools, { run: { run, operation }, state }: RecordedRun): Pair[] {
  state.closeAll()
  const pairs: Pair[] = []
  const others = { unsure: 0, unchanged: 0, unknown: 0 }
  for (const receipt of allReceipts(state)) {
    const pair = pairBack(receipt)
    if (typeof pair === 'string') others[pair] += 1
    else pairs.push(pair)
  }
  const { unsure, unchanged, unknown } = others
  const reasons = [
    ...(unsure > 0 ? [`${grouped(unsure)} not certainly assigned by it`] : []),
    ...(unchanged > 0 ? [`${grouped(unchanged)} already had that assignee`] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} had no known assignee before`] : []),
  ]
  const rest = reasons.length === 0 ? '' : `; the others stay as they are: ${reasons.join(', ')}`
  tools.note(`run ${run} changed ${counted(operation, pairs.length)} that can be given back${rest}`)
  return pairs
}

/** What gives a ticket back, or why it stays as it is. */
function pairBack({ id, line, outcome, attempts, before, after }: Receipt): Pair | 'unsure' | 'unchanged' | 'unknown' {
  if (outcome !== 'done' || after == null || !idPattern.test(after)) return 'unsure'
  if (attempts === 0 || before?.toLowerCase() === after.toLowerCase()) return 'unchanged'
  // A command is made of ids only, whatever the service sent.
  if (before == null || !idPattern.test(before)) return 'unknown'
  return { id, other: before, expected: after, line: line ?? 0 }
}
