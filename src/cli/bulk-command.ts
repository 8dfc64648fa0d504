/** The outputs of verbs that send in bulk: the summary of a run, its receipts, or the one change that a line names. */
import * as v from 'valibot'
import { fullName } from '../api/names.ts'
import { readPeople } from '../api/people.ts'
import { MergeResult } from '../api/schemas.ts'
import { exitCodes, SvcError, usageError } from '../errors.ts'
import { svc } from '../message.ts'
import { isSameId } from '../ids.ts'
import { one, ownRows, type Output, type Rows } from '../output/result.ts'
import { longFlag } from '../options.ts'
import type { Job } from '../runs/jobs/job.ts'
import type { TypedJob } from '../runs/jobs/typed.ts'
import { doneMeanings, meanings, outcomes } from '../runs/outcomes.ts'
import type { Receipt } from '../runs/receipts.ts'
import type { EndedRun } from '../runs/run.ts'
import type { Summary } from '../runs/summary.ts'
import type { Context } from './context.ts'
import { soughtColumns, soughtContacts } from './lists.ts'

/** Sends the ids of a command line and of its files, or the pairs of a file. */
export async function sendBulk(context: Context, typed: TypedJob): Promise<Output<object>> {
  const { readTyped } = await import('../runs/jobs/typed.ts')
  const job = await readTyped(context, typed)
  const { options, items, run } = job
  if (options.dryRun === true) return dryRunOutput(context, job)
  if (items.size === 0 && run === undefined) {
    context.note('the input is empty; there is nothing to do')
    return endEmpty(context, job)
  }
  const { runJob } = await import('../runs/run.ts')
  return runOutput(context, await runJob(context, job))
}

/** Nothing is recorded, and the files have no rows. */
async function endEmpty(context: Context, job: Job) {
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { checkFiles, writeFiles } = await import('../runs/files.ts')
  const { Queue } = await import('../runs/queue.ts')
  const { items } = job
  await checkFiles(context, job, { isNew: true })
  const queue = new Queue({ ...job, most: 1 }, items)
  await writeFiles(context, job, { head: job, items, queue })
  return summaryOutput(context, unrecordedSummary(job))
}

/** Says what would be sent; with `--who`, shows whom. */
export async function dryRunOutput(context: Context, job: Job): Promise<Output<object>> {
  const { tellDryRun } = await import('../runs/telling.ts')
  const { unrecordedSummary } = await import('../runs/summary.ts')
  const { foresee } = await import('../runs/run.ts')
  // With ids alone it needs no credentials.
  const profile = await context.profile().catch((error: unknown) => {
    if (error instanceof SvcError && error.exitCode === exitCodes.auth) return undefined
    throw error
  })
  tellDryRun(context, job, profile)
  const due = profile === undefined ? job.items.size : await foresee(context, job)
  if (job.options.who === true) {
    const isOfTickets = job.operation === 'tickets.assign'
    return isOfTickets ? ticketRows(context, job) : contactRows(context, job)
  }
  return summaryOutput(context, unrecordedSummary(job, profile?.name), { due })
}

/** The contacts as `contacts get` shows them, of pairs both sides. */
async function contactRows(context: Context, { items }: Job) {
  const wanted = items.ids.flatMap((id, at) => [id, items.at(at).other ?? []].flat())
  const keys = new Set(wanted.map((id) => id.toLowerCase()))
  const { api, nameOptions } = context
  const people = await readPeople({ api: await api(), within: [], nameOptions }, ({ id }) =>
    keys.has(id.toLowerCase()),
  )
  const all = soughtContacts(people, wanted)
  const notes = people.extentNotes(all.every(({ found }) => found))
  return ownRows(all, soughtColumns, { ending: { notes } })
}

/** The tickets as they are now. */
async function ticketRows(context: Context, { items }: Job) {
  const { tickets } = await context.api()
  const all = []
  for (const id of items.ids) {
    const read = await tickets.chunk(id).catch((error: unknown) => {
      if (error instanceof SvcError && error.category === 'rejected') return undefined
      throw error
    })
    const { status = null, assigneeId = null } = read?.ticket ?? {}
    all.push({ ticket: id, status, assigneeId })
  }
  const columns = { TICKET: 'ticket', STATUS: 'status', ASSIGNEE: 'assigneeId' }
  return ownRows(all, columns)
}

