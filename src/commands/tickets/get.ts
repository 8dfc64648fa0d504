import { defineCommand } from '../../cli/command.ts'
import { parseTicket } from '../../values.ts'
import { one } from '../../output/result.ts'
import { schemaOf } from '../../cli/verb.ts'
import { ticketView } from '../../views/ticket.ts'
import { employeeNames } from './names.ts'

export const get = defineCommand({
  path: 'tickets get',
  summary: 'show one ticket',
  description: 'Show one ticket. A ticket that is still "new" cannot be read.',
  examples: [
    'svc tickets get 64000004caa033e218000000',
    'svc tickets get 64000004caa033e218000000 --json',
  ],
  arguments: [
    {
      name: 'ticket',
      summary: 'ticket id, or an address with one ticket id in it',
      isRequired: true,
      parse: parseTicket,
    },
  ],
  effect: 'reads',
  shows: { ...ticketView, schema: schemaOf('Ticket') },
  run: async (context, ticket) => {
    const api = await context.api()
    const { ticket: found } = await api.tickets.chunk(ticket)
    if (found.assigneeId == null || !context.print.shown.includes('assignee')) return one(found)
    const names = await employeeNames(context, context.employees)
    const assignee = names.get(found.assigneeId.toLowerCase())
    return one({ ...found, ...(assignee === undefined ? {} : { assignee }) }, { json: found })
  },
})
