/**
 * The rows and items of inputs, whatever their format: what the readers of ids and of pairs share.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8, or UTF-16 with a byte order mark. Lines, csv and NDJSON are streamed:
 * memory holds what is made of them and nothing else. Of a workbook it holds the shared texts too.
 */
import { lineText, type BadLineOptions, type BadLines, type Place } from './bad-lines.ts'
import { TableHead, type HeadingRule, type Row } from './columns.ts'
import { cellIn, readCsv } from './csv.ts'
import { detectFormat, type Detected } from './detect.ts'
import type { InputFormat } from './formats.ts'
import { idLength, trimBlanks } from './id.ts'
import { checkInputs, inputName, openInput, type Input, type OpenInput, type StreamInput } from './input.ts'
import { readDocument, readNdjson } from './json.ts'
import { RowFilter } from './row-filter.ts'
import type { Sample } from './sample.ts'
import { scanLines } from './scan.ts'

export interface RowOptions extends BadLineOptions {
  readonly format: InputFormat | 'auto'
  /** Name of the sheet of a workbook. */
  readonly sheet?: string | undefined
  /** `<column>=<value>`: only rows of tables whose cell is that. */
  readonly where?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly sample?: Sample | undefined
}

export interface Found {
  /** What each file or stream was read as. */
  readonly formats: { input: string; format: InputFormat }[]
  /** What was skipped, in words: title rows, Excel's `sep=` line. */
  readonly notes: string[]
  /** Rows that are not wanted. */
  leftOut: number
}

/** Takes what stands in the inputs; `T` is the place or the places of the columns that it reads. */
export interface RowTaker<T> {
  readonly bad: BadLines
  /** How many ids or pairs it has. */
  readonly count: number
  /** Whether a text that is no JSON is a table. */
  readonly isTable: boolean
  /** Whether a column was named: then it may be hidden. */
  readonly isColumnNamed: boolean
  isHeading(cell: string): boolean
  columns(input: string): HeadingRule<T>
  placesOf(columns: T): readonly number[]
  /** Throws exit 2 before a list of so many bytes is read, when it is one that cannot be. Absent: lines are read as csv. */
  expectLines?(open: OpenInput): void
  /** 24 bytes in the only column; false when they are to come as text. */
  takeBytes?(bytes: Buffer, at: number, line: number): boolean
  takeArgument(place: Place, text: string): void
  /** `isFirst`: it is the first row and has no id, as a heading. `delimiter`: what stood between its cells. */
  takeRow(place: Place, row: Row, columns: T, around: { readonly isFirst: boolean; readonly delimiter: string }): void
  /** A value of NDJSON, with its line. */
  takeItem(place: Place, value: unknown, text: string): void
  /** Throws exit 2 for one that is not of the form that is wanted. */
  takeDocument(input: string, value: unknown): void
}

/** Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its columns are. */
export async function readRows<T>(inputs: readonly Input[], options: RowOptions, taker: RowTaker<T>): Promise<Found> {
  checkInputs(inputs)
  const found: Found = { formats: [], notes: [], leftOut: 0 }
  let line = 0
  for (const input of inputs) {
    options.signal?.throwIfAborted()
    if (input.kind === 'argument') {
      line += 1
      taker.takeArgument({ input: inputName(input), unit: 'argument', line }, input.text)
    } else await readStream(input, options, taker, found)
    await taker.bad.flush()
  }
  return found
}

async function readStream<T>(input: StreamInput, options: RowOptions, taker: RowTaker<T>, found: Found): Promise<void> {
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
    if (format === 'json' || format === 'ndjson') filter.refuse('is JSON')
    if (format === 'lines' && taker.expectLines !== undefined) filter.refuse('is not one')
    if (format === 'ndjson') await readNdjson(open, taker.bad, taker.takeItem.bind(taker))
    else if (format === 'json') {
      const value = await readDocument(open)
      if (value !== undefined) taker.takeDocument(open.name, value)
    } else found.notes.push(...(await readTable(open, detected, { ...options, filter }, taker)))
    found.leftOut += filter.leftOut
    found.notes.push(...filter.notes)
  } finally {
    await open.close()
  }
}

/** Returns what was skipped. */
async function readTable<T>(
  open: OpenInput,
  detected: Detected,
  { filter, sample, ...options }: RowOptions & { readonly filter: RowFilter },
  taker: RowTaker<T>,
): Promise<string[]> {
  const { delimiter, format } = detected
  const input = open.name
  const head = new TableHead(input, filter.over(taker.columns(input)), (columns, row, isFirst) => {
    if (!filter.keeps(row)) return
    taker.takeRow({ input, unit: 'line', line: row.line }, row, columns, { isFirst, delimiter })
    sample?.take(taker.count, row)
  })
  const between = (): Promise<void> => taker.bad.flush()
  const notes: string[] = []
  if (format === 'xlsx') {
    const { readXlsx } = await import('./workbook/xlsx.ts')
    const { isColumnNamed } = taker
    const columns = (found: T): readonly number[] => [...taker.placesOf(found), ...filter.columns]
    notes.push(...(await readXlsx(open, head, { ...options, isColumnNamed, columns, between })))
  } else if (format === 'lines' && taker.expectLines !== undefined) {
    taker.expectLines(open)
    await readLines(open, head, taker)
  } else {
    const byte = delimiter.charCodeAt(0)
    let place: number | undefined
    const onBytes = (bytes: Buffer, line: number): boolean => {
      if (taker.takeBytes === undefined || head.columns === undefined || filter.isActive) return false
      if (sample?.isWanting === true) return false
      const cell = cellIn(bytes, byte, (place ??= taker.placesOf(head.columns)[0] ?? 0))
      if (cell === undefined || cell.to - cell.from !== idLength || !taker.takeBytes(bytes, cell.from, line))
        return false
      sample?.takeLine(taker.count, bytes)
      return true
    }
    await readCsv(open, detected, { onBytes, onRow: (row) => head.take(row) }, between)
  }
  head.end()
  if (format !== 'lines' && head.columns !== undefined)
    sample?.end({ headings: filter.headings, idColumns: taker.placesOf(head.columns) }, delimiter)
  return head.note === undefined ? notes : [head.note, ...notes]
}

/** A list: a table of one column, without blank lines and comments. */
function readLines<T>(open: OpenInput, head: TableHead<T>, taker: RowTaker<T>): Promise<void> {
  const { bad } = taker
  const onId = (bytes: Buffer, at: number, line: number): boolean =>
    head.columns !== undefined && taker.takeBytes?.(bytes, at, line) === true
  return scanLines(
    open,
    {
      onId,
      onLine(line) {
        const text = lineText(bad, { input: open.name, unit: 'line', line: line.number }, line)
        if (text === undefined) return
        const bare = trimBlanks(text)
        if (bare !== '' && !bare.startsWith('#')) head.take({ cells: [text], line: line.number })
      },
    },
    () => bad.flush(),
  )
}
