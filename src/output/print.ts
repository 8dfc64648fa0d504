/** The only writer of stdout: what a verb returned, in the format that was asked for. */
import type { Writable } from 'node:stream'
import { exit, usageError } from '../errors.ts'
import { cellText, columnsOf, projection, valueOf } from './fields.ts'
import type { BulkOutput, Document, Format, Output, PrintOptions, Record_, Rows, Text, View } from './output.ts'
import { guardCell, jsonText, safe } from './safe.ts'
import { openSink, OutputClosed, type Sink } from './sink.ts'

export { OutputClosed }

/** Where to print. Notes are lines on stderr, which `-q` silences; the summary of a bulk run is not silenced. */
export interface PrintStreams {
  readonly stdout: Writable
  note(text: string): void
  summary(document: unknown): void
}

/** The formats that a view has, in the order of the help. */
export function formatsOf<T>(view: View<T>): Format[] {
  if (view.formats !== undefined) return [...view.formats]
  const formats: Format[] = ['table', 'json', 'ndjson', 'csv', 'tsv']
  if (view.id !== undefined) formats.push('ids')
  return [...formats, ...(view.extraFormats ?? [])]
}

/** The fields of `--fields a,b.c`. Throws exit 2 with the known ones when one is unknown. */
export function checkFields<T>(view: View<T>, text: string): string[] {
  const known = [...new Set([...Object.keys(view.computed ?? {}), ...view.fields])]
  if (known.length === 0) throw usageError('this command has no fields to choose from')
  const fields = [...new Set(text.split(',').map((field) => field.trim()))].filter((field) => field !== '')
  if (fields.length === 0) throw usageError('--fields names no field', `fields: ${known.join(', ')}`)
  for (const field of fields) {
    if (known.includes(field)) continue
    const near = nearest(field, known)
    const suggestion = near === undefined ? '' : `did you mean "${near}"?\n`
    throw usageError(`unknown field "${safe(field)}"`, `${suggestion}fields: ${known.join(', ')}`)
  }
  return fields
}

