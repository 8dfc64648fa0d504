/**
 * `svc tickets assign`: one ticket, shown with its former assignee and the command that undoes the change, or a file of them
 * as a bulk run.
 */
import * as v from 'valibot'
import { employeeNames } from '../../api/names.ts'
import { assignRules, mayArrive } from '../../api/operations.ts'
import { AssignResult, type Employee, type Ticket } from '../../api/schemas.ts'
import {
  failedChange,
  failureOf,
  newStart,
  oneChangeView,
  onlyBatch,
  refuseBoth,
  operationView,
  startBulk,
  startOne,
} from '../../cli/bulk-command.ts'
import { bulkOptions } from '../../cli/bulk-options.ts'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError, usageError, type Category } from '../../errors.ts'
import { say, svc, svcWords } from '../../message.ts'
import { columnsFor, type View, one } from '../../output/result.ts'
import { isAmbiguous, isSameId, wasAmbiguous } from '../../runs/batch.ts'
import type { EndedRun } from '../../runs/conclude.ts'
import type { Party } from '../../runs/lines.ts'
import { isActive } from '../../runs/operations/assign.ts'
import { idPattern, parseTicket } from '../../values.ts'

/** A changed assignee: both assignees, by name if known, and the command that undoes the change. */
type AssignRow = AssignResult &
  Readonly<Partial<Record<'before' | 'after' | 'undo', string | undefined>>>

const assignView: View<AssignRow> = {
  columns: columnsFor('ticketId as TICKET', 'before', 'after', 'undo'),
  computed: {
    before: ({ before, previousAssigneeId }) => before ?? previousAssigneeId,
    after: ({ after, newAssigneeId }) => after ?? newAssigneeId,
    undo: ({ undo }) => undo,
  },
  id: ({ ticketId }) => ticketId,
}

/** The new assignee that the command asked for. */
function wantedOf({ recorded }: EndedRun): Party {
  const { to } = recorded.head.parameters
  if (to === undefined) throw new TypeError('a ticket was assigned to nobody')
  return to
}

/** The result of a change that is done, with a note if somebody else may have made it. */
function resultOf({ note }: Context, ended: EndedRun, ticketId: string): AssignResult {
  const { batch } = onlyBatch(ended)
  const recorded = batch.answer
  // The record keeps only a part of the answer.
  const accepted =
    recorded?.k === 'answered' ? (ended.sent?.answer ?? recorded.d) : undefined
  const answer = v.safeParse(AssignResult, accepted)
  if (answer.success) {
    if (wasAmbiguous(batch))
      note(
        'an earlier attempt whose answer was lost can still take effect: look at the ticket before you undo this',
      )
    return answer.output
  }
  const { id: newAssigneeId } = wantedOf(ended)
  const isSent = batch.attempts > 0
  note(
    isSent
      ? 'the answer was lost, but the ticket now has the new assignee; this command or somebody else changed it'
      : 'the ticket already has this assignee; nothing was sent',
  )
  // Only the answer to the change names the chat, and the former assignee is known only if the ticket could be read before.
  const previousAssigneeId = isSent ? (batch.formerAssignee?.id ?? null) : newAssigneeId
  return { ticketId, chatId: null, previousAssigneeId, newAssigneeId }
}

const refusedAs: ReadonlyMap<number, Category> = new Map([
  [401, 'auth'],
  [403, 'forbidden'],
])

/** The error of a change that was not sent: the ticket could not be read before it, or somebody else has it. */
function notSentError(ended: EndedRun, names: ReadonlyMap<string, string>) {
  const { reading } = onlyBatch(ended).batch
  if (reading?.st !== undefined) {
    return new SvcError(
      refusedAs.get(reading.st) ?? 'rejected',
      `the ticket's assignee is not known: it could not be read (${reading.m ?? 'refused'}); nothing was sent`,
      { httpStatus: reading.st },
    )
  }
  const id = reading?.id
  const now = id == null ? 'nobody' : `"${names.get(id.toLowerCase()) ?? id}"`
  const { ifAssignee = wantedOf(ended) } = ended.recorded.head.parameters
  const label = ifAssignee.name === undefined ? ifAssignee.id : `"${ifAssignee.name}"`
  const message = `the ticket's assignee is ${now}, not ${label}; nothing was sent`
  return new SvcError('rejected', message)
}

/** The error of a change that was certainly not made, with the rules of the service, each marked by whether it holds. */
async function notMadeError(
  context: Context,
  ended: EndedRun,
  ticketId: string,
  names: ReadonlyMap<string, string>,
): Promise<SvcError> {
  const failure = failureOf(ended)
  if (failure === undefined || onlyBatch(ended).outcome === 'kept')
    return notSentError(ended, names)
  // A repeated command that has nothing left to send makes no requests.
  if (failure.category !== 'rejected' || ended.sent === undefined) return failure
  const { tickets } = await context.api()
  // If a read fails, the rules that depend on it are unknown.
  const [all, chunk] = await Promise.all([
    context.employees().catch(() => undefined),
    tickets.chunk(ticketId).catch(() => undefined),
  ])
  const rules = markedRules(chunk?.ticket, all, wantedOf(ended).id)
  const unknown =
    failure.details.httpStatus === 404
      ? 'the ticket or the employee may not exist in this company\n'
      : ''
  return failure.with({ hint: unknown + rules })
}

