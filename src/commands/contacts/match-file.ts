/** `contacts match --annotate`: the table again, with the contact of each row behind its columns. */
import { checkOutputs, sourceOf } from '../../bulk/files/annotate.ts'
import { csvBytes, workbookBytes, type AnnotatedRow } from '../../bulk/files/annotated-rows.ts'
import { formOf, sortedRows, type InputForm, type SortedRow } from '../../bulk/files/input-rows.ts'
import { checkPlace, newToken, noFiles, OutputFile } from '../../bulk/files/output-file.ts'
import type { Source } from '../../bulk/record/run.ts'
import { rawOf } from '../../bulk/files/text-rows.ts'
import { addedHeadings, ownColumns } from '../../directory/headings.ts'
import type { Matching } from '../../directory/matching.ts'
import { SvcError, usageError } from '../../errors.ts'
import { shorten } from '../../ids/id.ts'
import { csvCells } from '../../output/formats/csv.ts'
import type { ContactMatch } from '../../resources/contact-match.ts'
import { grouped } from '../../words.ts'

const widths = [27, 12, 20, 30, 30, 54]
/** What a cell lists at most; all of it is in the JSON form. */
const shownInCell = 100

export class MatchFile {
  readonly #file: OutputFile
  readonly #source: Source

  private constructor(file: OutputFile, source: Source) {
    this.#file = file
    this.#source = source
  }

  /** Throws exit 2 for a place where it cannot be, and for a table that cannot be read twice. */
  static async open(
    path: string,
    table: { readonly path: string; readonly sheet: string | undefined },
  ): Promise<MatchFile> {
    checkOutputs({ annotate: path, file: [table.path] })
    await checkPlace(path, 'annotate', noFiles)
    const source = await readAgain(table)
    return new MatchFile(await OutputFile.open(path, 'annotate', newToken()), source)
  }

  /** Throws exit 2 when the table was changed meanwhile, and exit 10. */
  async write(matching: Matching, now: number): Promise<void> {
    const source = { ...this.#source, column: uniqueHeading(matching.table.columns.headings) }
    const form = await formOf(source, undefined)
    const layout = await measured(source, form)
    const rows = annotated(sortedRows(source, undefined, form), form, matching)
    const bytes = /\.xlsx$/i.test(this.#file.path) ? workbookBytes(layout, rows) : csvBytes(layout, rows)
    for await (const piece of bytes) await this.#file.write(piece)
    const { sha256 } = await readAgain(source)
    if (sha256 !== source.sha256)
      throw usageError(`"${source.path}" was changed while it was matched`, 'run the command again')
    await this.#file.finish(now)
    await this.#file.place(noFiles)
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }
}

async function readAgain({
  path,
  sheet,
}: {
  readonly path: string
  readonly sheet?: string | undefined
}): Promise<Source> {
  const source = await sourceOf([], { file: [path], journal: false, ...(sheet === undefined ? {} : { sheet }) })
  if (source !== undefined) return source
  throw usageError(
    `"${path}" cannot be read twice, as --annotate has to`,
    'save it as a file and name that with --file',
  )
}

/** By it the heading is found again. */
function uniqueHeading(headings: readonly string[]): string {
  const lower = headings.map((heading) => heading.toLowerCase())
  const found = headings.find(
    (heading, place) =>
      /\p{L}/u.test(heading) && lower.indexOf(lower[place] ?? '') === lower.lastIndexOf(lower[place] ?? ''),
  )
  if (found !== undefined) return found
  throw usageError('the columns of the table have no names of their own', 'give each column another heading')
}

class Trimmed {
  #own = new Set<number>()

  of({ row, kind }: SortedRow, { format, delimiter }: InputForm): SortedRow['row'] {
    if (kind === 'heading') this.#own = new Set(ownColumns(row.cells))
    if (kind === 'other' || this.#own.size === 0) return row
    const isKept = (_: unknown, column: number): boolean => !this.#own.has(column)
    const cells = row.cells.filter(isKept)
    const raw = format === 'csv' ? rawOf(csvCells(cells, { delimiter })) : row.raw
    return { ...row, cells, values: row.values.filter(isKept), raw }
  }
}

async function measured(source: Source, form: InputForm) {
  const longest: number[] = []
  const trimmed = new Trimmed()
  let [count, rowsAbove] = [0, 0]
  for await (const some of sortedRows(source, undefined, form)) {
    for (const sorted of some) {
      const row = trimmed.of(sorted, form)
      if (row.line !== form.separatorLine) count += 1
      if (sorted.kind === 'heading') rowsAbove = count
      for (const [column, { length }] of row.cells.entries()) longest[column] = Math.max(longest[column] ?? 0, length)
    }
  }
  return { form, widths: longest, addedWidths: widths, rowsAbove }
}

async function* annotated(
  rows: AsyncIterable<readonly SortedRow[]>,
  form: InputForm,
  matching: Matching,
): AsyncGenerator<AnnotatedRow[]> {
  const trimmed = new Trimmed()
  const matches = matching.matches()
  let next = matches.next()
  for await (const some of rows) {
    yield some.map((sorted) => {
      const row = trimmed.of(sorted, form)
      if (sorted.kind === 'heading') return { row, added: addedHeadings }
      if (next.done === true || next.value.row !== row.line) return { row, added: undefined }
      const added = addedCells(next.value)
      next = matches.next()
      return { row, added }
    })
  }
  if (next.done !== true)
    throw new SvcError('local', `row ${grouped(next.value.row)} of the table was not found again`, {
      hint: 'run the command again',
    })
}

function addedCells({ match, contactId, name, by, lists, candidates }: ContactMatch): string[] {
  const some = (texts: readonly string[]): string => {
    const shown = texts.slice(0, shownInCell).join('; ')
    return texts.length > shownInCell ? `${shown} and ${grouped(texts.length - shownInCell)} more` : shown
  }
  const ids = candidates.map(({ id }) => id)
  return [contactId ?? '', match, by, shorten(name, 1000), some(lists.map((list) => list.name)), some(ids)]
}
