/**
 * `svc tickets assign`: one ticket, with a question and the command that undoes the change, or a file of them as a bulk run. The file's
 * form comes from the operation (`bulk/operations/assign.ts`); what one ticket asks and shows is here.
 */
import { columnsFor } from '../../output/columns.ts'
import { AssignResult, type Employee, type Ticket } from '../../api/schemas.ts'
import { type View, one } from '../../output/result.ts'
import * as v from 'valibot'
import { say, svc, svcWords } from '../../message.ts'
import { isAmbiguous, isSameId } from '../../bulk/record/batch.ts'
import type { ParameterValues, Party } from '../../bulk/record/header.ts'
import type { OneEnding } from '../../bulk/job.ts'
import { employeeOf, isActive } from '../../bulk/operations/assign.ts'
import { assignRules, mayArrive } from '../../api/operations.ts'
import { partyIn } from '../../bulk/operations/operation.ts'
import { type OneForm, definePairVerb } from '../../cli/bulk-command.ts'
import type { Context } from '../../cli/context.ts'
import { SvcError, usageError } from '../../errors.ts'
import { idPattern, parseTicket } from '../../values.ts'
import { dryRunOf, failedChange, failureOf } from '../one-change.ts'
import { employeeNames } from '../../api/names.ts'
import { safe } from '../../safe-text.ts'

/** A changed assignee: both by name where known, and the command that undoes the change. */
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

/** One change of assignee that a command line names: what is asked, what its ending says, and the command that undoes it. */
const assignOne: OneForm<AssignRow> = {
  argument: {
    name: 'ticket',
    takes: 'ticket',
    summary: 'ticket id, or an address with one ticket id in it',
  },
  missing: usageError(
    'tickets assign needs a ticket, and its new assignee with --to',
    say`${svcWords('tickets assign <ticket> --to <employee>')}, or --file <file>`,
  ),
  shows: { ...assignView, schema: () => AssignResult },
  parse: (text) => parseTicket(text),
  begin(context, { id: ticketId }) {
    // Read before the change: nothing that is only a help may fail after it.
    let names: ReadonlyMap<string, string> = new Map()
    return {
      preview: (parameters) =>
        previewAssign(context, { ticketId, ...choiceIn(parameters) }),
      async question(parameters) {
        const showsNames = ['before', 'after'].some((field) =>
          context.print.shown.includes(field),
        )
        if (showsNames) names = await employeeNames(context, context.employees)
        const { wanted } = choiceIn(parameters)
        return context.questionIfProtected(
          `Assign the ticket ${ticketId} to ${label(wanted)}`,
        )
      },
      async show(ending, answer) {
        const choice = { ticketId, ...choiceIn(ending.parameters) }
        const result = await conclude(context, { ...ending, ...choice, names, answer })
        const { state } = ending
        const isConfirmed = state.answer?.k === 'answered' && !state.everAmbiguous
        return one(describe(context, result, names, isConfirmed), { json: result })
      },
    }
  },
}

/** The change: the new assignee, and the one whose ticket it must be. */
interface AssignChoice {
  readonly ticketId: string
  readonly wanted: Party
  readonly expected: Party | undefined
}

function choiceIn(parameters: ParameterValues): Pick<AssignChoice, 'wanted' | 'expected'> {
  const wanted = partyIn(parameters, 'to')
  if (wanted === undefined) throw new TypeError('a ticket was assigned to nobody')
  return { wanted, expected: partyIn(parameters, 'ifAssignee') }
}

/** By reads only. A ticket that cannot be read loses its assignee of now, and nothing else. */
async function previewAssign(
  context: Context,
  { ticketId, wanted, expected }: AssignChoice,
) {
  const ticket = await readTicket(context, ticketId)
  const names = await employeeNames(context, context.employees)
  const before = ticket === undefined ? undefined : (ticket.assigneeId ?? null)
  const now = before === undefined ? undefined : inWords(names, before)
  const condition = expected === undefined ? '' : ` if ${label(expected)} is its assignee`
  return dryRunOf(
    context,
    `assign the ticket ${ticketId} to ${label(wanted)}${condition}`,
    'tickets.assign',
    {
      ticketId,
      previousAssigneeId: before,
      ifAssigneeId: expected?.id,
      body: { newAssigneeId: wanted.id },
      changes: [{ what: 'assignee', before: now, after: inWords(names, wanted.id) }],
    },
  )
}

/** The ticket as it is now; undefined, with a note, when it cannot be read. */
async function readTicket(context: Context, ticketId: string): Promise<Ticket | undefined> {
  const { tickets } = await context.api()
  try {
    return (await tickets.chunk(ticketId)).ticket
  } catch (error) {
    if (!(error instanceof SvcError) || isOfAll(error)) throw error
    context.note(
      `the ticket could not be read, so its assignee is unknown: ${safe(error.message)}`,
    )
    return undefined
  }
}

/** Whether nothing else could be read either. */
const isOfAll = ({ category }: SvcError): boolean =>
  category === 'interrupted' || category === 'auth'

/** An employee in words: by the name that was typed, else by id. */
function label({ id, name }: Party): string {
  return name === undefined ? id : `"${name}"`
}

/** How one change of assignee ended, and what it takes to say so. */
interface AssignEnding extends AssignChoice, OneEnding {
  readonly names: ReadonlyMap<string, string>
  /** The answer of the service, whole: a run keeps four members of it. */
  readonly answer: unknown
}

