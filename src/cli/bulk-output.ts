/** Runs the verbs that send in bulk, and shows what a run did: its summary, its receipts, or its one change. */
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import { MergeResult } from '../api/schemas.ts'
import { exitCodes, SvcError, svc } from '../errors.ts'
import { one, ownRows, type Output, type Rows } from '../output/result.ts'
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
  const isRecorded = job.items.size > 0 || job.options.once !== undefined
  if (!isRecorded) return emptyOutput(context, job)
  const { runJob } = await import('../runs/run.ts')
  return runOutput(context, await runJob(context, job))
}

/** Writes the files of an empty job, which have a heading alone. Nothing is sent or recorded. */
async function emptyOutput(context: Context, job: Job) {
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { checkPlaces, writeFiles } = await import('../runs/files.ts')
  context.note('the input is empty; there is nothing to do')
  await checkPlaces(context, job, { isReplacing: false })
  await writeFiles(context, job, () => [])
  return summaryOutput(context, unrecordedSummary(job))
}

/** Says what a job would send. With `--who`, it shows the contacts or tickets. */
export async function dryRunOutput(context: Context, job: Job): Promise<Output<object>> {
  const { tellDryRun } = await import('../runs/telling.ts')
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { foresee } = await import('../runs/run.ts')
  // A job of typed ids needs no credentials.
  const hasNoCredentials = (error: SvcError) => error.exitCode === exitCodes.auth
  const profile = await undefinedIf(hasNoCredentials, context.profile())
  tellDryRun(context, job, profile)
  const due = profile === undefined ? job.items.size : await foresee(context, job)
  if (job.options.who !== true)
    return summaryOutput(context, unrecordedSummary(job, due, profile?.name))
  return job.operation === 'tickets.assign'
    ? ticketRows(context, job)
    : contactRows(context, job)
}

/** Waits for a value. Returns undefined after an error of this kind, and throws any other. */
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

/** The contacts of a job as `contacts get` shows them. A pair has two. */
async function contactRows(context: Context, { items }: Job) {
  const { seekContacts, soughtColumns } = await import('./lists.ts')
  const wanted = items.ids.flatMap((id, position) => {
    const { other } = items.at(position)
    return other === undefined ? [id] : [id, other]
  })
  const { nameOptions } = context
  const source = { api: await context.api(), within: [], nameOptions }
  const { contacts, people, areAllFound } = await seekContacts(source, wanted)
  const notes = people.extentNotes(areAllFound)
  return ownRows(contacts, soughtColumns, { ending: { notes } })
}

/** The tickets of a job as they are now. One that the service refuses to show has only its id. */
async function ticketRows(context: Context, { items }: Job) {
  const { tickets } = await context.api()
  const isRefused = (error: SvcError) => error.category === 'rejected'
  const shown = []
  for (const id of items.ids) {
    const chunk = await undefinedIf(isRefused, tickets.chunk(id))
    const { status = null, assigneeId = null } = chunk?.ticket ?? {}
    shown.push({ ticket: id, status, assigneeId })
  }
  const columns = { TICKET: 'ticket', STATUS: 'status', ASSIGNEE: 'assigneeId' }
  return ownRows(shown, columns)
}

/** Shows what a run did: as JSON its summary, as a table the change of a single merge or assign or else the summary, and in any other format the receipts. */
export async function runOutput(
  context: Context,
  ended: EndedRun,
): Promise<Output<object>> {
  const { log, summary } = ended
  const { receiptColumns, receiptsOf } = await import('../runs/receipts.ts')
  const { operation } = log.head
  const { format } = context.print
  if (format !== 'table' && format !== 'json') {
    const more = { run: log.run, ending: { exitCode: summary.exitCode } }
    return ownRows<object>(receiptsOf(log), receiptColumns(operation), more)
  }
  const [receipt] = log.items.size === 1 ? receiptsOf(log) : []
  if (receipt !== undefined && format === 'table') {
    if (operation === 'contacts.merge') return mergeOutput(ended, receipt)
    if (operation === 'tickets.assign') return assignOutput(context, ended, receipt)
  }
  return summaryOutput(context, summary)
}

interface SummaryExtras {
  endedAt?: string | null
  details?: Rows<object>['details']
}

/** A summary as a document or a table. The counts of the table add up to the whole input. */
export function summaryOutput(
  { messages }: Context,
  summary: Summary,
  { details, ...more }: SummaryExtras = {},
): Rows<object> {
  const { operation, input, run, resume, exitCode, dryRun, due } = summary
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
  const columns = { OUTCOME: 'outcome', COUNT: 'count', MEANING: 'meaning' }
  return ownRows<object>(
    rows.filter(({ count }) => count > 0),
    columns,
    {
      run: run ?? undefined,
      // No note takes the place of an empty table.
      empty: undefined,
      document: () => ({ ...summary, resume: resume && messages.textOf(resume), ...more }),
      details,
      ending: { exitCode },
    },
  )
}

/** A single merge: its outcome, both ids, and the name of the target. */
function mergeOutput({ log, summary, sent }: EndedRun, { outcome, id, target }: Receipt) {
  const answer = v.safeParse(MergeResult, sent?.answer)
  const name = answer.success ? fullName(answer.output.contact) : null
  const columns = { OUTCOME: 'outcome', SOURCE: 'source', TARGET: 'target', NAME: 'name' }
  const row = { outcome, source: id, target, name }
  return singleOutput(row, columns, { log, summary })
}

/** A single assign: its outcome, the assignee before and after, and how to undo it. */
async function assignOutput(
  context: Context,
  { log, summary, sent }: EndedRun,
  { outcome, id, before, after }: Receipt,
) {
  const { isUndo } = await import('../runs/list.ts')
  // The ticket is already assigned and recorded, so an error about names may not hide that: ids are shown.
  const employees = (await undefinedIf(() => true, context.employees())) ?? []
  const nameOf = (assignee: string | null | undefined) => {
    const employee = employees.find((each) => isSameId(each.id, assignee))
    return employee === undefined ? assignee : `${fullName(employee)} (${employee.id})`
  }
  const isConfirmed = outcome === 'done' && sent?.answer !== undefined
  const canUndo = isConfirmed && before != null && !isUndo(log.run)
  const undo = canUndo ? context.messages.textOf(svc`runs undo ${log.run}`) : null
  const columns = {
    OUTCOME: 'outcome',
    TICKET: 'ticket',
    BEFORE: 'before',
    AFTER: 'after',
    UNDO: 'undo',
  }
  const row = { outcome, ticket: id, before: nameOf(before), after: nameOf(after), undo }
  return singleOutput(row, columns, { log, summary })
}

function singleOutput(
  row: object,
  columns: Readonly<Record<string, string>>,
  { log, summary }: Pick<EndedRun, 'log' | 'summary'>,
) {
  const { exitCode } = summary
  return one(row, { columns, run: log.run, ending: { exitCode } })
}
