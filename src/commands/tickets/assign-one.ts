/** One change of assignee, from the reading before to the command that undoes it. Reliability, section 2. */
import type { Api } from '../../api/api.ts'
import type { AssignResult, Employee, Ticket } from '../../api/contract.ts'
import { findEmployee } from '../../api/names.ts'
import { carryOut } from '../../bulk/carry-out.ts'
import { applyEvent, settleAssign, unsent, type BatchState } from '../../bulk/reconcile.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Document } from '../../output/output.ts'
import type { Tools } from '../../verb.ts'
import type { AssignRow } from '../../views/assign.ts'
import { planned } from '../planned.ts'
import { employeeNames } from './names.ts'

export async function planAssign(tools: Tools, ticket: string, to: string): Promise<Document<never>> {
  const employee = await findEmployee(await tools.api(), to)
  return planned(tools, `assign the ticket ${ticket} to ${employee.name ?? employee.id}`, 'tickets.assign', {
    ticketId: ticket,
    newAssigneeId: employee.id,
  })
}

/** Returns the row and its JSON form. Throws exit 6 when refused or changed by someone else, exit 7 when unknown. */
export async function assignOne(
  tools: Tools,
  ticketId: string,
  to: string,
  ifAssignee: string | undefined,
): Promise<[AssignRow, { json: AssignResult }]> {
  const api = await tools.api()
  const wanted = await findEmployee(api, to)
  const expected = ifAssignee === undefined ? undefined : await findEmployee(api, ifAssignee)
  await tools.confirmProtected(`Assign the ticket ${ticketId} to ${wanted.name ?? wanted.id}`)

  let state: BatchState = unsent
  let ticket: Ticket | undefined
  const job = {
    operation: 'tickets.assign',
    batch: 1,
    ids: [ticketId],
    other: wanted.id,
    target: undefined,
    ifAssignee: expected?.id,
  } as const
  const failure = await carryOut(watching(api, (read) => (ticket = read)), job, {
    state: () => state,
    now: () => tools.host.now(),
    emit: (event) => {
      if (event.t === 'read' && !event.ok && state.attempts === 0) {
        tools.note(`the ticket could not be read beforehand (${event.m ?? ''}); the change is sent all the same`)
      }
      state = applyEvent(state, event)
      return Promise.resolve()
    },
  })
  const result = await conclude(tools, api, { ticketId, wanted: wanted.id, expected: expected?.id, state, ticket, failure })
  return [await describe(tools, api, result), { json: result }]
}

/** The same API, with the tickets it reads shown to us. */
function watching(api: Api, seen: (ticket: Ticket) => void): Api {
  const chunk: Api['tickets']['chunk'] = async (ticketId, cursor) => {
    const read = await api.tickets.chunk(ticketId, cursor)
    seen(read.ticket)
    return read
  }
  return { ...api, tickets: { ...api.tickets, chunk } }
}

interface Ending {
  readonly ticketId: string
  readonly wanted: string
  readonly expected: string | undefined
  readonly state: BatchState
  readonly ticket: Ticket | undefined
  readonly failure: SvcError | undefined
}

async function conclude(tools: Tools, api: Api, ending: Ending): Promise<AssignResult> {
  const { ticketId, wanted, expected, state, ticket, failure } = ending
  const { outcomes, problem } = settleAssign({ id: ticketId, other: wanted }, state)
  switch (outcomes[0]) {
    case 'done':
      if (state.answer !== undefined) return state.answer.data as AssignResult
      if (state.attempts === 0) tools.note('the ticket has this assignee already; nothing was sent')
      else tools.note('the answer was lost; a reading afterwards shows the new assignee')
      return { ticketId, chatId: ticket?.chatId, previousAssigneeId: state.before?.id ?? wanted, newAssigneeId: wanted }
    case 'error':
      if (state.declined === true) {
        throw new SvcError('rejected', `the ticket's assignee is ${state.reading?.id ?? 'nobody'}, not ${expected ?? ''}; nothing was sent`)
      }
      if (problem !== undefined) throw new SvcError('rejected', `${problem}: it is ${state.reading?.id ?? 'nobody'} now`)
      throw failure?.category === 'rejected' ? failure.withHint(await rules(api, ending)) : (failure ?? unknown(ending, problem))
    case 'not-attempted':
      throw failure ?? unknown(ending, problem)
    default:
      throw unknown(ending, problem)
  }
}

function unknown({ ticketId, failure }: Ending, problem: string | undefined): SvcError {
  const hint = `see who has the ticket now:\n  svc tickets get ${ticketId}`
  if (failure !== undefined && failure.details.ambiguous === true) return failure.withHint(hint)
  return new SvcError('unavailable', `the outcome is unknown: ${problem ?? messageOf(failure)}`, { hint, ambiguous: true })
}

/** API: Change ticket assignee. Each rule marked: holds, broken, or not to be seen from here. */
async function rules(api: Api, { wanted, ticket }: Ending): Promise<string> {
  const employees = await api.employees.list().catch((): Employee[] | undefined => undefined)
  const employee = employees?.find(({ id }) => id.toLowerCase() === wanted.toLowerCase())
  const mark = (holds: boolean | undefined): string => (holds === undefined ? '?' : holds ? 'holds' : 'broken')
  const current = ticket?.assigneeId
  const lines: [string, string][] = [
    [mark(ticket?.status == null ? undefined : ticket.status === 'active'), `the ticket is active${ticket?.status == null ? '' : ` (it is "${ticket.status}")`}`],
    [mark(ticket === undefined ? undefined : current != null), 'the ticket has an assignee'],
    ['?', 'the ticket is the current one of its chat'],
    [
      mark(employees === undefined ? undefined : employee !== undefined && (employee.status == null || employee.status === 'active') && current?.toLowerCase() !== wanted.toLowerCase()),
      `the new assignee is an active employee, and another one than now${employee?.status == null ? '' : ` (status "${employee.status}")`}`,
    ],
    ['?', "the new assignee has access to the ticket's channel"],
  ]
  return ['the rules of a change of assignee, as far as they can be seen from here:', ...lines.map(([state, rule]) => `  ${state.padEnd(6)}  ${rule}`)].join('\n')
}

async function describe(tools: Tools, api: Api, result: AssignResult): Promise<AssignRow> {
  if (tools.print.format !== 'table') return result
  const names = await employeeNames(tools, api)
  const { previousAssigneeId: before, newAssigneeId: after, ticketId } = result
  const named = (id: string): string => names.get(id.toLowerCase()) ?? id
  return {
    ...result,
    ...(before == null ? {} : { before: named(before) }),
    after: named(after),
    ...(before == null || before === after ? {} : { undo: `svc tickets assign ${ticketId} --to ${before} --if-assignee ${after}` }),
  }
}

