import type { Message } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

export const messageView: View<Message> = {
  columns: [
    { title: 'SENT', field: 'sentAt', kind: 'time' },
    { title: 'DIRECTION', field: 'direction', kind: 'state' },
    { title: 'FROM', field: 'fromId' },
    { title: 'TEXT', field: 'text' },
    { title: 'ATTACHMENTS', field: 'attachments.fileName' },
  ],
  fields: [
    'id',
    'sentAt',
    'fromId',
    'direction',
    'text',
    'subject',
    'attachments',
    'attachments.id',
    'attachments.kind',
    'attachments.fileName',
    'attachments.mimeType',
    'attachments.size',
    'attachments.source',
    'mediaGroupId',
    'version',
  ],
  id: ({ id }) => id,
  message: (message) => message,
}

/** The same as a table for people: who wrote a message by name, where the name is known. Ids are in lower case. */
export function namedMessageView(names: ReadonlyMap<string, string>): View<Message> {
  return {
    ...messageView,
    columns: messageView.columns.map((column) => (column.field === 'fromId' ? { ...column, field: 'from' } : column)),
    computed: { from: ({ fromId }) => (fromId == null ? fromId : (names.get(fromId.toLowerCase()) ?? fromId)) },
  }
}
