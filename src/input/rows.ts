/** The rows of a text, a list or csv. They are read anew whenever they are needed: a million of them take much memory. */
import { parse, type CsvError } from 'csv-parse/sync'

/** A row of a text or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, or its number in a sheet. Counts from 1. */
  line: number
  /** The texts by their columns, with holes: see `textAt`. */
  cells: readonly string[]
  /** Why the whole row is bad. */
  problem?: string
  /** Whether it is the last row of a text and does not end its line, so that it may be cut. */
  isOpen?: boolean
  /** Why nothing may be decided by a cell, such as a formula. */
  reasons?: readonly (string | undefined)[]
  isHidden?: boolean
}

export const textAt = ({ cells }: Row, column: number): string => cells[column] ?? ''

export const isBlank = (text: string | undefined) =>
  text === undefined || text.trim() === ''

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
export function* listRows(text: string, firstLine: number): Generator<Row> {
  for (let start = 0, line = firstLine; start < text.length; line += 1) {
    const end = endOfLine(text, start)
    const content = text.slice(start, end).trimEnd()
    if (!/^\s*(?:#|$)/.test(content)) yield { line, cells: [content] }
    start = end
  }
}

/** Returns the rows of csv that are not blank. */
export function* csvRows(
  text: string,
  delimiter: string,
  firstLine: number,
): Generator<Row> {
  let line = firstLine
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start)
    const piece = text.slice(start, end)
    const lines = piece.split('\n')
    // The parser takes five times as long.
    const rows = piece.includes('"')
      ? parsePiece(piece, delimiter, line)
      : lines.map((each, at): Row => ({ line: line + at, cells: each.split(delimiter) }))
    const filled = rows.filter(({ cells, problem }) => problem ?? !cells.every(isBlank))
    const last = filled.at(-1)
    if (end === text.length && last !== undefined) last.isOpen = !text.endsWith('\n')
    yield* filled
    line += lines.length - 1
    start = end
  }
}

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

/** Why a row, the heading too, may have swallowed other rows. */
const swallowing = 'a cell has an id in a later line; a quote may be missing'

const hasInnerId = (text: string) =>
  text.includes('\n') &&
  /(?<![\da-f])[\da-f]{24}(?![\da-f])/i.test(text.slice(text.indexOf('\n')))

/** Returns the rows of a piece of csv, and for each line with a wrong quote a bad one. */
function parsePiece(text: string, delimiter: string, firstLine: number) {
  const errors: CsvError[] = []
  // Asked for the line of each record, the parser takes three times as long.
  const records = parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      if (error !== undefined) errors.push(error)
      return undefined
    },
  })
  const rows: Row[] = []
  let line = firstLine
  let error = errors.shift()
  for (let index = 0; index <= records.length; index += 1) {
    // An error has the number of records before it.
    for (; error?.['records'] === index; error = errors.shift()) {
      const last = firstLine + Number(error['lines']) - 1
      // The parser tells several mistakes of a line.
      if (last < line) continue
      const isUnclosed = error.code === 'CSV_QUOTE_NOT_CLOSED'
      rows.push({
        line: isUnclosed ? line : last,
        cells: [],
        problem: isUnclosed
          ? 'a quote is not closed'
          : 'a quote is wrong; write "" for one in a cell, and quotes around the cell',
      })
      line = last + 1
    }
    const cells = records[index] ?? []
    rows.push(
      cells.some(hasInnerId) ? { line, cells, problem: swallowing } : { line, cells },
    )
    line += cells.join('').split('\n').length
  }
  return rows
}
