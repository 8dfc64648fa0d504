/**
 * Turns the output of a verb into the bytes of its format, and the notes that follow them. All bytes are made before the first is
 * written, so that stdout is whole or empty. Encoded bytes take less memory than rows. Secrets are hidden in the data, before a
 * format cuts or wraps it.
 */
import { exitCodes } from '../errors.ts'
import { Redactor, jsonText, safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import {
  cellText,
  columnsOf,
  readerOf,
  type Columns,
  type ColumnValue,
  type Output,
  type PrintOptions,
  type Rows,
} from './result.ts'
import { csvText } from './writers/csv.ts'

/** How a verb shows what it returns. */
export interface Shown<T> {
  columns?: Columns<T> | undefined
  /** The value that `-o ids` prints for a row. */
  ids?: ColumnValue<T> | undefined
  /** The columns of csv and xlsx, if they are others. */
  fileColumns?: Columns<T> | undefined
}

/**
 * Renders an output in the format of `options`, with secrets hidden. Returns its bytes, and the notes for stderr, which are written
 * after them.
 */
export async function render<T>(
  output: Output<T>,
  shown: Shown<T>,
  options: PrintOptions,
  redactor = new Redactor(),
): Promise<{ bytes: readonly Uint8Array[]; exitCode: number; notes: readonly string[] }> {
  const { notes = [], exitCode = exitCodes.done } = output
  switch (output.kind) {
    case 'rows': {
      const chosen = chosenRows(output, options)
      const bytes = await rowBytes(
        { ...output, rows: chosen.rows },
        shown,
        options,
        redactor,
      )
      const isEmptyTable = bytes.length === 0 && options.format === 'table'
      const ownNotes = [chosen.note, isEmptyTable ? output.empty : undefined]
      const allNotes = [...ownNotes.filter((note) => note !== undefined), ...notes]
      return { bytes, exitCode, notes: allNotes }
    }
    case 'table':
      return { bytes: await bytesOf(output.pieces), exitCode, notes }
    case 'text': {
      const text = safe(output.text, 'lines')
      const bytes = [Buffer.from(output.mayShowSecrets ? text : redactor.hide(text))]
      return { bytes, exitCode, notes }
    }
    case 'conversation': {
      const { page, transcript } = await import('./conversation.ts')
      const { names, ...others } = redactor.hide({ ...output, names: [...output.names] })
      const write = options.format === 'html' ? page : transcript
      const text = write({ ...others, names: new Map(names) }, options)
      return { bytes: [Buffer.from(text)], exitCode, notes }
    }
  }
}

/** Cuts rows at the limit, unless the verb itself chose some of a total. Says how many are left out. */
function chosenRows<T>(output: Rows<T>, { rowLimit }: PrintOptions) {
  const { what = 'rows', total } = output
  if (rowLimit === Infinity) return { rows: output.rows }
  const all = [...output.rows]
  const rows = total === undefined ? all.slice(0, rowLimit) : all
  const counts = [output.shown ?? rows.length, total ?? all.length] as const
  if (counts[0] >= counts[1]) return { rows }
  const shown = counts.map(groupDigits).join(' of ')
  return { rows, note: `Showing ${shown} ${what}. Use --limit all for all of them.` }
}

/** Returns the bytes of rows. Loads the writers of tables and workbooks only when they are needed. */
async function rowBytes<T>(
  output: Rows<T>,
  shown: Shown<T>,
  options: PrintOptions,
  redactor: Redactor,
): Promise<Uint8Array[]> {
  const { format } = options
  const rows = hidden(output.rows, redactor)
  const document: unknown = redactor.hide(output.document)
  const columns = columnsOf(output.columns ?? verbColumns(shown, options), options.fields)
  switch (format) {
    case 'json':
      return encoded(
        document === undefined ? jsonRows(rows) : [`${jsonText(document, 2)}\n`],
      )
    case 'ndjson':
      return encoded(linesOf(rows, jsonText))
    case 'ids': {
      const idOf = readerOf(shown.ids ?? 'id')
      return encoded(linesOf(rows, (row) => safe(cellText(idOf(row)))))
    }
    case 'csv':
      return encoded(csvText(rows, columns))
    case 'xlsx': {
      const { workbookOf } = await import('./writers/xlsx.ts')
      return bytesOf(workbookOf(rows, columns))
    }
    case 'table':
    // Formats of conversations alone: they have been refused for rows.
    case 'transcript':
    case 'html': {
      const { tableText } = await import('./writers/grid.ts')
      const details = redactor.hide(output.details)
      return encoded(tableText([...rows], columns, { ...output, details }, options))
    }
  }
}

/** The columns that a verb has in a format, or those that --fields can choose. */
function verbColumns<T>(
  { columns = {}, fileColumns = columns }: Shown<T>,
  { format, fields }: Pick<PrintOptions, 'format' | 'fields'>,
): Columns<T> {
  if (fields !== undefined) return { ...columns, ...fileColumns }
  return format === 'csv' || format === 'xlsx' ? fileColumns : columns
}

function* hidden<T>(rows: Iterable<T>, redactor: Redactor): Generator<T> {
  for (const row of rows) yield redactor.hide(row)
}

/** Yields the text of an array with all rows. */
function* jsonRows(rows: Iterable<unknown>): Generator<string> {
  let separator = '['
  for (const row of rows) {
    const text = jsonText(row, 2).replaceAll('\n', '\n  ')
    yield `${separator}\n  ${text}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Yields a line for each row whose text is not empty. */
function* linesOf<T>(rows: Iterable<T>, lineOf: (row: T) => string): Generator<string> {
  for (const row of rows) {
    const line = lineOf(row)
    if (line !== '') yield `${line}\n`
  }
}

/** Text is encoded when it has at least this many characters. */
const encodedLength = 1 << 16

/** Returns the bytes of texts. */
function encoded(texts: Iterable<string>): Uint8Array[] {
  const bytes: Uint8Array[] = []
  let text = ''
  for (const each of texts) {
    text += each
    if (text.length < encodedLength) continue
    bytes.push(Buffer.from(text))
    text = ''
  }
  if (text !== '') bytes.push(Buffer.from(text))
  return bytes
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}
