/**
 * Rows of a table with more cells behind them, as csv or as a workbook: by the one writer of each, but for the user's own workbook, which is
 * given back as it is. `contacts match --annotate` writes its findings with it, and `bulk/files/annotate.ts` those of a bulk run.
 *
 * The input is read twice: once to know which columns and widths the new file has, and which finding each row has; and once more while the new
 * file is written, so that a million rows are never in memory. Of a user's own workbook the places of its rows are kept instead.
 */
import { usageError } from '../errors.ts'
import { type Row, type RowFinding, withCells } from './row.ts'
import type { FoundRows } from './search.ts'
import type { TableForm } from './table.ts'
import { csvCells } from '../output/formats/csv.ts'
import { safe } from '../safe-text.ts'
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
      if (sheet === undefined || table.path === undefined) {
        throw new TypeError('the input is no workbook')
      }
      const workbookOfUser = { sheet, path: table.path, name: table.input, hint }
      this.#layout = await layOutSheet(workbookOfUser, this.#places, this.#addition.widths)
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

  /** The file, piece by piece. `addedTo`: the texts of a row, once it is known what became of it. */
  async *bytes(addedTo: AddedTo): AsyncGenerator<Buffer> {
    if (this.#layout !== undefined) {
      const { ownWorkbook } = await import('../workbook/own-workbook.ts')
      yield* ownWorkbook(this.#layout, this.#places, (row) => addedTo(this.#findingOf(row)))
    } else if (isWorkbook(this.path)) {
      const widths = this.#columns.map((column) => widthFor(this.#longest[column]))
      const form = { widths: [...widths, ...this.#addition.widths], frozen: this.#rowsAbove }
      yield* workbook(form, this.#rows(addedTo))
    } else {
      yield* csvOf(this.#input.table, this.#rows(addedTo))
    }
  }

  async *#rows(addedTo: AddedTo): AsyncGenerator<readonly string[]> {
    const columns = this.#columns
    const isSheet = this.#input.table.format === 'xlsx'
    let above = 0
    for await (const rows of this.#input.all()) {
      for (const row of rows) {
        // A row of a sheet without a cell may be missing, but reasons name rows by their numbers.
        for (; isSheet && above < row.line - 1; above += 1) yield []
        above = Math.max(above, row.line)
        const added = addedTo(row)?.map((text) => safe(text))
        // Asked for once: a row cuts its cells when they are.
        const texts = row.cells
        const cells = columns.map((column) => texts[column] ?? '')
        yield added === undefined ? withoutBlankEnd(cells) : [...cells, ...added]
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

  /** Where the rows of the user's own workbook are, and what was found in them. */
  #takePlaces(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.origin === undefined) continue
      const { sheetRow } = row.origin
      const mark = row.kind === 'other' ? undefined : this.#findings.numberOf(row)
      if (row.kind === 'heading' && mark !== undefined) {
        const earlier = this.#addition.ownOf(row.cells)
        this.#places.takeHeading(sheetRow, earlier, mark)
      } else {
        this.#places.take(sheetRow, mark)
      }
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
        const isTooLong = cell.length > longestCell && isWorkbook(this.path)
        if (isTooLong) this.#refusal ??= this.#cellRefusal(row.line, column, cell.length)
      }
    }
  }

  /** Thrown once all rows were read: an input that is refused for another reason is told that first. */
  #cellRefusal(line: number, column: number, length: number): Error {
    const { input } = this.#input.table
    const place = `${input} ${this.unit} ${groupDigits(line)}, column ${columnName(column)}`
    const most = groupDigits(longestCell)
    return usageError(
      `${place}: ${groupDigits(length)} characters, and a cell of a workbook takes ${most}`,
      hint,
    )
  }
}

/** Widths of columns, in characters. */
const narrowest = 8
const widest = 60

/** Bytes of csv that are handed on at once. */
const pieceLength = 1 << 16

/** The width of a column whose longest text has so many characters. */
function widthFor(longest = 0): number {
  const margin = 2
  return Math.min(Math.max(longest, narrowest), widest) + margin
}

function withoutBlankEnd(cells: readonly string[]): readonly string[] {
  const last = cells.findLastIndex((cell) => cell !== '')
  return cells.slice(0, last + 1)
}

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

const blank: Row = {
  cells: [],
  line: 0,
  kind: 'other',
}

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

  get #readTable(): FoundRows['table'] {
    if (this.#table === undefined) throw new TypeError('the input was not read')
    return this.#table
  }

  /** How it is written. Known when it has been read. */
  get table(): TableForm {
    return this.#readTable.form
  }

  /** The sheet that was read, until it is dropped: its texts take memory. */
  get sheet(): FoundRows['table']['sheet'] {
    return this.#readTable.sheet
  }

  dropSheet(): void {
    this.#readTable.sheet = undefined
  }

  /** Takes rows as they were read, and returns them with those that were skipped or are made. */
  take({ table, rows }: FoundRows): Row[] {
    const above = table === this.#table ? [] : this.#begin(table)
    const written = rows.flatMap((row) => this.#complete(row))
    return [...above, ...written]
  }

  /** All rows, read again, many at once. Throws exit 2 for what has no rows, as JSON. */
  async *all(): AsyncGenerator<readonly Row[]> {
    for await (const rows of this.#read()) yield this.take(rows)
  }

  #begin(table: FoundRows['table']): Row[] {
    const { format, skip, isSeparatorSkipped } = table.form
    this.#table = table
    this.#hasHeading = false
    if (format === 'lines') return []
    // Excel's sep= line is no row.
    const above = isSeparatorSkipped ? skip.lines - 1 : skip.lines
    return Array.from({ length: above }, () => blank)
  }

  /** A row as it is written; before the first one of a table without a heading, the heading that it gets. */
  #complete(row: Row): Row[] {
    const written = this.table.format === 'lines' ? withoutQuotes(row) : row
    const lacksHeading = !this.#hasHeading && (row.kind === 'data' || row.kind === 'invalid')
    if (row.kind === 'heading' || lacksHeading) this.#hasHeading = true
    return lacksHeading ? [this.#madeHeading(), written] : [written]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading(): Row {
    const [first = 0] = this.#readTable.places
    const before = Array.from({ length: first }, () => '')
    return {
      cells: [...before, ...this.#names],
      line: 0,
      kind: 'heading',
    }
  }
}

/** A row of a list, whose quotes a writer of csv would double. */
function withoutQuotes(row: Row): Row {
  const [text = ''] = row.cells
  return withCells(row, [text.replace(quotedLine, '$1')])
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
