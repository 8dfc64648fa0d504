/** The columns in which lists of contacts, and the messages of a ticket, are shown. */
import type { ContactList, TicketMessage } from '../api/schemas.ts'
import type { Format } from '../output/format.ts'
import { columnsFor, type View } from '../output/result.ts'

/** Many lists, a row each. */
export const contactListView: View<ContactList> = {
  columns: columnsFor(
    'id',
    'name',
    'contactsCount as CONTACTS',
    'updatedAt as UPDATED',
    'description',
  ),
  id: ({ id }) => id,
}

/** One list as key and value. */
export const oneContactListView: View<ContactList> = {
  columns: columnsFor(
    'id',
    'name',
    'description',
    'contactsCount as CONTACTS',
    'createdAt as CREATED',
    'updatedAt as UPDATED',
  ),
  id: ({ id }) => id,
}

/** A message as a row: on its own it says whose it is. */
export type MessageRow = TicketMessage & { ticketId: string }

const textColumns = columnsFor('text', 'attachments.fileName as ATTACHMENTS')

export const messageView: View<TicketMessage> = {
  columns: columnsFor(
    'sentAt as SENT',
    'direction:state',
    'fromName as FROM',
    ...textColumns,
  ),
  computed: { fromName: ({ fromId }) => fromId },
  rowSchema: async () => (await import('./documents.ts')).MessageRow,
  id: ({ id }) => id,
  message: (message) => message,
  defaultFormat: 'transcript',
}

/** Columns for programs: a message is found by its ids. */
const plainColumns = columnsFor(
  'ticketId',
  'id',
  'sentAt',
  'direction',
  'fromId',
  ...textColumns,
)

/** The view of messages: who wrote each by name, where it is known. Ids are in lower case. */
export function messageViewWith(names: ReadonlyMap<string, string>, format: Format) {
  const fromName = ({ fromId }: TicketMessage) =>
    fromId == null ? fromId : (names.get(fromId.toLowerCase()) ?? fromId)
  return {
    ...messageView,
    columns: format === 'csv' ? plainColumns : messageView.columns,
    computed: { fromName },
  }
}
