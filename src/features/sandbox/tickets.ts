/**
 * The tickets of a company: their history in chunks, and who has them. Only the assignee changes; all else
 * is as the seed made it. The rules are quoted where they are checked, in the order in which the sandbox
 * checks them.
 */
import { limits } from '../../api/operations.ts'
import { refusals } from './exchange.ts'
import { day } from './ids.ts'
import type { SandboxCall } from './input.ts'
import type { SeedEmployee } from './seed/company.ts'
import type { SeedTicket } from './seed/tickets.ts'

/** API: operation 8. `cursor`: `chunkLastMessageId` of the request. */
export function historyOf(
  found: SeedTicket,
  cursor: string | undefined,
  { limitedHistory, now }: SandboxCall,
) {
  const { messages: messagesOf, channel: _, current: __, ...ticket } = found
  // API: operation 8, rule 4.
  if (ticket.status === 'new') {
    throw refusals.validation('the history is unavailable while the ticket is new')
  }
  // API: operation 8, rule 6.
  const age = now - Date.parse(ticket.startedAt)
  if (limitedHistory && age > limits.historyDays * day) throw refusals.history()
  const all = messagesOf()
  const start = cursor === undefined ? 0 : all.findIndex((message) => message.id === cursor)
  if (start < 0) {
    throw refusals.validation('chunkLastMessageId is not a message of this ticket')
  }
  const end = start + limits.messagesPerChunk
  const messages = all.slice(start, end)
  return { ticket, messages, nextChunkStartMessageId: all[end]?.id }
}

/** API: operation 9 and "States and transitions", rule 2. Each refusal names the rule that is broken. */
export function assign(
  ticket: SeedTicket,
  employees: readonly SeedEmployee[],
  newAssigneeId: string,
) {
  const { assigneeId: from, chatId } = ticket
  const wanted = newAssigneeId.toLowerCase()
  const employee = employees.find((one) => one.id === wanted)
  if (ticket.status !== 'active') throw refusals.validation('the ticket is not active')
  if (!ticket.current) {
    throw refusals.validation('the ticket is not the current ticket of its chat')
  }
  if (from === null) throw refusals.validation('the ticket has no assignee')
  if (employee === undefined) {
    throw refusals.validation('the new assignee is not an employee of the company')
  }
  if (employee.status !== 'active')
    throw refusals.validation('the new assignee is not active')
  if (employee.id === from)
    throw refusals.validation('the new assignee is the current assignee')
  if (!employee.channels.includes(ticket.channel)) {
    throw refusals.validation("the new assignee has no access to the ticket's channel")
  }
  const to = employee.id
  ticket.assigneeId = to
  return { ticketId: ticket.id, chatId, previousAssigneeId: from, newAssigneeId: to }
}
