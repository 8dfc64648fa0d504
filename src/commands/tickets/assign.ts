/**
 * `svc tickets assign`: one ticket, shown with its former assignee and the command that undoes the change, or a file of them
 * as a bulk run.
 */
import * as v from 'valibot'
import { employeeNames } from '../../api/names.ts'
import { assignRules, mayArrive } from '../../api/operations.ts'
import { AssignResult } from '../../api/schemas.ts'
import {
  answerOf,
  failedChange,
  failureOf,
  sendBulk,
  sendOneChange,
  type EndedChange,
} from '../../cli/bulk-command.ts'
import { bulkOptions } from '../../cli/bulk-verb.ts'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError, usageError, type Category } from '../../errors.ts'
import { refuseFiles } from '../../input/input.ts'
import { say, svc, svcWords } from '../../message.ts'
import { formatFacts } from '../../output/format.ts'
import { one } from '../../output/result.ts'
import { isAmbiguous, isAnswered, isSameId, wasAmbiguous } from '../../runs/batch.ts'
import type { BulkOptions } from '../../runs/jobs/job.ts'
import type { Party } from '../../runs/lines.ts'
import { isActive } from '../../runs/operations/assign.ts'
import { idPattern, parseTicket } from '../../values.ts'

/** A changed assignee: both assignees, by name if known, and the command that undoes the change. */
type AssignRow = AssignResult &
  Readonly<Partial<Record<'before' | 'after' | 'undo', string | undefined>>>

export const verb = defineVerb({
  description:
    'Change the assignee of a ticket, or of those in a file of ids (with --to) or in a table with the columns ticket and employee.\n' +
    'svc names the tickets that the service refuses, and assigns the others. It reads each ticket before it changes it. The service\n' +
    'has no conditional change, so somebody else may change the assignee in between.',
  examples: [
    'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
    'svc tickets assign --file tickets.txt --to "Robin Berg" --dry-run',
    'svc tickets assign --file changes.csv --receipts out.csv',
  ],
  arguments: [
    {
      name: 'ticket',
      takes: 'ticket',
      summary: 'ticket id, or address with one; - for standard input',
    },
  ],
  options: {
    to: {
      value: 'employee',
      takes: 'employee',
      summary: 'the new assignee: employee id or "First Last"; asked for on a terminal',
    },
    ifAssignee: {
      value: 'employee',
      takes: 'employee',
      summary: 'change only tickets of this employee (others: kept)',
    },
    ...bulkOptions('tickets.assign'),
  },
  effect: 'tickets.assign',
  columns: {
    TICKET: 'ticketId',
    BEFORE: ({ before, previousAssigneeId }: AssignRow) => before ?? previousAssigneeId,
    AFTER: ({ after, newAssigneeId }: AssignRow) => after ?? newAssigneeId,
    UNDO: 'undo',
  },
  ids: 'ticketId',
  run: (context, [ticket], options) => {
    if (ticket === '-')
      return assignFiles(context, undefined, { ...options, file: ['-', ...options.file] })
    return options.file.length > 0
      ? assignFiles(context, ticket, options)
      : assignOne(context, ticket, options)
  },
})

type AssignOptions = BulkOptions & { to?: string; ifAssignee?: string }

function assignFiles(context: Context, ticket: string | undefined, options: AssignOptions) {
  if (ticket !== undefined) throw usageError('--file cannot be used with a ticket')
  return sendBulk(context, typedChange([], options))
}

function typedChange(ids: readonly string[], options: AssignOptions) {
  const { to, ifAssignee } = options
  return { operation: 'tickets.assign', ids, options, parties: { to, ifAssignee } } as const
}

