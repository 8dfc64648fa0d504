/**
 * The only writer of what verbs return: rows, one thing or text, in the format that was asked for. Notes wait
 * until stdout has everything, so that on a terminal they are below the rows.
 */
import { Writable } from 'node:stream'
import type { Message } from '../message.ts'
import { exit } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import { fieldPicker } from './fields.ts'
import { formatFacts } from './format.ts'
import { JsonWriter } from './json.ts'
import { firstRows, piecesOf, RowSource, type Pieces } from './formats/printers.ts'
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
import type { Host } from '../host.ts'
import { safe } from '../safe-text.ts'
import { OutputClosed, quietly, Sink } from './sink.ts'
import type { Messages } from './stderr.ts'

/** Where to print. Notes are lines on stderr, which `-q` silences. */
export interface PrintStreams {
  sink: Sink
  /**
   * Absent for a file of receipts, about which nothing is said. Secrets are hidden in what svc itself says; rows of the
   * service stay as they came.
   */
  messages?: Pick<Messages, 'note' | 'warn' | 'redactor'>
}

/** One call of `print`, as its functions share it. */
interface Rendering<T> extends PrintStreams {
  view: View<T>
  options: PrintOptions
  json: JsonWriter
  /** For stderr, when stdout has everything. */
  notes: Message[]
  /** For stderr, after the notes. */
  warnings: Message[]
}

/**
 * Prints and returns the exit code (0 when the output names none). Throws `OutputClosed` when the reader went away; the
 * source has been stopped then. Throws exit 1 when stdout cannot be written. Throws what the source throws, with nothing
 * printed.
 */
export async function print<T>(
  output: Output<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
): Promise<number> {
  const json = new JsonWriter()
  const rendering: Rendering<T> = {
    ...streams,
    view,
    options,
    json,
    notes: [],
    warnings: [],
  }
  try {
    const code = await printOutput(output, rendering)
    await streams.sink.flush()
    tellNotes(output, rendering)
    return code
  } catch (error) {
    // The part that was printed before a failure belongs to the reader.
    await quietly(() => streams.sink.flush())
    if (error instanceof OutputClosed) throw error
    tellNotes(output, rendering)
    throw error
  }
}

function tellNotes<T>(
  { kind }: Output<T>,
  { json: { replaced }, notes, warnings, messages }: Rendering<T>,
) {
  if (replaced > 0) {
    const place = kind === 'rows' ? pluralize(replaced, 'row') : 'this output'
    messages?.note(`in ${place} half a character (an unpaired surrogate) became U+FFFD`)
  }
  for (const note of notes) messages?.note(note)
  for (const warning of warnings) messages?.warn(warning)
}

function printOutput<T>(output: Output<T>, rendering: Rendering<T>) {
  switch (output.kind) {
    case 'rows':
      return printRows(output, rendering)
    case 'one':
      return output.receipts === undefined
        ? printOne(output, rendering)
        : printRun(output, output.receipts, rendering)
    case 'text':
      return printText(output, rendering)
  }
}

async function printRows<T>(output: Rows<T>, rendering: Rendering<T>) {
  const { options, notes, warnings, sink } = rendering
  const { empty, isCutWhenShown, what } = output
  const all = new RowSource(output)
  const source =
    isCutWhenShown === true
      ? new RowSource({ rows: firstRows(all, options.rowLimit) })
      : all
  const count = await writeAll(await piecesOf(output, source, rendering), sink)
  if (count === 0 && options.format === 'table' && empty !== undefined) notes.push(empty)
  const { ending } = source
  notes.push(...endingNotes(ending, what, options))
  if (ending.warning !== undefined) warnings.push(ending.warning)
  return ending.exitCode ?? exit.done
}

/** Returns the number of pieces. */
async function writeAll(pieces: Pieces, sink: Sink) {
  let count = 0
  for await (const piece of pieces) {
    count += 1
    // Most pieces only go to the buffer, and an `await` would cost each of them a turn.
    const wait = sink.write(piece)
    if (wait !== undefined) await wait
  }
  return count
}