/** The one change of a run, or its summary with its receipts. */
export async function runOutput(
  context: Context,
  ended: EndedRun,
): Promise<Output<object>> {
  const { log, summary } = ended
  const { receiptColumns, receiptsOf } = await import('../runs/receipts.ts')
  const [receipt] = log.items.size === 1 ? receiptsOf(log) : []
  const { operation } = log.head
  const { format } = context.print
  if (receipt !== undefined && format === 'table') {
    if (operation === 'contacts.merge') return mergeOutput(ended, receipt)
    if (operation === 'tickets.assign') return assignOutput(context, ended, receipt)
  }
  if (format === 'table' || format === 'json') return summaryOutput(context, summary)
  const { exitCode } = summary
  const more = { run: log.run, ending: { exitCode } }
  return ownRows<object>(receiptsOf(log), receiptColumns(operation), more)
}

interface SummaryParts {
  /** How many ids a dry run would send. */
  due?: number
  endedAt?: string | null
  details?: Rows<object>['details']
}

/** A summary as a document or a table, in which the outcomes and the rows that were not sent account for the whole input. */
export function summaryOutput(
  { messages }: Context,
  summary: Summary,
  { due = 0, details, ...more }: SummaryParts = {},
): Rows<object> {
  const { operation, input, run, resume, exitCode } = summary
  const { duplicates, invalid, leftOut } = input
  const rows = [
    { outcome: 'would be sent', count: due, meaning: '' },
    ...outcomes.map((outcome) => ({
      outcome,
      count: summary.outcomes[outcome] ?? 0,
      meaning: outcome === 'done' ? doneMeanings[operation] : meanings[outcome],
    })),
    { outcome: 'duplicate', count: duplicates, meaning: 'the same id again' },
    { outcome: 'invalid', count: invalid, meaning: 'bad lines that were skipped' },
    { outcome: 'left-out', count: leftOut, meaning: 'rows that the options leave out' },
  ]
  const columns = { OUTCOME: 'outcome', COUNT: 'count', MEANING: 'meaning' }
  return ownRows<object>(
    rows.filter(({ count }) => count > 0),
    columns,
    {
      run: run ?? undefined,
      empty: undefined,
      document: () => ({ ...summary, resume: resume && messages.textOf(resume), ...more }),
      details,
      ending: { exitCode },
    },
  )
}

/** A single merge: the outcome, both ids, and the name of the target. */
function mergeOutput({ log, summary, sent }: EndedRun, { outcome, id, target }: Receipt) {
  const answer = v.safeParse(MergeResult, sent?.answer)
  const name = answer.success ? fullName(answer.output.contact) : null
  const columns = { OUTCOME: 'outcome', SOURCE: 'source', TARGET: 'target', NAME: 'name' }
  const row = { outcome, source: id, target, name }
  const { exitCode } = summary
  return one<object>(row, { columns, run: log.run, ending: { exitCode } })
}

/** A single assign: the outcome, the assignee before and after, and how to undo it. */
async function assignOutput(
  context: Context,
  { log, summary, sent }: EndedRun,
  receipt: Receipt,
) {
  const { outcome, id, before, after } = receipt
  const { isUndo } = await import('../runs/list.ts')
  // The change is made and recorded: where the names cannot be read, ids do.
  const employees = await context.employees().catch((error: unknown) => {
    if (error instanceof SvcError) return []
    throw error
  })
  const nameOf = (each: string | null | undefined) => {
    const employee = employees.find((other) => isSameId(other.id, each))
    return employee === undefined ? each : `${fullName(employee)} (${employee.id})`
  }
  const isChanged = outcome === 'done' && before != null && sent?.answer !== undefined
  const undo =
    isChanged && !isUndo(log.run)
      ? context.messages.textOf(svc`runs undo ${log.run}`)
      : null
  const columns = {
    OUTCOME: 'outcome',
    TICKET: 'ticket',
    BEFORE: 'before',
    AFTER: 'after',
    UNDO: 'undo',
  }
  const row = { outcome, ticket: id, before: nameOf(before), after: nameOf(after), undo }
  const { exitCode } = summary
  return one<object>(row, { columns, run: log.run, ending: { exitCode } })
}

/** Throws exit 2 for options of files beside a single change. */
export function refuseFileOptions({ line }: Context) {
  const ofFiles = [
    'annotate',
    'column',
    'sheet',
    'skipInvalid',
    'allowEmpty',
    'where',
    'except',
  ]
  const option = ofFiles.find((key) => line.given.has(key))
  if (option !== undefined) throw usageError(`${longFlag(option, {})} needs --file`)
}
