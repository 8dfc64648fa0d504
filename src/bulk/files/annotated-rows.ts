/**
 * Rows of a table with more cells behind them, as csv or as a workbook. What came in stays as it came, formulas of a csv included:
 * the file is the user's own. What we add is no formula and commands no terminal, and neither does what was no csv and becomes one.
 */
import { usageError } from '../../errors.ts'
import type { ReadTable } from '../../ids/rows.ts'
import { csvCells } from '../../output/formats/csv.ts'
import { safe } from '../../output/text/safe.ts'
import { longestCell, mostColumns, workbook } from '../../output/workbook/workbook.ts'
import { columnName, grouped } from '../../words.ts'
import type { SheetPlan } from './changed-sheet.ts'
import type { Addition, AnnotatedRow, InputRows, SortedRow } from './input-rows.ts'

/** How the file is written: the user's own workbook, or a new file whose columns are as wide as their longest text. */
export type Layout =
  | { readonly sheet: SheetPlan }
  | { readonly sheet?: undefined; readonly widths: readonly number[]; readonly rowsAbove: number }

export function isWorkbook(path: string): boolean {
  return /\.xlsx$/i.test(path)
}

export function unitOf({ format }: Pick<ReadTable, 'format'>): 'line' | 'row' {
  return format === 'xlsx' ? 'row' : 'line'
}

/** Reads the input for what has to be known before it is written. Throws exit 2 when it does not fit into the file at `path`. */
export async function layoutOf(path: string, input: InputRows, addition: Addition): Promise<Layout> {
  const longest: number[] = []
  let [count, rowsAbove] = [0, 0]
  for await (const some of withoutOwn(input.all(), addition)) {
    if (isWorkbook(path) && input.table.format === 'xlsx') {
      const { planSheet } = await import('./own-workbook.ts')
      return { sheet: await planSheet(input, addition) }
    }
    for (const { row, kind } of some) {
      count += 1
      if (kind === 'heading') rowsAbove = count
      row.cells.forEach((cell, column) => {
        if (row.origin !== undefined && cell === '') return
        longest[column] = Math.max(longest[column] ?? 0, cell.length)
        if (cell.length > longestCell && isWorkbook(path)) throw tooLong(input.table, row.line, column, cell)
      })
    }
  }
  const columns = longest.length + addition.widths.length
  if (columns <= mostColumns || !isWorkbook(path)) return { widths: longest, rowsAbove }
  throw usageError(
    `a workbook takes ${grouped(mostColumns)} columns, and it would have ${grouped(columns)}`,
    'write csv instead: --annotate <file>.csv',
  )
}

function tooLong(table: ReadTable, line: number, column: number, { length }: string): Error {
  return usageError(
    `${table.name} ${unitOf(table)} ${grouped(line)}, column ${columnName(column)}: ${grouped(length)} characters, and a cell of a workbook takes ${grouped(longestCell)}`,
    'write csv instead: --annotate <file>.csv',
  )
}

/** What to know of a workbook that was given back, once it is written: behind its name. */
export function aboutFilter({ sheet }: Layout, input: InputRows): string {
  if (sheet === undefined || input.sheet?.isFiltered !== true) return ''
  return '; if its filter does not cover the new columns, set it again before you sort by it'
}

/** The bytes of the file at `path`. `addedTo`: what is added to a row; undefined: it stays as it is. */
export async function* annotatedBytes(
  path: string,
  input: InputRows,
  { layout, ...addition }: Addition & { readonly layout: Layout },
  addedTo: (row: SortedRow) => readonly string[] | undefined,
): AsyncGenerator<Buffer> {
  if (layout.sheet !== undefined) {
    const { ownWorkbook } = await import('./own-workbook.ts')
    return yield* ownWorkbook(layout.sheet, annotated(input.all(), addedTo))
  }
  const { widths, rowsAbove } = layout
  const rows = annotated(withoutOwn(input.all(), addition), addedTo)
  if (input.table.format === 'xlsx')
    yield* sheetAsCsv(
      [...widths.keys()].filter((column) => column in widths),
      rows,
    )
  else if (!isWorkbook(path)) yield* csvOf(input, widths.length, rows)
  else {
    const columns = widths.map((length) => Math.min(Math.max(length, 8), widest) + 2)
    yield* workbook({ widths: [...columns, ...addition.widths], frozen: rowsAbove }, cellRows(rows, columns.length))
  }
}

