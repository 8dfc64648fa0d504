import { columnOf, columnsFor } from '../output/columns.ts'
import type { ListMember } from '../api/schemas.ts'
import { fullName } from '../api/names.ts'
import type { View } from '../output/result.ts'
import { phoneFloor } from './found-contact.ts'

export const listMemberView: View<ListMember> = {
  columns: columnsFor(
    'contact.id as CONTACT',
    'name',
    { ...columnOf('contact.identities.phone as PHONE'), floor: phoneFloor },
    'contact.identities.email as EMAIL',
    'createdAt as JOINED',
  ),
  // A bare `id` is taken for the contact's, and a deletion of these would find nobody.
  renamed: 'id',
  computed: { name: ({ contact }) => fullName(contact), membershipId: ({ id }) => id },
  // The id of the contact, which other commands take, not of the membership, which none takes.
  id: ({ contact }) => contact.id,
}
