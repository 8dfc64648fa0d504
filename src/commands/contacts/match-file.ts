/** `contacts match --annotate`: the table again, with the contact of each row behind its columns. */
import { checkOutputs } from '../../bulk/files/annotate.ts'
import { AnnotatedTable, type Addition } from '../../bulk/files/annotated-table.ts'
import { InputRows } from '../../bulk/files/input-rows.ts'
import { sha256Of } from '../../bulk/files/output-file.ts'
import { addedHeadings, ownColumns } from '../../directory/headings.ts'
import type { Matching } from '../../directory/matching.ts'
import { readPeopleRows, type PeopleOptions } from '../../directory/people-table.ts'
import { fileError } from '../../errno.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { shorten } from '../../ids/id.ts'
import type { ContactMatch } from '../../resources/contact-match.ts'
import { grouped } from '../../words.ts'
import { writeWhole, type Draft } from '../../output/whole-file.ts'

const addition: Addition = { widths: [27, 12, 20, 30, 30, 54], ownOf: ownColumns }

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** A table of people, which is read again when the contact of each row is known. */
interface PeopleTable {
  readonly path: string
  readonly choice: PeopleOptions
}

/**
 * Writes the table again with what `find` finds, whole or not at all, and tells what to know of the file. Throws exit 2 for a place where
 * it cannot be, before anything is found, and for a table that cannot be read twice or was changed meanwhile.
 */
export async function annotateMatches<T extends { readonly matching: Matching }>(
  host: Host,
  path: string,
  table: PeopleTable,
  find: () => Promise<T>,
): Promise<T & { readonly note: string }> {
  checkOutputs(host, { annotate: path, file: [table.path] })
  return writeWhole(host, { path, what: 'the annotated table' }, async (draft) => {
    const sha256 = await sumOf(host, table)
    const found = await find()
    try {
      const about = await writeMatches(host, { ...table, sha256 }, found.matching, { path, draft })
      return { ...found, note: `wrote "${path}"${about}` }
    } catch (error) {
      found.matching.close()
      throw error
    }
  })
}

async function writeMatches(
  host: Host,
  source: SummedTable,
  matching: Matching,
  to: { readonly path: string; readonly draft: Draft },
): Promise<string> {
  const { path, choice } = source
  const input = new InputRows(() => readPeopleRows({ kind: 'file', path, disk: host.disk }, choice), [])
  const table = new AnnotatedTable(to.path, input, addition)
  await table.read()
  await table.layOut()
  const matches = matching.matches()
  let next = matches.next()
  const bytes = table.bytes(({ line, kind }) => {
    if (kind === 'heading') return addedHeadings
    if (next.done === true || next.value.row !== line) return undefined
    const added = addedCells(next.value)
    next = matches.next()
    return added
  })
  try {
    for await (const piece of bytes) await to.draft.write(piece)
  } finally {
    await checkTable(host, source)
  }
  if (next.done === true) return table.note
  throw new SvcError('local', `row ${grouped(next.value.row)} of the table was not found again`, {
    hint: 'run the command again',
  })
}

type SummedTable = PeopleTable & { readonly sha256: string }

async function checkTable(host: Host, table: SummedTable): Promise<void> {
  if ((await sumOf(host, table)) === table.sha256) return
  throw usageError(`"${table.path}" was changed while it was matched`, 'run the command again')
}

async function sumOf(host: Host, { path }: PeopleTable): Promise<string> {
  try {
    if (path !== '-' && (await host.disk.promises.stat(path)).isFile()) return await sha256Of(host, path)
  } catch (error) {
    throw fileError('usage', `"${path}" cannot be read`, error)
  }
  throw usageError(
    `"${path}" cannot be read twice, as --annotate has to`,
    'save it as a file and name that with --file',
  )
}

function addedCells({ match, contactId, name, by, lists, candidates }: ContactMatch): string[] {
  const some = (texts: readonly string[]): string => {
    const shown = texts.slice(0, shownInCell).join('; ')
    return texts.length > shownInCell ? `${shown} and ${grouped(texts.length - shownInCell)} more` : shown
  }
  const ids = candidates.map(({ id }) => id)
  return [contactId ?? '', match, by, shorten(name, 1000), some(lists.map((list) => list.name)), some(ids)]
}
