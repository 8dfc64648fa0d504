import { columnOf, columnsFor } from '../output/columns.ts'
import type { View } from '../output/result.ts'
import type { ContactMatch } from './documents.ts'

export const contactMatchView: View<ContactMatch> = {
  columns: columnsFor(
    'row:number',
    'match:state',
    'contactId as CONTACT',
    'name',
    'by',
    'lists.name as LISTS',
  ),
  moreColumns: [{ ...columnOf('candidates'), most: 3 }],
  id: ({ contactId }) => contactId ?? '',
}
