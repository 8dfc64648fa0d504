/**
 * Rows of an input with two more cells, as csv or as a workbook. What came in stays as it came, formulas of a csv included: the
 * file is the user's own. What we add is no formula and commands no terminal, and neither does what was no csv and becomes one.
 */
import { csvCells } from '../../output/formats/csv.ts'
import { safe } from '../../output/text/safe.ts'
import { workbook, type Cell } from '../../output/workbook/workbook.ts'
import type { InputForm, SortedRow } from './input-rows.ts'
import type { RowOutcome } from './row-outcomes.ts'
import { rawOf, textOf, type InputRow } from './text-rows.ts'

/** A row of the input, and what is written behind it. */
export interface AnnotatedRow {
  readonly row: InputRow
  readonly added: readonly string[] | undefined
}

export interface Layout {
  readonly form: InputForm
  /** The longest text of each column. */
  readonly widths: readonly number[]
  /** Of what is added, in a workbook. */
  readonly addedWidths?: readonly number[]
  /** Down to the heading, which stays in sight in a workbook. */
  readonly rowsAbove: number
}

const headings: RowOutcome = ['OUTCOME', 'REASON']

export async function* annotatedRows(
  rows: AsyncIterable<readonly SortedRow[]>,
  outcomeOf: (row: SortedRow) => RowOutcome | undefined,
): AsyncGenerator<AnnotatedRow[]> {
  for await (const some of rows) {
    yield some.map((one) => ({ row: one.row, added: one.kind === 'heading' ? headings : outcomeOf(one) }))
  }
}

const byteOrderMark = Buffer.from('\ufeff')

/** In the encoding of the input. A workbook becomes UTF-8 with the mark by which spreadsheets know it. */
export async function* csvBytes(
  { form, widths }: Layout,
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  yield form.format === 'xlsx' ? byteOrderMark : form.mark
  for await (const some of rows) {
    yield encoded(some.map((row) => csvLine(row, form, widths.length)).join(''), form.encoding)
  }
}

/** A line that is one cell of csv already. */
const quotedLine = /^\s*"(?:[^"]|"")*"\s*$/

/** A character is a byte, as in the rows of a text. */
function csvLine({ row, added }: AnnotatedRow, { format, delimiter }: InputForm, width: number): string {
  const written = (cells: readonly string[]): string => rawOf(csvCells(cells, { delimiter }))
  const isCsv = format === 'csv' || quotedLine.test(row.raw)
  // Bytes that are no UTF-8 stay what they are.
  const isText = format === 'xlsx' || rawOf(textOf(row.raw)) === row.raw
  const before = isCsv ? row.raw : isText ? written(row.cells) : csvCells([row.raw], { delimiter })
  if (added === undefined) return before + row.end
  const between = delimiter.repeat(Math.max(0, width - row.cells.length))
  return before + between + delimiter + written(added) + row.end
}

function encoded(raw: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(raw, 'latin1')
  const bytes = Buffer.from(textOf(raw), 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

const widest = 60

export function workbookBytes(
  { form, widths, addedWidths = [16, widest], rowsAbove }: Layout,
  rows: AsyncIterable<readonly AnnotatedRow[]>,
): AsyncGenerator<Buffer> {
  const columns = widths.map((length) => Math.min(Math.max(length, 8), widest) + 2)
  return workbook({ widths: [...columns, ...addedWidths], frozen: rowsAbove }, cellRows(rows, form, widths.length))
}

async function* cellRows(
  rows: AsyncIterable<readonly AnnotatedRow[]>,
  { separatorLine }: InputForm,
  width: number,
): AsyncGenerator<readonly Cell[]> {
  for await (const some of rows) {
    for (const { row, added } of some) {
      // Words to a program that opens csv.
      if (row.line === separatorLine) continue
      if (added === undefined) yield row.values
      else yield [...row.values, ...blanks(width - row.values.length), ...added.map((text) => safe(text))]
    }
  }
}

function blanks(count: number): undefined[] {
  return Array.from({ length: Math.max(0, count) }, () => undefined)
}
