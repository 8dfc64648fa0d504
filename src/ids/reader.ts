/** The id reader: arguments, files and standard input become checked, unique ids with their line numbers. */
import { usageError } from '../errors.ts'
import { BadLines, type BadLine, type InputPlace } from './bad-lines.ts'
import { columnOption, idColumn, type HeadingRule } from './columns.ts'
import { isIdHeading, isSameHeading } from './headings.ts'
import type { Row } from './row.ts'
import { IdTable } from './id-table.ts'
import { idIn, idLength, readIdWords, shorten, trimBlanks, type IdWords } from './id.ts'
import type { Input, OpenInput } from './input.ts'
import { documentItems, idValue, pickId, valuesAt } from './json.ts'
import { readRows, type RowOptions, type RowTaker } from './rows.ts'

export interface ReadOptions extends RowOptions {
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  readonly column?: string | undefined
  /** Of tickets: an address with one id in it is that id. */
  readonly isTickets?: boolean | undefined
}

export interface InputFacts {
  /** Bad ones and duplicates included. */
  readonly read: number
  readonly duplicates: number
  readonly invalid: number
  readonly leftOut: number
  /** The first bad lines, when they were skipped. */
  readonly bad: readonly BadLine[]
  /** What was skipped, in words: title rows, Excel's `sep=` line. */
  readonly notes: readonly string[]
}

export type IdInput = Awaited<ReturnType<typeof readIds>>

/**
 * Reads every input; `ids` are the unique ones, in the order and letter case in which they first came. Throws exit 2 as `readRows`
 * does and, unless they are skipped, one error for all bad lines, naming the first twenty.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions) {
  const reader = new IdReader(options)
  const found = await readRows(inputs, options, reader)
  const { table, duplicates, bad } = reader
  bad.refuse(table.size)
  const read = table.size + duplicates + bad.total
  return { ids: table, read, duplicates, invalid: bad.total, bad: bad.first, ...found }
}

/** Collects the ids of all inputs. A listener hears of each as often as it is there. */
export class IdReader implements RowTaker<number> {
  readonly table = new IdTable()
  duplicates = 0
  readonly bad: BadLines
  readonly isTable: boolean
  readonly #column: string | undefined
  readonly #isTickets: boolean
  readonly #options: ReadOptions
  readonly #words: IdWords = { w0: 0, w1: 0, w2: 0, capitals: 0 }

  constructor(options: ReadOptions) {
    this.#options = options
    this.#column = options.column
    this.#isTickets = options.isTickets === true
    this.isTable = options.column !== undefined
    this.bad = new BadLines(options)
  }

  get count(): number {
    return this.table.size
  }

  isHeading(cell: string): boolean {
    const column = this.#column
    return isIdHeading(cell, this.#isTickets) || (column !== undefined && isSameHeading(cell, column))
  }

  columns(input: string): HeadingRule<number> {
    return idColumn(input, this.#column, this.#isTickets)
  }

  placesOf(column: number): readonly number[] {
    return [column]
  }

  beginList({ name, head, size = 0 }: OpenInput): void {
    if (this.isTable && head.length > 0) {
      throw usageError(`--column is for csv, json and ndjson; ${name} is read as lines`)
    }
    this.table.expect(Math.floor(size / (idLength + 1)))
  }

  /** Eight zeros at the end may be a spreadsheet's rounding: no. */
  takeBytes(bytes: Buffer, at: number, line: number): boolean {
    if (!readIdWords(bytes, at, this.#words) || this.#words.w2 === 0) return false
    if (!this.table.add(this.#words, line)) this.duplicates += 1
    return true
  }

  takeArgument(place: InputPlace, text: string): void {
    this.#takeText(place, text)
  }

  takeRow(
    place: InputPlace,
    { cells, origin }: Row,
    index: number,
    around: { isFirst: boolean; delimiter: string },
  ): void {
    const at = { ...place, cell: origin?.cell(index) }
    const cell = cells[index] ?? (origin === undefined ? undefined : '')
    const unfit = origin?.unfit(index, 'id')
    if (unfit !== undefined) this.bad.add(at, cell ?? '', unfit)
    else if (cell === undefined) this.bad.add(at, cells.join(around.delimiter), `has no column ${index + 1}`)
    else this.#takeText(at, cell, around.isFirst ? headingHint(trimBlanks(cell)) : '')
  }

  takeItem(place: InputPlace, value: unknown, text: string): void {
    this.#takeValue(place, value, this.#column, text)
  }

  #takeValue(place: InputPlace, value: unknown, column: string | undefined, text?: string): void {
    const picked =
      column === undefined || typeof value === 'string'
        ? [pickId(place.input, value, this.#isTickets)]
        : Array.from(valuesAt(place.input, value, column), (found) =>
            found === undefined ? { reason: `has no "${shorten(column)}"` } : idValue(found),
          )
    for (const id of picked) {
      if ('text' in id) this.#takeText(place, id.text)
      else this.bad.add(place, text ?? (value === undefined ? '' : JSON.stringify(value)), id.reason)
    }
  }

  takeDocument(input: string, value: unknown): void {
    let line = 0
    // A path into an object has been followed already.
    const column = Array.isArray(value) ? this.#column : undefined
    for (const item of documentItems(input, value, this.#column, this.#isTickets)) {
      line += 1
      this.#takeValue({ input, unit: 'item', line }, item, column)
    }
  }

  /** An id as text, with whatever may stand around it. Ids of a command line were in no spreadsheet. */
  #takeText(place: InputPlace, text: string, hint = ''): void {
    const isArgument = place.unit === 'argument'
    const found = idIn(text, !isArgument, this.#isTickets)
    if ('reason' in found) this.bad.add(place, text, `${found.reason}${hint}`)
    else this.#add(found.id, isArgument ? 0 : place.line)
  }

  #add(id: string, line: number): void {
    const { listener, isAgain } = this.#options
    listener?.onId(line, id)
    if (isAgain !== true && !this.table.addText(id, line)) this.duplicates += 1
  }
}

/** What to do when a first cell that is no id was meant as the heading. */
function headingHint(cell: string): string {
  const isName = /^[\p{L}_#][^=@]{0,63}$/u.test(cell)
  return isName ? `; if this is the heading, name it: ${columnOption(cell)}` : ''
}
