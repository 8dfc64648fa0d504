/** `contacts match --annotate`: the table again, with the contact of each row behind its columns. */
import { checkOutputs } from '../../bulk/files/annotate.ts'
import { AnnotatedTable, type Addition, InputRows } from '../../input/annotated.ts'
import { addedHeadings, ownColumns } from '../../directory/headings.ts'
import type { Matching } from '../../directory/matching.ts'
import { readPeopleRows, type PeopleOptions } from '../../directory/people-table.ts'
import { fileError } from '../../errno.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { ContactMatch } from '../../views/documents.ts'
import { groupDigits } from '../../words.ts'
import { writeWhole, type Draft } from '../../disk/whole.ts'
import { shorten } from '../../safe-text.ts'

const addition: Addition = { widths: [27, 12, 20, 30, 30, 54, 54], ownOf: ownColumns }

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** A table of people, which is read again when the contact of each row is known. */
interface PeopleTable {
  readonly path: string
  readonly choice: PeopleOptions
}

/**
 * Writes the table again with what `find` finds, whole or not at all, and tells what to know of the file. `find` hands over the rows
 * as it reads them. Throws exit 2 for a place where it cannot be, before anything is found, and for a table that cannot be read
 * twice or was changed meanwhile.
 */
export async function annotateMatches<T extends { readonly matching: Matching }>(
  host: Host,
  path: string,
  { path: from, choice }: PeopleTable,
  find: (table: Pick<AnnotatedTable, 'take' | 'layOut'>) => Promise<T>,
): Promise<T & { readonly note: string }> {
  checkOutputs({ annotate: path, file: [from] })
  return writeWhole(host, { path, what: 'the annotated table' }, async (draft) => {
    const state = await stateOf(host, from)
    const input = new InputRows(
      () => readPeopleRows({ kind: 'file', path: from, disk: host.disk }, choice),
      [],
    )
    const table = new AnnotatedTable(path, input, addition)
    const found = await find(table)
    await writeMatches(table, found.matching, draft, () => checkState(host, from, state))
    return { ...found, note: `wrote "${path}"${table.note}` }
  })
}

async function writeMatches(
  table: AnnotatedTable,
  matching: Matching,
  draft: Draft,
  check: () => Promise<void>,
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
  try {
    for await (const piece of bytes) await draft.write(piece)
  } finally {
    await check()
  }
  const missing = rows[place]
  if (missing === undefined) return
  throw new SvcError('local', `row ${groupDigits(missing.line)} of the table was not found again`, {
    hint: 'run the command again',
  })
}

async function checkState(host: Host, path: string, state: string): Promise<void> {
  if ((await stateOf(host, path)) === state) return
  throw usageError(`"${path}" was changed while it was matched`, 'run the command again')
}

/** A text that is another one after every change of the file. */
async function stateOf({ disk }: Host, path: string): Promise<string> {
  try {
    const found = path === '-' ? undefined : await disk.promises.stat(path, { bigint: true })
    if (found?.isFile() === true)
      return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join()
  } catch (error) {
    throw fileError('usage', `"${path}" cannot be read`, error)
  }
  throw usageError(
    `"${path}" cannot be read twice, as --annotate has to`,
    'save it as a file and name that with --file',
  )
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
  const some = (texts: readonly string[]): string => {
    const shown = texts.slice(0, shownInCell).join('; ')
    return texts.length > shownInCell
      ? `${shown} and ${groupDigits(texts.length - shownInCell)} more`
      : shown
  }
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