/** Prints one thing: the document itself as JSON, and in other formats its row, or its rows below its details. */
async function printOne<T>(given: One<T>, rendering: Rendering<T>) {
  const { view, options, sink, messages, json } = rendering
  const { format, fields } = options
  const output = messages?.redactor.hide(given) ?? given
  const { value, details, columns = view.columns, exitCode = exit.done } = output
  if (formatFacts[format].shows === 'values') {
    const picked = fieldPicker(view, fields)(output.json, value)
    await sink.write(`${json.text(picked, format === 'json' ? 2 : undefined)}\n`)
  } else if (value !== undefined && format === 'table') {
    const { stackedText } = await import('./formats/table.ts')
    await sink.write(await stackedText(value, view, options))
  } else {
    if (details !== undefined) await printDetails(details, rendering)
    const { rows = value === undefined ? [] : [value], what, isCutWhenShown } = output
    const all = { kind: 'rows', rows, what, isCutWhenShown } as const
    await printRows(all, { ...rendering, view: { ...view, columns } })
  }
  return exitCode
}

/** Prints details above a plain table on stdout. Where rows alone are wanted, they are a note. */
async function printDetails<T>(
  details: NonNullable<One<T>['details']>,
  { options, sink, messages }: Rendering<T>,
) {
  const titles = Object.keys(details).filter((title) => details[title] != null)
  if (!isPlainTable(options)) {
    const texts = titles.map((title) => `${title}: ${safe(details[title] ?? '')}`)
    messages?.note(texts.join('\n'))
    return
  }
  const { stackedText } = await import('./formats/table.ts')
  const columns = titles.map((title): Column => ({ title, field: title }))
  await sink.write(`${await stackedText(details, { columns }, options)}\n`)
}

function isPlainTable({ format, fields }: PrintOptions) {
  return format === 'table' && fields === undefined
}

/** Prints a bulk run: its summary, or in ndjson its receipts. */
async function printRun<T>(
  run: One<T>,
  receipts: Iterable<unknown>,
  rendering: Rendering<T>,
) {
  const { sink } = rendering
  const { exitCode = exit.done } = run
  try {
    if (rendering.options.format === 'ndjson') {
      const source = new RowSource({ rows: receipts })
      await writeAll(
        await piecesOf({}, source, { ...rendering, view: { columns: [] } }),
        sink,
      )
    } else await printOne(run, rendering)
    await sink.flush()
    return exitCode
  } catch (error) {
    // The run is over: its exit code stays the same even if nobody reads its summary.
    throw error instanceof OutputClosed ? new OutputClosed(exitCode) : error
  }
}

/** Prints text with its control characters made visible. Secrets are hidden in it unless svc made all of it. */
async function printText<T>(
  { text, isOwn, data, exitCode = exit.done }: Text<T>,
  rendering: Rendering<T>,
): Promise<number> {
  const { options, sink, messages } = rendering
  if (data !== undefined && !isPlainTable(options))
    return printOutput(await data(), rendering)
  const redactor = isOwn === true ? undefined : messages?.redactor
  for await (const part of typeof text === 'string' ? [text] : text) {
    await sink.write(safe(redactor?.hide(part) ?? part, { newlines: 'keep' }))
  }
  return exitCode
}

/**
 * Notes for stderr. Nothing is cut silently, so each way in which rows can be missing has its sentence here. `what` in the
 * plural: `lists`. How many there are of them is for the person who looks at a whole table.
 */
export function endingNotes(
  ending: Ending,
  what: string | undefined,
  { format, width }: PrintOptions,
): readonly Message[] {
  const { shown = 0, total = 0, notes = [] } = ending
  if (total > shown) {
    const part = `${groupDigits(shown)} of ${groupDigits(total)} ${what ?? 'rows'}`
    return [`Showing ${part}. Use --limit all for all of them.`, ...notes]
  }
  const isWatched = format === 'table' && width !== undefined
  if (!isWatched || shown === 0 || what === undefined) return notes
  return [pluralize(shown, what.replace(/s$/, ''), what), ...notes]
}

/** A sink that writes to a file. It is here because streams take long to load. */
export function fileSink(
  host: Pick<Host, 'turn'>,
  file: { write(bytes: Buffer): Promise<void> },
): Sink {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) =>
      void file.write(chunk).then(() => callback(), callback),
  })
  return new Sink(host, stream)
}
