/**
 * Inputs as pieces: arguments, rows of tables, items of JSON. Readers of ids, of pairs and of people take them from here.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8 or UTF-16, of csv Windows-1252 too. Lines, csv and NDJSON are streamed:
 * memory holds what is made of them and nothing else. Of a workbook it holds the shared texts too.
 */
import { usageError } from '../errors.ts'
import { detectFormat, type Detected, type Skip } from './detect.ts'
import type { InputFormat } from './formats.ts'
import { openInputs, readWhole, type Input, type OpenInput } from './input.ts'
import { documentItems, lineItems, type Item } from './json.ts'
import type { Row } from './row.ts'
import { RowFilter } from './row-filter.ts'
import { Table, type TableForm, type TableRule } from './table.ts'
import { TextDecoding } from './text/windows-1252.ts'
import { isAscii } from 'node:buffer'
import { lineProblem } from './bad-lines.ts'
import { trimBlanks } from './id.ts'
import { LineScanner, longestLine } from './text/lines.ts'

export interface RowOptions {
  readonly format: InputFormat | 'auto'
  readonly sheet?: string | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows of tables for which all of them hold. */
  readonly where?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Rows of a table; those of a text are valid until the next piece is asked for. */
export interface RowsPiece<C> {
  readonly kind: 'rows'
  readonly table: Table<C>
  readonly rows: readonly Row[]
}

export type Piece<C> =
  RowsPiece<C> | { readonly kind: 'items'; readonly items: Iterable<Item> } | InputEnd<C>

/** The end of an input, with what was skipped, in words. */
interface InputEnd<C> {
  readonly kind: 'end'
  readonly format: InputFormat
  readonly notes: readonly string[]
  readonly leftOut: number
  readonly table: Table<C> | undefined
}

/** Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its columns are. */
export async function* readPieces<C>(
  inputs: readonly Input[],
  rule: TableRule<C>,
  options: RowOptions,
): AsyncGenerator<Piece<C>> {
  const { format: known, sheet, where = [], signal } = options
  for await (const open of openInputs(inputs, signal)) {
    if (open.kind === 'argument') {
      const { name: input, text, line } = open
      yield {
        kind: 'items',
        items: [{ place: { input, unit: 'argument', line }, value: text, text }],
      }
      continue
    }
    const isTable = rule.isTable || where.length > 0
    const detected = detectFormat(open, { ...rule, known, isTable })
    const { format } = detected
    const unused =
      sheet !== undefined && format !== 'xlsx' && `--sheet is not used: ${open.name} is no workbook`
    const notes = [open.note, detected.note, unused].filter((note) => typeof note === 'string')
    if (format === 'json' || format === 'ndjson') {
      new RowFilter(open.name, where).refuse('is JSON')
      const membersOf = rule.members(open.name)
      const all =
        format === 'json'
          ? [documentItems(open, await readWhole(open, format), membersOf)]
          : lineItems(open.name, readLines(open))
      for await (const items of all) yield { kind: 'items', items }
      yield { kind: 'end', format, notes, leftOut: 0, table: undefined }
    } else {
      const { table, leftOut } = yield* readTable(open, { ...detected, format }, rule, options)
      yield { kind: 'end', format, notes: [...notes, ...table.notes], leftOut, table }
    }
  }
}

async function* readTable<C>(
  open: OpenInput,
  { format, delimiter, skip, note }: Detected & Pick<TableForm, 'format'>,
  rule: TableRule<C>,
  options: RowOptions,
): AsyncGenerator<RowsPiece<C>, { table: Table<C>; leftOut: number }> {
  const filter = new RowFilter(open.name, options.where)
  const isList = format === 'lines'
  if (isList) filter.refuse('is not one')
  if (isList && rule.isTable && open.head.length > 0)
    throw usageError(`--column is for csv, json and ndjson; ${open.name} is read as lines`)
  const text = new TextDecoding(open, delimiter, isList)
  const form = {
    input: open.name,
    path: open.path,
    size: open.size,
    format,
    delimiter,
    skip: { ...skip, bytes: text.lengthOf(skip.bytes) },
    isSeparatorSkipped: note !== undefined,
    needsMark: () => text.needsMark,
  }
  const table = new Table(form, rule, filter)
  const chunks =
    format === 'xlsx'
      ? (await import('./sheet.ts')).readSheet(open, table, options)
      : readRows(open, form, text.chunks())
  for await (const rows of chunks) yield { kind: 'rows', table, rows: table.take(rows) }
  yield { kind: 'rows', table, rows: table.rest() }
  table.notes.push(...text.notes, ...filter.notes)
  return { table, leftOut: filter.leftOut }
}

/**
 * Rows of a list or a table, from its text as UTF-8.
 */
function readRows(
  open: OpenInput,
  { format, skip, delimiter }: Pick<Detected, 'format' | 'skip' | 'delimiter'>,
  chunks: OpenInput['chunks'],
) {
  const text = { ...open, chunks }
  return format === 'lines' ? readList(text) : readDelimited(text, skip, delimiter)
}

/** Lines behind those that are skipped, chunk by chunk. Throws exit 2 at a NUL byte. */
async function* readLines(
  open: OpenInput,
  { bytes: skipped, lines: count }: Skip = { bytes: 0, lines: 0 },
  delimiter?: string,
) {
  const scanner = new LineScanner(open.name, delimiter, open.offset + skipped, count)
  let left = skipped
  for await (const bytes of open.chunks) {
    const start = Math.min(bytes.length, left)
    left -= start
    yield { lines: scanner.feed(start === 0 ? bytes : bytes.subarray(start)), bytes }
  }
  yield { lines: scanner.finish(), bytes: Buffer.alloc(0) }
}

/** The lines of a list; blank ones and comments are no data, and those that are no UTF-8 or too long are invalid. */
async function* readList(open: OpenInput): AsyncGenerator<readonly Row[]> {
  for await (const { lines, bytes } of readLines(open)) {
    const ascii = isAscii(bytes) ? bytes : undefined
    for (const line of lines) {
      const problem =
        line.bytes === ascii && line.length <= longestLine ? undefined : lineProblem(line)
      if (problem !== undefined) {
        line.kind = 'invalid'
        line.problem = problem
      } else if (!line.isPlain && /^(?:#|$)/.test(trimBlanks(line.text))) line.kind = 'other'
    }
    yield lines
  }
}

/** The rows of a delimited table; blank ones are no data. Throws exit 2, with the line, for an open quote or over a megabyte. */
export async function* readDelimited(
  open: OpenInput,
  skip: Skip,
  delimiter: string,
): AsyncGenerator<readonly Row[]> {
  for await (const { lines } of readLines(open, skip, delimiter)) {
    for (const line of lines)
      if (!line.isPlain && line.cells.every((cell) => cell.trim() === '')) line.kind = 'other'
    yield lines
  }
}
