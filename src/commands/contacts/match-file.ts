/** `contacts match --annotate`: the table again, with the contact of each row behind its columns. */
import { checkOutputs } from '../../bulk/files.ts'
import { AnnotatedTable, type Addition } from '../../input/annotated.ts'
import { addedHeadings, ownColumns } from '../../directory/headings.ts'
import type { Matching } from '../../directory/matching.ts'
import type { Host } from '../../host.ts'
import type { ContactMatch } from '../../views/documents.ts'
import { firstOf } from '../../words.ts'
import { writeWhole, type Draft } from '../../disk/whole.ts'
import { shorten } from '../../safe-text.ts'

const addition: Addition = {
  widths: [27, 12, 20, 30, 30, 54, 54],
  ownOf: ownColumns,
  names: [],
}

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** The table that is to be written again. Throws exit 2 for the file that it is read from. */
export function copyOf(path: string, from: string): AnnotatedTable {
  checkOutputs({ annotate: path, file: [from] })
  return new AnnotatedTable(path, addition)
}

/**
 * Writes the table again with what `find` finds, whole or not at all, and tells what to know of the file. Throws exit 2 for a place where it
 * cannot be, before anything is found.
 */
export async function annotateMatches(
  host: Host,
  table: AnnotatedTable,
  find: () => Promise<Matching>,
): Promise<{ readonly matching: Matching; readonly note: string }> {
  const { path } = table
  return writeWhole(host, { path, what: 'the annotated table' }, async (draft) => {
    const matching = await find()
    await writeMatches(table, matching, draft)
    return { matching, note: `wrote "${path}"${table.note}` }
  })
}

async function writeMatches(
  table: AnnotatedTable,
  matching: Matching,
  draft: Draft,
): Promise<void> {
  const { rows } = matching
  let place = 0
  const bytes = table.bytes(({ line, kind }) => {
    if (kind === 'heading') return addedHeadings
    const row = rows[place]
    if (row?.line !== line) return undefined
    place += 1
    return addedCells(matching.show(row))
  })
  for await (const piece of bytes) await draft.write(piece)
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
