import { columnsFor } from '../output/columns.ts'
import type { View } from '../output/result.ts'
import type { ContactMatch } from './documents.ts'

export type { ContactMatch }

export const contactMatchView: View<ContactMatch> = {
  columns: columnsFor('row:number', 'match:state', 'contactId as CONTACT', 'name', 'by', 'lists.name as LISTS'),
  fields: [
    ...['row', 'match', 'contactId', 'name', 'by'],
    ...['lists', 'lists.id', 'lists.name', 'candidates', 'candidates.id', 'candidates.name'],
  ],
  id: ({ contactId }) => contactId ?? '',
}
