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
