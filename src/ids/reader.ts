/**
 * The id reader: arguments, files and standard input become checked, unique ids with their line numbers.
 *
 * Formats, found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left
 * out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of
 * objects, or a path into it); NDJSON. Text is UTF-8, or UTF-16 with a byte order mark. Lines, csv and NDJSON are streamed:
 * memory holds the unique ids and nothing else. Of a workbook it holds the shared texts too.
 */
import { usageError } from '../errors.ts'
import { grouped } from '../words.ts'
import { BadLines, lineText, type BadLine, type BadLineOptions, type Place } from './bad-lines.ts'
import { columnOption, idColumn, isWantedHeading, TableHead } from './columns.ts'
import { cellIn, readCsv } from './csv.ts'
import { RowFilter } from './row-filter.ts'
import { detectFormat, type Detected } from './detect.ts'
import { refuseNul } from './encoding.ts'
import type { InputFormat } from './formats.ts'
import { IdTable, mostIds, tooManyIds } from './id-table.ts'
import { idLength, readIdWords, reasonNotId, shorten, trimBlanks, unwrapId, type IdWords } from './id.ts'
import { checkInputs, inputName, openInput, type Input, type OpenInput, type StreamInput } from './input.ts'
import { documentItems, idValue, pickId, readDocument, readNdjson, valuesAt } from './json.ts'
import { LineScanner } from './scan.ts'

export interface ReadOptions extends BadLineOptions {
  readonly format: InputFormat | 'auto'
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  readonly column?: string | undefined
  /** Name of the sheet of a workbook. */
  readonly sheet?: string | undefined
  /** `<column>=<value>`, as typed: only rows that have it are taken. */
  readonly where?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** What was read beside the good ones. */
export interface InputFacts {
  /** Bad ones and duplicates included. */
  readonly read: number
  readonly duplicates: number
  readonly invalid: number
  /** Rows that were not wanted. */
  readonly leftOut: number
  /** The first bad lines, when they were skipped. */
  readonly bad: readonly BadLine[]
  /** What was skipped, in words: title rows, Excel's `sep=` line. */
  readonly notes: readonly string[]
}

export interface IdInput extends InputFacts {
  /** The unique ids, in the order and letter case in which they first came. `ids.sha256()` is their checksum. */
  readonly ids: IdTable
  /** What each file or stream was read as. */
  readonly formats: readonly { readonly input: string; readonly format: InputFormat }[]
}

/**
 * Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its ids are; and, unless
 * they are skipped, one error for all bad lines, naming the first twenty.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions): Promise<IdInput> {
  checkInputs(inputs)
  const reader = new IdReader(options)
  let argument = 0
  for (const input of inputs) {
    options.signal?.throwIfAborted()
    if (input.kind === 'argument') {
      argument += 1
      reader.takeText({ input: inputName(input), unit: 'argument', line: argument }, input.text)
    } else await reader.read(input)
    await reader.bad.flush()
  }
  const { table, duplicates, bad, leftOut, formats, notes } = reader
  bad.refuse(table.size)
  const read = table.size + duplicates + bad.total
  return { ids: table, read, duplicates, invalid: bad.total, leftOut, bad: bad.first, formats, notes }
}

/** Collects the ids of all inputs. */
class IdReader {
  readonly table = new IdTable()
  duplicates = 0
  leftOut = 0
  readonly bad: BadLines
  readonly formats: { input: string; format: InputFormat }[] = []
  readonly notes: string[] = []
  readonly #options: ReadOptions
  #filter = new RowFilter('')
  readonly #words: IdWords = { w0: 0, w1: 0, w2: 0, capitals: 0 }

  constructor(options: ReadOptions) {
    this.#options = options
    this.bad = new BadLines(options)
  }

  async read(input: StreamInput): Promise<void> {
    const { column, format, sheet, where = [], signal } = this.#options
    const open = await openInput(input, signal)
    try {
      this.#filter = new RowFilter(open.name, where)
      const isHeading = (cell: string): boolean => isWantedHeading(cell, column)
      const isTable = column !== undefined || where.length > 0
      const detected = detectFormat(open, { known: format, isTable, isHeading })
      this.formats.push({ input: open.name, format: detected.format })
      if (detected.note !== undefined) this.notes.push(detected.note)
      if (sheet !== undefined && detected.format !== 'xlsx')
        this.notes.push(`--sheet is not used: ${open.name} is no workbook`)
      await this.#readAs(open, detected)
      this.leftOut += this.#filter.leftOut
      this.notes.push(...this.#filter.notes)
    } finally {
      await open.close()
    }
  }

  /** An id as text, with whatever may stand around it. Ids of a command line were in no spreadsheet. */
  takeText(place: Place, text: string, hint = ''): void {
    const isArgument = place.unit === 'argument'
    const reason = reasonNotId(text, !isArgument)
    if (reason !== undefined) this.bad.add(place, text, `${reason}${hint}`)
    else if (!this.table.addText(unwrapId(text), isArgument ? 0 : place.line)) this.duplicates += 1
  }

  #readAs(open: OpenInput, detected: Detected): Promise<void> {
    if (detected.format !== 'csv' && detected.format !== 'xlsx') this.#filter.refuse('is not one')
    switch (detected.format) {
      case 'lines':
        return this.#readLines(open)
      case 'ndjson':
        return readNdjson(open, this.bad, (value, place, text) => {
          this.#takeItem(place, value, this.#options.column, text)
        })
      case 'csv':
        return this.#readCsv(open, detected)
      case 'xlsx':
        return this.#readXlsx(open)
      case 'json':
        return this.#readJson(open)
    }
  }

