/** The columns in which contacts are shown, with the lists that they are on. */
import { columnOf, columnsFor } from '../output/columns.ts'
import { fullName } from '../api/names.ts'
import type { FoundContact } from '../api/people.ts'
import type { View } from '../output/result.ts'

/** A truncated number is useless: room for nearly every one with its plus. */
export const phoneFloor = 14

export const foundContactView: View<FoundContact> = {
  columns: columnsFor(
    'id as CONTACT',
    'name',
    { ...columnOf('identities.phone as PHONE'), floor: phoneFloor },
    'identities.email as EMAIL',
    'lists.name as LISTS',
  ),
  computed: { name: fullName },
  id: ({ id }) => id,
}
