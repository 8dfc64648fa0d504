/**
 * The only writer of stdout: what a verb returned, in the format that was asked for. `program/run.ts` prints each command with it, and
 * `bulk/files/receipts.ts` its receipts. A format's own code is loaded when it is wanted. Notes wait until stdout has everything, so that on
 * a terminal they stand below the rows.
 */
import type { Message } from '../message.ts'
import { exit } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { brokenEnding, endingNotes, RowSource } from './ending.ts'
import { documentPicker, fieldPicker } from './fields.ts'
import { JsonWriter } from './json.ts'
import { printJsonRows, lineWriter } from './formats/data.ts'
import type {
  BulkOutput,
  Column,
  Document,
  Output,
  Parts,
  PrintOptions,
  One,
  Rows,
  Text,
  View,
} from './result.ts'
import { safe } from '../safe-text.ts'
import { OutputClosed, quietly, type Sink } from './sink.ts'
import type { SpoolHost } from './spool.ts'

/** Where to print. Notes are lines on stderr, which `-q` silences; the summary of a bulk run is not silenced. */
export interface PrintStreams {
  readonly host: SpoolHost
  readonly sink: Sink
  note(message: Message): void
  warn?(message: Message): void
  summary(document: Readonly<Record<string, unknown>>): void
  /** Whether stderr is lines of JSON: there a run's last line is its summary. */
  readonly isLog?: boolean
  /** Hides secrets in what svc itself says: words of the command line may be among it. Rows of the service stay as they came. */
  readonly hide?: <T>(value: T) => T
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
) {
  const { sink } = streams
  const json = new JsonWriter()
  const rendering: Rendering<T> = {
    view,
    options,
    streams,
    sink,
    json,
    notes: [],
  }
  try {
    const code = await dispatch(output, rendering)
    // Notes come last: a terminal shows both streams, and the reader looks at the end.
    await sink.flush()
    sayNotes(output, rendering)
    return code
  } catch (error) {
    // The part that was printed before a failure belongs to the reader.
    await quietly(() => sink.flush())
    if (error instanceof OutputClosed) throw error
    rendering.notes.push(...(brokenEnding(error).notes ?? []))
    sayNotes(output, rendering)
    throw error
  }
}

/** One call of `print`, as its functions share it. */
interface Rendering<T> {
  readonly view: View<T>
  readonly options: PrintOptions
  readonly streams: PrintStreams
  readonly sink: Sink
  readonly json: JsonWriter
  /** For stderr, when stdout has everything. */
  readonly notes: Message[]
  /** The last line of all. */
  warning?: Message | undefined
}

function sayNotes<T>({ kind }: Output<T>, { json, notes, warning, streams }: Rendering<T>): void {
  const { replaced } = json
  if (replaced > 0) {
    const hasRows = kind === 'rows' || kind === 'parts' || kind === 'bulk'
    const noun = replaced === 1 ? 'row' : 'rows'
    const place = hasRows ? `${groupDigits(replaced)} ${noun}` : 'this output'
    streams.note(`in ${place} half a character (an unpaired surrogate) became U+FFFD`)
  }
  for (const note of notes) streams.note(note)
  if (warning !== undefined) streams.warn?.(warning)
}

/** Prints an output by its kind, and returns the exit code. */
async function dispatch<T>(output: Output<T>, rendering: Rendering<T>): Promise<number> {
  switch (output.kind) {
    case 'bulk':
      return printBulk(output, rendering)
    case 'rows':
      return printRows(output, rendering)
    case 'parts':
      return printParts(output, rendering)
    case 'one':
    case 'document':
      await printOne(output, rendering)
      break
    case 'text': {
      const { format, fields } = rendering.options
      const isPlainTable = format === 'table' && fields === undefined
      if (output.data !== undefined && !isPlainTable) {
        const data = await output.data()
        return dispatch(data, rendering)
      }
      await printText(output, rendering)
      break
    }
    case 'done':
  }
  return output.exitCode ?? exit.done
}

