/**
 * Rows of a table with more cells behind them, as csv or as a workbook. What came in stays as it came, formulas of a csv included:
 * the file is the user's own. What we add is no formula and commands no terminal, and neither does what was no csv and becomes one.
 */
import { usageError } from '../../errors.ts'
import type { ReadTable } from '../../ids/rows.ts'
import type { SheetCell } from '../../ids/workbook/row-reader.ts'
import { csvCells } from '../../output/formats/csv.ts'
import { safe } from '../../output/text/safe.ts'
import { longestCell, mostColumns, workbook, type Cell } from '../../output/workbook/workbook.ts'
import { columnName, grouped } from '../../words.ts'
import type { InputRows, SortedRow } from './input-rows.ts'

/** A row of the input, and what is written behind it. */
export interface AnnotatedRow extends SortedRow {
  readonly added: readonly string[] | undefined
  /** Its cells are other ones than those of the file. */
  readonly isChanged?: boolean
}

interface Layout {
  /** The longest text of each column. Those of a sheet that are not used are not there. */
  readonly widths: readonly number[]
  /** Down to the heading, which stays in sight in a workbook. */
  readonly rowsAbove: number
}

export function isWorkbook(path: string): boolean {
  return /\.xlsx$/i.test(path)
}

/** What a place in the input is called. */
export function unitOf({ format }: Pick<ReadTable, 'format'>): 'line' | 'row' {
  return format === 'xlsx' ? 'row' : 'line'
}

/** Finds out how wide the rows are. Throws exit 2 when they do not fit, with `added` more columns, into the file at `path`. */
export async function measure(
  input: InputRows,
  rows: AsyncIterable<readonly SortedRow[]>,
  path: string,
  added: number,
): Promise<Layout> {
  const widths: number[] = []
  let [count, rowsAbove] = [0, 0]
  for await (const some of rows) {
    const isSheet = input.table.format === 'xlsx'
    for (const { row, kind } of some) {
      count = isSheet && row.line > 0 ? row.line : count + 1
      if (kind === 'heading') rowsAbove = count
      row.cells.forEach((cell, column) => {
        if (isSheet && cell === '') return
        widths[column] = Math.max(widths[column] ?? 0, cell.length)
        if (cell.length > longestCell && isWorkbook(path)) throw tooLong(input.table, row.line, column, cell)
      })
    }
  }
  const columns = widths.filter(() => true).length + added
  if (columns <= mostColumns || !isWorkbook(path)) return { widths, rowsAbove }
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

/** The bytes of the file at `path`. `added`: the widths of what is added, in a workbook. */
export function annotatedBytes(
  path: string,
  input: InputRows,
  { widths, rowsAbove, added }: Layout & { readonly added: readonly number[] },
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  const used = [...widths.keys()].filter((column) => column in widths)
  if (!isWorkbook(path)) return input.table.format === 'xlsx' ? sheetAsCsv(used, rows) : csvOf(input, used.length, rows)
  const columns = used.map((column) => Math.min(Math.max(widths[column] ?? 0, 8), widest) + 2)
  return workbook({ widths: [...columns, ...added], frozen: rowsAbove }, cellRows(rows, used))
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

/** A line that is one cell of csv already. */
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
  used: readonly number[],
): AsyncGenerator<readonly Cell[]> {
  let last = 0
  for await (const some of rows) {
    for (const { row, added } of some) {
      const { origin } = row
      const gap = origin === undefined ? 0 : row.line - last - 1
      if (row.line > 0) last = row.line
      if (gap > 0) yield* Array.from({ length: gap }, () => [])
      const cells = used.map((column) => (origin === undefined ? row.cells[column] : valueOf(origin.value(column))))
      yield added === undefined ? cells : [...cells, ...added.map((text) => safe(text))]
    }
  }
}

/** The result of a formula is a value like any other. What is not of the form of its kind is text. */
function valueOf(cell: SheetCell | undefined): Cell {
  if (cell === undefined) return undefined
  const { kind, text, raw } = cell
  switch (kind) {
    case 'number':
      return isNumber(raw) ? { kind, raw } : text
    case 'date':
      return isNumber(raw) ? { kind: text.includes(' ') ? 'time' : text.includes('-') ? 'day' : 'clock', raw } : text
    case 'boolean':
      return text === '' ? undefined : { kind, raw: text === 'TRUE' ? 1 : 0 }
    case 'error':
      return /^#[A-Z0-9/]+[!?]?$/.test(text) ? { kind, raw: text } : text
    case 'text':
      return text
  }
}

function isNumber(raw: string): boolean {
  return raw.trim() !== '' && Number.isFinite(Number(raw))
}
