/**
 * The rows of an input file again, each as it stands there: what is written beside the outcome of its id. Which of them is the
 * heading, and which column has the ids, is found by the rules by which the ids were read.
 */
import { open as openFile } from 'node:fs/promises'
import { usageError } from '../../errors.ts'
import {
  idColumn,
  isSideHeading,
  isWantedHeading,
  pairColumns,
  TableHead,
  type Row,
  type Side,
} from '../../ids/columns.ts'
import { detectFormat, type Detected } from '../../ids/detect.ts'
import { markedEncoding } from '../../ids/encoding.ts'
import { unwrapId } from '../../ids/id.ts'
import { openInput, type OpenInput } from '../../ids/input.ts'
import { RowFilter } from '../../ids/row-filter.ts'
import type { Source } from '../record/run.ts'
import { textRows, type InputRow } from './text-rows.ts'

/** The columns of a file of pairs; undefined for one of ids. */
export type Sides = readonly [Side, Side] | undefined

export interface SortedRow {
  readonly row: InputRow
  /** `other`: a title, a blank line, a comment, Excel's `sep=` line. */
  readonly kind: 'data' | 'heading' | 'other'
  /** Of data: what stands where the id does. */
  readonly id: string
}

/** How the input is written. */
export interface InputForm {
  readonly name: string
  readonly format: 'lines' | 'csv' | 'xlsx'
  readonly delimiter: string
  /** Of a text: its byte order mark, and the encoding of what follows. */
  readonly mark: Buffer
  readonly encoding: string
  /** The line of Excel's `sep=`. */
  readonly separatorLine: number | undefined
  /** Of a sheet: the columns that are used in it, the only ones of its rows. */
  readonly columns: readonly number[]
}

/** Looks at the beginning of an input. Throws exit 2 for JSON, which has no rows. */
export async function formOf(source: Source, sides: Sides): Promise<InputForm> {
  const { open, detected } = await begin(source, sides)
  await open.close()
  const { name, encoding } = open
  const { format, delimiter, note, skip } = detected
  if (format === 'json' || format === 'ndjson') {
    throw usageError(
      `--annotate adds columns to csv, workbooks and lines; ${name} is JSON`,
      'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
    )
  }
  const head = await firstBytes(source.path)
  const { length } = markedEncoding(head, name)
  const separatorLine = note === undefined ? undefined : skip.lines
  const columns = format === 'xlsx' ? await (await import('./sheet-rows.ts')).usedColumns(source) : []
  return { name, format, delimiter, columns, mark: head.subarray(0, length), encoding, separatorLine }
}

/** All rows, many at once, in the order of the file. */
export async function* sortedRows(source: Source, sides: Sides, form: InputForm): AsyncGenerator<SortedRow[]> {
  const sorter = new Sorter(form, source, sides)
  for await (const rows of rowsOf(source, sides, form)) yield rows.flatMap((row) => sorter.take(row))
  yield sorter.end()
}

async function* rowsOf(source: Source, sides: Sides, { columns }: InputForm): AsyncGenerator<InputRow[]> {
  const { open, detected } = await begin(source, sides)
  try {
    if (detected.format === 'xlsx') yield* (await import('./sheet-rows.ts')).sheetRows(source, columns)
    else yield* textRows(open.chunks, detected)
  } finally {
    await open.close()
  }
}

async function begin(source: Source, sides: Sides): Promise<{ open: OpenInput; detected: Detected }> {
  const open = await openInput({ kind: 'file', path: source.path })
  try {
    const isHeading = (cell: string): boolean =>
      sides === undefined ? isWantedHeading(cell, source.column) : sides.some((side) => isSideHeading(cell, side))
    const isTable = [sides, source.column, source.where?.[0]].some((given) => given !== undefined)
    const found = detectFormat(open, { known: source.format ?? 'auto', isTable, isHeading })
    // Lines of two ids are csv; a list is written as csv with commas.
    if (found.format !== 'lines') return { open, detected: found }
    return { open, detected: sides === undefined ? { ...found, delimiter: ',' } : { ...found, format: 'csv' } }
  } catch (error) {
    await open.close()
    throw error
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await openFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Finds out what each row is. */
class Sorter {
  readonly #head: TableHead<number>
  readonly #delimiter: string
  readonly #names: readonly string[]
  readonly #filter: RowFilter
  /** Those that wait until the columns are known, and which of them have turned out to be data. */
  #waiting: InputRow[] = []
  readonly #data = new Set<Row>()

  constructor({ name, delimiter, format, columns }: InputForm, { column: named, where }: Source, sides: Sides) {
    const place = format === 'xlsx' ? columns.indexOf(Number(named) - 1) : -1
    const column = place < 0 ? named : String(place + 1)
    this.#delimiter = delimiter
    this.#names = sides ?? ['id']
    this.#filter = new RowFilter(name, where)
    const rule = this.#filter.over(sides === undefined ? idColumn(name, column) : firstOf(name, sides))
    this.#head = new TableHead(name, rule, (_, row) => {
      if (this.#filter.keeps(row)) this.#data.add(row)
    })
  }

  take(row: InputRow): SortedRow[] {
    const { columns } = this.#head
    if (columns !== undefined) return [row.isSkipped || !this.#filter.keeps(row) ? other(row) : dataRow(row, columns)]
    this.#waiting.push(row)
    if (!row.isSkipped) this.#head.take(row)
    return this.#sorted()
  }

  end(): SortedRow[] {
    this.#head.end()
    const rest = this.#sorted()
    return rest.length === 0 ? this.#waiting.map(other) : rest
  }

  #sorted(): SortedRow[] {
    const { columns } = this.#head
    if (columns === undefined) return []
    const rows = this.#waiting
    this.#waiting = []
    // Without data among them the last one named the columns.
    const heading = this.#data.size === 0 ? rows.at(-1) : undefined
    const first = rows.find((row) => this.#data.has(row))
    return rows.flatMap((row) => {
      if (row === heading) return [headingRow(row)]
      if (row === first) return [headingRow(this.#madeHeading(row, columns)), dataRow(row, columns)]
      return [this.#data.has(row) ? dataRow(row, columns) : other(row)]
    })
  }

  /** For an input without a heading: above its first row, so that what is added has a name, and the ids are found by theirs. */
  #madeHeading({ end }: InputRow, column: number): InputRow {
    const cells = [...Array.from({ length: column }, () => ''), ...this.#names]
    return { cells, values: cells, line: 0, raw: cells.join(this.#delimiter), end: end || '\n', isSkipped: false }
  }
}

function other(row: InputRow): SortedRow {
  return { row, kind: 'other', id: '' }
}

function headingRow(row: InputRow): SortedRow {
  return { row, kind: 'heading', id: '' }
}

function dataRow(row: InputRow, column: number): SortedRow {
  return { row, kind: 'data', id: unwrapId(row.cells[column] ?? '') }
}

/** The column of what is acted on. */
function firstOf(name: string, sides: readonly [Side, Side]): ReturnType<typeof idColumn> {
  const { find, bare } = pairColumns(name, sides)
  return { find: (cells) => find(cells)?.first, bare: (rows) => bare(rows).first }
}