function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const last = known.find((field) => field.toLowerCase().split('.').at(-1) === wanted)
  if (last !== undefined) return last
  const ranked = known
    .map((field) => ({ field, distance: editDistance(wanted.slice(0, 60), field.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= Math.max(2, wanted.length / 3) ? best.field : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/**
 * Prints and returns the exit code (0 when the output names none).
 * Throws `OutputClosed` when the reader went away, after the source was told to stop; exit 10 when stdout cannot be
 * written; and whatever the source throws, after what came before it was written and the JSON document closed.
 */
export async function print<T>(
  output: Output<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
): Promise<number> {
  const sink = openSink(streams.stdout)
  try {
    const code = await dispatch(output, view, options, streams, sink)
    await sink.flush()
    if (output.kind === 'rows') output.after?.()
    return code
  } catch (error) {
    // What was printed before a failure belongs to the reader.
    await quietly(() => sink.flush())
    throw error
  }
}

async function dispatch<T>(
  output: Output<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
  sink: Sink,
): Promise<number> {
  switch (output.kind) {
    case 'rows':
      await printRows(output, view, options, streams, sink)
      return exit.done
    case 'record':
      await printRecord(output, view, options, sink)
      return output.exitCode ?? exit.done
    case 'document':
      await printDocument(output, view, options, sink)
      return output.exitCode ?? exit.done
    case 'bulk':
      return printBulk(output, view, options, streams, sink)
    case 'text':
      await printText(output, sink)
      return output.exitCode ?? exit.done
    case 'done':
      return output.exitCode ?? exit.done
  }
}

async function printRows<T>(
  output: Rows<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
  sink: Sink,
): Promise<void> {
  const { format } = options
  if (format === 'json') return printJson(output, projection(view, options.fields), sink)
  if (format === 'table') {
    const { tableText } = await import('./table.ts')
    let some = false
    for await (const piece of tableText(output.rows, view, options)) {
      some = true
      await sink.write(piece)
    }
    if (!some) streams.note(output.empty ?? 'nothing to show')
    return
  }
  if (format === 'transcript' || format === 'html') {
    if (output.render === undefined) throw usageError(`this command has no format "${format}"`)
    for await (const piece of output.render(format, output.rows)) await sink.write(piece)
    return
  }
  const { header, line } = await lineWriter(view, options)
  // The header waits for the first row: when the source fails before it, stdout stays empty.
  let before = header
  for await (const row of output.rows) {
    const wait = sink.write(before + line(row))
    before = ''
    if (wait !== undefined) await wait
  }
  await sink.write(before)
}

interface LineWriter<T> {
  readonly header: string
  readonly line: (row: T) => string
}

/** The formats that write a line, or one csv record, for a row. */
async function lineWriter<T>(view: View<T>, options: PrintOptions): Promise<LineWriter<T>> {
  const { format } = options
  if (format === 'ndjson') {
    const project = projection(view, options.fields)
    return { header: '', line: (row) => `${jsonText(project(row))}\n` }
  }
  if (format === 'ids') {
    const { id } = view
    if (id === undefined) throw usageError('this command has no format "ids"')
    return { header: '', line: (row) => `${safe(id(row))}\n` }
  }
  const columns = columnsOf(view, options.fields)
  const join = format === 'csv' ? await csvJoin() : (texts: string[]) => `${texts.join('\t')}\n`
  const cell = format === 'csv' ? csvCell(options.csvRaw) : (text: string) => safe(text)
  return {
    header: options.header ? join(columns.map(({ field }) => safe(field))) : '',
    line: (row) => join(columns.map(({ field }) => cell(cellText(valueOf(row, field, view))))),
  }
}

/** Line ends stay inside the quotes; every other control character, tabs too, becomes visible. */
function csvCell(raw: boolean): (text: string) => string {
  const visible = (text: string): string =>
    /[\r\n]/.test(text)
      ? text
          .split(/(\r\n|\r|\n)/)
          .map((part, index) => (index % 2 === 1 ? part : safe(part)))
          .join('')
      : safe(text)
  if (raw) return visible
  return (text) => {
    const guarded = guardCell(text)
    return guarded === text ? visible(text) : `'${visible(text)}`
  }
}

async function csvJoin(): Promise<(cells: string[]) => string> {
  const { stringify } = await import('csv-stringify/sync')
  // Without the pattern a lone newline in a cell would not be quoted.
  return (cells) => stringify([cells], { quoted_match: /[\r\n]|^\s|\s$/, record_delimiter: '\n' })
}

/** An array, or an object around it; one complete document even when the rows break off. */
async function printJson<T>(output: Rows<T>, project: (row: T) => unknown, sink: Sink): Promise<void> {
  const { frame } = output
  const margin = frame === undefined ? '  ' : '    '
  let count = 0

  const open = (): string => {
    if (frame === undefined) return '['
    return `{\n${members(frame.before())
      .map((member) => `${member},\n`)
      .join('')}  ${jsonText(frame.key)}: [`
  }
  const close = (): string => {
    const end = count === 0 ? ']' : `\n${margin.slice(2)}]`
    if (frame === undefined) return `${end}\n`
    return `${end}${members(frame.after())
      .map((member) => `,\n${member}`)
      .join('')}\n}\n`
  }

  try {
    for await (const row of output.rows) {
      const text = `${margin}${jsonText(project(row), 2).replaceAll('\n', `\n${margin}`)}`
      const wait = sink.write(`${count === 0 ? `${open()}\n` : ',\n'}${text}`)
      count += 1
      if (wait !== undefined) await wait
    }
  } catch (error) {
    if (count > 0) await quietly(() => sink.write(close()))
    throw error
  }
  await sink.write(`${count === 0 ? open() : ''}${close()}`)
}

/** For what is only a courtesy on the way out of a failure, which is the one to tell. */
async function quietly(action: () => Promise<void> | undefined): Promise<void> {
  try {
    await action()
  } catch {
    // The first failure is thrown by the caller.
  }
}

function members(values: Record<string, unknown>): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${jsonText(key)}: ${jsonText(value, 2).replaceAll('\n', '\n  ')}`)
}

async function printRecord<T>(output: Record_<T>, view: View<T>, options: PrintOptions, sink: Sink): Promise<void> {
  const { format } = options
  if (format === 'json' || format === 'ndjson') {
    const value = projection(view, options.fields)(output.value, output.json)
    await sink.write(`${jsonText(value, format === 'json' ? 2 : undefined)}\n`)
    return
  }
  if (format === 'csv' || format === 'tsv' || format === 'ids') {
    const { header, line } = await lineWriter(view, options)
    await sink.write(header + line(output.value))
    return
  }
  const { recordText } = await import('./table.ts')
  await sink.write(await recordText(output.value, view, options))
}

async function printDocument<T>(output: Document<T>, view: View<T>, options: PrintOptions, sink: Sink): Promise<void> {
  const { format } = options
  if (format === 'json' || format === 'ndjson') {
    await sink.write(`${jsonText(output.document, format === 'json' ? 2 : undefined)}\n`)
    return
  }
  if (format === 'csv' || format === 'tsv' || format === 'ids') {
    const { header, line } = await lineWriter(view, options)
    await sink.write(header + output.rows.map(line).join(''))
    return
  }
  const { tableText } = await import('./table.ts')
  for await (const piece of tableText(output.rows, view, options)) await sink.write(piece)
}

async function printBulk<T>(
  output: BulkOutput<T>,
  view: View<T>,
  options: PrintOptions,
  streams: PrintStreams,
  sink: Sink,
): Promise<number> {
  if (options.format !== 'ndjson') {
    const { document, rows, exitCode } = await output.summary()
    try {
      await printDocument({ kind: 'document', document, rows }, view, options, sink)
      await sink.flush()
    } catch (error) {
      throw error instanceof OutputClosed ? new OutputClosed(exitCode) : error
    }
    return exitCode
  }
  const failure = await printReceipts(output, sink)
  // Leaving the receipts has stopped the run: it has an ending, and its summary is shown.
  const { document, exitCode } = await output.summary()
  streams.summary(document)
  if (failure instanceof OutputClosed) throw new OutputClosed(exitCode)
  if (failure !== undefined) throw failure
  return exitCode
}

/** Returns what stopped the writing; throws what the run itself throws. */
async function printReceipts<T>(output: BulkOutput<T>, sink: Sink): Promise<Error | undefined> {
  for await (const receipt of output.receipts) {
    try {
      await sink.write(`${jsonText(receipt)}\n`)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  return sink.flush().then(
    () => undefined,
    (error: Error) => error,
  )
}

async function printText(output: Text, sink: Sink): Promise<void> {
  if (typeof output.text === 'string') {
    await sink.write(safe(output.text, { newlines: 'keep' }))
    return
  }
  // The halves of a character, and of a Windows line end, may come in two pieces.
  let held = ''
  for await (const piece of output.text) {
    const text = held + piece
    held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    await sink.write(safe(text.slice(0, text.length - held.length), { newlines: 'keep' }))
  }
  await sink.write(safe(held, { newlines: 'keep' }))
}