/** The result, if it is known. Throws exit 6 if the change was refused, and exit 7 if the outcome is unknown. */
async function conclude(context: Context, ending: AssignEnding): Promise<AssignResult> {
  const { state } = ending
  if (state.before === undefined && state.attempts > 0)
    context.note('the ticket could not be read beforehand; the change was sent anyway')
  if (ending.outcome === 'done') return done(context, ending)
  if (ending.outcome === 'error' && !isAmbiguous(state))
    throw await refusal(context, ending)
  const look = say`${mayArrive(context.host)}; then check who has the ticket:\n  ${svc`tickets get ${ending.ticketId}`}`
  throw failedChange(ending, say`the change may or may not have been made;\n${look}`)
}

function done(context: Context, ending: AssignEnding): AssignResult {
  const { ticketId, wanted, state } = ending
  const accepted =
    state.answer?.k === 'answered' ? (ending.answer ?? state.answer.d) : undefined
  const answer = v.safeParse(AssignResult, accepted)
  if (answer.success) {
    if (state.everAmbiguous) {
      context.note(
        'an earlier attempt whose answer was lost can still take effect: look at the ticket before you undo this',
      )
    }
    return answer.output
  }
  // Only the answer to the change names the chat.
  const result = { ticketId, chatId: null, newAssigneeId: wanted.id }
  if (state.attempts === 0) {
    context.note('the ticket already has this assignee; nothing was sent')
    return { ...result, previousAssigneeId: wanted.id }
  }
  context.note(
    'the answer was lost, but the ticket now has the new assignee; this command or somebody else changed it',
  )
  // The assignee before it is known only if the ticket could be read before.
  return { ...result, previousAssigneeId: state.before?.id ?? null }
}

function refusalOf(status: number): 'auth' | 'forbidden' | 'rejected' {
  if (status === 401) return 'auth'
  return status === 403 ? 'forbidden' : 'rejected'
}

/** Certainly not applied. */
async function refusal(context: Context, ending: AssignEnding): Promise<SvcError> {
  const { wanted, expected, state } = ending
  const failure = failureOf(ending)
  const { reading } = state
  const isDeclined = state.attempts === 0 && reading?.id !== undefined
  if (failure === undefined && reading?.s !== undefined) {
    return new SvcError(
      refusalOf(reading.s),
      `the ticket's assignee is not known: it could not be read (${reading.m ?? 'refused'}); nothing was sent`,
      { httpStatus: reading.s },
    )
  }
  if (isDeclined || failure === undefined) {
    const now = inWords(ending.names, reading?.id)
    return new SvcError(
      'rejected',
      `the ticket's assignee is ${now}, not ${label(expected ?? wanted)}; nothing was sent`,
    )
  }
  // A repeated command has nothing left to send, and asks the service nothing.
  const isRepeated = ending.failure === undefined
  if (failure.category !== 'rejected' || isRepeated) return failure
  const all = await context.employees().catch(() => undefined)
  const ticket = await readTicket(context, ending.ticketId)
  const rules = markedRules(ticket, all, wanted.id)
  const isUnknown = failure.details.httpStatus === 404
  const unknown = isUnknown
    ? 'the ticket or the employee may not exist in this company\n'
    : ''
  return failure.withHint(unknown + rules)
}

/** An assignee: nobody, a name where it is known, else the id. */
function inWords(
  names: ReadonlyMap<string, string>,
  id: string | null | undefined,
): string {
  return id == null ? 'nobody' : JSON.stringify(names.get(id.toLowerCase()) ?? id)
}

/** Before, after, and the command that undoes it, if an answer said that it was this change. */
function describe(
  { messages }: Context,
  result: AssignResult,
  names: ReadonlyMap<string, string>,
  isConfirmed: boolean,
): AssignRow {
  const { previousAssigneeId: before, newAssigneeId: after, ticketId } = result
  const nameOf = (id: string): string => names.get(id.toLowerCase()) ?? id
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

/** Undefined: cannot be seen. */
type Holds = boolean | undefined

/** The rules of a change of assignee, each marked by what can be seen from here. `employees`: undefined when they could not be read. */
function markedRules(
  ticket: Ticket | undefined,
  employees: readonly Employee[] | undefined,
  wanted: string,
): string {
  const employee = employees && employeeOf(employees, wanted)
  const assignee = ticket?.assigneeId
  const { title, rules } = assignRules
  const marked: [Holds, string][] = [
    [
      ticket?.status == null ? undefined : ticket.status === 'active',
      rules.active + said(ticket?.status),
    ],
    [ticket === undefined ? undefined : assignee != null, rules.assigned],
    [undefined, rules.current],
    [employees && isActive(employees, employee), rules.employee + said(employee?.status)],
    [
      ticket === undefined ? undefined : assignee?.toLowerCase() !== wanted.toLowerCase(),
      rules.another,
    ],
    // Which channel the ticket has is not shown; an employee without any has no access to it.
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

/** The service's word, on one line. */
function said(status: string | null | undefined): string {
  return status == null ? '' : ` (it is ${JSON.stringify(status)})`
}

export const verb = definePairVerb(
  {
    operation: 'tickets.assign',
    description:
      'Change the assignee of a ticket, or of the tickets in a file: ids with --to, or the columns ticket and employee.\n' +
      'Tickets that the service refuses are named, and the others are assigned. Each is read before its change; the service\n' +
      'has no conditional change, so somebody else may change the assignee in between.',
    examples: [
      'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
      'svc tickets assign --file tickets.txt --to "Robin Berg" --dry-run',
      'svc tickets assign --file changes.csv --receipts out.csv',
    ],
  },
  assignOne,
)
