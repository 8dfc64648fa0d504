/**
 * Inputs as pieces: arguments, rows of tables, items of JSON. Readers of ids, of pairs and of people take them from here.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8 or UTF-16, of csv Windows-1252 too. Lines, csv and NDJSON are streamed:
 * memory holds what is made of them and nothing else. Of a workbook it holds the shared texts too.
 */
import { usageError } from '../errors.ts'
import { detectFormat, type Detected } from './detect.ts'
import type { InputFormat } from './formats.ts'
import { checkInputs, inputName, openInput, type Input, type OpenInput, type StreamInput } from './input.ts'
import { readDocument, readNdjson, type Item } from './json.ts'
import type { Row } from './row.ts'
import { RowFilter } from './row-filter.ts'
import { Table, type TableForm, type TableRule } from './table.ts'
import { readList, readRecords } from './text/rows.ts'
import { TextDecoding } from './text/windows-1252.ts'

export interface RowOptions {
  readonly format: InputFormat | 'auto'
  readonly sheet?: string | undefined
  /** `<column>=<value>`: only rows of tables whose cell is that. */
  readonly where?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether columns are to be added to the input, which JSON does not have. */
  readonly isAnnotated?: boolean | undefined
}

/** Rows of a table; those of a text are valid until the next piece is asked for. */
export interface RowsPiece<C> {
  readonly kind: 'rows'
  readonly table: Table<C>
  readonly rows: readonly Row[]
}

export type Piece<C> =
  | RowsPiece<C>
  | { readonly kind: 'items'; readonly items: Iterable<Item> }
  | { readonly kind: 'document'; readonly input: string; readonly value: unknown }
  | InputEnd<C>

/** The end of an input, with what was skipped, in words. */
interface InputEnd<C> {
  readonly kind: 'end'
  readonly input: string
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
  checkInputs(inputs)
  let line = 0
  for (const input of inputs) {
    options.signal?.throwIfAborted()
    if (input.kind === 'argument') {
      line += 1
      const place = { input: inputName(input), unit: 'argument', line } as const
      yield { kind: 'items', items: [{ place, value: input.text, text: input.text }] }
    } else yield* readStream(input, rule, options)
  }
}

async function* readStream<C>(input: StreamInput, rule: TableRule<C>, options: RowOptions): AsyncGenerator<Piece<C>> {
  const { format: known, sheet, where = [], signal } = options
  const open = await openInput(input, signal)
  try {
    const filter = new RowFilter(open.name, where)
    const isTable = rule.isTable || where.length > 0
    const detected = detectFormat(open, { known, isTable, isHeading: rule.isHeading })
    const { format } = detected
    const unused = sheet !== undefined && format !== 'xlsx' && `--sheet is not used: ${open.name} is no workbook`
    const notes = [open.note, detected.note, unused].filter((note) => typeof note === 'string')
    const end = { kind: 'end', input: open.name, format } as const
    if (format !== 'json' && format !== 'ndjson') {
      const table = yield* readTable(open, { ...detected, format }, { rule, filter, options })
      yield { ...end, notes: [...notes, ...table.notes, ...filter.notes], leftOut: filter.leftOut, table }
      return
    }
    filter.refuse('is JSON')
    if (options.isAnnotated === true) refuseJson(open.name)
    yield* format === 'ndjson' ? readNdjson(open) : readDocument(open)
    yield { ...end, notes, leftOut: 0, table: undefined }
  } finally {
    await open.close()
  }
}

interface Reading<C> {
  readonly rule: TableRule<C>
  readonly filter: RowFilter
  readonly options: RowOptions
}

async function* readTable<C>(
  open: OpenInput,
  detected: Detected & Pick<TableForm, 'format'>,
  { rule, filter, options }: Reading<C>,
): AsyncGenerator<Piece<C>, Table<C>> {
  const isList = detected.format === 'lines' && rule.takesLists
  if (isList) filter.refuse('is not one')
  if (isList && rule.isTable && open.head.length > 0)
    throw usageError(`--column is for csv, json and ndjson; ${open.name} is read as lines`)
  const text = new TextDecoding(open, detected.delimiter, isList)
  const table = new Table(formOf(open, { ...detected, text, isList }), rule, filter)
  const chunks = detected.format === 'xlsx' ? sheetRows(open, table, options) : textRows(open, table, text)
  for await (const rows of chunks) yield { kind: 'rows', table, rows: table.take(rows) }
  yield { kind: 'rows', table, rows: table.end() }
  table.notes.push(...text.notes)
  return table
}

function refuseJson(input: string): never {
  throw usageError(
    `--annotate adds columns to csv, workbooks and lines; ${input} is JSON`,
    'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
  )
}

function formOf(
  open: OpenInput,
  how: Detected & Pick<TableForm, 'format'> & { readonly text: TextDecoding; readonly isList: boolean },
): TableForm {
  const { format, isList, text, skip, note, delimiter } = how
  return {
    ...{ input: open.name, path: open.path, size: open.size },
    format: format === 'lines' && !isList ? 'csv' : format,
    delimiter: isList ? ',' : delimiter,
    skip: { ...skip, bytes: text.lengthOf(skip.bytes) },
    isSeparatorSkipped: note !== undefined,
    needsMark: () => text.needsMark,
  }
}

async function* textRows<C>(open: OpenInput, { form }: Table<C>, text: TextDecoding): AsyncGenerator<readonly Row[]> {
  const read = { ...open, chunks: text.chunks() }
  yield* form.format === 'lines' ? readList(read) : readRecords(read, form.skip, form.delimiter)
}

async function* sheetRows<C>(open: OpenInput, table: Table<C>, options: RowOptions): AsyncGenerator<readonly Row[]> {
  yield* (await import('./workbook/xlsx.ts')).readSheet(open, table, options)
}
