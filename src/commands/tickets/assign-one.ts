/** One change of assignee, from the reading before to the command that undoes it. */
import type { Api } from '../../api/client.ts'
import type { AssignResult, Ticket } from '../../api/schemas.ts'
import type { Named } from '../../api/names.ts'
import { applyEvent, undoableFrom, unsent, type BatchState } from '../../bulk/record/batch-state.ts'
import { sendBatch } from '../../bulk/sending/send.ts'
import { SvcError } from '../../errors.ts'
import type { Document } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import type { AssignRow } from '../../resources/assign.ts'
import { planned } from '../planned.ts'
import { conclude, describe, label } from './assign-ending.ts'
import { employeeNames, type Employees } from './names.ts'

/** The change: the new assignee, and the one whose ticket it must be. */
export interface AssignChoice {
  readonly ticketId: string
  readonly wanted: Named
  readonly expected: Named | undefined
  readonly employees: Employees
}

/** By reads only. A ticket that cannot be read loses its assignee of now, and nothing else. */
export async function planAssign(
  context: Context,
  { ticketId, wanted, expected, employees }: AssignChoice,
): Promise<Document<never>> {
  const { tickets } = await context.api()
  const ticket = await tickets.chunk(ticketId).then(
    (chunk) => chunk.ticket,
    (error: unknown) => {
      if (!(error instanceof SvcError) || error.category === 'interrupted' || error.category === 'auth') throw error
      context.note(`the ticket could not be read, so its assignee is unknown: ${error.message}`)
    },
  )
  const names = await employeeNames(context, employees)
  const named = (id: string): string => {
    const name = names.get(id.toLowerCase())
    return name === undefined ? id : JSON.stringify(name)
  }
  const before = ticket === undefined ? undefined : (ticket.assigneeId ?? null)
  const condition = expected === undefined ? '' : ` if ${label(expected)} is its assignee`
  const assignee = before === null ? 'nobody' : before === undefined ? undefined : named(before)
  return planned(context, `assign the ticket ${ticketId} to ${label(wanted)}${condition}`, 'tickets.assign', {
    ticketId,
    ...(before === undefined ? {} : { previousAssigneeId: before }),
    ...(expected === undefined ? {} : { ifAssigneeId: expected.id }),
    body: { newAssigneeId: wanted.id },
    changes: [{ what: 'assignee', before: assignee, after: named(wanted.id) }],
  })
}

/** Returns the row and its JSON form. Throws exit 6 when it was refused, exit 7 when it is unknown. */
export async function assignOne(context: Context, choice: AssignChoice): Promise<[AssignRow, { json: AssignResult }]> {
  const { ticketId, wanted, expected, employees } = choice
  const api = await context.api()
  // Read before the change: nothing that is only a help may fail after it.
  const showsNames = ['before', 'after'].some((field) => context.print.shown.includes(field))
  const names = showsNames ? await employeeNames(context, employees) : new Map<string, string>()
  await context.confirmProtected(`Assign the ticket ${ticketId} to ${label(wanted)}`)

  let state: BatchState = unsent
  const seen: Seen = { ticket: undefined, answer: undefined }
  const operation = 'tickets.assign' as const
  const job = { operation, batch: 1, ids: [ticketId], other: wanted.id, target: undefined, ifAssignee: expected?.id }
  const failure = await sendBatch(watching(api, seen), job, {
    state: () => state,
    mayStart: () => true,
    slot: { acquire: () => undefined, release: () => undefined },
    now: () => context.host.now(),
    emit: (event) => {
      if (event.t === 'read' && !event.ok && state.attempts === 0) {
        context.note(`the ticket could not be read beforehand (${event.m ?? ''}); sending the change anyway`)
      }
      state = applyEvent(state, event)
      return Promise.resolve()
    },
  })
  const result = await conclude(context, { ...choice, names, state, ...seen, failure })
  return [describe(result, names, undoableFrom(state) !== undefined), { json: result }]
}

/** What came back, whole: a batch keeps no more of it than its claims need. */
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
