/**
 * The output of a verb as the bytes of its format, and what is to be said after it. All bytes are there before the first is
 * written, so that stdout is whole or empty: they wait encoded, which takes less memory than rows.
 */
import { exit, usageError } from '../errors.ts'
import type { Message } from '../message.ts'
import type { Redactor } from '../redactor.ts'
import { safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { columnsOf, type Column } from './columns.ts'
import { jsonLines, jsonRows, jsonText } from './json.ts'
import type {
  Columns,
  ColumnValue,
  Ending,
  One,
  Output,
  PrintOptions,
  Rows,
  SummaryOutput,
} from './result.ts'

/** An output that is ready to be written. */
export interface Rendered {
  bytes: readonly Uint8Array[]
  exitCode: number
  /** For stderr, when stdout has everything. */
  notes: readonly Message[]
  warning?: Message | undefined
}

/** How a verb shows what it returns. `ids`: the value that `-o ids` prints of a row. */
export interface Shown<T> {
  columns?: Columns<T> | undefined
  ids?: ColumnValue<T> | undefined
  /** A read can still be refused for a field that none of its rows has. */
  isRead?: boolean
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

/** Throws what reading the rows throws. `redactor`: hides secrets in what svc itself says; rows stay as they came. */
export async function render<T>(
  output: Output<T>,
  shown: Shown<T>,
  options: PrintOptions,
  redactor?: Redactor,
): Promise<Rendered> {
  if (output.kind === 'rows') return renderRows(output, shown, options)
  const { kind, exitCode = exit.done } = output
  const isPlain = kind === 'text' && output.isOwn === true
  const hide = <V>(value: V): V =>
    isPlain || redactor === undefined ? value : redactor.hide(value)
  const pieces = async () => {
    if (kind === 'text') return [safe(hide(output.text), { newlines: 'keep' })]
    return kind === 'one'
      ? onePieces(hide(output), shown, options)
      : summaryPieces(output, options, hide)
  }
  return { bytes: await encoded(await pieces()), exitCode, notes: [] }
}

type Hide = <V>(value: V) => V

/** One thing: the document, or a row, which a table shows as lines. */
async function onePieces<T>(
  { value, json = value, columns: own }: One<T>,
  shown: Shown<T>,
  options: PrintOptions,
): Promise<Pieces> {
  if (options.format === 'json') return [`${jsonText(json, 2)}\n`]
  if (options.format === 'ndjson') return [`${jsonText(json)}\n`]
  const all = own ?? shown.columns ?? {}
  const columns = columnsOf(all, options.fields)
  for (const { valueOf } of columns) valueOf(value)
  if (shown.isRead === true) refuseUnknown(columns, all)
  if (options.format !== 'table') return piecesOf(listOf([value]), columns, shown, options)
  const { stackedText } = await import('./writers/table.ts')
  return [await stackedText(value, columns, options)]
}

async function renderRows<T>(
  output: Rows<T>,
  shown: Shown<T>,
  options: PrintOptions,
): Promise<Rendered> {
  const { document, conversation, empty, what } = output
  const { format } = options
  let { ending = {} } = output
  let count = 0
  async function* all() {
    for await (const row of withEnding()) {
      count += 1
      yield row
    }
  }
  async function* withEnding() {
    ending = (yield* output.rows) ?? ending
  }
  const allColumns = output.columns ?? shown.columns ?? {}
  const columns = columnsOf(allColumns, options.fields)
  const pieces = async (): Promise<Pieces> => {
    if (format === 'json' && document !== undefined) {
      const whole: T[] = []
      for await (const row of all()) whole.push(row)
      return [`${jsonText(document(whole), 2)}\n`]
    }
    if (conversation === undefined || (format !== 'transcript' && format !== 'html'))
      return piecesOf(all(), columns, shown, options)
    const { messageOf } = conversation
    async function* messages() {
      for await (const row of all()) yield messageOf(row)
    }
    const leftOut = () => ending.leftOut
    const input = { messages: messages(), conversation, print: options, leftOut }
    if (format === 'html') return (await import('./writers/html.ts')).page(input)
    return (await import('./conversation.ts')).transcript(input)
  }
  const bytes = await encoded(await pieces())
  if (count > 0 && shown.isRead === true)
    refuseUnknown(columns, allColumns, output.optionalFields)
  const notes = endingNotes(ending, what)
  if (count === 0 && format === 'table' && empty !== undefined) notes.unshift(empty)
  return { bytes, exitCode: ending.exitCode ?? exit.done, notes, warning: ending.warning }
}

/** The pieces of rows, in each format by a file that is loaded when it is wanted. */
async function piecesOf<T>(
  rows: AsyncIterable<T>,
  columns: readonly Column<T>[],
  { ids }: Shown<T>,
  options: PrintOptions,
): Promise<Pieces> {
  switch (options.format) {
    case 'json':
      return jsonRows(rows)
    case 'ndjson':
      return jsonLines(rows)
    case 'ids':
      return idLines(rows, ids)
    case 'csv':
      return (await import('./writers/csv.ts')).csvText(rows, columns)
    case 'xlsx':
      return (await import('./writers/xlsx.ts')).workbookOf(rows, columns)
    case 'table':
    case 'transcript':
    case 'html':
      return (await import('./writers/table.ts')).tableText(rows, columns, options)
  }
}

async function* idLines<T>(rows: AsyncIterable<T>, ids: ColumnValue<T> = 'id') {
  const [column] = columnsOf({ ID: ids }, undefined)
  for await (const row of rows) {
    const id = column?.valueOf(row)
    if (typeof id === 'string' && id !== '') yield `${safe(id)}\n`
  }
}

/** The summary of a run as a document or a table; in the formats of rows its receipts. */
async function summaryPieces(
  output: SummaryOutput,
  options: PrintOptions,
  hide: Hide,
): Promise<Pieces> {
  const { format, fields } = options
  const { receipts, ...plain } = output
  const { json, outcomes, details = {} } = hide(plain)
  if (format === 'json') return [`${jsonText(json, 2)}\n`]
  if (format !== 'table' && receipts !== undefined) {
    const columns = columnsOf<object>(receipts.columns, fields)
    return piecesOf(listOf(receipts.rows), columns, { ids: 'id' }, options)
  }
  if (format === 'ndjson') return [`${jsonText(json)}\n`]
  const columns = columnsOf<(typeof outcomes)[number]>(
    { OUTCOME: 'outcome', COUNT: 'count', MEANING: 'meaning' },
    fields,
  )
  if (format !== 'table') return piecesOf(listOf(outcomes), columns, {}, options)
  const { stackedText, tableText } = await import('./writers/table.ts')
  const told = Object.entries(details).filter(([, value]) => value != null)
  const titles = Object.fromEntries(told.map(([title]) => [title, title]))
  const above = columnsOf<typeof details>(titles, undefined)
  async function* both() {
    if (told.length > 0) yield `${await stackedText(details, above, options)}\n`
    yield* tableText(outcomes, columns, options)
  }
  return both()
}

/** Rows that are there, as those that come. */
async function* listOf<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

/** Units of text that become bytes at once. */
const textAtOnce = 1 << 16

async function encoded(pieces: Pieces): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  let text = ''
  const flush = () => {
    if (text !== '') all.push(Buffer.from(text))
    text = ''
  }
  for await (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      flush()
      all.push(piece)
    }
    if (text.length >= textAtOnce) flush()
  }
  flush()
  return all
}

/** Throws exit 2 for a field of `--fields` that no row has: a slip of the hand. */
function refuseUnknown<T>(
  columns: readonly Column<T>[],
  all: Columns<T>,
  optional: readonly string[] = [],
) {
  const isUnknown = ({ isUnseen, field }: Column<T>) =>
    isUnseen?.() === true && !optional.includes(field)
  const unknown = columns.find(isUnknown)
  if (unknown === undefined) return
  const known = columnsOf(all, undefined).map(({ field }) => field)
  throw usageError(
    `unknown field "${safe(unknown.field)}"`,
    `fields: ${[...known, ...optional].join(', ')}, and paths of the JSON`,
  )
}

/** Notes for stderr. Nothing is cut silently. `what` in the plural: `lists`. */
function endingNotes(
  { shown = 0, total = 0, notes = [] }: Ending,
  what = 'rows',
): Message[] {
  if (total <= shown) return [...notes]
  const part = `${groupDigits(shown)} of ${groupDigits(total)} ${what}`
  return [`Showing ${part}. Use --limit all for all of them.`, ...notes]
}
