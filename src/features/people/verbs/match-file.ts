/** Columns that `contacts match --annotate` adds to the rows of the table. */
import type { Addition, AddedTo } from '../../../input/annotated.ts'
import { addedHeadings } from '../headings.ts'
import type { Matching } from '../matching.ts'
import type { ContactMatch } from '../../../views/documents.ts'
import { firstOf } from '../../../words.ts'
import { shorten } from '../../../safe-text.ts'

export const addition: Addition = { headings: addedHeadings, names: [] }

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** The cells to add to each row, in the order of the rows. */
export function matchesOf({ rows, show }: Matching): AddedTo {
  let place = 0
  return ({ line }) => {
    const row = rows[place]
    if (row?.line !== line) return undefined
    place += 1
    return addedCells(show(row))
  }
}

function addedCells({
  match,
  contactId,
  name,
  by,
  lists,
  candidates,
  why,
}: ContactMatch): string[] {
  const some = (texts: readonly string[]): string => firstOf(texts, shownInCell).join('; ')
  const ids = candidates.map(({ id }) => id)
  return [
    contactId ?? '',
    match,
    by,
    shorten(name, 1000),
    some(lists.map((list) => list.name)),
    some(ids),
    shorten(why, 1000),
  ]
}