async function* annotated(
  rows: AsyncIterable<readonly SortedRow[]>,
  addedTo: (row: SortedRow) => AnnotatedRow['added'],
): AsyncGenerator<AnnotatedRow[]> {
  for await (const some of rows) yield some.map((row) => ({ ...row, added: addedTo(row) }))
}

async function* withoutOwn(
  rows: AsyncIterable<readonly SortedRow[]>,
  { ownOf }: Addition,
): AsyncGenerator<readonly SortedRow[]> {
  let own: readonly number[] = []
  const trimmed = (sorted: SortedRow): SortedRow => {
    const { row, kind } = sorted
    if (kind === 'heading') own = ownOf(row.cells)
    if (kind === 'other' || own.length === 0) return sorted
    const cells: string[] = []
    row.cells.forEach((cell, column) => {
      if (!own.includes(column)) cells[row.origin === undefined ? cells.length : column] = cell
    })
    return { ...sorted, row: { ...row, cells }, isChanged: true }
  }
  for await (const some of rows) yield some.map(trimmed)
}

const widest = 60
const byteOrderMark = Buffer.from('\ufeff')

/** The text as it is, with what is added; a list becomes csv. In the encoding of the input. */
async function* csvOf(
  input: InputRows,
  width: number,
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  const { byteOrderMark: mark, encoding, delimiter, format, lineEnd } = input.table
  const written = (cells: readonly string[]): string => rawOf(csvCells(cells, { delimiter }))
  const asCsv = (text: string): string => (format === 'csv' ? text : text.replace(/[^\r\n]+/g, (line) => csvLine(line)))
  const lineOf = ({ row: { cells, span }, added, isChanged, isMade }: AnnotatedRow): string => {
    const before = asCsv(input.textTo(span?.from))
    const bytes = asCsv(input.textTo(span?.to))
    if (added === undefined) return before + bytes
    const own = isMade === true || isChanged === true ? written(cells) : bytes
    const between = delimiter.repeat(Math.max(0, width - cells.length) + 1)
    return `${before}${own}${between}${written(added)}${isMade === true ? lineEnd : ''}`
  }
  yield mark
  for await (const some of rows) yield encoded(some.map(lineOf).join(''), encoding)
  yield encoded(input.textTo(), encoding)
}

const quotedLine = /^\s*"(?:[^"]|"")*"\s*$/

/** A line of a list as a record of csv. A character is a byte; bytes that are no UTF-8 stay what they are. */
function csvLine(raw: string): string {
  if (quotedLine.test(raw)) return raw
  const text = Buffer.from(raw, 'latin1').toString('utf8')
  return rawOf(text) === raw ? rawOf(csvCells([text])) : csvCells([raw])
}

/** A text as its bytes, each as a character. */
function rawOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function encoded(raw: string, encoding: string): Buffer {
  const bytes = Buffer.from(raw, 'latin1')
  if (encoding === 'utf-8') return bytes
  const wide = Buffer.from(bytes.toString('utf8'), 'utf16le')
  return encoding === 'utf-16be' ? wide.swap16() : wide
}

/** With the mark by which spreadsheets know UTF-8. */
async function* sheetAsCsv(
  used: readonly number[],
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  yield byteOrderMark
  let last = 0
  for await (const some of rows) {
    let text = ''
    for (const { row, added } of some) {
      text += '\n'.repeat(Math.max(0, row.line - last - 1))
      if (row.line > 0) last = row.line
      const all = used.map((column) => row.cells[column] ?? '')
      const cells = all.slice(0, all.findLastIndex((cell) => cell !== '') + 1)
      text += csvCells(cells)
      if (added !== undefined) text += `${','.repeat(all.length - cells.length + 1)}${csvCells(added)}`
      text += '\n'
    }
    yield Buffer.from(text)
  }
}

async function* cellRows(
  rows: AsyncIterable<readonly AnnotatedRow[]>,
  width: number,
): AsyncGenerator<readonly string[]> {
  for await (const some of rows) {
    for (const { row, added } of some) {
      const between = Array.from({ length: Math.max(0, width - row.cells.length) }, () => '')
      yield added === undefined ? row.cells : [...row.cells, ...between, ...added.map((text) => safe(text))]
    }
  }
}
