import { columnOf, columnsFor } from '../output/columns.ts'
import type { Message } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A message as a row: on its own it says whose it is. */
export type MessageRow = Message & { readonly ticketId: string }

export const messageView: View<Message> = {
  columns: columnsFor(
    { ...columnOf('sentAt as SENT'), isDated: true },
    'direction:state',
    'fromId:text as FROM',
    'text',
    'attachments.fileName as ATTACHMENTS',
  ),
  row: async () => (await import('./documents.ts')).MessageRow,
  id: ({ id }) => id,
  message: (message) => message,
}

/** The same of several tickets. */
export const severalMessageView: View<Message> = {
  ...messageView,
  columns: columnsFor('ticketId as TICKET', ...messageView.columns),
}

/** The same as a table for people: who wrote a message by name, where the name is known. Ids are in lower case. */
export function namedMessageView(names: ReadonlyMap<string, string>, view = messageView): View<Message> {
  return {
    ...view,
    columns: view.columns.map((column) => (column.field === 'fromId' ? { ...column, field: 'from' } : column)),
    computed: { from: ({ fromId }) => (fromId == null ? fromId : (names.get(fromId.toLowerCase()) ?? fromId)) },
  }
}
