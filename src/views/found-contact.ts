/** The columns in which contacts are shown, with the lists that they are on. Called by the verbs that show contacts; `directory` makes them in this shape. */
import { columnOf, columnsFor } from '../output/columns.ts'
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A truncated number is useless: room for nearly every one with its plus. */
export const phoneFloor = 14

/** A contact and the lists that it was found on. */
export type FoundContact = Contact & {
  readonly lists: readonly { readonly id: string; readonly name: string }[]
}

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
  isStackedAlone: true,
}
