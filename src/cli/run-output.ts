/** How a bulk command is shown: its progress, its summary as a table or JSON, and a dry run. */
import { SvcError, type Hint } from '../errors.ts'
import { hasEscapes } from '../host.ts'
import { rows, type Rows } from '../output/result.ts'
import {
  countsOf,
  describeRun,
  exitCodeOfInput,
  meanings,
  notesOf,
  outcomes,
  summaryOf,
  unsentSummary,
  type BulkOperation,
  type EndedRun,
  type Job,
  type Summary,
  type Turn,
} from '../runs/engine.ts'
import { joinPresent, pluralize } from '../wording.ts'
import { firstItems, type BulkContext, type CheckedTask } from './job.ts'
import type { ReceiptsWriter } from './receipts.ts'
import { summaryColumns } from './verb.ts'

/** Shows a progress bar on a terminal. Returns what ends it. */
export async function showProgress(
  { host, messages }: BulkContext,
  { nouns }: BulkOperation,
  { counts, run }: Turn,
) {
  if (messages.quiet || !host.isTerminal.stderr || !hasEscapes(host)) return undefined
  const { startProgress } = await import('../output/progress.ts')
  const total = run.job.input.unique
  return startProgress(
    { host, messages },
    {
      label: nouns.doing,
      total,
      done: () => total - countsOf(counts).due,
      sent: () => total - (counts['not-sent'] ?? 0),
    },
  )
}

/** Returns the summary for an input without ids. It makes no run and no receipts. */
export function emptyOutput(
  { note }: BulkContext,
  job: Job,
  { once, receipts, dryRun }: { once?: string; receipts?: string; dryRun?: boolean },
) {
  note('the input is empty; there is nothing to do')
  if (receipts !== undefined) note(`svc did not write "${receipts}": there are no receipts`)
  const exitCode = exitCodeOfInput(job)
  const dry = dryRun === true ? { dryRun, status: null } : { status: 'complete' as const }
  return countsOutput([], unsentSummary(job, { ...dry, once: once ?? null, exitCode }))
}

/** Returns the summary of a dry run, and notes what the command would send. */
export function dryRunOutput(
  { note }: BulkContext,
  { operation, task, job, due, on }: CheckedTask,
) {
  const recorded = task.kind === 'begin' ? undefined : task.run
  const rest =
    recorded && `${pluralize(due, 'id')} of ${describeRun(recorded)} would be sent`
  note(
    joinPresent(
      [`dry run: ${job.title} ${on}`, rest, 'nothing was sent or recorded'],
      '; ',
    ),
  )
  const first = task.kind === 'begin' && firstItems(operation, task.wanted.items, 1)
  if (first) note(first)
  const exitCode = recorded && due === 0 ? recorded.exitCode : exitCodeOfInput(job)
  const once = recorded?.once ?? (task.kind === 'begin' ? task.wanted.once : null) ?? null
  const counts = [{ outcome: 'would be sent', count: due, meaning: '' }]
  return countsOutput(counts, unsentSummary(job, { dryRun: true, once, due, exitCode }))
}

/**
 * Returns the summary of a run. Takes a promise, so that the caller can return and free a million
 * ids.
 */
export async function runOutput(
  { messages, signals }: BulkContext,
  performed: EndedRun | Promise<EndedRun>,
  write?: ReceiptsWriter,
): Promise<Rows<object>> {
  const ended = await performed
  const { operation, run } = ended
  const summary = summaryOf(run)
  const written = await write?.(run)
  const isFailed = written instanceof SvcError
  const exitCode = signals.exitCode(isFailed ? written.exitCode : summary.exitCode)
  const resume = summary.resume && messages.command(summary.resume)
  const counts = outcomes.map((outcome) => ({
    outcome,
    count: summary.outcomes[outcome] ?? 0,
    meaning: outcome === 'done' ? operation.nouns.done : meanings[outcome],
  }))
  return countsOutput(counts, { ...summary, resume, exitCode }, [
    ...notesOf(ended),
    ...(written === undefined ? [] : [written]),
  ])
}

/** Counts of ids, and of the rows of the input that gave no id to send. */
function countsOutput(
  counts: readonly { outcome: string; count: number; meaning: string }[],
  document: Summary,
  notes: readonly (Hint | SvcError)[] = [],
): Rows<object> {
  const { duplicates, leftOut, withoutId } = document.input
  const all = [
    ...counts,
    { outcome: 'duplicate', count: duplicates, meaning: 'the same id again' },
    { outcome: 'skipped', count: leftOut, meaning: 'rows marked to skip' },
    { outcome: 'undecided', count: withoutId, meaning: 'rows that still need a decision' },
  ]
  return rows<object>(
    all.filter(({ count }) => count > 0),
    {
      columns: summaryColumns,
      empty: undefined,
      run: document.run ?? undefined,
      document,
      exitCode: document.exitCode,
      notes,
    },
  )
}