/** Changes the assignee of one ticket, and shows both assignees. */
async function assignOne(
  context: Context,
  ticket: string | undefined,
  options: AssignOptions,
) {
  if (ticket === undefined)
    throw usageError(
      'tickets assign needs a ticket, and its new assignee with --to',
      say`${svcWords('tickets assign <ticket> --to <employee>')}, --file <file>, or - for standard input`,
    )
  refuseFiles(context.host, [ticket])
  const ticketId = parseTicket(ticket)
  const isSent = options.dryRun !== true
  // A forbidden change and a folder that cannot be written are errors before the first request.
  if (isSent) {
    await context.permit({ operation: 'tickets.assign', ids: 1 })
    await (await context.runs()).prepare()
  }
  // Read before the change: after it, nothing optional may fail.
  const names = isSent ? await shownNames(context) : new Map<string, string>()
  const nameOf = (id: string) => names.get(id.toLowerCase()) ?? id
  const change = await sendOneChange(context, typedChange([ticketId], options))
  // A dry run.
  if (change.kind === 'summary') return change
  const { run, batch, outcome } = change
  if (batch.formerAssignee === undefined && batch.attempts > 0)
    context.note('the ticket could not be read beforehand; the change was sent anyway')
  if (outcome !== 'done') throw await notDoneError(context, change, ticketId, nameOf)
  const result = resultOf(context, change, ticketId)
  const row = rowOf(context, change, result, nameOf)
  // 10 if the change was made, but its record is incomplete.
  return one(row, { json: result, exitCode: run.summary.document.exitCode })
}

/** The name of an employee, or the id if the name is not known. */
type NameOf = (id: string) => string

/** The names of employees, if the output shows them. */
async function shownNames(context: Context): Promise<ReadonlyMap<string, string>> {
  const areShown = formatFacts[context.print.format].shows === 'cells'
  return areShown ? employeeNames(context, context.employees) : new Map()
}

/** The employee that an option names. */
function employeeOf({ run }: EndedChange, option: 'to' | 'ifAssignee'): Party {
  const employee = run.recorded.head.parameters[option]
  if (employee === undefined) throw new TypeError(`${option} names nobody`)
  return employee
}

/** The result of a change that is done, with a note if somebody else may have made it. */
function resultOf({ note }: Context, change: EndedChange, ticketId: string): AssignResult {
  const { batch } = change
  const answer = v.safeParse(AssignResult, answerOf(change))
  if (answer.success) {
    if (wasAmbiguous(batch))
      note(
        'an earlier attempt whose answer was lost can still take effect: look at the ticket before you undo this',
      )
    return answer.output
  }
  const { id: newAssigneeId } = employeeOf(change, 'to')
  // Only the answer to the change names the chat.
  const known = { ticketId, chatId: null, newAssigneeId }
  if (batch.attempts === 0) {
    note('the ticket already has this assignee; nothing was sent')
    return { ...known, previousAssigneeId: newAssigneeId }
  }
  note(
    'the answer was lost, but the ticket now has the new assignee; this command or somebody else changed it',
  )
  // The former assignee is known only if the ticket could be read before.
  return { ...known, previousAssigneeId: batch.formerAssignee?.id ?? null }
}

/**
 * The row of a changed ticket: its assignee before and after, and the command that undoes the change if an answer confirmed
 * it.
 */
function rowOf(
  { messages }: Context,
  { batch }: EndedChange,
  result: AssignResult,
  nameOf: NameOf,
): AssignRow {
  const { previousAssigneeId: before, newAssigneeId: after, ticketId } = result
  const isConfirmed = isAnswered(batch) && !wasAmbiguous(batch)
  // A command to type is made of ids only, whatever the service sent.
  const undo =
    isConfirmed && before != null && idPattern.test(before) && !isSameId(before, after)
      ? svc`tickets assign ${ticketId} --to ${before} --if-assignee ${after}`
      : undefined
  return {
    ...result,
    before: before == null ? undefined : nameOf(before),
    after: nameOf(after),
    undo: undo && messages.textOf(undo),
  }
}

