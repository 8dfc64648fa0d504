/**
 * The only writer of stdout: what a verb returned, in the format that was asked for. Each format is a
 * generator of pieces, loaded when it is wanted. Notes wait until stdout has everything, so that on a
 * terminal they are below the rows.
 */
import { Writable } from 'node:stream'
import type { Message } from '../message.ts'
import { exit } from '../errors.ts'
import { isObject } from '../values.ts'
import { pluralize } from '../words.ts'
import { brokenNotes, endingNotes, firstRows, RowSource } from './ending.ts'
import { fieldPicker } from './fields.ts'
import { JsonWriter } from './json.ts'
import { formatFacts } from './format.ts'
import { printers, type Pieces } from './formats/printers.ts'
import type {
  Column,
  Ending,
  Output,
  PrintOptions,
  One,
  Rows,
  Text,
  View,
} from './result.ts'
import { safe } from '../safe-text.ts'
import type { Host } from '../host.ts'
import { OutputClosed, quietly, StreamSink, type Sink } from './sink.ts'
import type { Messages } from './stderr.ts'
import type { Writers } from './workbook.ts'

/** Where to print. Notes are lines on stderr, which `-q` silences; the summary of a bulk run is not silenced. */
export interface PrintStreams {
  readonly sink: Sink
  readonly writers: Writers
  /** Absent where nothing is said: a file of receipts. Secrets are hidden in what svc itself says; rows of the service stay as they came. */
  readonly messages?: Pick<Messages, 'note' | 'warn' | 'summary' | 'format' | 'redactor'>
}

/** One call of `print`, as its functions share it. */
interface Rendering<T> {
  readonly view: View<T>
  readonly options: PrintOptions
  readonly streams: PrintStreams
  readonly json: JsonWriter
  /** For stderr, when stdout has everything. */
  readonly notes: Message[]
  /** The last line of all. */
  warning?: Message | undefined
}

/**
 * Prints and returns the exit code (0 when the output names none).
 * Throws `OutputClosed` when the reader went away, after the source was told to stop; exit 10 when stdout cannot be
 * written; and whatever the source throws, after what came before it was written; a JSON document is open then.
 */
export async function print<T>(
  output: Output<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
): Promise<number> {
  const json = new JsonWriter()
  const notes: Message[] = []
  const rendering: Rendering<T> = { view, options, streams, json, notes }
  try {
    const code = await dispatch(output, rendering)
    // Notes come last: a terminal shows both streams, and the reader looks at the end.
    await streams.sink.flush()
    tellNotes(output, rendering)
    return code
  } catch (error) {
    // The part that was printed before a failure belongs to the reader.
    await quietly(() => streams.sink.flush())
    if (error instanceof OutputClosed) throw error
    notes.push(...brokenNotes(error))
    tellNotes(output, rendering)
    throw error
  }
}

/** A sink that writes to a file. */
export function fileSink(
  host: Pick<Host, 'turn'>,
  file: { write(bytes: Buffer): Promise<void> },
): Sink {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) =>
      void file.write(chunk).then(() => callback(), callback),
  })
  return new StreamSink(host, stream)
}

function tellNotes<T>(
  { kind }: Output<T>,
  { json: { replaced }, notes, warning, streams }: Rendering<T>,
): void {
  if (replaced > 0) {
    const place = kind === 'rows' ? pluralize(replaced, 'row') : 'this output'
    streams.messages?.note(
      `in ${place} half a character (an unpaired surrogate) became U+FFFD`,
    )
  }
  for (const note of notes) streams.messages?.note(note)
  if (warning !== undefined) streams.messages?.warn(warning)
}

function dispatch<T>(output: Output<T>, rendering: Rendering<T>): Promise<number> {
  switch (output.kind) {
    case 'rows':
      return printRows(output, rendering)
    case 'one':
      return printOne(output, rendering)
    case 'text':
      return printText(output, rendering)
  }
}

