/**
 * Rows of a table with more cells behind them, as csv or as a workbook: by the one writer of each, but for the user's own workbook, which is
 * given back as it is. `contacts match` writes what it found with it, and a run its outcomes.
 *
 * The rows are kept from the reading that found out what is in them, so that an input is read once.
 */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/formats/csv.ts'
import { safe } from '../safe-text.ts'
import { mostColumns } from '../features/workbook/cells.ts'
import type { SheetLayout } from '../features/workbook/own-workbook.ts'
import { longestCell, workbook } from '../features/workbook/writer.ts'
import { groupDigits } from '../words.ts'
import { rowOf, type Row } from './row.ts'
import type { ReadTable } from './table.ts'

const hint = 'write csv instead: --annotate <file>.csv'

export function isWorkbook(path: string): boolean {
  return /\.xlsx$/i.test(path)
}

export interface Addition {
  readonly widths: readonly number[]
  /** The columns that an earlier one added, by the heading: they are replaced. */
  readonly ownOf: (heading: readonly string[]) => readonly number[]
  /** The heading of the columns that are read, for a table without one. */
  readonly names: readonly string[]
}

/** Texts that are added to a row; undefined: it stays as it is. */
type AddedTo = (row: Row) => readonly string[] | undefined

/** Characters of each column of the input in a new workbook. */
const width = 24

/** How many bytes of csv are passed on at once. */
const pieceLength = 1 << 16

/** A line of a list that is a cell of csv, whose quotes a writer of csv would double. */
const quotedLine = /^\s*"([^"]*)"\s*$/

/** A table that is to be written with more cells in its rows to the file at `path`. */
export class AnnotatedTable {
  readonly path: string
  readonly #addition: Addition
  #table: ReadTable | undefined
  readonly #rows: Row[] = []
  #hasHeading = false
  /** Columns that an earlier annotation added. */
  #own: readonly number[] = []
  /** Places of the columns that have any text, and the length of the longest cell. */
  readonly #used = new Set<number>()
  #longest = 0
  #layout: SheetLayout | undefined

  constructor(path: string, addition: Addition) {
    this.path = path
    this.#addition = addition
  }

  get unit(): 'line' | 'row' {
    return this.#isSheet ? 'row' : 'line'
  }

  /** Words after its name, once it is written. */
  get note(): string {
    const { sheet, filter } = this.#layout ?? {}
    const isWide = sheet?.filter === undefined || filter !== undefined
    if (isWide && sheet?.hasTables !== true) return ''
    return '; if its filter does not cover the new columns, set it again before you sort by it'
  }

  /** Takes a row as it was read, in order. */
  take(row: Row, table: ReadTable): void {
    this.#table = table
    const { kind, cells, origin } = row
    if (kind === 'heading') this.#takeHeading(row)
    else if (kind !== 'other' && !this.#hasHeading)
      this.#takeHeading(this.#madeHeading(table))
    if (kind !== 'heading') this.#rows.push(row)
    // A row of a sheet has holes, thousands of them before its last column.
    cells.forEach((cell, column) => {
      if (cell !== '' || origin === undefined) this.#used.add(column)
      this.#longest = Math.max(this.#longest, cell.length)
    })
  }

  /** When all rows were taken: throws exit 2 when it does not fit into the file. */
  async layOut(): Promise<void> {
    if (!isWorkbook(this.path)) return
    const { sheet, heading = 0 } = this.#table ?? {}
    if (sheet !== undefined) {
      const ofTable = this.#rows.filter(({ kind }) => kind !== 'other')
      const rows = ofTable.flatMap(({ origin }) => origin ?? [])
      const { layOutSheet } = await import('../features/workbook/own-workbook.ts')
      const own = { sheet, rows, heading, replaced: this.#own, hint }
      this.#layout = layOutSheet(own, this.#addition.widths)
      return
    }
    const columns = this.#used.size + this.#addition.widths.length
    if (columns <= mostColumns && this.#longest <= longestCell) return
    const most = `${groupDigits(mostColumns)} columns, and ${groupDigits(longestCell)} characters in a cell`
    throw usageError(`a workbook takes ${most}; the table has more`, hint)
  }

  /** The file, piece by piece. `addedTo`: the texts to add to a row, once its outcome is known. */
  async *bytes(addedTo: AddedTo): AsyncGenerator<Buffer> {
    if (this.#layout !== undefined) {
      const { ownWorkbook } = await import('../features/workbook/own-workbook.ts')
      const added = new Map<number, readonly string[]>()
      for (const row of this.#rows) {
        const texts = row.origin && addedTo(row)
        if (texts !== undefined) added.set(row.line, texts)
      }
      yield* ownWorkbook(this.#layout, added)
    } else if (isWorkbook(this.path)) {
      const widths = [...this.#columns.map(() => width), ...this.#addition.widths]
      yield* workbook({ widths }, this.#rowsWith(addedTo))
    } else {
      yield* this.#csv(addedTo)
    }
  }

  get #isSheet(): boolean {
    return this.#table?.form.format === 'xlsx'
  }

  /** Places of the input's own columns that have any text. */
  get #columns(): number[] {
    const columns = [...this.#used].filter((column) => !this.#own.includes(column))
    return columns.toSorted((one, other) => one - other)
  }

  #takeHeading(row: Row): void {
    this.#hasHeading = true
    this.#own = this.#addition.ownOf(row.cells)
    this.#rows.push(row)
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading({ columns }: ReadTable): Row {
    const before = Array.from({ length: columns?.places[0] ?? 0 }, () => '')
    return { ...rowOf(0, [...before, ...this.#addition.names]), kind: 'heading' }
  }

  *#rowsWith(addedTo: AddedTo): Generator<readonly string[]> {
    const columns = this.#columns
    const isList = this.#table?.form.format === 'lines'
    let above = 0
    for (const row of this.#rows) {
      // A row of a sheet without a cell may be missing, but reasons name rows by their numbers.
      for (; this.#isSheet && above < row.line - 1; above += 1) yield []
      above = Math.max(above, row.line)
      const added = addedTo(row)?.map((text) => safe(text))
      const cells = columns.map((column) => row.cells[column] ?? '')
      if (isList) cells[0] = cells[0]?.replace(quotedLine, '$1') ?? ''
      const last = cells.findLastIndex((cell) => cell !== '')
      yield added === undefined ? cells.slice(0, last + 1) : [...cells, ...added]
    }
  }

  /** UTF-8, with the mark by which spreadsheets know it if the input has one or is no UTF-8. */
  async *#csv(addedTo: AddedTo): AsyncGenerator<Buffer> {
    const {
      needsMark = false,
      delimiter = ',',
      isSeparatorSkipped,
    } = this.#table?.form ?? {}
    let text = needsMark ? '\ufeff' : ''
    if (isSeparatorSkipped === true) text += `sep=${delimiter}\n`
    for (const cells of this.#rowsWith(addedTo)) {
      text += `${csvCells(cells, { delimiter })}\n`
      if (text.length < pieceLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
}
