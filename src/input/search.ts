/**
 * Searches inputs for ids or for pairs, one after the other. `reader.ts` and `pairs.ts` say what they look for and keep what is found;
 * bad lines, notes and samples are gathered here for both. `bulk/files/annotate.ts` takes the rows of tables with their findings; the question
 * of a run shows the samples.
 */
import { usageError } from '../errors.ts'
import { BadLines, type BadLine, type BadLineOptions, type InputPlace } from './bad-lines.ts'
import type { InputFormat } from './id.ts'
import type { ValueItem } from './json.ts'
import type { Problem, Row } from './row.ts'
import type { Piece, RowOptions, RowsPiece } from './rows.ts'
import type { ReadTable, Table, TableRule } from './table.ts'

/** Something that was found in a row or an item, and no problem. */
export interface Found {
  readonly id: string
  readonly reason?: undefined
}

/** `F`: an id, or a pair with its first id. */
export interface Search<C, F extends Found> extends TableRule<C> {
  readonly inRow: (row: Row, columns: C, table: Table<C>) => F | Problem
  /** All of an item of JSON or an argument. Throws exit 2 where arguments are not taken. */
  readonly inItem: (item: ValueItem) => Iterable<F | ItemProblem>
}

/** Without a text it is the whole item that is not taken. */
export type ItemProblem = Pick<Problem, 'reason'> & Partial<Problem>

export interface SearchOptions extends RowOptions, BadLineOptions {
  readonly sample?: Sample | undefined
  /** Gets all rows of a table with what was found in them. */
  readonly onRows?: ((found: FoundRows) => void) | undefined
}

/** Rows of a table that were searched. */
export interface FoundRows {
  readonly table: ReadTable
  readonly rows: readonly Row[]
}

export interface InputFacts {
  /** Bad ones and duplicates included. */
  readonly read: number
  readonly duplicates: number
  readonly invalid: number
  readonly leftOut: number
  /** The first bad lines, when they were skipped. */
  readonly bad: readonly BadLine[]
  /** Sentences about what was skipped: title rows, Excel's `sep=` line. */
  readonly notes: readonly string[]
}

/** Takes each that is found, and keeps it or counts it. */
interface Collector<C, F> {
  readonly add: (found: F, line: number, row?: Row) => void
  /** Tried first: takes the id of a row from its bytes, or does not. */
  readonly addBytes?: (row: Row, piece: RowsPiece<C>) => boolean
}

/** A rule for inputs whose rows get columns added, which JSON does not have. */
export const tablesAlone = {
  members(input: string): never {
    throw usageError(
      `--annotate adds columns to csv, workbooks and lines; ${input} is JSON`,
      'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
    )
  },
}

/** Takes all of the inputs. The bad lines are to be refused by the caller. */
export async function collectFound<C, F extends Found>(
  pieces: AsyncIterable<Piece<C>>,
  search: Search<C, F>,
  options: SearchOptions,
  collector: Collector<C, F>,
) {
  const reading = new Reading(search, options, collector)
  for await (const piece of pieces) {
    reading.take(piece)
    await reading.bad.flush()
  }
  return reading
}

/** Rows of the tables in the inputs, with what is found in them. */
export async function* findInRows<C, F extends Found>(
  pieces: AsyncIterable<Piece<C>>,
  search: Search<C, F>,
): AsyncGenerator<FoundRows> {
  for await (const piece of pieces) {
    if (piece.kind !== 'rows') continue
    for (const row of piece.rows) findIn(row, piece.table, search)
    yield piece
  }
}

/** The id or the pair of a row of data; the row gets its finding. */
function findIn<C, F extends Found>(
  row: Row,
  table: Table<C>,
  search: Search<C, F>,
): F | undefined {
  if (row.kind === 'data' && table.columns !== undefined) {
    const found = search.inRow(row, table.columns, table)
    if (found.reason === undefined) {
      row.finding = found.id
      return found
    }
    row.kind = 'invalid'
    row.problem = found
  }
  row.finding = row.problem?.reason
  return undefined
}

class Reading<C, F extends Found> {
  readonly bad: BadLines
  readonly formats: InputFormat[] = []
  readonly notes: string[] = []
  leftOut = 0
  readonly #search: Search<C, F>
  readonly #options: SearchOptions
  readonly #collector: Collector<C, F>

  constructor(search: Search<C, F>, options: SearchOptions, collector: Collector<C, F>) {
    this.bad = new BadLines(options)
    this.#search = search
    this.#options = options
    this.#collector = collector
  }

  take(piece: Piece<C>): void {
    switch (piece.kind) {
      case 'rows':
        this.#takeRows(piece)
        break
      case 'items':
        for (const item of piece.items) {
          if (item.reason === undefined) this.#takeItem(item)
          else this.bad.add(item.place, item)
        }
        break
      case 'end':
        this.formats.push(piece.format)
        this.notes.push(...piece.notes)
        this.leftOut += piece.leftOut
        if (piece.table !== undefined) this.#options.sample?.end(piece.table)
    }
  }

  #takeRows(piece: RowsPiece<C>): void {
    const { table, rows } = piece
    const { onRows, sample } = this.#options
    const { add, addBytes } = this.#collector
    const { input } = table.form
    for (const row of rows) {
      const mayBeBytes = onRows === undefined && row.kind === 'data'
      if (mayBeBytes && addBytes?.(row, piece) === true) continue
      const found = findIn(row, table, this.#search)
      if (found !== undefined) {
        add(found, row.line, row)
      } else if (row.kind === 'invalid' && row.problem !== undefined) {
        const place: InputPlace = { input, unit: 'line', line: row.line }
        this.bad.add(place, row.problem)
      }
    }
    sample?.keep()
    onRows?.(piece)
  }

  #takeItem(item: ValueItem): void {
    const { place, value, text } = item
    // An argument has no line in a file.
    const line = place.unit === 'argument' ? 0 : place.line
    for (const result of this.#search.inItem(item)) {
      if (result.reason === undefined) {
        this.#collector.add(result, line)
        continue
      }
      const json = value === undefined ? '' : JSON.stringify(value)
      this.bad.add(place, { text: text ?? json, ...result })
    }
  }
}

/** A row of the one table that ids come from, with all its cells, by which a person sees whether the right ones are meant. */
export interface SampleRow {
  /** Position of its id among the ids. */
  readonly position: number
  readonly cells: readonly string[]
}

/** How many of the first rows, ids or people are shown to know them by. */
export const fewShown = 5

/** The first rows whose ids are taken, and the last one. */
export class Sample {
  /** Undefined unless it is known: of several tables, or of none. */
  table: { readonly headings: readonly string[]; readonly idColumns: readonly number[] } | undefined
  readonly first: SampleRow[] = []
  last: SampleRow | undefined
  readonly #most: number
  #tables = 0
  /** The row that was taken last, and its position. */
  #row: Row | undefined
  #position = 0

  constructor(most = fewShown) {
    this.#most = most
  }

  /** A row that brought the id at this position. */
  take(position: number, row: Row): void {
    if (this.first.length < this.#most) {
      this.first.push({ position, cells: row.cells })
    } else {
      this.#row = row
      this.#position = position
    }
  }

  /** To be called before the bytes of the rows that were taken are gone. */
  keep(): void {
    if (this.#row === undefined) return
    const { cells } = this.#row
    this.last = { position: this.#position, cells }
    this.#row = undefined
  }

  end({ form, headings, places }: ReadTable): void {
    if (form.format === 'lines') return
    this.#tables += 1
    this.table = this.#tables === 1 ? { headings, idColumns: places } : undefined
  }
}
