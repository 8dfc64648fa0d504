/**
 * Rows of a table with more cells behind them, as csv or as a workbook. What came in stays as it came, formulas of a csv included:
 * the file is the user's own. What we add is no formula and commands no terminal, and neither does what was no csv and becomes one.
 */
import { usageError } from '../../errors.ts'
import { withCells } from '../../ids/row.ts'
import type { FoundRows } from '../../ids/search.ts'
import { csvCells } from '../../output/formats/csv.ts'
import { safe } from '../../output/text/safe.ts'
import { longestCell, mostColumns, workbook } from '../../output/workbook/workbook.ts'
import { columnName, grouped } from '../../words.ts'
import type { SheetPlan } from './changed-sheet.ts'
import type { AddedTo, InputRows, SortedRow } from './input-rows.ts'
import { SheetRecord } from './sheet-record.ts'

const hint = 'write csv instead: --annotate <file>.csv'

export function isWorkbook(path: string): boolean {
  return /\.xlsx$/i.test(path)
}

export interface Addition {
  readonly widths: readonly number[]
  /** The columns that an earlier one added, by the heading: they are replaced. */
  readonly ownOf: (heading: readonly string[]) => readonly number[]
}

/** A table that is to be written with more cells in its rows to the file at `path`. */
export class AnnotatedTable {
  readonly path: string
  readonly #input: InputRows
  readonly #addition: Addition
  readonly #withoutOwn: (row: SortedRow) => SortedRow
  /** Rows of the user's own workbook, which is given back. */
  readonly #sheet = new SheetRecord()
  #plan: SheetPlan | undefined
  /** Longest text of each column of a new file, its rows, and those up to the heading. */
  readonly #longest: number[] = []
  #count = 0
  #rowsAbove = 0
  #refusal: Error | undefined

  constructor(path: string, input: InputRows, addition: Addition) {
    this.path = path
    this.#input = input
    this.#addition = addition
    this.#withoutOwn = withoutOwn(addition)
  }

  get unit(): 'line' | 'row' {
    return this.#input.table.format === 'xlsx' ? 'row' : 'line'
  }