async function printRows<T>(output: Rows<T>, rendering: Rendering<T>): Promise<number> {
  const { view, options, sink, json, notes } = rendering
  const { format } = options
  const source = new RowSource(output)
  if (format === 'json') {
    const form = { frame: output.frame, view, fields: options.fields }
    await printJsonRows(source, form, json, sink)
  } else if (format === 'table') {
    const { tableText } = await import('./formats/table.ts')
    let some = false
    for await (const piece of tableText(source, view, options)) {
      some = true
      await sink.write(piece)
    }
    if (!some) notes.push(output.empty ?? 'nothing to show')
  } else if (format === 'xlsx') {
    await printWorkbook(source, rendering)
  } else if (format === 'transcript' || format === 'html') {
    await printConversation(output, source, rendering)
  } else {
    await printLines(source, rendering)
  }
  notes.push(...endingNotes(source.ending, output.what ?? 'rows', options))
  rendering.warning = source.ending.warning
  return source.ending.exitCode ?? exit.done
}

/** Each part in a form of its own, or the rows of all. */
async function printParts<T>(output: Parts<T>, rendering: Rendering<T>): Promise<number> {
  const { options, sink } = rendering
  const { printApart, printDocuments, rowsOf } = await import('./histories.ts')
  let exitCode: number = exit.done
  // Behind the last part: its notes and its failure are of the whole.
  const end = (): void => {
    const { failure, ...ending } = output.ending()
    rendering.notes.push(...ending.notes)
    if (failure !== undefined) throw failure
    exitCode = ending.exitCode
  }
  if (options.format === 'json') {
    const count = await printDocuments(output.parts, sink, (part, nested) => {
      return printRows(part, { ...rendering, sink: nested })
    })
    // A document of which some is missing stays open.
    await sink.write(count === 0 ? '[' : '\n')
    end()
    await sink.write(']\n')
  } else if (options.format === 'transcript') {
    await printApart(output.parts, sink, (part) => printRows(part, rendering))
    end()
  } else {
    const all: Rows<T> = {
      kind: 'rows',
      rows: rowsOf(output.parts, end),
      empty: output.empty,
    }
    await printRows(all, rendering)
  }
  return exitCode
}

async function printConversation<T>(
  output: Rows<T>,
  source: RowSource<T>,
  { view, options, sink, streams }: Rendering<T>,
): Promise<void> {
  const { bytesOf, conversationText } = await import('./histories.ts')
  const text = conversationText(output, source, view, options)
  if (options.format === 'transcript') {
    for await (const piece of text) await sink.write(piece)
    return
  }
  // Half a page would look like a whole one in a browser.
  const { spoolBytes } = await import('./spool.ts')
  for await (const piece of spoolBytes(streams.host, bytesOf(text))) await sink.write(piece)
}

async function printLines<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { view, options, sink, json }: Rendering<T>,
) {
  const { header, line } = lineWriter(view, options, json)
  // The header waits for the first row: when the source fails before it, stdout stays empty.
  let before = header
  for await (const row of source) {
    const wait = sink.write(before + line(row))
    before = ''
    if (wait !== undefined) await wait
  }
  await sink.write(before)
}

async function printWorkbook<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  { view, options, sink, streams: { host } }: Rendering<T>,
): Promise<void> {
  const { tableWorkbook } = await import('./formats/xlsx.ts')
  const { spoolBytes } = await import('./spool.ts')
  const bytes = tableWorkbook(rows, view, options)
  for await (const piece of spoolBytes(host, bytes)) await sink.write(piece)
}

/** One thing: as JSON the document itself, else its rows, or the one that it is. */
async function printOne<T>(result: One<T> | Document<T>, rendering: Rendering<T>): Promise<void> {
  const { view, options, sink, streams, json } = rendering
  const { format, fields } = options
  const output = streams.hide?.(result) ?? result
  const isOne = output.kind === 'one'
  if (format === 'json' || format === 'ndjson') {
    const value = isOne
      ? fieldPicker(view, fields)(output.value, output.json)
      : documentPicker(fields)(output.document)
    const indent = format === 'json' ? 2 : undefined
    return sink.write(`${json.text(value, indent)}\n`)
  }
  if (!isOne) return printDocumentRows(output, rendering)
  if (format === 'xlsx') return printWorkbook([output.value], rendering)
  if (format !== 'table') return printLines([output.value], rendering)
  const { stackedText } = await import('./formats/table.ts')
  const text = await stackedText(output.value, view, options)
  return sink.write(text)
}

