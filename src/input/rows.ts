/** The rows of an input, read from its text as often as they are needed: a million of them take much memory. */
import { parse, type CsvError, type CsvErrorCode } from 'csv-parse/sync'

/** A row of a text or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, or its number in a sheet. Counts from 1. */
  line: number
  /** The texts by their columns, with holes: see `textAt`. */
  cells: readonly string[]
  /** Why the whole row is bad. */
  problem?: string | undefined
  /** Why nothing may be decided by a cell, such as a formula. */
  reasons?: readonly (string | undefined)[]
  isHidden?: boolean
}

export const textAt = ({ cells }: Row, column: number): string => cells[column] ?? ''

export const isBlank = (text: string | undefined) =>
  text === undefined || text.trim() === ''

/** Returns rows that are generated anew for each loop. */
export const generated = (generate: () => Generator<Row>): Iterable<Row> => ({
  [Symbol.iterator]: generate,
})

/** Returns where a line begins. Lines count from 1. */
export function startOfLine(text: string, line: number) {
  let start = 0
  for (let at = 1; at < line && start < text.length; at += 1) start = endOfLine(text, start)
  return start
}

/** Returns where the line ends that a position is in, its line break included. */
function endOfLine(text: string, position: number) {
  const end = text.indexOf('\n', position)
  return end < 0 ? text.length : end + 1
}

/** Returns the rows of a list, one per line. Blank lines and comments are left out. */
export const listRows = (text: string, firstLine: number) =>
  generated(function* () {
    for (let start = 0, line = firstLine; start < text.length; line += 1) {
      const end = endOfLine(text, start)
      const content = text.slice(start, end).trimEnd()
      if (!/^\s*(?:#|$)/.test(content)) yield { line, cells: [content] }
      start = end
    }
  })

/** Returns the rows of csv that are not blank. */
export const csvRows = (text: string, delimiter: string, firstLine: number) =>
  generated(function* () {
    let line = firstLine
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start)
      const piece = parsePiece(text.slice(start, end), delimiter, line)
      for (const row of piece.rows)
        if (row.problem !== undefined || !row.cells.every(isBlank)) yield row
      line = piece.nextLine
      start = end
    }
  })

/** How many characters of csv are parsed at once. */
const pieceLength = 1 << 16

/** Returns the end of a piece of csv: the end of a line in which no quote is open. */
function endOfPiece(text: string, start: number) {
  let isQuoted = false
  for (let scanned = start; ;) {
    const end = endOfLine(text, scanned + pieceLength)
    const hasOddQuotes = text.slice(scanned, end).split('"').length % 2 === 0
    if (hasOddQuotes) isQuoted = !isQuoted
    if (!isQuoted || end === text.length) return end
    scanned = end
  }
}

/** The mistakes that csv-parse finds. */
const quoteProblems: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/** Returns the rows of a piece of csv, blank ones too, and the line below it. */
function parsePiece(text: string, delimiter: string, firstLine: number) {
  const errors: CsvError[] = []
  const records: string[][] = parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      if (error !== undefined) errors.push(error)
      return undefined
    },
  })
  const hasQuotes = text.includes('"')
  const rows: Row[] = []
  let line = firstLine
  /** Adds the mistakes before a record. The parser tells several of a line. */
  const addErrors = (record: number) => {
    for (; Number(errors[0]?.['records']) <= record; errors.shift()) {
      const [error] = errors
      const found = firstLine + Number(error?.['lines']) - 1
      if (error === undefined || found < line) continue
      const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED'
      const problem = quoteProblems[error.code] ?? error.message
      rows.push({ line: isOpen ? line : found, cells: [], problem })
      line = found + 1
    }
  }
  for (const [record, cells] of records.entries()) {
    addErrors(record)
    rows.push({ line, cells })
    line += hasQuotes ? cells.join('').split('\n').length : 1
  }
  addErrors(records.length)
  return { rows, nextLine: line }
}
