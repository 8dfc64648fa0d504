/** Reads the rows of a text: a list with an id per line, or csv. */
import { CsvError, parse, type Options } from 'csv-parse/sync'
import type { OpenAt, Row } from './rows.ts'

/** Opens a list or csv. It is a list if the first row that is no comment has one cell. */
export function openText(text: string, canBeList: boolean): OpenAt {
  // Excel writes a line such as `sep=;` above a table.
  const [separatorLine = '', separator] =
    /^"?sep=([^\w\s"]|\t)"? *(?:\n|$)/i.exec(text) ?? []
  const body = text.slice(separatorLine.length)
  return (headingRow) => {
    const start = startOfRow(body, headingRow)
    const first = separator ?? scanRow(body, startOfContent(body, start)).delimiter
    const isList = canBeList && first === undefined
    const delimiter = separator ?? scanRow(body, start).delimiter ?? first ?? ','
    const headingLine = countBreaks(separatorLine + body.slice(0, start)) + 1
    const rowsOf = isList ? listRows : csvRows
    return {
      format: isList ? 'list' : 'csv',
      isList,
      headingLine,
      delimiter,
      rows: () => rowsOf(body, start, headingLine, delimiter),
    }
  }
}

/** A cell of csv, and what ends it. A quote at its beginning lasts until a single one. */
const csvCell = /(?:"[^"]*(?:""[^"]*)*"?)?[^,;\t|\n]*([,;\t|\n]?)/y

/**
 * Finds the end of a row of csv before it is known which delimiter separates its cells. Returns where the next row begins, and the
 * delimiter that it has most of; undefined if it has none.
 */
function scanRow(text: string, start: number) {
  let delimiters = ''
  csvCell.lastIndex = start
  for (;;) {
    const end = csvCell.exec(text)?.[1] ?? ''
    if (end === '' || end === '\n') break
    delimiters += end
  }
  const countOf = (delimiter: string) => delimiters.split(delimiter).length
  const [most] = [',', ';', '\t', '|'].sort((one, other) => countOf(other) - countOf(one))
  return { next: csvCell.lastIndex, delimiter: delimiters === '' ? undefined : most }
}

/** Returns where a row of csv begins. Rows count from 1. */
function startOfRow(text: string, number: number) {
  let start = 0
  for (let row = 1; row < number && start < text.length; row += 1)
    start = scanRow(text, start).next
  return start
}

const isBlankOrComment = (line: string) => /^\s*(?:#|$)/.test(line)

/** Returns where the first line begins that is neither blank nor a comment. */
function startOfContent(text: string, from: number) {
  let start = from
  while (start < text.length) {
    const end = endOfLine(text, start)
    if (!isBlankOrComment(text.slice(start, end))) break
    start = end + 1
  }
  return start
}

function endOfLine(text: string, start: number) {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

function countBreaks(text: string) {
  let breaks = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1
  return breaks
}

/** Yields each line of a list as a row with one cell. Blank lines and comments are left out. */
function* listRows(text: string, from: number, firstLine: number): Generator<Row> {
  let line = firstLine
  // An array of all lines would take much memory, so they are cut off one by one.
  for (let start = from; start < text.length; line += 1) {
    const end = endOfLine(text, start)
    const content = text.slice(start, end)
    const isQuoted = content.startsWith('"') && content.endsWith('"')
    if (!isBlankOrComment(content))
      yield { line, cells: [isQuoted ? content.slice(1, -1) : content] }
    start = end + 1
  }
}

/** How many characters of csv are parsed at once. */
const pieceLength = 1 << 16

/** Yields the rows of csv that are not blank. */
function* csvRows(
  text: string,
  from: number,
  firstLine: number,
  delimiter: string,
): Generator<Row> {
  let line = firstLine
  for (let start = from; start < text.length;) {
    const end = endOfPiece(text, start)
    const piece = text.slice(start, end)
    yield* parsePiece(piece, delimiter, line)
    line += countBreaks(piece)
    start = end
  }
}

/** Returns the end of a piece of csv: the end of a line in which no quote is open. */
function endOfPiece(text: string, start: number) {
  let scanned = start
  let isQuoted = false
  let end = start + pieceLength
  do {
    end = Math.min(endOfLine(text, end) + 1, text.length)
    for (let at = scanned; at < end; at += 1)
      if (text.charCodeAt(at) === 0x22) isQuoted = !isQuoted
    scanned = end
  } while (isQuoted && end < text.length)
  return end
}

const blankLine = /^\n|\n\n/

/** Returns the rows of a piece of csv that are not blank. */
function parsePiece(text: string, delimiter: string, firstLine: number): Row[] {
  const options = { delimiter, record_delimiter: '\n', relax_column_count: true }
  if (blankLine.test(text)) return parseWithLines(text, options, firstLine)
  let records: string[][]
  try {
    records = parse(text, options)
  } catch (error) {
    if (error instanceof CsvError) return parseWithLines(text, options, firstLine)
    throw error
  }
  let next = firstLine
  return records.flatMap((cells) => {
    const line = next
    next += 1 + countBreaks(cells.join(''))
    return rowOf(cells, line) ?? []
  })
}

/** An id that begins a later line of a cell. */
const idInNextLine = /\n\s*[0-9a-f]{24}(?![0-9a-z])/i

/** Returns the row of the cells that begin on a line; undefined for a blank one. */
function rowOf(cells: string[], line: number): Row | undefined {
  if (cells.every((cell) => cell.trim() === '')) return undefined
  // A quote that is not closed swallows rows.
  const problem = cells.some((cell) => idInNextLine.test(cell))
    ? 'a line in a cell begins with an id; a quote may be missing'
    : undefined
  return { line, cells, problem }
}

/** The mistakes that csv-parse finds, by its codes. */
const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/**
 * The same for a piece with blank lines, or with wrong quotes, whose rows are bad. It takes longer for other rows, because the parser
 * then tells the line of each.
 */
function parseWithLines(text: string, options: Options, firstLine: number) {
  const rows: Row[] = []
  const lines = text.split('\n')
  /** How many lines of this text were read. */
  let linesRead = 0
  parse(text, {
    ...options,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip(error) {
      const lastLine = Number(error?.['lines'])
      // The parser reports every problem of a row. Those after the first are ignored.
      if (lastLine <= linesRead) return undefined
      const code = error?.code ?? ''
      while (lines[linesRead] === '') linesRead += 1
      const problem = quoteProblems[code] ?? code
      rows.push({ line: firstLine + linesRead, cells: [lines[linesRead] ?? ''], problem })
      linesRead = lastLine
      return undefined
    },
    on_record(cells: string[], { lines: lastLine }) {
      linesRead = lastLine
      // The row ends on `lastLine`, and begins earlier by the line breaks in its cells.
      const line = firstLine + lastLine - 1 - countBreaks(cells.join(''))
      rows.push(...[rowOf(cells, line) ?? []].flat())
      // With null, the parser does not keep the row.
      return null
    },
  })
  return rows
}
