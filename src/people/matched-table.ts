/** A table of people that is given back, with the match of each row in columns of its own. */
import { copyTable, type AddedTexts } from '../input/table-copy.ts'
import { shorten } from '../safe-text.ts'
import { matchHeadings } from './headings.ts'
import type { ContactMatch } from './match.ts'
import type { PeopleTable } from './people-table.ts'

/** Yields the table as a file. `matches` are those of its people, in their order. */
export function copyMatched(
  { table, rows, people }: PeopleTable,
  matches: readonly ContactMatch[],
  format: 'csv' | 'xlsx',
) {
  const textsByRow = new Map(
    people.map(({ tableRow, decided }, index) => [
      tableRow,
      textsOf(matches[index], decided !== undefined),
    ]),
  )
  return copyTable({
    table,
    rows,
    addedHeadings: matchHeadings,
    addedTextsOf: ({ row }) => textsByRow.get(row) ?? {},
    format,
  })
}

/** Returns the texts of the columns. A contactId in which somebody decided remains as it is. */
function textsOf(match: ContactMatch | undefined, isDecided: boolean): AddedTexts {
  return {
    contactId: isDecided ? undefined : (match?.contactId ?? undefined),
    MATCH: match?.match,
    WHY: match && shorten(match.why, 1000),
    CANDIDATES: match?.candidates.join('; '),
  }
}
