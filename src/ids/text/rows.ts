/** Rows of a text: the lines of a list, the records of a delimited table. */
import { isAscii } from 'node:buffer'
import { usageError } from '../../errors.ts'
import { grouped } from '../../words.ts'
import { lineProblem } from '../bad-lines.ts'
import { OpenRecord, endOfCell, quote } from './csv.ts'
import { trimBlanks } from '../id.ts'
import type { OpenInput } from '../input.ts'
import type { Line } from './line.ts'
import type { Row } from '../row.ts'
import { LineScanner, longestLine } from './scan.ts'

export interface Skip {
  readonly bytes: number
  readonly lines: number
}

/** Lines behind those that are skipped, chunk by chunk. Throws exit 2 at a NUL byte. */
export async function* readLines(
  open: OpenInput,
  { bytes: skipped, lines: count }: Skip = { bytes: 0, lines: 0 },
  delimiter?: string,
) {
  const scanner = new LineScanner(open.name, delimiter, open.offset + skipped, count)
  let left = skipped
  for await (const bytes of open.chunks) {
    const start = Math.min(bytes.length, left)
    left -= start
    yield { lines: scanner.feed(start === 0 ? bytes : bytes.subarray(start)), bytes }
  }
  yield { lines: scanner.finish(), bytes: Buffer.alloc(0) }
}

/** The lines of a list; blank ones and comments are no data, and those that are no UTF-8 or too long are invalid. */
export async function* readList(open: OpenInput): AsyncGenerator<readonly Row[]> {
  for await (const { lines, bytes } of readLines(open)) {
    const ascii = isAscii(bytes) ? bytes : undefined
    for (const line of lines) {
      const problem = line.bytes === ascii && line.length <= longestLine ? undefined : lineProblem(line)
      if (problem !== undefined) {
        line.kind = 'invalid'
        line.problem = problem
      } else if (!line.isPlain && /^(?:#|$)/.test(trimBlanks(line.text))) line.kind = 'other'
    }
    yield lines
  }
}

/** The records of a delimited table; blank ones are no data. Throws exit 2, with the line, for an open quote or over a megabyte. */
export async function* readRecords(open: OpenInput, skip: Skip, delimiter: string): AsyncGenerator<readonly Row[]> {
  const records = new CsvRecords(open.name)
  for await (const { lines } of readLines(open, skip, delimiter)) {
    const rows = records.take(lines)
    for (const row of rows)
      if (row.isPlain !== true && row.cells.every((cell) => cell.trim() === '')) row.kind = 'other'
    yield rows
  }
  records.end()
}

function isWhole({ bytes, from, to, delimiter = ',' }: Line): boolean {
  const code = delimiter.charCodeAt(0)
  let end = endOfCell(bytes, from, to, code)
  while (end >= 0 && end < to) end = endOfCell(bytes, end + 1, to, code)
  return end >= 0
}

/** Puts lines together to records. */
class CsvRecords {
  readonly #name: string
  /** The record whose quoted cell goes on, and its first line. */
  #open: { readonly record: OpenRecord; readonly line: number; readonly from: number } | undefined
  /** The bytes that were looked through for quotes, and where the next one is. */
  #bytes: Buffer | undefined
  #quote = 0

  constructor(name: string) {
    this.#name = name
  }

  /** The records that end in these lines. Throws exit 2 for one of over a megabyte. */
  take(lines: readonly Line[]): Row[] {
    const rows: Row[] = []
    for (const line of lines) {
      const { line: first, from } = this.#open ?? { line: line.line, from: line.offset }
      const to = line.offset + line.length
      if (to - from >= longestLine)
        throw usageError(`${this.#name} line ${grouped(first)}: a record of more than 1 MB`, 'is a quote missing?')
      if (this.#open === undefined && (!this.#hasQuote(line) || isWhole(line))) rows.push(line)
      else {
        this.#open ??= { record: new OpenRecord(line.delimiter ?? ','), line: first, from }
        const { record } = this.#open
        if (!record.take(line.text)) continue
        this.#open = undefined
        rows.push({ cells: record.cells, line: first, kind: 'data' })
      }
    }
    return rows
  }

  /** Throws exit 2, with the line, for a quote that is still open. */
  end(): void {
    if (this.#open === undefined) return
    const line = grouped(this.#open.line)
    throw usageError(`${this.#name} line ${line}: a quote is opened and never closed`, 'add or remove the quote')
  }

  #hasQuote({ bytes, from, to }: Line): boolean {
    if (bytes !== this.#bytes || this.#quote < from) {
      this.#bytes = bytes
      const found = bytes.indexOf(quote, from)
      this.#quote = found < 0 ? Infinity : found
    }
    return this.#quote < to
  }
}
