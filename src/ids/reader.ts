/**
 * The id reader: arguments, files and standard input become checked, unique ids with their line numbers.
 *
 * Formats, found by themselves unless named (see `detectFormat`): ids one a line, with blank lines and `#` comments left
 * out; csv with comma, semicolon or tab; a JSON document (an array of ids or of objects, or a path into it); NDJSON. Text
 * is UTF-8, or UTF-16 with a byte order mark. Lines, csv and NDJSON are streamed: memory holds the unique ids and nothing
 * else.
 */
import { usageError } from '../errors.ts'
import { collectBadLines, lineText, type BadLine, type BadLineOptions, type BadLines, type Place } from './bad-lines.ts'
import { findColumn, idValue, namedColumn, pickId, valuesAt, type ColumnChoice } from './columns.ts'
import { readCsv } from './csv.ts'
import { detectFormat, idNames, type Detected, type InputFormat } from './detect.ts'
import { IdTable } from './id-table.ts'
import { readIdWords, reasonNotId, shorten, trimBlanks, unwrapId, type IdWords } from './id.ts'
import { readDocument, readNdjson } from './json.ts'
import { scanLines } from './scan.ts'
import { checkInputs, inputName, openInput, refuseNul, type Input, type OpenInput } from './input.ts'

export interface ReadOptions extends BadLineOptions {
  readonly format: InputFormat | 'auto'
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  readonly column?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface IdInput {
  /** The unique ids, in the order and letter case in which they first came. `ids.sha256()` is their checksum. */
  readonly ids: IdTable
  /** Ids read, bad ones included: `ids.size + duplicates + invalid`. */
  readonly read: number
  readonly duplicates: number
  readonly invalid: number
  /** The first bad lines, when they were skipped. */
  readonly bad: readonly BadLine[]
  /** What each file or stream was read as. */
  readonly formats: readonly { readonly input: string; readonly format: InputFormat }[]
}

/** Where the ids of all inputs go. */
interface Sink {
  readonly table: IdTable
  duplicates: number
  readonly bad: BadLines
}

/**
 * Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its ids are; and, unless
 * they are skipped, one error for all bad lines, naming the first twenty.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions): Promise<IdInput> {
  checkInputs(inputs)
  const sink: Sink = { table: new IdTable(), duplicates: 0, bad: collectBadLines(options) }
  const formats: { input: string; format: InputFormat }[] = []
  let argument = 0
  for (const input of inputs) {
    options.signal?.throwIfAborted()
    if (input.kind === 'argument') {
      argument += 1
      takeText(sink, { input: inputName(input), unit: 'argument', line: argument }, input.text)
    } else {
      const open = await openInput(input, options.signal)
      try {
        const detected = detectFormat(open.head, open.complete, { known: options.format, column: options.column })
        formats.push({ input: open.name, format: detected.format })
        await readInput(sink, open, detected, options.column)
      } finally {
        await open.close()
      }
    }
    await sink.bad.flush()
  }
  const { table, duplicates, bad } = sink
  bad.refuse()
  return {
    ids: table,
    read: table.size + duplicates + bad.total,
    duplicates,
    invalid: bad.total,
    bad: bad.first,
    formats,
  }
}

/** An id as text, with whatever may stand around it. Ids of a command line were in no spreadsheet. */
function takeText(sink: Sink, place: Place, text: string): void {
  const isArgument = place.unit === 'argument'
  const reason = reasonNotId(text, !isArgument)
  if (reason !== undefined) sink.bad.add(place, text, reason)
  else if (!sink.table.addText(unwrapId(text), isArgument ? 0 : place.line)) sink.duplicates += 1
}

async function readInput(sink: Sink, open: OpenInput, detected: Detected, column: string | undefined): Promise<void> {
  switch (detected.format) {
    case 'lines':
      return readLines(sink, open, column)
    case 'ndjson':
      return readNdjson(open, sink.bad, (value, place) => {
        takeItem(sink, place, value, column)
      })
    case 'csv':
      return readCsvIds(sink, open, detected, column)
    case 'json':
      return readJson(sink, open, column)
  }
}

async function readLines(sink: Sink, open: OpenInput, column: string | undefined): Promise<void> {
  if (column !== undefined && open.head.length > 0) {
    throw usageError(`--column is for csv, json and ndjson; ${open.name} is read as lines`)
  }
  const { table, bad } = sink
  const words: IdWords = { w0: 0, w1: 0, w2: 0, capitals: 0 }
  let isFirst = true
  if (open.size !== undefined) table.expect(open.size / 25)
  const scanner = scanLines(
    {
      onId(bytes, at, line) {
        // Eight zeros at the end may be a spreadsheet's rounding: the slow way looks closer.
        if (!readIdWords(bytes, at, words) || words.w2 === 0) return false
        isFirst = false
        if (!table.add(words, line)) sink.duplicates += 1
        return true
      },
      onLine(line) {
        const place: Place = { input: open.name, unit: 'line', line: line.number }
        const text = lineText(bad, place, line)
        if (text === undefined) return
        const bare = trimBlanks(text)
        if (bare === '' || bare.startsWith('#')) return
        const mayBeHeader = isFirst
        isFirst = false
        if (mayBeHeader && idNames.includes(bare.replace(/^"(.*)"$/, '$1'))) return
        const before = bad.total
        takeText(sink, place, text)
        if (mayBeHeader && bad.total > before && /^[\p{L}_]+$/u.test(bare)) {
          bad.explain(`if it is a header, say --column "${shorten(bare)}"`)
        }
      },
      onNul: (offset, line) => refuseNul(open.name, offset, line),
    },
    open.offset,
  )
  for await (const chunk of open.chunks) {
    scanner.feed(chunk)
    await bad.flush()
  }
  scanner.finish()
}

/** One value of NDJSON, or one item of an array. */
function takeItem(sink: Sink, place: Place, value: unknown, column: string | undefined): void {
  const picked =
    column === undefined || typeof value === 'string'
      ? [pickId(place.input, value, idNames)]
      : Array.from(valuesAt(value, column), (found) =>
          found === undefined ? { reason: `has no "${shorten(column)}"`, shown: '' } : idValue(found),
        )
  for (const id of picked) {
    if ('text' in id) takeText(sink, place, id.text)
    else sink.bad.add(place, id.shown, id.reason)
  }
}

async function readJson(sink: Sink, open: OpenInput, column: string | undefined): Promise<void> {
  const value = await readDocument(open)
  if (value === undefined) return
  let item = 0
  for (const found of documentItems(open, value, column)) {
    item += 1
    // A path into an object has been followed already.
    takeItem(sink, { input: open.name, unit: 'item', line: item }, found, Array.isArray(value) ? column : undefined)
    if (item % 1000 === 0) await sink.bad.flush()
  }
}

/** The items of a document: an array's own, what a path leads to, or the one object that it is. */
function documentItems(open: OpenInput, value: unknown, column: string | undefined): Iterable<unknown> {
  if (Array.isArray(value)) return value
  if (column !== undefined) return valuesAt(value, column)
  if (typeof value === 'object' && value !== null && !idNames.some((name) => Object.hasOwn(value, name))) {
    const keys = Object.keys(value).slice(0, 20)
    const members = keys.length === 0 ? '' : ` of ${keys.map((key) => `"${shorten(key)}"`).join(', ')}`
    throw usageError(
      `${open.name} is a JSON object${members}, not an array of ids`,
      'name the way to the ids, for example --column members.contact.id',
    )
  }
  return [value]
}

async function readCsvIds(sink: Sink, open: OpenInput, detected: Detected, column: string | undefined): Promise<void> {
  const { bad } = sink
  let choice: ColumnChoice | undefined
  await readCsv(
    open,
    detected,
    (cells, line) => {
      const place: Place = { input: open.name, unit: 'line', line }
      if (choice === undefined) {
        choice = column === undefined ? findColumn(open.name, cells, idNames) : namedColumn(open.name, cells, column)
        if (choice.header) return
      }
      const cell = cells[choice.index]
      if (cell === undefined) bad.add(place, cells.join(detected.delimiter), `has no column ${choice.index + 1}`)
      else if (cell.includes('\ufffd')) bad.add(place, cell, 'invalid UTF-8 in the id; save the file as UTF-8')
      else takeText(sink, place, cell)
    },
    () => bad.flush(),
  )
}
