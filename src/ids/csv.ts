/** A delimited file as records, with the physical line on which each begins. */
import { usageError } from '../errors.ts'
import { grouped } from '../words.ts'
import type { Row } from './row.ts'
import type { Detected } from './detect.ts'
import type { OpenInput } from './input.ts'
import { longestLine, scanLines, type Line } from './scan.ts'

const quote = 0x22

export interface CsvEvents {
  /** Tried first at a line that begins a record; false when the record is wanted as cells. */
  readonly onBytes?: (bytes: Buffer, line: number) => boolean
  readonly onRow: (row: Row) => void
}

/** Reads records, yielding after every chunk. Throws exit 2, with the line, for an open quote or over a megabyte. */
export async function* readCsv(open: OpenInput, detected: Detected, events: CsvEvents): AsyncGenerator<void> {
  const records = new CsvRecords(open.name, detected.delimiter, events)
  yield* scanLines(open, { onLine: (line) => records.take(line) }, detected.skip)
  records.end()
}

/** Where a cell is in a line's bytes, without its quotes. Undefined if there is none, or it may not end here. */
export function cellIn(line: Buffer, delimiter: number, index: number): { from: number; to: number } | undefined {
  let found: { from: number; to: number } | undefined
  let at = 0
  for (let cell = 0; ; cell += 1) {
    const isQuoted = line[at] === quote
    const from = isQuoted ? at + 1 : at
    const to = isQuoted ? closingQuote(line, from) : endOfCell(line, from, delimiter)
    if (to === undefined) return undefined
    if (cell === index) found = { from, to }
    at = isQuoted ? to + 1 : to
    if (at >= line.length) return found
    if (line[at] !== delimiter) return undefined
    at += 1
  }
}

function endOfCell(line: Buffer, from: number, delimiter: number): number {
  let at = from
  while (at < line.length && line[at] !== delimiter) at += 1
  return at
}

function closingQuote(line: Buffer, from: number): number | undefined {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] !== quote) continue
    if (line[at + 1] !== quote) return at
    at += 1
  }
  return undefined
}

/** Puts lines together to records: a quoted cell may go on over several. */
class CsvRecords {
  readonly #name: string
  readonly #delimiter: string
  readonly #events: CsvEvents
  /** The record whose quoted cell goes on, the line on which it began, and its length so far. */
  #open: OpenRecord | undefined
  #line = 0
  #from = 0

  constructor(name: string, delimiter: string, events: CsvEvents) {
    this.#name = name
    this.#delimiter = delimiter
    this.#events = events
  }

  take({ bytes, number, offset, length }: Line): void {
    if (this.#open === undefined) {
      this.#line = number
      this.#from = offset
    }
    const to = offset + length
    if (to - this.#from >= longestLine) {
      throw usageError(`${this.#name} line ${grouped(this.#line)}: a record of more than 1 MB`, 'is a quote missing?')
    }
    if (this.#open === undefined && this.#events.onBytes?.(bytes, number) === true) return
    this.#open ??= new OpenRecord(this.#delimiter)
    if (!this.#open.take(bytes.toString('utf8'))) return
    const { cells } = this.#open
    this.#open = undefined
    this.#events.onRow({ cells, line: this.#line, span: { from: this.#from, to } })
  }

  end(): void {
    if (this.#open === undefined) return
    throw usageError(
      `${this.#name} line ${grouped(this.#line)}: a quote is opened and never closed`,
      'add or remove the quote',
    )
  }
}

/**
 * A record that is being read. A quote opens a quoted cell only at the cell's beginning, for `ObjectId("…")` and `="…"` have
 * quotes of their own inside; in a quoted cell two of them stand for one.
 */
export class OpenRecord {
  readonly cells: string[] = []
  readonly #delimiter: string
  #cell = ''
  #isQuoted = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** Takes the next line; true when the record ends with it. */
  take(text: string): boolean {
    // A line end within quotes belongs to the cell.
    if (this.#isQuoted) this.#cell += '\n'
    let at = this.#isQuoted ? this.#takeQuoted(text, 0) : this.#begin(text, 0)
    while (!this.#isQuoted) {
      const end = text.indexOf(this.#delimiter, at)
      this.cells.push(this.#cell + text.slice(at, end < 0 ? text.length : end))
      this.#cell = ''
      if (end < 0) return true
      at = this.#begin(text, end + 1)
    }
    return false
  }

  /** Begins a cell; the place behind its quoted part. */
  #begin(text: string, at: number): number {
    if (text[at] !== '"') return at
    this.#isQuoted = true
    return this.#takeQuoted(text, at + 1)
  }

  /** Takes the text up to the end of the quoted part, or all of it; the place behind. */
  #takeQuoted(text: string, from: number): number {
    let at = from
    for (;;) {
      const end = text.indexOf('"', at)
      this.#cell += text.slice(at, end < 0 ? text.length : end)
      if (end < 0) return text.length
      if (text[end + 1] !== '"') {
        this.#isQuoted = false
        return end + 1
      }
      this.#cell += '"'
      at = end + 2
    }
  }
}
