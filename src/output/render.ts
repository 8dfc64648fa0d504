/**
 * Turns the output of a verb into the bytes of its format, and the notes that follow them. All bytes are made before the first is
 * written, so that stdout is whole or empty. Encoded bytes take less memory than rows.
 */
import { exitCodes } from '../errors.ts'
import { Redactor, jsonText, safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import {
  cellText,
  columnsOf,
  valueIn,
  type Column,
  type Columns,
  type ColumnValue,
  type Conversation,
  type Output,
  type PrintOptions,
  type Rows,
  type Text,
} from './result.ts'

/** An output that is ready to be written. */
interface Rendered {
  bytes: readonly Uint8Array[]
  exitCode: number
  /** The notes for stderr. They are written after the bytes. */
  notes: readonly string[]
}

/** How a verb shows what it returns. */
export interface Shown<T> {
  columns?: Columns<T> | undefined
  /** The value that `-o ids` prints for a row. */
  ids?: ColumnValue<T> | undefined
  /** The columns of csv and xlsx, if they are others. */
  fileColumns?: Columns<T> | undefined
}

/** All texts, each of whole lines or rows so that no secret is cut, or all bytes. */
type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

/** Renders an output in the format of `options`, with secrets hidden in texts. Throws the errors of reading its rows. */
export async function render<T>(
  output: Output<T>,
  shown: Shown<T>,
  options: PrintOptions,
  redactor = new Redactor(),
): Promise<Rendered> {
  if (output.kind === 'rows') return renderRows(output, shown, options, redactor)
  const { notes = [], exitCode = exitCodes.done } = output.ending ?? {}
  if (output.kind === 'table')
    return { bytes: await encoded(output.pieces, redactor), exitCode, notes }
  const text = await textOf(output, options, redactor)
  const mayShowSecrets = output.kind === 'text' && output.mayShowSecrets === true
  const shownText = mayShowSecrets ? text : redactor.hide(text)
  return { bytes: [Buffer.from(shownText)], exitCode, notes }
}

async function textOf(
  output: Conversation | Text,
  options: PrintOptions,
  redactor: Redactor,
) {
  if (output.kind === 'text') return safe(output.text, { newlines: 'keep' })
  const { page, transcript } = await import('./conversation.ts')
  // Hidden before lines are wrapped, which would divide a secret.
  const { names, ...others } = redactor.hide({ ...output, names: [...output.names] })
  const conversation = { ...others, names: new Map(names) }
  return options.format === 'html'
    ? page(conversation, options)
    : transcript(conversation, options)
}

async function renderRows<T>(
  output: Rows<T>,
  shown: Shown<T>,
  options: PrintOptions,
  redactor: Redactor,
): Promise<Rendered> {
  const { empty, what = 'rows' } = output
  let { ending = {} } = output
  async function* read() {
    // The rows can return an ending after the last one.
    ending = (yield* output.rows) ?? ending
  }
  const columns = columnsOf(output.columns ?? verbColumns(shown, options), options.fields)
  const reading = { ...output, rows: hidden(read(), redactor) }
  const pieces = await piecesOf(reading, columns, shown.ids, options)
  const bytes = await encoded(pieces, redactor)
  // All rows have been read, so the ending is known.
  const { exitCode = exitCodes.done, shown: shownCount = 0, total = 0 } = ending
  const notes = [...(ending.notes ?? [])]
  if (total > shownCount) {
    const counts = `${groupDigits(shownCount)} of ${groupDigits(total)} ${what}`
    notes.unshift(`Showing ${counts}. Use --limit all for all of them.`)
  }
  if (bytes.length === 0 && options.format === 'table' && empty !== undefined)
    notes.unshift(empty)
  return { bytes, exitCode, notes }
}

/** Yields rows with secrets hidden: what a format makes of them could not be searched. */
async function* hidden<T>(rows: AsyncIterable<T>, redactor: Redactor) {
  for await (const row of rows) yield redactor.hide(row)
}

/** The columns that a verb has in a format. */
function verbColumns<T>({ columns = {}, fileColumns }: Shown<T>, { format }: PrintOptions) {
  const isFile = format === 'csv' || format === 'xlsx'
  return isFile && fileColumns !== undefined ? fileColumns : columns
}

/** Returns the pieces of an output. Loads the writer of a format only when it is needed. */
async function piecesOf<T>(
  output: Omit<Rows<T>, 'rows'> & { rows: AsyncIterable<T> },
  columns: readonly Column<T>[],
  ids: ColumnValue<T> | undefined,
  options: PrintOptions,
): Promise<Pieces> {
  const { rows, document } = output
  switch (options.format) {
    case 'json': {
      if (document === undefined) return jsonRows(rows)
      const whole = document(await allOf(rows))
      return [`${jsonText(whole, 2)}\n`]
    }
    case 'ndjson':
      return linesOf(rows, jsonText)
    case 'ids': {
      return linesOf(rows, (row) => safe(cellText(valueIn(row, ids ?? 'id'))))
    }
    case 'csv': {
      const { csvText } = await import('./writers/csv.ts')
      return csvText(rows, columns)
    }
    case 'xlsx': {
      const { workbookBytes } = await import('./writers/xlsx.ts')
      return workbookBytes(rows, columns)
    }
    case 'table':
    // Formats of conversations alone: the parser has refused them for rows.
    case 'transcript':
    case 'html': {
      const { tableText } = await import('./writers/table.ts')
      return tableText(await allOf(rows), columns, output, options)
    }
  }
}

/** Yields the text of an array with all rows. */
async function* jsonRows(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    const text = jsonText(row, 2).replaceAll('\n', '\n  ')
    yield `${separator}\n  ${text}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Yields a line for each row whose text is not empty. */
async function* linesOf<T>(rows: AsyncIterable<T>, lineOf: (row: T) => string) {
  for await (const row of rows) {
    const line = lineOf(row)
    if (line !== '') yield `${line}\n`
  }
}

async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** Text is encoded when it has at least this many characters. */
const encodedLength = 1 << 16

/** Returns the bytes of pieces, with secrets hidden in texts. */
async function encoded(pieces: Pieces, redactor: Redactor): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  let text = ''
  const flush = () => {
    if (text !== '') all.push(Buffer.from(redactor.hide(text)))
    text = ''
  }
  for await (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else all.push(piece)
    if (text.length >= encodedLength) flush()
  }
  flush()
  return all
}
