import type { Message } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A message as a row: on its own it says whose it is. */
export type MessageRow = Message & { readonly ticketId: string }

export const messageView: View<Message> = {
  columns: [
    { title: 'SENT', field: 'sentAt', kind: 'time', isDated: true },
    { title: 'DIRECTION', field: 'direction', kind: 'state' },
    { title: 'FROM', field: 'fromId' },
    { title: 'TEXT', field: 'text' },
    { title: 'ATTACHMENTS', field: 'attachments.fileName' },
  ],
  fields: [
    ...['ticketId', 'id', 'sentAt', 'fromId', 'direction', 'text', 'subject', 'attachments'],
    ...['id', 'kind', 'fileName', 'mimeType', 'size', 'source'].map((field) => `attachments.${field}`),
    ...['mediaGroupId', 'version'],
  ],
  id: ({ id }) => id,
  message: (message) => message,
}

/** The same of several tickets. */
export const severalMessageView: View<Message> = {
  ...messageView,
  columns: [{ title: 'TICKET', field: 'ticketId', kind: 'id' }, ...messageView.columns],
}

/** The same as a table for people: who wrote a message by name, where the name is known. Ids are in lower case. */
export function namedMessageView(names: ReadonlyMap<string, string>, view = messageView): View<Message> {
  return {
    ...view,
    columns: view.columns.map((column) => (column.field === 'fromId' ? { ...column, field: 'from' } : column)),
    computed: { from: ({ fromId }) => (fromId == null ? fromId : (names.get(fromId.toLowerCase()) ?? fromId)) },
  }
}
