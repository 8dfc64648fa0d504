/** The columns in which messages of tickets are shown. Called by `tickets history`, for one ticket and for several. */
import { columnOf, columnsFor } from '../output/columns.ts'
import type { Message } from '../api/schemas.ts'
import type { Format, View } from '../output/result.ts'

/** A message as a row: on its own it says whose it is. */
export type MessageRow = Message & { readonly ticketId: string }

const textColumns = columnsFor('text', 'attachments.fileName as ATTACHMENTS')

export const messageView: View<Message> = {
  columns: columnsFor(
    { ...columnOf('sentAt as SENT'), isDated: true },
    'direction:state',
    'fromName as FROM',
    ...textColumns,
  ),
  computed: { fromName: ({ fromId }) => fromId },
  row: async () => (await import('./documents.ts')).MessageRow,
  id: ({ id }) => id,
  message: (message) => message,
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

/** The view of one ticket's messages or several's: who wrote each by name, where it is known. Ids are in lower case. */
export function messageViewWith(
  names: ReadonlyMap<string, string>,
  format: Format,
  isOfSeveral: boolean,
) {
  const { columns } = messageView
  const ofTable = isOfSeveral ? columnsFor('ticketId as TICKET', ...columns) : columns
  const fromName = ({ fromId }: Message) =>
    fromId == null ? fromId : (names.get(fromId.toLowerCase()) ?? fromId)
  return {
    ...messageView,
    columns: format === 'csv' ? plainColumns : ofTable,
    computed: { fromName },
  }
}