/** The table of a document, with the words about it; in the formats of cells only its rows. */
async function printDocumentRows<T>(output: Document<T>, usual: Rendering<T>): Promise<void> {
  const view = { ...usual.view, columns: output.columns ?? usual.view.columns }
  const rendering = { ...usual, view }
  const { options, sink, streams, notes } = rendering
  const { format, fields, rowLimit } = options
  const { about, details, what } = output
  const shown = what === undefined ? output.rows : output.rows.slice(0, rowLimit)
  const isPlain = format === 'table' && fields === undefined
  if (details !== undefined && !isPlain) {
    const lines = Object.entries(details).map(([title, text]) => `${title}: ${text}`)
    streams.note(lines.join('\n'))
  }
  if (format === 'xlsx') {
    await printWorkbook(shown, rendering)
  } else if (format !== 'table') {
    await printLines(shown, rendering)
  } else {
    const { stackedText, tableText } = await import('./formats/table.ts')
    if (about !== undefined) streams.note(about)
    if (details !== undefined && isPlain) {
      const columns = Object.keys(details).map((title): Column => ({ title, field: title }))
      const text = await stackedText(details, { columns }, options)
      await sink.write(`${text}\n`)
    }
    for await (const piece of tableText(shown, view, options)) await sink.write(piece)
  }
  if (what === undefined) return
  const count = shown.length
  const total = output.rows.length
  const missing = count < total ? 'limit' : undefined
  notes.push(...endingNotes({ shown: count, total, missing }, what, options))
}

/** A bulk run: its receipts as lines of ndjson with the summary on stderr, or its summary alone. */
async function printBulk<T>(output: BulkOutput<T>, rendering: Rendering<T>): Promise<number> {
  if (rendering.options.format !== 'ndjson') return printSummary(output, rendering)
  const failure = await printReceipts(output, rendering)
  // Leaving the receipts has stopped the run: it has an ending, and its summary is shown.
  const { document, exitCode } = await output.summary()
  rendering.streams.summary(document)
  if (failure instanceof OutputClosed) throw new OutputClosed(exitCode)
  if (failure !== undefined) throw failure
  return exitCode
}

/** The summary of a run, which has ended by then: its exit code stands, whether or not the summary can be written. */
async function printSummary<T>(output: BulkOutput<T>, rendering: Rendering<T>): Promise<number> {
  const { format, fields } = rendering.options
  const { document, rows, exitCode, isSilent } = await output.summary()
  const isTold = isSilent === true && format === 'table'
  try {
    if (!isTold) await printOne({ kind: 'document', document, rows }, rendering)
    await rendering.sink.flush()
  } catch (error) {
    throw error instanceof OutputClosed ? new OutputClosed(exitCode) : error
  } finally {
    // The last line of a log, but where stdout is the same document.
    const isSummary = format === 'json' && fields === undefined
    if (rendering.streams.isLog && !isSummary) rendering.streams.summary(document)
  }
  return exitCode
}

/** Returns what stopped the writing; throws what the run itself throws. */
async function printReceipts<T>(
  output: BulkOutput<T>,
  { options, sink, json }: Rendering<T>,
): Promise<Error | undefined> {
  const project = documentPicker(options.fields)
  for await (const receipt of output.receipts) {
    try {
      await sink.write(`${json.text(project(receipt))}\n`)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  return sink.flush().then(
    () => undefined,
    (error: Error) => error,
  )
}

/** Text as it is, but for what would command a terminal; secrets are hidden in it unless svc made all of it. */
async function printText<T>(
  { text, isOwn }: Pick<Text, 'text' | 'isOwn'>,
  { sink, streams }: Rendering<T>,
): Promise<void> {
  const hide = isOwn === true ? undefined : streams.hide
  const parts = typeof text === 'string' ? [text] : text
  for await (const part of parts) {
    const shown = hide?.(part) ?? part
    await sink.write(safe(shown, { newlines: 'keep' }))
  }
}
