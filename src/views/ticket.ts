import { columnsFor } from '../output/columns.ts'
import type { Ticket } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A ticket, and its assignee by name when the employees could be read. */
export type TicketRow = Ticket & { readonly assignee?: string | undefined }

export const ticketView: View<TicketRow> = {
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
}
