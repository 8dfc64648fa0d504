/** A table that is given back as csv or as a new workbook: its columns as they were read, and those that svc adds. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { workbook, type Cell } from '../workbook/writer.ts'
import { textAt, type Row } from './rows.ts'
import type { FoundRow, Table } from './table.ts'

/** Texts of a row by the headings of the columns that svc adds. Where there is none, the cell remains as it is. */
export type AddedTexts<Heading extends string = string> = Readonly<
  Partial<Record<Heading, string>>
>

export interface TableCopy {
  table: Table
  /** All rows below the heading. */
  rows: readonly FoundRow[]
  /**
   * The headings of the columns that svc adds, in their order. A column of the table with exactly such a heading is replaced in its
   * place; the others follow the table.
   */
  addedHeadings: readonly string[]
  addedTextsOf: (row: FoundRow) => AddedTexts
  isWorkbook: boolean
}

/** Throws a usage error for a table that cannot be given back. */
export function refuseJson({ name, source }: Table) {
  if (source.format.endsWith('json'))
    throw usageError(`${name} is JSON; only csv, workbooks and lists can be written again`)
}

/** Yields the file of a copy in pieces. */
export async function* copyTable(copy: TableCopy): AsyncGenerator<Buffer> {
  if (copy.isWorkbook) yield* workbook(linesOf(copy))
  else yield* csvOf(linesOf(copy), copy.table)
}

/** Yields the heading and the rows. Hidden rows and columns, and columns without any text, are left out. */
function* linesOf({
  table,
  rows,
  addedHeadings,
  addedTextsOf,
  isWorkbook,
}: TableCopy): Generator<Cell[]> {
  const { headings, heading } = table
  const shownRows = rows.filter(({ row }) => row.isHidden !== true)
  const columns = shownColumns(table, shownRows)
  const ownHeadings = columns.map((column) => headings[column] ?? '')
  const furtherHeadings = addedHeadings.filter((each) => !ownHeadings.includes(each))
  const numbers = columns.map((column) => `${column + 1}`)
  yield [...(heading === undefined ? numbers : ownHeadings), ...furtherHeadings]
  for (const found of shownRows) {
    const texts = addedTextsOf(found)
    const own = columns.map((column) => {
      const name = headings[column] ?? ''
      const text = addedHeadings.includes(name) ? texts[name] : undefined
      return text === undefined ? cellOf(found.row, column, name, isWorkbook) : safe(text)
    })
    const further = furtherHeadings.map((name) => safe(texts[name] ?? ''))
    yield [...own, ...further]
  }
}

/** Returns the columns that have any text and are not hidden, in their order. */
function shownColumns({ headings, source }: Table, rows: readonly FoundRow[]) {
  const filled = new Set<number>()
  for (const cells of [headings, ...rows.map(({ row }) => row.cells)])
    cells.forEach((text, column) => {
      if (text !== '') filled.add(column)
    })
  return [...filled]
    .filter((column) => source.isColumnHidden?.(column) !== true)
    .sort((one, other) => one - other)
}

function cellOf(row: Row, column: number, heading: string, isWorkbook: boolean): Cell {
  // A decision that was refused must not come back as an id.
  if (heading === 'contactId' && row.reasons?.[column] !== undefined) return ''
  const original = isWorkbook ? row.originals?.[column] : undefined
  return original ?? textAt(row, column)
}

/** How many characters of csv are yielded at once. */
const chunkLength = 1 << 16

function* csvOf(lines: Iterable<readonly Cell[]>, { needsMark, source }: Table) {
  let text = needsMark ? '\ufeff' : ''
  for (const line of lines) {
    const texts = line.map((cell) => (typeof cell === 'string' ? cell : ''))
    text += `${csvCells(texts, source.delimiter)}\n`
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