/** The error of a change that is not done. */
async function notDoneError(
  context: Context,
  change: EndedChange,
  ticketId: string,
  nameOf: NameOf,
): Promise<SvcError> {
  const { run, batch, outcome } = change
  if (outcome === 'unknown' || isAmbiguous(batch)) {
    const look = say`${mayArrive(batch.last?.at ?? batch.at)}; then check who has the ticket:\n  ${svc`tickets get ${ticketId}`}`
    return failedChange(change, say`the change may or may not have been made;\n${look}`)
  }
  if (outcome === 'kept') return otherAssigneeError(change, nameOf)
  const failure = failureOf(change)
  if (failure === undefined) return unreadableError(change)
  // A repeated command that has nothing left to send makes no requests.
  if (failure.category !== 'rejected' || run.sent === undefined) return failure
  const rules = await markedRules(context, ticketId, employeeOf(change, 'to').id)
  const mayNotExist =
    failure.details.httpStatus === 404
      ? 'the ticket or the employee may not exist in this company\n'
      : ''
  return failure.with({ hint: mayNotExist + rules })
}

const refusedAs: ReadonlyMap<number, Category> = new Map([
  [401, 'auth'],
  [403, 'forbidden'],
])

/** The error of a change that was not sent, because the ticket could not be read before it. */
function unreadableError({ batch }: EndedChange) {
  const { st: httpStatus, m: why = 'refused' } = batch.reading ?? {}
  const message = `the ticket's assignee is not known: it could not be read (${why}); nothing was sent`
  return new SvcError(refusedAs.get(httpStatus ?? 0) ?? 'rejected', message, { httpStatus })
}

/** The error of a change that was not sent, because somebody other than --if-assignee has the ticket. */
function otherAssigneeError(change: EndedChange, nameOf: NameOf) {
  const id = change.batch.reading?.id
  const now = id == null ? 'nobody' : `"${nameOf(id)}"`
  const expected = employeeOf(change, 'ifAssignee')
  const label = expected.name === undefined ? expected.id : `"${expected.name}"`
  const message = `the ticket's assignee is ${now}, not ${label}; nothing was sent`
  return new SvcError('rejected', message)
}

/** The service's rules for a change of assignee, each marked by whether it holds. */
async function markedRules(context: Context, ticketId: string, wanted: string) {
  const { tickets } = await context.api()
  // If a read fails, the rules that depend on it are unknown.
  const [employees, chunk] = await Promise.all([
    context.employees().catch(() => undefined),
    tickets.chunk(ticketId).catch(() => undefined),
  ])
  const { title, rules } = assignRules
  const ticket = chunk?.ticket
  const employee = employees?.find(({ id }) => isSameId(id, wanted))
  const isTicketActive = ticket?.status == null ? undefined : ticket.status === 'active'
  const hasAssignee = ticket && ticket.assigneeId != null
  const isAnother = ticket && !isSameId(ticket.assigneeId, wanted)
  // The channel of the ticket is not known, but an employee without any channel has no access to it.
  const hasChannel = employee?.channels?.length === 0 ? false : undefined
  const marked = [
    mark(isTicketActive, rules.active + said(ticket?.status)),
    mark(hasAssignee, rules.assigned),
    // No operation shows which ticket of a chat is the current one.
    mark(undefined, rules.current),
    mark(
      employees && isActive(employees, employee),
      rules.employee + said(employee?.status),
    ),
    mark(isAnother, rules.another),
    mark(hasChannel, rules.channel),
  ]
  return [title, ...marked].join('\n')
}

/** `holds`: undefined if svc cannot know. */
function mark(holds: boolean | undefined, rule: string) {
  const word = holds ? 'yes' : 'no'
  return `  ${(holds === undefined ? 'unknown' : word).padEnd(9)}${rule}`
}

/** The status that the service reports, in brackets on one line. */
function said(status: string | null | undefined) {
  return status == null ? '' : ` (it is ${JSON.stringify(status)})`
}