/** Returns whether there was anything to write. */
async function write(pieces: Pieces, sink: Sink): Promise<boolean> {
  let hasAny = false
  for await (const piece of pieces) {
    hasAny = true
    // Most pieces only go to the buffer: to await nothing would cost each of them a turn.
    const wait = sink.write(piece)
    if (wait !== undefined) await wait
  }
  return hasAny
}

async function printRows<T>(output: Rows<T>, rendering: Rendering<T>): Promise<number> {
  const { options, notes, streams } = rendering
  const { parts, empty = 'nothing to show', what, isAll } = output
  const { format } = options
  const end = (ending: Ending): number => {
    notes.push(...endingNotes(ending, what, options))
    rendering.warning = ending.warning
    return ending.exitCode ?? exit.done
  }
  if (parts !== undefined && format === 'json') {
    const each = new RowSource<Rows<T>>({ rows: parts })
    const printPart = (part: Rows<T>) => piecesOf(part, new RowSource(part), rendering)
    await write(itemsOf(each, printPart), streams.sink)
    return end(each.ending)
  }
  const all = new RowSource(parts === undefined ? output : { rows: rowsOf(parts) })
  const source =
    isAll === true ? new RowSource({ rows: firstRows(all, options.rowLimit) }) : all
  const hasAny = await write(await piecesOf(output, source, rendering), streams.sink)
  if (!hasAny && format === 'table') notes.push(empty)
  return end(source.ending)
}

/** The rows in the requested format. */
async function piecesOf<T>(
  parts: Pick<Rows<T>, 'frame' | 'conversation'>,
  source: RowSource<T>,
  { view, options, json, streams }: Rendering<T>,
): Promise<Pieces> {
  const { format } = options
  const { frame, conversation } = parts
  const { writers } = streams
  const printed = { frame, conversation, source, view, options, json, writers }
  const pieces = await printers[format](printed)
  return formatFacts[format].isLive === true ? pieces : whenWhole(pieces)
}

/** Units of text that become bytes at once. */
const textAtOnce = 1 << 16

/**
 * The same pieces, passed on only when all of them exist, so that a read that fails midway leaves nothing. They wait as bytes, which take less
 * memory than texts.
 */
async function* whenWhole(pieces: Pieces): AsyncGenerator<Buffer> {
  const all: Buffer[] = []
  let text = ''
  for await (const piece of pieces) {
    if (typeof piece !== 'string') all.push(piece)
    else if ((text += piece).length >= textAtOnce) {
      all.push(Buffer.from(text))
      text = ''
    }
  }
  if (text !== '') all.push(Buffer.from(text))
  yield* all
}

/** The rows of all parts, and the ending of the whole. */
async function* rowsOf<T>(
  parts: AsyncGenerator<Rows<T>, Ending, undefined>,
): AsyncGenerator<T, Ending> {
  const each = new RowSource<Rows<T>>({ rows: parts })
  for await (const { rows } of each) yield* rows
  return each.ending
}

/** Each part as an item of one JSON array, which stays open when some are missing. */
async function* itemsOf<T>(
  parts: AsyncIterable<Rows<T>>,
  print: (part: Rows<T>) => Promise<Pieces>,
): AsyncGenerator<string> {
  let before = '[\n  '
  let end = '[]\n'
  for await (const part of parts) {
    for await (const piece of await print(part)) {
      yield before + piece.toString().replace(/\n$/, '').replaceAll('\n', '\n  ')
      before = ''
    }
    before = ',\n  '
    end = '\n]\n'
  }
  yield end
}

