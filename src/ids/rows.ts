/**
 * The rows and items of inputs, whatever their format: what the readers of ids, of pairs and of people share.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8 or UTF-16, of csv Windows-1252 too. Lines, csv and NDJSON are streamed:
 * memory holds what is made of them and nothing else. Of a workbook it holds the shared texts too.
 */
import { usageError } from '../errors.ts'
import { lineText, type BadLineOptions, type BadLines, type InputPlace } from './bad-lines.ts'
import { TableHead, type HeadingRule } from './columns.ts'
import type { Row } from './row.ts'
import { cellIn, readCsv } from './csv.ts'
import { detectFormat, type Detected } from './detect.ts'
import type { InputFormat } from './formats.ts'
import { idLength, trimBlanks } from './id.ts'
import { checkInputs, inputName, openInput, type Input, type OpenInput, type StreamInput } from './input.ts'
import { readDocument, readNdjson } from './json.ts'
import { RowFilter } from './row-filter.ts'
import type { Sample } from './sample.ts'
import { scanLines } from './scan.ts'
import { TextDecoding } from './text/windows-1252.ts'
import type { SheetListener } from './workbook/xlsx.ts'

export interface RowOptions extends BadLineOptions {
  readonly format: InputFormat | 'auto'
  readonly sheet?: string | undefined
  /** `<column>=<value>`: only rows of tables whose cell is that. */
  readonly where?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly sample?: Sample | undefined
  readonly listener?: RowListener | undefined
  /** Of an input that was read before: what it has is checked, and not collected. */
  readonly isAgain?: boolean | undefined
}

/** How an input is read again by who hears of its rows. */
export interface Listening {
  readonly listener: RowListener
  readonly skipInvalid: true
  readonly isAgain: true
}

/** How a table is written, and what is known of its heading once that was looked for. */
export interface ReadTable
  extends Pick<OpenInput, 'path' | 'name' | 'offset'>, Pick<Detected, 'delimiter' | 'skip' | 'note'> {
  readonly format: 'lines' | 'csv' | 'xlsx'
  /** Whether what is written of it begins with a byte order mark: it has one, or is no UTF-8. Known when it was read. */
  readonly needsMark: () => boolean
  /** As in the first line that ends. */
  readonly lineEnd: string
  readonly head: Pick<TableHead<unknown>, 'heading'>
  /** The first column that is read; undefined while the columns are looked for. */
  readonly column: () => number | undefined
}

/** Hears of every row of one table, blank ones and comments too, and which of them have an id or are bad. */
export interface RowListener extends SheetListener {
  begin(table: ReadTable): void
  /** Of a text, as UTF-8 and behind its byte order mark, before the rows in it. */
  onChunk(chunk: Buffer): void
  /** As it is there; nothing is known of a former one. */
  onId(line: number, id: string): void
  /** Of a row that is not wanted. */
  onLeftOut(line: number, reason: string): void
  onBad(line: number, reason: string): void
  /** Now and then, and at the end: what it heard of the rows so far is all, once the columns are known. */
  onStep(isEnd: boolean): void
}

export interface Found {
  readonly formats: { input: string; format: InputFormat }[]
  /** What was skipped, in words: title rows, Excel's `sep=` line. */
  readonly notes: string[]
  leftOut: number
}

/** Takes what stands in the inputs; `T` is the place or the places of the columns that it reads. */
export interface RowTaker<T> {
  readonly bad: BadLines
  readonly count?: number
  readonly isTable: boolean
  /** Whether it takes rows for which a match found nobody. */
  readonly takesUnmatched?: boolean
  isHeading(cell: string): boolean
  columns(input: string): HeadingRule<T>
  placesOf(columns: T): readonly number[]
  /** Throws exit 2 for a list where a table is wanted. Absent: lines are read as csv. */
  beginList?(open: OpenInput): void
  /** 24 bytes in the only column; false when they are to come as text. */
  takeBytes?(bytes: Buffer, at: number, line: number): boolean
  takeArgument(place: InputPlace, text: string): void
  /** `isFirst`: it is the first row and has no id, as a heading. `delimiter`: what stood between its cells. */
  takeRow(
    place: InputPlace,
    row: Row,
    columns: T,
    around: { readonly isFirst: boolean; readonly delimiter: string },
  ): void
  takeItem(place: InputPlace, value: unknown, text: string): void
  /** Throws exit 2 for one that is not of the form that is wanted. */
  takeDocument(input: string, value: unknown): void
}

/** Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its columns are. */
export async function readRows<T>(inputs: readonly Input[], options: RowOptions, taker: RowTaker<T>): Promise<Found> {
  const found: Found = { formats: [], notes: [], leftOut: 0 }
  const steps = rowSteps(inputs, options, taker, found)
  while ((await steps.next()).done !== true);
  return found
}

/** The same step by step: each ends when what it found is taken, the bad rows too. */
export async function* rowSteps<T>(
  inputs: readonly Input[],
  options: RowOptions,
  taker: RowTaker<T>,
  found: Found = { formats: [], notes: [], leftOut: 0 },
): AsyncGenerator<void> {
  checkInputs(inputs)
  let line = 0
  for (const input of inputs) {
    options.signal?.throwIfAborted()
    if (input.kind === 'argument') {
      line += 1
      taker.takeArgument({ input: inputName(input), unit: 'argument', line }, input.text)
    } else {
      for await (const _ of readStream(input, options, taker, found)) {
        await taker.bad.flush()
        options.listener?.onStep(false)
        yield
      }
    }
    await taker.bad.flush()
    options.listener?.onStep(true)
  }
}

async function* readStream<T>(input: StreamInput, options: RowOptions, taker: RowTaker<T>, found: Found) {
  const { format: known, sheet, where = [], signal } = options
  const open = await openInput(input, signal)
  try {
    const filter = new RowFilter(open.name, where)
    const isTable = taker.isTable || where.length > 0
    const detected = detectFormat(open, { known, isTable, isHeading: (cell) => taker.isHeading(cell) })
    const { format } = detected
    found.formats.push({ input: open.name, format })
    const unused = sheet !== undefined && format !== 'xlsx' && `--sheet is not used: ${open.name} is no workbook`
    found.notes.push(...[open.note, detected.note, unused].filter((note) => typeof note === 'string'))
    if (format === 'json' || format === 'ndjson') {
      filter.refuse('is JSON')
      if (options.listener !== undefined)
        throw usageError(
          `--annotate adds columns to csv, workbooks and lines; ${open.name} is JSON`,
          'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
        )
    }
    if (format === 'lines' && taker.beginList !== undefined) filter.refuse('is not one')
    if (format === 'ndjson') yield* readNdjson(open, taker.bad, taker.takeItem.bind(taker))
    else if (format === 'json') {
      const value = await readDocument(open)
      if (value !== undefined) taker.takeDocument(open.name, value)
    } else found.notes.push(...(yield* readTable(open, { ...detected, format }, { ...options, filter }, taker)))
    found.leftOut += filter.leftOut
    found.notes.push(...filter.notes)
  } finally {
    await open.close()
  }
}

async function* readTable<T>(
  open: OpenInput,
  detected: Detected & Pick<ReadTable, 'format'>,
  { filter, sample, ...options }: RowOptions & { readonly filter: RowFilter },
  taker: RowTaker<T>,
): AsyncGenerator<void, string[]> {
  const { delimiter, format } = detected
  const { listener } = options
  const input = open.name
  const rule = taker.columns(input)
  const head = new TableHead(
    input,
    taker.takesUnmatched === true ? rule : filter.over(rule),
    (columns, row, isFirst) => {
      if (isLeftOut(row, input, { filter, listener, bad: taker.bad })) return
      taker.takeRow({ input, unit: 'line', line: row.line }, row, columns, { isFirst, delimiter })
      sample?.take(taker.count ?? 0, row)
    },
  )
  const places = (): readonly number[] => (head.columns === undefined ? [] : taker.placesOf(head.columns))
  const isList = format === 'lines' && taker.beginList !== undefined
  const text = new TextDecoding(open, delimiter, isList)
  const skip = { ...detected.skip, bytes: text.lengthOf(detected.skip.bytes) }
  listener?.begin({
    ...{ ...open, ...detected, delimiter: isList ? ',' : delimiter },
    needsMark: () => text.needsMark,
    format: format === 'lines' && !isList ? 'csv' : format,
    lineEnd: /\r?\n|\r/.exec(open.head.toString('latin1'))?.[0] ?? '\n',
    head,
    column: () => places()[0],
  })
  const notes: string[] = []
  if (format === 'xlsx') {
    const { readXlsx } = await import('./workbook/xlsx.ts')
    const columns = (): readonly number[] => [...places(), ...filter.columns]
    notes.push(...(yield* readXlsx(open, head, { ...options, columns })))
  } else {
    const chunks = text.chunks()
    const read = { ...open, chunks: listener === undefined ? chunks : heard(chunks, listener) }
    if (isList) yield* readLines(read, head, taker, listener)
    else yield* readRecords(read, { detected: { ...detected, skip }, head, filter, sample, listener, places }, taker)
    notes.push(...text.notes)
  }
  head.end()
  if (format !== 'lines') sample?.end({ headings: filter.headings, idColumns: places() }, delimiter)
  return head.note === undefined ? notes : [head.note, ...notes]
}

