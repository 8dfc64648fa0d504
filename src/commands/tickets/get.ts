import { defineVerb, viewOf } from '../../cli/verb.ts'
import { parseTicket } from '../../values.ts'
import { one } from '../../output/result.ts'
import { employeeNames } from '../../api/names.ts'

/** A ticket, and its assignee by name when the employees could be read. */
const ticketView = viewOf(
  'Ticket',
  [
    'id',
    'status:state',
    'assignee',
    'chatId as CHAT',
    'startedAt as STARTED',
    'attribution.ad_id as AD',
  ],
  {
    computed: { assignee: ({ assignee, assigneeId }) => assignee ?? assigneeId },
    id: ({ id }) => id,
  },
)

export const ticketArgument = {
  name: 'ticket',
  takes: 'ticket',
  summary: 'ticket id, or an address with one ticket id in it',
  isRequired: true,
  parse: parseTicket,
} as const

export const verb = defineVerb({
  description: 'Show one ticket. A ticket that is still "new" cannot be read.',
  examples: [
    'svc tickets get 64000004caa033e218000000',
    'svc tickets get 64000004caa033e218000000 --json',
  ],
  arguments: [ticketArgument],
  effect: 'reads',
  shows: ticketView,
  run: async (context, [ticketId]) => {
    const api = await context.api()
    // The service has no request for one ticket. Its history contains it.
    const { ticket } = await api.tickets.chunk(ticketId)
    // JSON has the id alone, and needs no second request.
    const needsName = context.print.neededFields.includes('assignee')
    if (ticket.assigneeId == null || !needsName) return one(ticket)
    const names = await employeeNames(context, context.employees)
    const assignee = names.get(ticket.assigneeId.toLowerCase())
    return one({ ...ticket, assignee }, { json: ticket })
  },
})