/** One thing: as JSON the document itself, else the row that it is or its rows. A bulk run is receipts in ndjson, beside which its summary is told. */
async function printOne<T>(given: One<T>, rendering: Rendering<T>): Promise<number> {
  const { receipts, exitCode = exit.done } = given
  const { options, streams } = rendering
  if (receipts === undefined) {
    await printWhole(given, rendering)
    return exitCode
  }
  try {
    if (options.format === 'ndjson')
      await write(receiptLines(receipts, rendering), streams.sink)
    else await printWhole(given, rendering)
    await streams.sink.flush()
  } catch (error) {
    // The exit code stays the same even if the summary could not be written.
    throw error instanceof OutputClosed ? new OutputClosed(exitCode) : error
  } finally {
    tellSummary(given.json, rendering)
  }
  return exitCode
}

async function printWhole<T>(given: One<T>, rendering: Rendering<T>): Promise<void> {
  const { view, options, streams, json } = rendering
  const { format, fields } = options
  const output = streams.messages?.redactor.hideIn(given) ?? given
  const { value } = output
  if (format === 'json' || format === 'ndjson') {
    const picked = fieldPicker(view, fields)(output.json, value)
    await streams.sink.write(`${json.text(picked, format === 'json' ? 2 : undefined)}\n`)
  } else if (value !== undefined && format === 'table') {
    const { stackedText } = await import('./formats/table.ts')
    await streams.sink.write(await stackedText(value, view, options))
  } else {
    await printTable(output, rendering)
  }
}

/** The rows of a document, with its details; in the formats of cells only its rows. */
async function printTable<T>(output: One<T>, usual: Rendering<T>): Promise<void> {
  const { options, streams, notes } = usual
  const { value, details, what, columns = usual.view.columns } = output
  const { rows = value === undefined ? [] : [value] } = output
  if (details !== undefined) await printDetails(details, usual)
  const rendering = { ...usual, view: { ...usual.view, columns } }
  const all = new RowSource({ rows })
  const limit = what === undefined ? Infinity : options.rowLimit
  const source = new RowSource({ rows: firstRows(all, limit) })
  await write(await piecesOf({}, source, rendering), streams.sink)
  if (what !== undefined) notes.push(...endingNotes(source.ending, what, options))
}

/** Above a plain table on stdout; a note where rows alone are wanted. */
async function printDetails<T>(
  details: Readonly<Record<string, string>>,
  { options, streams }: Rendering<T>,
): Promise<void> {
  if (options.format !== 'table' || options.fields !== undefined) {
    const texts = Object.entries(details).map(([title, text]) => `${title}: ${text}`)
    streams.messages?.note(texts.join('\n'))
    return
  }
  const { stackedText } = await import('./formats/table.ts')
  const columns = Object.keys(details).map((title): Column => ({ title, field: title }))
  await streams.sink.write(`${await stackedText(details, { columns }, options)}\n`)
}

async function* receiptLines<T>(
  receipts: Iterable<unknown>,
  { view, options, json }: Rendering<T>,
): AsyncGenerator<string> {
  const project = fieldPicker(view, options.fields)
  for (const receipt of receipts) yield `${json.text(project(receipt))}\n`
}

/** The summary is the last line of a log, but where stdout is the same document. */
function tellSummary<T>(
  document: unknown,
  { options: { format, fields }, streams: { messages } }: Rendering<T>,
): void {
  const isShown = format === 'json' && fields === undefined
  const isLast = format === 'ndjson' || (messages?.format === 'json' && !isShown)
  if (isLast && isObject(document)) messages?.summary(document)
}

/** Text as it is, but for what would command a terminal; secrets are hidden in it unless svc made all of it. */
async function printText<T>(
  { text, isOwn, data, exitCode = exit.done }: Text<T>,
  rendering: Rendering<T>,
): Promise<number> {
  const { options, streams } = rendering
  const isPlainTable = options.format === 'table' && options.fields === undefined
  if (data !== undefined && !isPlainTable) return dispatch(await data(), rendering)
  const redactor = isOwn === true ? undefined : streams.messages?.redactor
  for await (const part of typeof text === 'string' ? [text] : text) {
    await streams.sink.write(safe(redactor?.hideIn(part) ?? part, { newlines: 'keep' }))
  }
  return exitCode
}