/** Whether a row is not wanted, or cannot be known to be. */
function isLeftOut(
  row: Row,
  input: string,
  {
    filter,
    listener,
    bad,
  }: { readonly filter: RowFilter; readonly listener: RowListener | undefined; readonly bad: BadLines },
): boolean {
  const { line, origin, cells } = row
  const unfit = filter.unfit(row)
  if (unfit !== undefined) {
    const cell = origin?.cell(unfit.column)
    bad.add({ input, unit: 'line', line, cell, isCondition: true }, cells[unfit.column] ?? '', unfit.reason)
    return true
  }
  const refusal = filter.refusal(row)
  if (refusal !== undefined) listener?.onLeftOut(line, refusal)
  return refusal !== undefined
}

interface Records<H> extends Pick<RowOptions, 'sample' | 'listener'> {
  readonly detected: Detected
  readonly head: TableHead<H>
  readonly filter: RowFilter
  readonly places: () => readonly number[]
}

/** Records of a delimited file. Those whose id can be taken from their bytes are not cut into cells. */
function readRecords<T>(
  read: OpenInput,
  { detected, head, filter, sample, listener, places }: Records<T>,
  taker: RowTaker<T>,
): AsyncGenerator<void> {
  const byte = detected.delimiter.charCodeAt(0)
  let place: number | undefined
  const onBytes = (bytes: Buffer, line: number): boolean => {
    if (taker.takeBytes === undefined || head.columns === undefined || filter.isActive) return false
    if (sample?.isWanting === true) return false
    const cell = cellIn(bytes, byte, (place ??= places()[0] ?? 0))
    if (cell === undefined || cell.to - cell.from !== idLength) return false
    if (!taker.takeBytes(bytes, cell.from, line)) return false
    sample?.takeLine(taker.count ?? 0, bytes)
    return true
  }
  const onRow = (row: Row): void => {
    listener?.onRow(row)
    if (row.cells.some((cell) => cell.trim() !== '')) head.take(row)
  }
  return readCsv(read, detected, listener === undefined ? { onBytes, onRow } : { onRow })
}

async function* heard(chunks: AsyncIterable<Buffer>, listener: RowListener): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    listener.onChunk(chunk)
    yield chunk
  }
}

/** A list: a table of one column, without blank lines and comments. */
function readLines<T>(open: OpenInput, head: TableHead<T>, taker: RowTaker<T>, listener: RowListener | undefined) {
  taker.beginList?.(open)
  const onId = (bytes: Buffer, at: number, line: number): boolean =>
    head.columns !== undefined && listener === undefined && taker.takeBytes?.(bytes, at, line) === true
  return scanLines(open, {
    onId,
    onLine(line) {
      const { number, offset, length, bytes } = line
      const text = lineText(taker.bad, { input: open.name, unit: 'line', line: number }, line)
      const cells = [text ?? bytes.toString('utf8')]
      const row: Row = { cells, line: number, span: { from: offset, to: offset + length } }
      listener?.onRow(row)
      const bare = trimBlanks(text ?? '')
      if (bare !== '' && !bare.startsWith('#')) head.take(row)
    },
  })
}
