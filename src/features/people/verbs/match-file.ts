/** `contacts match --annotate`: writes the table again, with the contact of each row after its columns. */
import { checkOutputs } from '../../../runs/files/files.ts'
import { AnnotatedTable, type Addition } from '../../../input/annotated.ts'
import { addedHeadings, ownColumns } from '../headings.ts'
import type { Matching } from '../matching.ts'
import type { Host } from '../../../host.ts'
import type { ContactMatch } from '../../../views/documents.ts'
import { firstOf } from '../../../words.ts'
import { checkPlace, writeWhole } from '../../../output/whole.ts'
import { shorten } from '../../../safe-text.ts'

const what = 'the annotated table'

const addition: Addition = {
  choices: addedHeadings.map((title) => (title === 'MATCH' ? ['no'] : [])),
  ownOf: ownColumns,
  names: [],
}

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** The table that is to be written again. Throws exit 2 for the file that it is read from, and for a place where it cannot be. */
export async function copyOf(
  host: Host,
  path: string,
  from: string,
): Promise<AnnotatedTable> {
  checkOutputs({ annotate: path, file: [from] })
  await checkPlace(host, { path, what })
  return new AnnotatedTable(path, addition)
}

/** Writes the table again, whole or not at all, and returns what to know of the file. */
export async function writeMatches(
  host: Host,
  table: AnnotatedTable,
  { rows, show }: Matching,
): Promise<string> {
  const { path } = table
  let place = 0
  const bytes = table.bytes(({ line, kind }) => {
    if (kind === 'heading') return addedHeadings
    const row = rows[place]
    if (row?.line !== line) return undefined
    place += 1
    return addedCells(show(row))
  })
  await writeWhole(host, { path, what }, async (draft) => {
    for await (const piece of bytes) await draft.write(piece)
  })
  return `wrote "${path}"${table.note}`
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