  /** Words behind its name, once it is written. */
  get note(): string {
    if (this.#plan?.isFiltered !== true) return ''
    return '; if its filter does not cover the new columns, set it again before you sort by it'
  }

  /** Takes rows of the reading that tells what has to be known before it is written. */
  take(rows: FoundRows): void {
    this.#measure(this.#input.take(rows, false))
  }

  async read(): Promise<void> {
    for await (const rows of this.#input.all(false)) this.#measure(rows)
  }

  /** When it was read: throws exit 2 when it does not fit into the file. */
  async layOut(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isOwn) {
      const { planSheet } = await import('./own-workbook.ts')
      this.#plan = await planSheet(this.#input, this.#sheet, this.#addition.widths)
      // Its texts are not needed any more.
      this.#input.dropSheet()
      return
    }
    const columns = this.#longest.length + this.#addition.widths.length
    if (columns <= mostColumns || !isWorkbook(this.path)) return
    throw usageError(`a workbook takes ${grouped(mostColumns)} columns, and it would have ${grouped(columns)}`, hint)
  }

  async *bytes(addedTo: AddedTo): AsyncGenerator<Buffer> {
    if (this.#plan !== undefined) {
      const { ownWorkbook } = await import('./own-workbook.ts')
      return yield* ownWorkbook(this.#plan, this.#sheet, addedTo)
    }
    const longest = this.#longest
    const rows = this.#rows(addedTo)
    if (this.#input.table.format === 'xlsx') yield* sheetAsCsv(Object.keys(longest).map(Number), rows)
    else if (!isWorkbook(this.path)) yield* csvOf(this.#input, longest.length, rows)
    else {
      const widths = longest.map((length) => Math.min(Math.max(length, 8), widest) + 2)
      const form = { widths: [...widths, ...this.#addition.widths], frozen: this.#rowsAbove }
      yield* workbook(form, cellRows(rows, widths.length))
    }
  }

  async *#rows(addedTo: AddedTo): AsyncGenerator<SortedRow[]> {
    for await (const some of this.#input.all(true)) {
      yield some.map((row) => ({ ...this.#withoutOwn(row), added: addedTo(row) }))
    }
  }

  get #isOwn(): boolean {
    return isWorkbook(this.path) && this.#input.table.format === 'xlsx'
  }

  #measure(rows: readonly SortedRow[]): void {
    if (rows.length === 0) return
    if (this.#isOwn) return this.#sheet.take(rows, this.#addition.ownOf)
    for (const { row, kind } of rows.map(this.#withoutOwn)) {
      this.#count += 1
      if (kind === 'heading') this.#rowsAbove = this.#count
      // A row of a sheet has holes, thousands of them before its last column.
      for (const [key, cell] of Object.entries(row.cells)) {
        const column = Number(key)
        if (row.origin !== undefined && cell === '') continue
        this.#longest[column] = Math.max(this.#longest[column] ?? 0, cell.length)
        if (cell.length > longestCell && isWorkbook(this.path))
          this.#refusal ??= usageError(
            `${this.#input.table.input} ${this.unit} ${grouped(row.line)}, column ${columnName(column)}: ${grouped(cell.length)} characters, and a cell of a workbook takes ${grouped(longestCell)}`,
            hint,
          )
      }
    }
  }
}

function withoutOwn({ ownOf }: Addition): (row: SortedRow) => SortedRow {
  let own: readonly number[] = []
  return (sorted) => {
    const { row, kind } = sorted
    if (kind === 'heading') own = ownOf(row.cells)
    if (kind === 'other' || own.length === 0) return sorted
    const cells: string[] = []
    row.cells.forEach((cell, column) => {
      if (!own.includes(column)) cells[row.origin === undefined ? cells.length : column] = cell
    })
    return { ...sorted, row: withCells(row, cells), isChanged: true }
  }
}

const widest = 60
const byteOrderMark = Buffer.from('\ufeff')

/** The text as it is, with what is added; a list becomes csv. UTF-8, with a mark if the input has one or is no UTF-8. */
async function* csvOf(input: InputRows, width: number, rows: AsyncIterable<readonly SortedRow[]>) {
  const { needsMark, delimiter, format, lineEnd } = input.table
  const written = (cells: readonly string[]): string => rawOf(csvCells(cells, { delimiter }))
  const asCsv = (text: string): string => (format === 'csv' ? text : text.replace(/[^\r\n]+/g, (line) => csvLine(line)))
  const lineOf = ({ row: { cells, span }, added, isChanged, isMade }: SortedRow): string => {
    const before = asCsv(input.textTo(span?.from))
    const bytes = asCsv(input.textTo(span?.to))
    if (added === undefined) return before + bytes
    const own = isMade === true || isChanged === true ? written(cells) : bytes
    const between = delimiter.repeat(Math.max(0, width - cells.length) + 1)
    return `${before}${own}${between}${written(added)}${isMade === true ? lineEnd : ''}`
  }
  if (needsMark()) yield byteOrderMark
  for await (const some of rows) yield encode(some.map(lineOf).join(''))
  yield encode(input.textTo())
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

/** Bytes that are no UTF-8 in a list of lines becomes U+FFFD: a file has one encoding. */
function encode(raw: string): Buffer {
  return Buffer.from(Buffer.from(raw, 'latin1').toString('utf8'))
}

/** With the mark by which spreadsheets know UTF-8. */
async function* sheetAsCsv(used: readonly number[], rows: AsyncIterable<readonly SortedRow[]>): AsyncGenerator<Buffer> {
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

async function* cellRows(rows: AsyncIterable<readonly SortedRow[]>, width: number): AsyncGenerator<readonly string[]> {
  for await (const some of rows) {
    for (const { row, added } of some) {
      const between = Array.from({ length: Math.max(0, width - row.cells.length) }, () => '')
      yield added === undefined ? row.cells : [...row.cells, ...between, ...added.map((text) => safe(text))]
    }
  }
}
