/**
 * Prints what a verb returned: turns the output into the bytes of a format, and the notes for stderr that follow them. All bytes
 * are made before the first is written, so that stdout is whole or empty. Secrets are hidden in the data, before a format cuts or
 * wraps it.
 */
import { exitCodes } from '../errors.ts'
import { Redactor, jsonText, safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import {
  cellText,
  csvCells,
  namedColumns,
  readerOf,
  shownColumns,
  type Column,
} from './cells.ts'
import type {
  Columns,
  ColumnValue,
  Conversation,
  Output,
  PrintOptions,
  Rows,
} from './result.ts'

/** How a verb shows the rows that it returns. */
export interface Shown<T> {
  columns?: Columns<T> | undefined
  /** The value that `-o ids` prints for a row. */
  ids?: ColumnValue<T> | undefined
  /** The columns of csv and xlsx, if they are others. */
  fileColumns?: Columns<T> | undefined
}

/** Returns the bytes of an output in the format of `print`, the notes that are written after them, and the exit code. */
export async function render<T>(
  output: Output<T>,
  shown: Shown<T>,
  print: PrintOptions,
  redactor = new Redactor(),
) {
  const { notes = [], exitCode = exitCodes.done } = output
  switch (output.kind) {
    case 'rows': {
      const { rows, omission } = limitedRows(output, print)
      const bytes = await rowBytes({ ...output, rows }, shown, print, redactor)
      const isEmptyTable = bytes.length === 0 && print.format === 'table'
      const ownNotes = [omission, isEmptyTable ? output.empty : undefined]
      const allNotes = [...ownNotes.filter((note) => note !== undefined), ...notes]
      return { bytes, exitCode, notes: allNotes }
    }
    case 'conversation':
      return { bytes: await conversationBytes(output, print, redactor), exitCode, notes }
    case 'text': {
      const { text, mayShowSecrets } = output
      const safeText = safe(text, 'lines')
      const bytes = Buffer.from(
        mayShowSecrets === true ? safeText : redactor.hide(safeText),
      )
      return { bytes: [bytes], exitCode, notes }
    }
    case 'table':
      return { bytes: await collect(output.pieces), exitCode, notes }
  }
}

/** Cuts rows at the limit, unless the verb itself chose some of a total. `omission` is a note about those that are left out. */
function limitedRows<T>(output: Rows<T>, { rowLimit }: PrintOptions) {
  const { what = 'rows', total } = output
  if (rowLimit === Infinity) return { rows: output.rows }
  const all = [...output.rows]
  const rows = total === undefined ? all.slice(0, rowLimit) : all
  const shownCount = output.shown ?? rows.length
  const totalCount = total ?? all.length
  if (shownCount >= totalCount) return { rows }
  const counts = `${groupDigits(shownCount)} of ${groupDigits(totalCount)}`
  return {
    rows,
    omission: `Showing ${counts} ${what}. Use --limit all for all of them.`,
  }
}

/** Returns the bytes of rows. Loads the writers of tables and workbooks only when they are needed. */
async function rowBytes<T>(
  output: Rows<T>,
  shown: Shown<T>,
  print: PrintOptions,
  redactor: Redactor,
) {
  const { format, fields } = print
  const rows = withoutSecrets(output.rows, redactor)
  const declared = output.columns ?? verbColumns(shown, print)
  const columns =
    fields === undefined ? shownColumns(declared) : namedColumns(declared, fields)
  switch (format) {
    case 'json': {
      const document: unknown = redactor.hide(output.document)
      const isOfRows = document === undefined
      return encode(isOfRows ? jsonRows(rows) : [`${jsonText(document, 2)}\n`])
    }
    case 'ndjson':
      return encode(linesOf(rows, jsonText))
    case 'ids': {
      const idOf = readerOf(shown.ids ?? 'id')
      return encode(linesOf(rows, (row) => safe(cellText(idOf(row)))))
    }
    case 'csv':
      return encode(csvText(rows, columns))
    case 'xlsx': {
      const { workbookOf } = await import('./xlsx.ts')
      return collect(workbookOf(rows, columns))
    }
    case 'table':
    // Formats of conversations alone: they have been refused for rows.
    case 'transcript':
    case 'html': {
      const { tableText } = await import('./grid.ts')
      const details = redactor.hide(output.details)
      return encode(tableText([...rows], columns, { ...output, details }, print))
    }
  }
}

/** The columns that a verb has in a format, or those that `--fields` can choose. */
function verbColumns<T>(
  { columns = {}, fileColumns = columns }: Shown<T>,
  { format, fields }: PrintOptions,
): Columns<T> {
  if (fields !== undefined) return { ...columns, ...fileColumns }
  return format === 'csv' || format === 'xlsx' ? fileColumns : columns
}

async function conversationBytes(
  conversation: Conversation,
  print: PrintOptions,
  redactor: Redactor,
) {
  // The redactor looks into arrays and not into maps.
  const hidden = redactor.hide({ ...conversation, names: [...conversation.names] })
  const shown = { ...hidden, names: new Map(hidden.names) }
  const { page, transcript } = await import('./conversation.ts')
  const text = print.format === 'html' ? page(shown, print) : transcript(shown, print)
  return [Buffer.from(text)]
}

function* withoutSecrets<T>(rows: Iterable<T>, redactor: Redactor) {
  for (const row of rows) yield redactor.hide(row)
}

/** Yields the text of an array with all rows. */
function* jsonRows(rows: Iterable<unknown>) {
  let separator = '['
  for (const row of rows) {
    const text = jsonText(row, 2).replaceAll('\n', '\n  ')
    yield `${separator}\n  ${text}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

/** Yields the lines of csv. The headings are the names of fields, for programs. */
function* csvText<T>(rows: Iterable<T>, columns: readonly Column<T>[]) {
  yield `${csvCells(columns.map(({ field }) => field))}\n`
  for (const row of rows)
    yield `${csvCells(columns.map(({ valueOf }) => cellText(valueOf(row))))}\n`
}

/** Yields a line for each row whose text is not empty. */
function* linesOf<T>(rows: Iterable<T>, lineOf: (row: T) => string) {
  for (const row of rows) {
    const line = lineOf(row)
    if (line !== '') yield `${line}\n`
  }
}

/** The length of the texts that are encoded together. Encoded bytes take less memory than rows. */
const blockLength = 1 << 16

/** Returns the bytes of texts, some of them together. */
function encode(texts: Iterable<string>) {
  const bytes: Uint8Array[] = []
  let block = ''
  for (const text of texts) {
    block += text
    if (block.length < blockLength) continue
    bytes.push(Buffer.from(block))
    block = ''
  }
  if (block !== '') bytes.push(Buffer.from(block))
  return bytes
}

async function collect(pieces: AsyncIterable<Uint8Array>) {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}
