import type { Ticket } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A ticket, and its assignee by name when the employees could be read. */
export type TicketRow = Ticket & { readonly assignee?: string | undefined }

export const ticketView: View<TicketRow> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'STATUS', field: 'status', kind: 'state' },
    { title: 'ASSIGNEE', field: 'assignee' },
    { title: 'CHAT', field: 'chatId', kind: 'id' },
    { title: 'STARTED', field: 'startedAt', kind: 'time' },
    { title: 'AD', field: 'attribution.ad_id' },
  ],
  fields: ['id', 'chatId', 'status', 'assigneeId', 'startedAt', 'attribution', 'attribution.ad_id'],
  computed: { assignee: ({ assignee, assigneeId }) => assignee ?? assigneeId },
  id: ({ id }) => id,
}
