/** How a bulk command is shown: its progress, its summary as a table or JSON, and a dry run. */
import { SvcError, type Hint } from '../errors.ts'
import { hasEscapes } from '../host.ts'
import { rows, type Rows } from '../output/result.ts'
import {
  countsOf,
  describeRun,
  meanings,
  notesOf,
  outcomes,
  stepFor,
  summaryOf,
  unrecorded,
  type BulkOperation,
  type RunWithBatches,
  type Summary,
  type Turn,
} from '../runs/engine.ts'
import { joinPresent, pluralize } from '../wording.ts'
import { describeWork, dueOf, previewOf, type BulkContext, type Task } from './job.ts'
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
      done: () => total - countsOf(counts, run.job).due,
      sent: () => total - (counts['not-sent'] ?? 0),
    },
  )
}

/** Returns the summary of a dry run, and notes what the command would send. */
export function dryRunOutput({ note }: BulkContext, task: Task, hasReceipts: boolean) {
  const { operation, job, items, run } = task
  const due = dueOf(task)
  const rest = run && `in ${describeRun(run)}`
  note(
    joinPresent(
      [
        `dry run: ${describeWork(task)}`,
        rest,
        'nothing was sent or recorded',
        hasReceipts && 'no receipts were written',
      ],
      '; ',
    ),
  )
  const first = previewOf(operation, items, 1)
  if (first) note(first)
  const counts = [{ outcome: 'would be sent', count: due, meaning: '' }]
  const summary = summaryOf(unrecorded(job))
  const exitCode = run && due === 0 ? run.exitCode : summary.exitCode
  return countsOutput(operation, counts, { ...summary, dryRun: true, due, exitCode })
}

/**
 * Returns the summary of a run. Takes a promise, so that the caller can return and free a million
 * ids.
 */
export async function runOutput(
  { messages, signals }: BulkContext,
  operation: BulkOperation,
  performed: RunWithBatches | Promise<RunWithBatches>,
  write?: ReceiptsWriter,
): Promise<Rows<object>> {
  const run = await performed
  const summary = summaryOf(run)
  const written = await write?.(run)
  const isFailed = written instanceof SvcError
  const exitCode = signals.exitCode(isFailed ? written.exitCode : summary.exitCode)
  const resume = summary.resume && messages.command(summary.resume, summary.profile)
  const counts = outcomes.map((outcome) => ({
    outcome,
    count: summary.outcomes[outcome] ?? 0,
    meaning: outcome === 'done' ? operation.nouns.done : meanings[outcome],
  }))
  const document = { ...summary, resume, exitCode }
  const notes = [...notesOf(operation, run), ...(written === undefined ? [] : [written])]
  const again = stepFor(run, 'its result is recorded', `runs show ${run.id}`)
  return { ...countsOutput(operation, counts, document, notes), again }
}

/** Shows the counts of ids. The rows of the input that gave no id to send are in a note. */
function countsOutput(
  { takesPairs, nouns }: BulkOperation,
  counts: readonly { outcome: string; count: number; meaning: string }[],
  document: Summary,
  notes: readonly (Hint | SvcError)[] = [],
): Rows<object> {
  const { leftOut, withoutId, duplicates } = document.input
  const rowCounts = [
    [leftOut, takesPairs ? 'without "yes"' : 'marked "-"'],
    [withoutId, joinPresent(['without an id', nouns.other && `or an ${nouns.other}`], ' ')],
  ] as const
  const unused = joinPresent(
    [
      ...rowCounts.map(
        ([count, what]) => count > 0 && `${pluralize(count, 'row')} ${what}`,
      ),
      duplicates > 0 && pluralize(duplicates, 'repeated row'),
    ],
    ', ',
  )
  const rowsNote = unused === '' ? [] : [`not used: ${unused}`]
  return rows<object>(
    counts.filter(({ count }) => count > 0),
    {
      columns: summaryColumns,
      empty: undefined,
      document,
      exitCode: document.exitCode,
      notes: [...rowsNote, ...notes],
    },
  )
}
