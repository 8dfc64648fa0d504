import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../schema-of.ts'
import { parseTicket } from '../../values.ts'
import { one, type View } from '../../output/result.ts'
import type { Ticket } from '../../api/schemas.ts'
import { columnsFor } from '../../output/columns.ts'
import { employeeNames } from '../../api/names.ts'

/** A ticket, and its assignee by name when the employees could be read. */
type TicketRow = Ticket & { readonly assignee?: string | undefined }

const ticketView: View<TicketRow> = {
  columns: columnsFor(
    'id',
    'status:state',
    'assignee',
    'chatId as CHAT',
    'startedAt as STARTED',
    'attribution.ad_id as AD',
  ),
  computed: { assignee: ({ assignee, assigneeId }) => assignee ?? assigneeId },
  id: ({ id }) => id,
  schema: schemaOf('Ticket'),
}

export const verb = defineVerb({
  description: 'Show one ticket. A ticket that is still "new" cannot be read.',
  examples: [
    'svc tickets get 64000004caa033e218000000',
    'svc tickets get 64000004caa033e218000000 --json',
  ],
  arguments: [
    {
      name: 'ticket',
      takes: 'ticket',
      summary: 'ticket id, or an address with one ticket id in it',
      isRequired: true,
      parse: parseTicket,
    },
  ],
  effect: 'reads',
  shows: ticketView,
  run: async (context, [ticket]) => {
    const api = await context.api()
    const { ticket: record } = await api.tickets.chunk(ticket)
    if (record.assigneeId == null || !context.print.shown.includes('assignee'))
      return one(record)
    const names = await employeeNames(context, context.employees)
    const assignee = names.get(record.assigneeId.toLowerCase())
    return one({ ...record, assignee }, { json: record })
  },
})
