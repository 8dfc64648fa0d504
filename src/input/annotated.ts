/** Rows of a table with more cells behind them, as csv or as a workbook: by the one writer of each, but for the user's own workbook. */
import { usageError } from '../errors.ts'
import { type Row, type RowFinding, withCells } from './row.ts'
import type { FoundRows } from './search.ts'
import type { TableForm } from './table.ts'
import { csvCells } from '../output/formats/csv.ts'
import { safe } from '../output/text/safe.ts'
import { mostColumns } from '../workbook/cells.ts'
import { longestCell, workbook } from '../workbook/writer.ts'
import { columnName, groupDigits } from '../words.ts'
import type { SheetLayout } from '../workbook/changed-sheet.ts'
import { RowPlaces, type PlacedRow } from '../workbook/row-places.ts'
import { IdTable } from './id-table.ts'

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
  /** Rows of the user's own workbook, which is given back. */
  readonly #places = new RowPlaces()
  readonly #findings = new Findings()
  #layout: SheetLayout | undefined
  /** Longest text of each column that a new file has, its rows, and those up to the heading. */
  readonly #longest: number[] = []
  #count = 0
  #rowsAbove = 0
  /** Columns that an earlier annotation added. */
  #own: readonly number[] = []
  #refusal: Error | undefined

  constructor(path: string, input: InputRows, addition: Addition) {
    this.path = path
    this.#input = input
    this.#addition = addition
  }

  get unit(): 'line' | 'row' {
    return this.#input.table.format === 'xlsx' ? 'row' : 'line'
  }

  /** Words behind its name, once it is written. */
  get note(): string {
    if (this.#layout?.isFiltered !== true) return ''
    return '; if its filter does not cover the new columns, set it again before you sort by it'
  }

  /** Takes rows of the reading that tells what has to be known before it is written. */
  take(rows: FoundRows): void {
    this.#measure(this.#input.take(rows))
  }

  async read(): Promise<void> {
    for await (const rows of this.#input.all()) this.#measure(rows)
  }

  /** When it was read: throws exit 2 when it does not fit into the file. */
  async layOut(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isOwn) {
      const { layOutSheet } = await import('../workbook/own-workbook.ts')
      const { sheet, table } = this.#input
      if (sheet === undefined || table.path === undefined)
        throw new TypeError('the input is no workbook')
      const own = { sheet, path: table.path, name: table.input, hint }
      this.#layout = await layOutSheet(own, this.#places, this.#addition.widths)
      // Its texts are not needed any more.
      this.#input.dropSheet()
      return
    }
    const columns = this.#longest.length + this.#addition.widths.length
    if (columns <= mostColumns || !isWorkbook(this.path)) return
    throw usageError(
      `a workbook takes ${groupDigits(mostColumns)} columns, and it would have ${groupDigits(columns)}`,
      hint,
    )
  }

  async *bytes(addedTo: AddedTo): AsyncGenerator<Buffer> {
    if (this.#layout !== undefined) {
      const { ownWorkbook } = await import('../workbook/own-workbook.ts')
      yield* ownWorkbook(this.#layout, this.#places, (row) => addedTo(this.#findingOf(row)))
    } else if (isWorkbook(this.path)) {
      const widths = this.#columns.map(
        (column) => Math.min(Math.max(this.#longest[column] ?? 0, 8), widest) + 2,
      )
      const form = { widths: [...widths, ...this.#addition.widths], frozen: this.#rowsAbove }
      yield* workbook(form, this.#rows(addedTo))
    } else yield* csvOf(this.#input.table, this.#rows(addedTo))
  }

  async *#rows(addedTo: AddedTo): AsyncGenerator<readonly string[]> {
    const columns = this.#columns
    const isSheet = this.#input.table.format === 'xlsx'
    let above = 0
    for await (const some of this.#input.all()) {
      for (const each of some) {
        // A row of a sheet without a cell may be missing, but reasons name rows by their numbers.
        for (; isSheet && above < each.line - 1; above += 1) yield []
        above = Math.max(above, each.line)
        const added = addedTo(each)?.map((text) => safe(text))
        const own = each.cells
        const cells = columns.map((column) => own[column] ?? '')
        yield added === undefined
          ? cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)
          : [...cells, ...added]
      }
    }
  }

  /** Places of the input's own columns that have any text. */
  get #columns(): number[] {
    return Object.keys(this.#longest)
      .map(Number)
      .filter((column) => !this.#own.includes(column))
  }

  get #isOwn(): boolean {
    return isWorkbook(this.path) && this.#input.table.format === 'xlsx'
  }

  #takePlaces(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.origin === undefined) continue
      const { sheetRow } = row.origin
      const mark = row.kind === 'other' ? undefined : this.#findings.numberOf(row)
      if (row.kind === 'heading' && mark !== undefined)
        this.#places.takeHeading(sheetRow, this.#addition.ownOf(row.cells), mark)
      else this.#places.take(sheetRow, mark)
    }
  }

  #findingOf({ line, mark }: PlacedRow): RowFinding {
    return { line, ...this.#findings.at(mark) }
  }

  #measure(rows: readonly Row[]): void {
    if (rows.length === 0) return
    if (this.#isOwn) return this.#takePlaces(rows)
    for (const row of rows) {
      this.#count += 1
      if (row.kind === 'heading') {
        this.#rowsAbove = this.#count
        this.#own = this.#addition.ownOf(row.cells)
      }
      // A row of a sheet has holes, thousands of them before its last column.
      for (const [key, cell] of Object.entries(row.cells)) {
        const column = Number(key)
        if (row.origin !== undefined && cell === '') continue
        this.#longest[column] = Math.max(this.#longest[column] ?? 0, cell.length)
        if (cell.length > longestCell && isWorkbook(this.path))
          this.#refusal ??= usageError(
            `${this.#input.table.input} ${this.unit} ${groupDigits(row.line)}, column ${columnName(column)}: ${groupDigits(cell.length)} characters, and a cell of a workbook takes ${groupDigits(longestCell)}`,
            hint,
          )
      }
    }
  }
}

const widest = 60
const pieceLength = 1 << 16

/** UTF-8, with the mark by which spreadsheets know it if the input has one or is no UTF-8. */
async function* csvOf(
  { needsMark, delimiter, format, isSeparatorSkipped }: TableForm,
  rows: AsyncIterable<readonly string[]>,
): AsyncGenerator<Buffer> {
  let text = format === 'xlsx' || needsMark() ? '\ufeff' : ''
  if (isSeparatorSkipped) text += `sep=${delimiter}\n`
  for await (const cells of rows) {
    text += `${csvCells(cells, { delimiter })}\n`
    if (text.length < pieceLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** Texts that are added to a row; undefined: it stays as it is. */
type AddedTo = (row: RowFinding) => readonly string[] | undefined

const blank: Row = { cells: [], line: 0, kind: 'other' }

/** A line of a list that is a cell of csv. */
const quotedLine = /^\s*"([^"]*)"\s*$/

/**
 * The rows of a table as they are there, each with the id that was read from it or with what is wrong with it. It can be read again
 * and again. `names`: the heading that it gets when it has none.
 */
export class InputRows {
  readonly #read: () => AsyncIterable<FoundRows>
  readonly #names: readonly string[]
  #table: FoundRows['table'] | undefined
  #hasHeading = false

  constructor(read: () => AsyncIterable<FoundRows>, names: readonly string[]) {
    this.#read = read
    this.#names = names
  }

  get #known(): FoundRows['table'] {
    if (this.#table === undefined) throw new TypeError('the input was not read')
    return this.#table
  }

  /** How it is written. Known when it has been read. */
  get table(): TableForm {
    return this.#known.form
  }

  /** The sheet that was read, until it is dropped: its texts take memory. */
  get sheet(): FoundRows['table']['sheet'] {
    return this.#known.sheet
  }

  dropSheet(): void {
    this.#known.sheet = undefined
  }

  /** Takes rows as they were read, and returns them with those that were skipped or are made. */
  take({ table, rows }: FoundRows): Row[] {
    const above = table === this.#table ? [] : this.#begin(table)
    return [...above, ...rows.flatMap((found) => this.sort(found))]
  }

  /** All rows, read again, many at once. Throws exit 2 for what has no rows, as JSON. */
  async *all(): AsyncGenerator<readonly Row[]> {
    for await (const found of this.#read()) yield this.take(found)
  }

  #begin(table: FoundRows['table']): Row[] {
    const { format, skip, isSeparatorSkipped } = table.form
    this.#table = table
    this.#hasHeading = false
    // Excel's sep= line is no row.
    const above = format === 'lines' ? 0 : skip.lines - (isSeparatorSkipped ? 1 : 0)
    return Array.from({ length: above }, () => blank)
  }

  sort(row: Row): Row[] {
    const isLine = this.table.format === 'lines'
    const unquoted = isLine ? withCells(row, [(row.cells[0] ?? '').replace(quotedLine, '$1')]) : row
    const isMade = !this.#hasHeading && (row.kind === 'data' || row.kind === 'invalid')
    this.#hasHeading ||= row.kind === 'heading' || isMade
    return isMade ? [this.#madeHeading(), unquoted] : [unquoted]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading(): Row {
    const before = Array.from({ length: this.#known.places[0] ?? 0 }, () => '')
    return { cells: [...before, ...this.#names], line: 0, kind: 'heading' }
  }
}

type Finding = Pick<RowFinding, 'kind' | 'finding'>

/** The kinds and findings of a table's rows, each as a number: a million rows take a number each, and each text is there once. */
class Findings {
  readonly #ids = new IdTable()
  /** Findings of rows without an id. */
  readonly #others: Finding[] = []
  /** Their numbers, which are negative, by kind and text. */
  readonly #numbers = new Map<string, number>()

  /** The number of a row's finding: the position of its id, or a negative one for all else. */
  numberOf({ kind, finding = '', line }: RowFinding): number {
    if (kind === 'data' && finding !== '') {
      this.#ids.addText(finding, line)
      return this.#ids.indexOf(finding)
    }
    const key = `${kind} ${finding}`
    const before = this.#numbers.get(key)
    if (before !== undefined) return before
    const number = -this.#others.push({ kind, finding })
    this.#numbers.set(key, number)
    return number
  }

  at(number: number): Finding {
    return this.#others[-1 - number] ?? { kind: 'data', finding: this.#ids.id(number) }
  }
}
