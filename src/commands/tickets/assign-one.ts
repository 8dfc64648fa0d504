/** One change of assignee, from the reading before to what may be claimed of it, and the command that undoes it. */
import { say, svc } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import { assignRules, idPattern, mayArrive } from '../../api/limits.ts'
import type { AssignResult, Employee, Ticket } from '../../api/schemas.ts'
import type { Named } from '../../api/names.ts'
import { isAmbiguous, isSameId, landingOf } from '../../bulk/record/batch-state.ts'
import type { SingleEnding } from '../../bulk/sessions/single.ts'
import { SvcError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'
import type { AssignRow } from '../../views/assign.ts'
import { dryRunOf } from '../dry-run.ts'
import { employeeNames, type Employees } from './names.ts'
import { safe } from '../../output/text/safe.ts'

/** The change: the new assignee, and the one whose ticket it must be. */
export interface AssignChoice {
  readonly ticketId: string
  readonly wanted: Named
  readonly expected: Named | undefined
  readonly employees: Employees
}

/** By reads only. A ticket that cannot be read loses its assignee of now, and nothing else. */
export async function previewAssign(
  context: Context,
  { ticketId, wanted, expected, employees }: AssignChoice,
) {
  const { tickets } = await context.api()
  const ticket = await tickets.chunk(ticketId).then(
    (chunk) => chunk.ticket,
    (error: unknown) => {
      if (
        !(error instanceof SvcError) ||
        error.category === 'interrupted' ||
        error.category === 'auth'
      )
        throw error
      context.note(
        `the ticket could not be read, so its assignee is unknown: ${safe(error.message)}`,
      )
    },
  )
  const names = await employeeNames(context, employees)
  const before = ticket === undefined ? undefined : (ticket.assigneeId ?? null)
  const now = before === undefined ? undefined : inWords(names, before)
  const condition = expected === undefined ? '' : ` if ${label(expected)} is its assignee`
  return dryRunOf(
    context,
    `assign the ticket ${ticketId} to ${label(wanted)}${condition}`,
    'tickets.assign',
    {
      ticketId,
      ...(before === undefined ? {} : { previousAssigneeId: before }),
      ...(expected === undefined ? {} : { ifAssigneeId: expected.id }),
      body: { newAssigneeId: wanted.id },
      changes: [{ what: 'assignee', before: now, after: inWords(names, wanted.id) }],
    },
  )
}

/** Returns the row and its JSON form. Throws exit 6 when it was refused, exit 7 when it is unknown. */
export async function assignOne(
  context: Context,
  choose: () => Promise<AssignChoice>,
): Promise<[AssignRow, { json: AssignResult }]> {
  const { changeOne } = await import('../../bulk/sessions/single.ts')
  const ending = await changeOne(context, 'tickets.assign', async () => {
    const choice = await choose()
    const { ticketId: id, wanted, expected, employees } = choice
    const seen: Seen = { ticket: undefined, answer: undefined }
    const api = watching(await context.api(), seen)
    // Read before the change: nothing that is only a help may fail after it.
    const showsNames = ['before', 'after'].some((field) => context.print.shown.includes(field))
    const names = showsNames ? await employeeNames(context, employees) : new Map<string, string>()
    const question = await context.questionIfProtected(
      `Assign the ticket ${id} to ${label(wanted)}`,
    )
    return { ...choice, id, other: wanted.id, ifAssignee: expected?.id, question, api, names, seen }
  })
  const result = await conclude(context, ending)
  return [
    describe(context, result, ending.names, ending.state.answer !== undefined),
    { json: result },
  ]
}

/** Answers that came back, whole. */
interface Seen {
  /** As it was before the change, which is what the rules are about. */
  ticket: Ticket | undefined
  answer: AssignResult | undefined
}

function watching(api: Api, seen: Seen): Api {
  const chunk: Api['tickets']['chunk'] = async (ticketId, cursor) => {
    const read = await api.tickets.chunk(ticketId, cursor)
    seen.ticket ??= read.ticket
    return read
  }
  const assign: Api['tickets']['assign'] = async (ticketId, newAssigneeId, hooks) => {
    seen.answer = await api.tickets.assign(ticketId, newAssigneeId, hooks)
    return seen.answer
  }
  return { ...api, tickets: { ...api.tickets, chunk, assign } }
}

/** An employee in words: by the name that was typed, else by id. */
function label({ id, name }: Named): string {
  return name === undefined ? id : `"${name}"`
}

/** How one change of assignee ended, and what it takes to say so. */
interface AssignEnding extends AssignChoice, SingleEnding {
  readonly names: ReadonlyMap<string, string>
  readonly seen: Seen
}

/** The result, as far as it is known. Throws exit 6 when it was refused, exit 7 when it is unknown. */
async function conclude(context: Context, ending: AssignEnding): Promise<AssignResult> {
  if (ending.outcome === 'done') return done(context, ending)
  if (ending.outcome === 'error' && !isAmbiguous(ending.state)) throw await refusal(ending)
  const { singleError } = await import('../../bulk/sessions/single.ts')
  const look = say`${mayArrive(context.host)}; then check who has the ticket:\n  ${svc`tickets get ${ending.ticketId}`}`
  throw singleError(ending, say`the change may or may not have been made;\n${look}`)
}

function done(
  context: Context,
  { ticketId, wanted, state, seen: { ticket, answer } }: AssignEnding,
): AssignResult {
  if (answer !== undefined) {
    const landing = landingOf(state)
    if (landing !== undefined) {
      const until = context.host.now() + landing.lasts
      context.note(
        `an earlier attempt whose answer was lost can still take effect: do not undo this before ${new Date(until).toISOString()}`,
      )
    }
    return answer
  }
  const result = { ticketId, chatId: ticket?.chatId ?? null, newAssigneeId: wanted.id }
  if (state.attempts === 0) {
    context.note('the ticket already has this assignee; nothing was sent')
    return { ...result, previousAssigneeId: wanted.id }
  }
  context.note(
    'the answer was lost, but the ticket now has the new assignee: by this command, or by someone else',
  )
  // The assignee before it is known only if the ticket could be read before.
  return { ...result, previousAssigneeId: state.before?.id ?? null }
}

/** Certainly not applied. */
async function refusal(ending: AssignEnding): Promise<SvcError> {
  const { wanted, expected, state, failure } = ending
  if (state.declined === true || failure === undefined) {
    const now = inWords(ending.names, state.reading?.id)
    return new SvcError(
      'rejected',
      `the ticket's assignee is ${now}, not ${label(expected ?? wanted)}; nothing was sent`,
    )
  }
  return failure.category === 'rejected'
    ? failure.withHint(await rulesOf(ending, failure))
    : failure
}

/** An assignee: nobody, a name where it is known, else the id. */
function inWords(names: ReadonlyMap<string, string>, id: string | null | undefined): string {
  return id == null ? 'nobody' : JSON.stringify(names.get(id.toLowerCase()) ?? id)
}

async function rulesOf(
  { seen: { ticket }, employees, wanted }: AssignEnding,
  { details }: SvcError,
): Promise<string> {
  const all = await employees().catch(() => undefined)
  const rules = markedRules(ticket, all, wanted.id)
  return details.httpStatus === 404
    ? `the ticket or the employee may not exist in this company\n${rules}`
    : rules
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
    ...(before == null ? {} : { before: nameOf(before) }),
    after: nameOf(after),
    ...(undo === undefined ? {} : { undo: messages.textOf(undo) }),
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
  const employee = employees?.find(({ id }) => id.toLowerCase() === wanted.toLowerCase())
  const assignee = ticket?.assigneeId
  const { title, rules } = assignRules
  const marked: [Holds, string][] = [
    [
      ticket?.status == null ? undefined : ticket.status === 'active',
      rules.active + said(ticket?.status),
    ],
    [ticket === undefined ? undefined : assignee != null, rules.assigned],
    [undefined, rules.current],
    [isActive(employees, employee), rules.employee + said(employee?.status)],
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

/** The allowed values of an employee's status are not shown; only the two plain words are taken at their word. */
function isActive(
  employees: readonly Employee[] | undefined,
  employee: Employee | undefined,
): Holds {
  if (employees === undefined) return undefined
  if (employee === undefined) return false
  const status = employee.status?.toLowerCase()
  return status === 'active' ? true : status === 'inactive' ? false : undefined
}

/** The service's word, on one line. */
function said(status: string | null | undefined): string {
  return status == null ? '' : ` (it is ${JSON.stringify(status)})`
}
