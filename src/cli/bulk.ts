/** Runs the bulk verbs, and shows what a run did: its summary, its receipts, or its one change. */
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import { MergeResult } from '../api/schemas.ts'
import { exitCodes, SvcError, svc } from '../errors.ts'
import {
  id,
  number,
  one,
  ownRows,
  text,
  type Columns,
  type Output,
  type Rows,
} from '../output/result.ts'
import type { Job } from '../runs/jobs/job.ts'
import type { TypedJob } from '../runs/jobs/typed.ts'
import { doneMeanings, meanings, outcomes } from '../runs/outcomes.ts'
import type { Receipt } from '../runs/receipts.ts'
import type { EndedRun } from '../runs/run.ts'
import type { Summary } from '../runs/summary.ts'
import { isSameId } from '../values.ts'
import type { Context } from './context.ts'

/** Sends the ids or pairs of a command line and of its files. With `--dry-run`, it sends nothing. */
export async function sendBulk(context: Context, typed: TypedJob): Promise<Output<object>> {
  const { readTyped } = await import('../runs/jobs/typed.ts')
  const job = await readTyped(context, typed)
  if (job.options.dryRun === true) return dryRunOutput(context, job)
  // A job of `--once` is recorded even if it is empty, so that the same command finds its result.
  const isEmpty = job.items.size === 0
  if (isEmpty && job.options.once === undefined) return emptyOutput(context, job)
  const { runJob } = await import('../runs/run.ts')
  return runOutput(context, await runJob(context, job))
}

/** Ends a job without ids. The files that it is to write get only their headings. Nothing is sent or recorded. */
async function emptyOutput(context: Context, job: Job) {
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { checkPlaces, writeFiles } = await import('../runs/files.ts')
  context.note('the input is empty; there is nothing to do')
  await checkPlaces(context, job, { isReplacing: false })
  await writeFiles(context, job, () => [])
  return summaryOutput(context, unrecordedSummary(job))
}

/** Says what a job would send. */
export async function dryRunOutput(context: Context, job: Job): Promise<Output<object>> {
  const { tellDryRun } = await import('../runs/telling.ts')
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { foresee } = await import('../runs/run.ts')
  // Without credentials, svc cannot know which run a job would resume, so it counts all ids.
  const isAboutCredentials = (error: SvcError) => error.exitCode === exitCodes.auth
  const profile = await undefinedIf(isAboutCredentials, context.profile())
  tellDryRun(context, job, profile)
  const due = profile === undefined ? job.items.size : await foresee(context, job)
  return summaryOutput(context, unrecordedSummary(job, due, profile?.name))
}

/** Waits for a value. Returns undefined instead of an error that is expected. */
async function undefinedIf<T>(
  isExpected: (error: SvcError) => boolean,
  value: Promise<T>,
): Promise<T | undefined> {
  try {
    return await value
  } catch (error) {
    if (error instanceof SvcError && isExpected(error)) return undefined
    throw error
  }
}

/**
 * Shows what a run did:
 * - as JSON its summary
 * - as a table: for a merge or assign of a single item its change, otherwise the summary
 * - in any other format its receipts
 */
export async function runOutput(
  context: Context,
  ended: EndedRun,
): Promise<Output<object>> {
  const { log, summary } = ended
  const { receiptColumns, receiptsOf } = await import('../runs/receipts.ts')
  const { operation } = log.head
  const { format } = context.print
  if (format !== 'table' && format !== 'json')
    return ownRows<object>(receiptsOf(log), receiptColumns(operation), {
      run: log.run,
      ending: { exitCode: summary.exitCode },
    })
  const [receipt] = receiptsOf(log)
  if (receipt !== undefined && log.items.size === 1 && format === 'table') {
    if (operation === 'contacts.merge') return mergeOutput(ended, receipt)
    if (operation === 'tickets.assign') return assignOutput(context, ended, receipt)
  }
  return summaryOutput(context, summary)
}

/** The parts that `runs show` adds to a summary: a member of the document, and lines above the table. */
interface SummaryAddition {
  endedAt?: string | null
  details?: Rows<object>['details']
}

/** A summary as a document or a table. The counts of the table add up to the whole input, except in a dry run that would resume. */
export function summaryOutput(
  { messages }: Context,
  summary: Summary,
  { details, ...members }: SummaryAddition = {},
): Rows<object> {
  const { operation, input, run, exitCode, dryRun, due } = summary
  const rows = [
    { outcome: 'would be sent', count: dryRun ? due : 0, meaning: '' },
    ...outcomes.map((outcome) => ({
      outcome,
      count: summary.outcomes[outcome] ?? 0,
      meaning: outcome === 'done' ? doneMeanings[operation] : meanings[outcome],
    })),
    { outcome: 'duplicate', count: input.duplicates, meaning: 'the same id again' },
    { outcome: 'invalid', count: input.invalid, meaning: 'bad lines that were skipped' },
    {
      outcome: 'left-out',
      count: input.leftOut,
      meaning: 'rows that the options leave out',
    },
  ]
  const resume = summary.resume === null ? null : messages.textOf(summary.resume)
  return ownRows<object>(
    rows.filter(({ count }) => count > 0),
    { OUTCOME: text('outcome'), COUNT: number('count'), MEANING: text('meaning') },
    {
      run: run ?? undefined,
      // A summary without rows needs no note.
      empty: undefined,
      document: () => ({ ...summary, resume, ...members }),
      details,
      ending: { exitCode },
    },
  )
}

/** A single merge: its outcome, both ids, and the name of the target. */
function mergeOutput(ended: EndedRun, { outcome, id: source, target }: Receipt) {
  // There is no such answer if the merge was refused or lost, or if this command sent nothing.
  const answer = v.safeParse(MergeResult, ended.sent?.answer)
  const name = answer.success ? fullName(answer.output.contact) : null
  const columns = {
    OUTCOME: text('outcome'),
    SOURCE: id('source'),
    TARGET: id('target'),
    NAME: text('name'),
  }
  return changeOutput({ outcome, source, target, name }, columns, ended)
}

/** A single assign: its outcome, the assignee before and after, and how to undo it. */
async function assignOutput(
  context: Context,
  ended: EndedRun,
  { outcome, id: ticket, before, after }: Receipt,
) {
  const { isUndo } = await import('../runs/list.ts')
  const { run } = ended.log
  // The change is made and recorded. An error about names must not hide this, so ids are shown then.
  const isAnyError = () => true
  const employees = (await undefinedIf(isAnyError, context.employees())) ?? []
  const nameOf = (assignee: string | null | undefined) => {
    const employee = employees.find((each) => isSameId(each.id, assignee))
    return employee === undefined ? assignee : `${fullName(employee)} (${employee.id})`
  }
  const isConfirmed = outcome === 'done' && ended.sent?.answer !== undefined
  const canUndo = isConfirmed && before != null && !isUndo(run)
  const undo = canUndo ? context.messages.textOf(svc`runs undo ${run}`) : null
  const columns = {
    OUTCOME: text('outcome'),
    TICKET: id('ticket'),
    BEFORE: text('before'),
    AFTER: text('after'),
    UNDO: text('undo'),
  }
  const row = { outcome, ticket, before: nameOf(before), after: nameOf(after), undo }
  return changeOutput(row, columns, ended)
}

/** The only change of a run as a row. */
function changeOutput(row: object, columns: Columns<object>, { log, summary }: EndedRun) {
  const { exitCode } = summary
  return one(row, { columns, run: log.run, ending: { exitCode } })
}