  /** 24 bytes that are an id and nothing else. Eight zeros at the end may be a spreadsheet's rounding: no. */
  #takeBytes(bytes: Buffer, at: number, line: number): boolean {
    if (!readIdWords(bytes, at, this.#words) || this.#words.w2 === 0) return false
    if (!this.table.add(this.#words, line)) this.duplicates += 1
    return true
  }

  async #readLines(open: OpenInput): Promise<void> {
    if (this.#options.column !== undefined && open.head.length > 0) {
      throw usageError(`--column is for csv, json and ndjson; ${open.name} is read as lines`)
    }
    if (open.size !== undefined) {
      const lines = Math.floor(open.size / (idLength + 1))
      // Known before a byte of it is read, which would take minutes.
      if (lines > mostIds) {
        throw tooManyIds(
          `${open.name} is too large for one run: ${grouped(lines)} ids, and ${grouped(mostIds)} are the most`,
        )
      }
      this.table.expect(lines)
    }
    const head = this.#tableHead(open.name, '')
    const scanner = new LineScanner(
      {
        onId: (bytes, at, line) => head.columns !== undefined && this.#takeBytes(bytes, at, line),
        onLine: (line) => {
          const text = lineText(this.bad, { input: open.name, unit: 'line', line: line.number }, line)
          if (text === undefined) return
          const bare = trimBlanks(text)
          if (bare !== '' && !bare.startsWith('#')) head.take({ cells: [text], line: line.number })
        },
        onNul: (offset, line) => refuseNul(open.name, offset, line),
      },
      open.offset,
    )
    for await (const chunk of open.chunks) {
      scanner.feed(chunk)
      await this.bad.flush()
    }
    scanner.finish()
    this.#endHead(head)
  }

  async #readCsv(open: OpenInput, detected: Detected): Promise<void> {
    const delimiter = detected.delimiter.charCodeAt(0)
    const head = this.#tableHead(open.name, detected.delimiter)
    await readCsv(
      open,
      detected,
      {
        onBytes: (bytes, line) => {
          const cell =
            head.columns === undefined || this.#filter.isActive ? undefined : cellIn(bytes, delimiter, head.columns)
          return cell !== undefined && cell.to - cell.from === idLength && this.#takeBytes(bytes, cell.from, line)
        },
        onRow: (row) => {
          head.take(row)
        },
      },
      () => this.bad.flush(),
    )
    this.#endHead(head)
  }

  async #readXlsx(open: OpenInput): Promise<void> {
    const { column, sheet, signal } = this.#options
    const { readXlsx } = await import('./xlsx.ts')
    const head = this.#tableHead(open.name, '')
    const isColumnNamed = column !== undefined
    const between = (): Promise<void> => this.bad.flush()
    const notes = await readXlsx(open, head, { sheet, isColumnNamed, columns: (index) => [index], between, signal })
    this.#endHead(head)
    this.notes.push(...notes)
  }

  #tableHead(input: string, delimiter: string): TableHead<number> {
    const rule = this.#filter.over(idColumn(input, this.#options.column))
    return new TableHead(input, rule, (index, row, isFirst) => {
      if (!this.#filter.keeps(row)) return
      const { cells, line, origin } = row
      const place: Place = { input, unit: 'line', line, cell: origin?.cell(index) }
      const cell = cells[index] ?? (origin === undefined ? undefined : '')
      const unfit = origin?.unfit(index)
      if (unfit !== undefined) this.bad.add(place, cell ?? '', unfit)
      else if (cell === undefined) this.bad.add(place, cells.join(delimiter), `has no column ${index + 1}`)
      else this.takeText(place, cell, isFirst ? headingHint(trimBlanks(cell)) : '')
    })
  }

  #endHead(head: TableHead<number>): void {
    head.end()
    if (head.note !== undefined) this.notes.push(head.note)
  }

  async #readJson(open: OpenInput): Promise<void> {
    const { column } = this.#options
    const value = await readDocument(open)
    if (value === undefined) return
    let item = 0
    for (const found of documentItems(open.name, value, column)) {
      item += 1
      // A path into an object has been followed already.
      this.#takeItem({ input: open.name, unit: 'item', line: item }, found, Array.isArray(value) ? column : undefined)
      if (item % 1000 === 0) await this.bad.flush()
    }
  }

  /** One value of NDJSON, with the line that it stood on, or one item of a document. */
  #takeItem(place: Place, value: unknown, column: string | undefined, text?: string): void {
    const picked =
      column === undefined || typeof value === 'string'
        ? [pickId(place.input, value)]
        : Array.from(valuesAt(place.input, value, column), (found) =>
            found === undefined ? { reason: `has no "${shorten(column)}"` } : idValue(found),
          )
    for (const id of picked) {
      if ('text' in id) this.takeText(place, id.text)
      else this.bad.add(place, text ?? (value === undefined ? '' : JSON.stringify(value)), id.reason)
    }
  }
}

/** What to do when a first cell that is no id was meant as the heading. */
function headingHint(cell: string): string {
  const isName = /^[\p{L}_#][^=@]{0,63}$/u.test(cell)
  return isName ? `; if this is the heading, name it: ${columnOption(cell)}` : ''
}
