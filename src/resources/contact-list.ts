import type { ContactList } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

const fields = ['id', 'name', 'description', 'contactsCount', 'createdAt', 'updatedAt'] as const

/** Many lists, a row each. */
export const contactListView: View<ContactList> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'CONTACTS', field: 'contactsCount', kind: 'number' },
    { title: 'UPDATED', field: 'updatedAt', kind: 'time' },
    { title: 'DESCRIPTION', field: 'description' },
  ],
  fields,
  id: ({ id }) => id,
}

/** One list as key and value. */
export const oneContactListView: View<ContactList> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'DESCRIPTION', field: 'description' },
    { title: 'CONTACTS', field: 'contactsCount', kind: 'number' },
    { title: 'CREATED', field: 'createdAt', kind: 'time' },
    { title: 'UPDATED', field: 'updatedAt', kind: 'time' },
  ],
  fields,
  id: ({ id }) => id,
}
