/** The description's tables: the fields of every resource. A `?` at the end: the field may be absent. */
import type { Shape } from './check.ts'

const identities = `phone email messengerA_phone messengerA_user_id messengerA_parent_user_id messengerB_user_id messengerB_username
  messengerB_phone messengerC_user_id messengerC_username messengerC_phone socialA_user_id socialB_user_id socialC_user_id socialC_username`

export const resources: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  ContactList: {
    id: 'id',
    name: 'name',
    description: 'text?',
    contactsCount: 'count',
    createdAt: 'time?',
    updatedAt: 'time?',
  },
  Pagination: {
    page: 'positive',
    limit: 'positive',
    total: 'count',
    totalPages: 'count',
    hasNext: 'boolean',
    hasPrev: 'boolean',
  },
  Contact: {
    id: 'id',
    firstName: 'text',
    lastName: 'text',
    identities: 'Identities',
    createdAt: 'time',
    updatedAt: 'time',
  },
  Identities: Object.fromEntries(identities.split(/\s+/).map((key) => [key, ['text']])),
  ListMember: { id: 'id', contact: 'Contact', createdAt: 'time' },
  Employee: {
    id: 'id',
    firstName: 'text',
    lastName: 'text',
    channels: ['id'],
    kind: 'text',
    position: 'text',
    access: 'text',
    status: 'text',
    createdAt: 'time',
  },
  Ticket: {
    id: 'id',
    chatId: 'id',
    status: 'text',
    assigneeId: 'id?',
    startedAt: 'time',
    attribution: 'Attribution?',
  },
  Attribution: { ad_id: 'text?' },
  Message: {
    id: 'digits',
    sentAt: 'time',
    fromId: 'text',
    direction: 'text',
    text: 'text',
    subject: 'text?',
    attachments: 'Attachments?',
    mediaGroupId: 'text?',
    version: 'anything?',
  },
  Attachment: {
    id: 'id',
    kind: 'text',
    fileName: 'text',
    mimeType: 'text',
    size: 'count',
    source: 'text?',
  },
}