/**
 * The row of a changed ticket: its assignee before and after, and the command that undoes the change if an answer confirmed
 * it.
 */
function rowOf(
  { messages }: Context,
  result: AssignResult,
  names: ReadonlyMap<string, string>,
  batch: ReturnType<typeof onlyBatch>['batch'],
): AssignRow {
  const { previousAssigneeId: before, newAssigneeId: after, ticketId } = result
  const nameOf = (id: string) => names.get(id.toLowerCase()) ?? id
  const isConfirmed = batch.answer?.k === 'answered' && !wasAmbiguous(batch)
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

/** Whether a rule holds; undefined if svc cannot know. */
type Holds = boolean | undefined

/**
 * The service's rules for a change of assignee, each marked by whether it holds. `employees`: undefined if they could not be
 * read.
 */
function markedRules(
  ticket: Ticket | undefined,
  employees: readonly Employee[] | undefined,
  wanted: string,
) {
  const employee = employees?.find(({ id }) => isSameId(id, wanted))
  const assignee = ticket?.assigneeId
  const { title, rules } = assignRules
  const marked: [Holds, string][] = [
    [
      ticket?.status == null ? undefined : ticket.status === 'active',
      rules.active + said(ticket?.status),
    ],
    [ticket === undefined ? undefined : assignee != null, rules.assigned],
    // No operation shows which ticket of a chat is the current one.
    [undefined, rules.current],
    [employees && isActive(employees, employee), rules.employee + said(employee?.status)],
    [
      ticket === undefined ? undefined : assignee?.toLowerCase() !== wanted.toLowerCase(),
      rules.another,
    ],
    // The channel of the ticket is not known, but an employee without any channel has no access to it.
    [employee?.channels?.length === 0 ? false : undefined, rules.channel],
  ]
  return [
    title,
    ...marked.map(
      ([holds, rule]) =>
        `  ${(holds === undefined ? 'unknown' : holds ? 'yes' : 'no').padEnd(9)}${rule}`,
    ),
  ].join('\n')
}

/** The status that the service reports, in brackets on one line. */
function said(status: string | null | undefined) {
  return status == null ? '' : ` (it is ${JSON.stringify(status)})`
}

/** Changes the assignee of one ticket, and shows both assignees. */
async function assignOne(
  context: Context,
  ticketId: string,
  options: Parameters<typeof newStart>[1]['options'],
  parties: { to: string | undefined; ifAssignee: string | undefined },
) {
  // A forbidden change and a folder that cannot be written are errors before the first request.
  if (options.dryRun !== true) {
    await context.permit({ operation: 'tickets.assign', ids: 1 })
    await (await context.runs()).prepare()
  }
  const { neededFields } = context.print
  // Read before the change: after it, nothing optional may fail.
  const showsNames = neededFields.includes('before') || neededFields.includes('after')
  const names =
    showsNames && options.dryRun !== true
      ? await employeeNames(context, context.employees)
      : new Map<string, string>()
  const typed = { ids: [ticketId], options, parties, isOne: true }
  const ended = await startOne(context, newStart('tickets.assign', typed))
  // A dry run, or a plan.
  if (ended.kind === 'one') return ended
  const { batch, outcome } = onlyBatch(ended)
  if (batch.formerAssignee === undefined && batch.attempts > 0)
    context.note('the ticket could not be read beforehand; the change was sent anyway')
  if (outcome !== 'done') {
    if (outcome !== 'unknown' && !isAmbiguous(batch))
      throw await notMadeError(context, ended, ticketId, names)
    const look = say`${mayArrive(context.host)}; then check who has the ticket:\n  ${svc`tickets get ${ticketId}`}`
    throw failedChange(ended, say`the change may or may not have been made;\n${look}`)
  }
  const result = resultOf(context, ended, ticketId)
  // 10 if the change was made, but its record is incomplete.
  const { exitCode } = ended.summary.document
  return one(rowOf(context, result, names, batch), { json: result, exitCode })
}

export const verb = defineVerb({
  description:
    'Change the assignee of a ticket, or of the tickets in a file: ids with --to, or the columns ticket and employee.\n' +
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
      summary: 'ticket id, or an address with one ticket id in it',
    },
  ],
  options: {
    ...bulkOptions('tickets.assign'),
    to: {
      value: 'employee',
      takes: 'employee',
      summary: 'the new assignee: employee id or "First Last"; asked for on a terminal',
    },
    ifAssignee: {
      value: 'employee',
      takes: 'employee',
      summary: 'only while this employee is the assignee (else kept)',
    },
  },
  effect: 'tickets.assign',
  shows: oneChangeView(assignView, () => AssignResult),
  bulkShows: operationView('tickets.assign'),
  run: async (context, [ticket], options) => {
    const { file, to, ifAssignee } = options
    const parties = { to, ifAssignee }
    refuseBoth(file, { 'a ticket': ticket })
    if (file.length > 0) {
      return startBulk(context, newStart('tickets.assign', { ids: [], options, parties }))
    }
    if (ticket === undefined) {
      throw usageError(
        'tickets assign needs a ticket, and its new assignee with --to',
        say`${svcWords('tickets assign <ticket> --to <employee>')}, or --file <file>`,
      )
    }
    return assignOne(context, parseTicket(ticket), options, parties)
  },
})
