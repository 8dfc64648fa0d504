/**
 * Inputs as pieces: arguments, rows of tables, items of JSON. Called by the readers of ids (`reader.ts`), of pairs (`pairs.ts`) and of people
 * (`directory/people-table.ts`), each with its rule, and by `bulk/files/annotate.ts`, which reads the rows again.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8 or UTF-16, of csv Windows-1252 too. Lines, csv and NDJSON are streamed:
 * memory holds what is made of them and nothing else. Of a workbook it holds the shared texts too.
 */
import { usageError } from '../errors.ts'
import { detectFormat, type Detected, type Skip } from './detect.ts'
import { type InputFormat, trimBlanks } from './id.ts'
import { openInputs, readWhole, type Input, type OpenInput } from './input.ts'
import { documentItems, lineItems, type Item } from './json.ts'
import type { Row } from './row.ts'
import { RowFilter } from './row-filter.ts'
import { Table, type TableForm, type TableRule } from './table.ts'
import { TextDecoding } from './text/windows-1252.ts'
import { isAscii } from 'node:buffer'
import { lineProblem } from './bad-lines.ts'
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

/** Items of JSON, or one argument. */
interface ItemsPiece {
  readonly kind: 'items'
  readonly items: Iterable<Item>
}

export type Piece<C> = RowsPiece<C> | ItemsPiece | InputEnd<C>

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
  const { format: typed, sheet, where = [], signal } = options
  for await (const open of openInputs(inputs, signal)) {
    if (open.kind === 'argument') {
      const { name: input, text, line } = open
      const item: Item = {
        place: { input, unit: 'argument', line },
        value: text,
        text,
      }
      yield { kind: 'items', items: [item] }
      continue
    }
    const isTable = rule.isTable || where.length > 0
    const detected = detectFormat(open, { ...rule, typed, isTable })
    const { format } = detected
    const notes: string[] = []
    if (open.note !== undefined) notes.push(open.note)
    if (detected.note !== undefined) notes.push(detected.note)
    if (sheet !== undefined && format !== 'xlsx') {
      notes.push(`--sheet is not used: ${open.name} is no workbook`)
    }
    if (format === 'json' || format === 'ndjson') {
      new RowFilter(open.name, where).refuse('is JSON')
      yield* readItems(open, format, rule)
      yield {
        kind: 'end',
        format,
        notes,
        leftOut: 0,
        table: undefined,
      }
    } else {
      const { table, leftOut } = yield* readTable(open, { ...detected, format }, rule, options)
      yield {
        kind: 'end',
        format,
        notes: [...notes, ...table.notes],
        leftOut,
        table,
      }
    }
  }
}

/** The items of JSON: those of a document at once, those of NDJSON chunk by chunk. */
async function* readItems<C>(
  open: OpenInput,
  format: 'json' | 'ndjson',
  rule: TableRule<C>,
): AsyncGenerator<ItemsPiece> {
  const membersOf = rule.members(open.name)
  if (format === 'json') {
    const document = await readWhole(open, format)
    yield { kind: 'items', items: documentItems(open, document, membersOf) }
    return
  }
  for await (const items of lineItems(open.name, readLines(open))) yield { kind: 'items', items }
}

/** The rows of a table, of a list or of a sheet. Returns the table, whose notes are complete then, and how many rows were left out. */
async function* readTable<C>(
  open: OpenInput,
  { format, delimiter, skip, note }: Detected & Pick<TableForm, 'format'>,
  rule: TableRule<C>,
  options: RowOptions,
): AsyncGenerator<RowsPiece<C>, { table: Table<C>; leftOut: number }> {
  const filter = new RowFilter(open.name, options.where)
  const isList = format === 'lines'
  if (isList) filter.refuse('is not one')
  if (isList && rule.isTable && open.head.length > 0) {
    throw usageError(`--column is for csv, json and ndjson; ${open.name} is read as lines`)
  }
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
  for await (const rows of await rowsOf(open, table, text, options)) {
    yield {
      kind: 'rows',
      table,
      rows: table.take(rows),
    }
  }
  yield {
    kind: 'rows',
    table,
    rows: table.rest(),
  }
  table.notes.push(...text.notes, ...filter.notes)
  return { table, leftOut: filter.leftOut }
}

/** Rows chunk by chunk, whatever they are read from. */
async function rowsOf<C>(
  open: OpenInput,
  table: Table<C>,
  text: TextDecoding,
  options: RowOptions,
): Promise<AsyncGenerator<readonly Row[]>> {
  const { format, skip, delimiter } = table.form
  if (format === 'xlsx') {
    // Reading a workbook takes two packages, which nothing else needs.
    const { readSheet } = await import('./sheet.ts')
    return readSheet(open, table, options)
  }
  const decoded = { ...open, chunks: text.chunks() }
  return format === 'lines' ? readList(decoded) : readDelimited(decoded, skip, delimiter)
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
    // Those that are skipped may reach beyond the first chunk.
    const start = Math.min(bytes.length, left)
    left -= start
    const rest = start === 0 ? bytes : bytes.subarray(start)
    yield { lines: scanner.feed(rest), bytes }
  }
  yield { lines: scanner.finish(), bytes: Buffer.alloc(0) }
}

/** The lines of a list; blank ones and comments are no data, and those that are no UTF-8 or too long are invalid. */
async function* readList(open: OpenInput): AsyncGenerator<readonly Row[]> {
  for await (const { lines, bytes } of readLines(open)) {
    // Asked once a chunk: a line of ASCII is UTF-8, unless it began in the chunk before.
    const ascii = isAscii(bytes) ? bytes : undefined
    for (const line of lines) {
      const isGood = line.bytes === ascii && line.length <= longestLine
      const problem = isGood ? undefined : lineProblem(line)
      if (problem !== undefined) {
        line.kind = 'invalid'
        line.problem = problem
      } else if (!line.isPlain && isBlankOrComment(line.text)) {
        line.kind = 'other'
      }
    }
    yield lines
  }
}

function isBlankOrComment(text: string): boolean {
  const bare = trimBlanks(text)
  return bare === '' || bare.startsWith('#')
}

/** The rows of a delimited table; blank ones are no data. Throws exit 2, with the line, for an open quote or over a megabyte. */
export async function* readDelimited(
  open: OpenInput,
  skip: Skip,
  delimiter: string,
): AsyncGenerator<readonly Row[]> {
  for await (const { lines } of readLines(open, skip, delimiter)) {
    for (const line of lines) {
      if (line.isPlain) continue
      const isEmpty = line.cells.every((cell) => cell.trim() === '')
      if (isEmpty) line.kind = 'other'
    }
    yield lines
  }
}
