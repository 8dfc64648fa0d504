/**
 * Searches inputs for ids or for pairs: `reader.ts` and `pairs.ts` say what they look for and keep what is found; bad lines, notes and samples
 * are gathered here for both. The question of a run shows the samples.
 */
import { usageError } from '../errors.ts'
import { BadLines, type BadLine, type BadLineOptions, type InputPlace } from './bad-lines.ts'
import type { Input } from './input.ts'
import type { Item, ValueItem } from './json.ts'
import type { Problem, Row } from './row.ts'
import { readRows, type RowOptions } from './rows.ts'
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

export type OnRow = (row: Row, table: ReadTable) => void

export interface SearchOptions extends RowOptions, BadLineOptions {
  readonly sample?: Sample | undefined
  /** Gets each row of a table with what was found in it; JSON is refused then, because columns are added to the rows. */
  readonly onRow?: OnRow | undefined
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

/**
 * Searches all of the inputs. `take` keeps what is found, and says whether it is new. The bad lines are to be refused by the caller. Throws
 * exit 2 as `readRows` does.
 */
export async function findInInputs<C, F extends Found>(
  inputs: readonly Input[],
  search: Search<C, F>,
  options: SearchOptions,
  take: (found: F, line: number) => boolean,
) {
  const { onRow, sample } = options
  const bad = new BadLines(options)
  const counts = { taken: 0, duplicates: 0 }
  const keep = (found: F, line: number, row?: Row): void => {
    if (!take(found, line)) {
      counts.duplicates += 1
      return
    }
    if (row !== undefined) sample?.take(counts.taken, row)
    counts.taken += 1
  }
  const takeRow = (row: Row, table: Table<C>): void => {
    if (row.kind === 'data' && table.columns !== undefined) {
      const found = search.inRow(row, table.columns, table)
      if (found.reason === undefined) {
        row.finding = found.id
        keep(found, row.line, row)
      } else {
        row.kind = 'invalid'
        row.problem = found
      }
    }
    const { problem } = row
    if (problem !== undefined) row.finding = problem.reason
    if (row.kind === 'invalid' && problem !== undefined) {
      bad.add({ input: table.form.input, unit: 'line', line: row.line }, problem)
    }
    onRow?.(row, table)
  }
  const takeItem = (item: Item): void => {
    const { place } = item
    if (item.reason !== undefined) return bad.add(place, item)
    if (onRow !== undefined && place.unit !== 'argument') refuseJson(place)
    for (const found of search.inItem(item)) {
      // An argument has no line in a file.
      if (found.reason === undefined) keep(found, place.unit === 'argument' ? 0 : place.line)
      else bad.add(place, { text: textOf(item), ...found })
    }
  }
  const facts = await readRows(inputs, search, options, { onRow: takeRow, onItem: takeItem })
  for (const table of facts.tables) sample?.end(table)
  return { ...facts, ...counts, bad }
}

function textOf({ text, value }: ValueItem): string {
  return text ?? (value === undefined ? '' : JSON.stringify(value))
}

function refuseJson({ input }: InputPlace): never {
  throw usageError(
    `--annotate adds columns to csv, workbooks and lines; ${input} is JSON`,
    'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
  )
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
  table:
    | { readonly headings: readonly string[]; readonly idColumns: readonly number[] }
    | undefined
  readonly first: SampleRow[] = []
  last: SampleRow | undefined
  readonly #most: number
  #tables = 0

  constructor(most = fewShown) {
    this.#most = most
  }

  /** A row that brought the id at this position. */
  take(position: number, { cells }: Row): void {
    if (this.first.length < this.#most) this.first.push({ position, cells })
    else this.last = { position, cells }
  }

  end({ form, headings, places }: ReadTable): void {
    if (form.format === 'lines') return
    this.#tables += 1
    this.table = this.#tables === 1 ? { headings, idColumns: places } : undefined
  }
}
