import { employeeNames } from '../../api/by-name.ts'
import type { Ticket } from '../../api/schemas.ts'
import { defineVerb } from '../../cli/verb.ts'
import { hasColumns, id, one, text, time } from '../../output/result.ts'
import { parseTicket } from '../../identifiers.ts'

/** A ticket with the name of its assignee, or the id if the name is not known. */
type ShownTicket = Ticket & { assignee?: string }

export const ticketArgument = {
  name: 'ticket',
  summary: 'ticket id, or an address with one ticket id in it',
  isRequired: true,
  parse: parseTicket,
} as const

export const verb = defineVerb({
  summary: 'show one ticket',
  description: 'Show one ticket. A ticket that is still "new" cannot be read.',
  examples: [
    'svc tickets get 64000004caa033e218000000',
    'svc tickets get 64000004caa033e218000000 --json',
  ],
  arguments: [ticketArgument],
  isRead: true,
  columns: {
    ID: id('id'),
    STATUS: text('status'),
    ASSIGNEE: text('assignee'),
    CHAT: id('chatId'),
    STARTED: time('startedAt'),
    AD: text('attribution.ad_id'),
  },
  ids: 'id',
  act: async (context, [ticketId]) => {
    const api = await context.api()
    // The service has no request for a ticket alone, but the history of a ticket contains it.
    const { ticket } = await api.tickets.chunk(ticketId)
    const { assigneeId } = ticket
    // Tables and csv show the name. JSON has the id, which needs no second request.
    const showsName = hasColumns(context.print.format)
    if (assigneeId == null || !showsName) return one<ShownTicket>(ticket)
    const names = await employeeNames(context, context.employees)
    const assignee = names.get(assigneeId.toLowerCase()) ?? assigneeId
    return one<ShownTicket>({ ...ticket, assignee })
  },
})
