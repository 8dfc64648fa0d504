/** Reads the rows of an input: a list with an id per line, csv, JSON, or a workbook. Which of their cells count is known elsewhere. */
import { parse } from 'csv-parse/sync'
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { endOfString, isObject } from '../values.ts'
import type { Cell } from '../workbook/writer.ts'
import { decodeText, inputName, readWhole, refuseBytes, type InputHost } from './bytes.ts'

/** A row of a text, a JSON document or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, its number in a sheet, or its item in a JSON document. Counts from 1. */
  line: number
  /** The texts by their columns. A missing one is empty: see `textAt`. */
  cells: Readonly<Record<number, string>>
  /** Why the whole row is bad. */
  problem?: string | undefined
  /** Returns why nothing may be decided by a cell (a formula, a rounded number); undefined if it may. */
  unfitReason?(column: number): string | undefined
  /** Whether the row of a sheet is hidden. */
  isHidden?: boolean
  isColumnHidden?(column: number): boolean
  /** Whether another cell of a merged range covers this one. */
  isCovered?(column: number): boolean
  /** Returns a cell of a sheet with its number and format, to give it back. */
  originalCell?(column: number): Cell
}

/** Returns the text of a cell; empty if the row has none. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/** Returns the texts of a row in their order, with empty ones where it has none. */
export function textsOf({ cells }: Row) {
  const last = Math.max(-1, ...Object.keys(cells).map(Number))
  return Array.from({ length: last + 1 }, (_, column) => cells[column] ?? '')
}

/** An input, as it is read before its columns are known. */
export interface Source {
  name: string
  format: 'list' | 'csv' | 'json' | 'ndjson' | 'xlsx'
  delimiter: string
  /** Whether a csv that is given back begins with a byte order mark. */
  needsMark: boolean
  /** The column of a list; undefined in a table with several columns. */
  listColumn?: number | undefined
  /** The line where the heading must be, if there is one; undefined in JSON. */
  headingLine?: number
  /** The names of members in JSON, if an item has any. */
  names?: readonly string[] | undefined
  /** The rows with content, from the heading row on. */
  rows: Iterable<Row>
  /** Returns the first 20 rows, to look for a heading in them. */
  firstRows: () => readonly { number: number; cells: readonly string[] }[]
}

export interface SourceOptions {
  sheet?: string | undefined
  /** The number of the heading row; 0 if there is none. By default, it is row 1 of a table. */
  headingRow?: number | undefined
  /** Tells people how an input was read. */
  note: (text: string) => void
}

/** In how many rows a heading is looked for. */
const maxHeadingRow = 20

/**
 * Reads a file or standard input. `canBeList` says whether a text without delimiters is a list of ids. Throws a usage error if the
 * input cannot be read, or for an option that does not fit it.
 */
export async function openSource(
  host: InputHost,
  path: string,
  options: SourceOptions,
  canBeList: boolean,
): Promise<Source> {
  const name = inputName(path)
  const bytes = await readWhole(host, path)
  // A workbook is a zip archive, which begins with these characters.
  // oxlint-disable-next-line no-control-regex -- two of them are controls
  const isArchive = /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
  if (isArchive) return sheetSource(name, bytes, options, canBeList)
  if (options.sheet !== undefined)
    throw usageError(`--sheet is for workbooks, and ${name} is none`)
  const { text, needsMark, isWindows } = decodeText(name, bytes)
  const source = /^\s*[[{]/.test(text)
    ? jsonSource(name, text, options)
    : textSource(name, text, options, canBeList)
  const isTable = source.format === 'csv' && text.includes(source.delimiter)
  if (isWindows && !isTable) refuseBytes(name, bytes)
  if (isWindows)
    options.note(
      `${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`,
    )
  return { ...source, needsMark }
}

async function sheetSource(
  name: string,
  bytes: Buffer,
  { sheet, headingRow }: SourceOptions,
  canBeList: boolean,
): Promise<Source> {
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const rows = await readWorkbook(name, bytes, sheet)
  const headingLine = headingRow ?? 1
  return {
    name,
    format: 'xlsx',
    delimiter: ',',
    needsMark: true,
    listColumn: canBeList ? onlyColumn(rows) : undefined,
    headingLine,
    rows: rows.filter(({ line }) => line >= headingLine),
    firstRows: () =>
      rows
        .filter(({ line }) => line <= maxHeadingRow)
        .map((row) => ({ number: row.line, cells: textsOf(row) })),
  }
}

/** Returns the only column that rows have; undefined if they have several. */
function onlyColumn(rows: readonly Row[]) {
  const columns = new Set<string>()
  for (const { cells } of rows) {
    for (const column of Object.keys(cells)) columns.add(column)
    if (columns.size > 1) return undefined
  }
  const [column = 0] = columns
  return Number(column)
}

const delimiters = [',', ';', '\t', '|'] as const

/** A cell of csv, and what ends it. A quote at its beginning lasts until a single one. */
const csvCell = /(?:"[^"]*(?:""[^"]*)*"?)?[^,;\t|\n]*([,;\t|\n]?)/y

/**
 * Finds the end of a row of csv before it is known which delimiter separates its cells. Returns where the next row begins, and the
 * delimiter that it has most of.
 */
function scanRow(text: string, start: number) {
  const counts = new Map<string, number>()
  let end = ''
  csvCell.lastIndex = start
  do {
    end = csvCell.exec(text)?.[1] ?? ''
    counts.set(end, (counts.get(end) ?? 0) + 1)
  } while (end !== '\n' && end !== '')
  const countOf = (delimiter: string) => counts.get(delimiter) ?? 0
  const [delimiter = ','] = delimiters.toSorted(
    (one, other) => countOf(other) - countOf(one),
  )
  return { next: csvCell.lastIndex, delimiter, hasDelimiter: countOf(delimiter) > 0 }
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
function startOfContent(text: string) {
  let start = 0
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

const countBreaks = (text: string) => text.split('\n').length - 1

/** Returns the list or the csv in a text. It is a list if the row that decides has one cell without quotes. */
function textSource(
  name: string,
  text: string,
  { headingRow }: SourceOptions,
  canBeList: boolean,
): Source {
  // Excel writes a line such as `sep=;` above a table.
  const [mark = '', separator] = /^"?sep=([^\w\s"]|\t)"? *(?:\n|$)/i.exec(text) ?? []
  const body = text.slice(mark.length)
  const start = headingRow ? startOfRow(body, headingRow) : 0
  const content = headingRow ? start : startOfContent(body)
  const contentRow = scanRow(body, content)
  const isOneColumn = canBeList && separator === undefined && !contentRow.hasDelimiter
  const isList = isOneColumn && !body.slice(content, contentRow.next).includes('"')
  const headingRowScan = headingRow === 0 ? contentRow : scanRow(body, start)
  const delimiter = separator ?? headingRowScan.delimiter
  const line = countBreaks(mark + body.slice(0, start)) + 1
  return {
    name,
    format: isList ? 'list' : 'csv',
    delimiter,
    needsMark: false,
    listColumn: isOneColumn ? 0 : undefined,
    headingLine: line,
    rows: isList
      ? listRows(body.slice(start), line)
      : csvRows(body.slice(start), delimiter, line),
    firstRows: () => firstRowsOf(body),
  }
}

function firstRowsOf(text: string) {
  const rows: { number: number; cells: readonly string[] }[] = []
  for (let start = 0; start < text.length && rows.length < maxHeadingRow;) {
    const { next, delimiter } = scanRow(text, start)
    const cells = text.slice(start, next).split(delimiter)
    rows.push({
      number: rows.length + 1,
      cells: cells.map((cell) => cell.replace(/^\s*"|"\s*$/g, '').trim()),
    })
    start = next
  }
  return rows
}

/** Yields each line of a list as a row with one cell. Blank lines and comments are left out. */
function* listRows(text: string, firstLine: number): Generator<Row> {
  let line = firstLine
  // An array of all lines would take much memory, so they are cut off one by one.
  for (let start = 0; start < text.length; line += 1) {
    const end = endOfLine(text, start)
    const content = text.slice(start, end)
    if (!isBlankOrComment(content)) yield { line, cells: [content] }
    start = end + 1
  }
}

/** How many characters of csv are parsed at once. */
const pieceLength = 1 << 16

/** Yields the rows of csv that are not blank. */
function* csvRows(text: string, delimiter: string, firstLine: number): Generator<Row> {
  let line = firstLine
  for (let start = 0; start < text.length;) {
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

/** The mistakes that csv-parse finds, by its codes. */
const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/** Begins a line within a cell. */
const idInNextLine = /\n\s*[0-9a-f]{24}(?![0-9a-z])/i

/** Returns the rows of a piece of csv that are not blank. A row with wrong quotes is a bad one. */
function parsePiece(text: string, delimiter: string, firstLine: number) {
  const rows: Row[] = []
  /** How many lines of this text were read. */
  let linesRead = 0
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip(error) {
      const lastLine = Number(error?.['lines'])
      // The parser reports every problem of a row. Those after the first are ignored.
      if (lastLine <= linesRead) return undefined
      const code = error?.code ?? ''
      const content = text.split('\n', linesRead + 1).at(-1) ?? ''
      const problem = quoteProblems[code] ?? code
      rows.push({ line: firstLine + linesRead, cells: [content], problem })
      linesRead = lastLine
      return undefined
    },
    on_record(cells: string[], { lines: lastLine }) {
      // The row ends on `lastLine`, and begins earlier by the line breaks in its cells.
      const breaks = lastLine > linesRead + 1 ? countBreaks(cells.join('')) : 0
      linesRead = lastLine
      if (cells.every((cell) => cell.trim() === '')) return null
      // A quote that is not closed swallows rows.
      const problem = cells.some((cell) => idInNextLine.test(cell))
        ? 'a line in a cell begins with an id; a quote may be missing'
        : undefined
      rows.push({ line: firstLine + lastLine - 1 - breaks, cells, problem })
      // With null, the parser does not keep the row.
      return null
    },
  })
  return rows
}

/** Reads each item of JSON as a row. The names of members, and of members of members (`contact.id`), are its headings. */
function jsonSource(name: string, text: string, { headingRow }: SourceOptions): Source {
  if (headingRow !== undefined)
    throw usageError(`--heading-row is for tables of rows, and ${name} is JSON`)
  const start = text.search(/\S/)
  const first = text.slice(start, endOfLine(text, start)).trim()
  const areLines = first.startsWith('{') && first.endsWith('}')
  const items = areLines ? itemsOfLines(text) : itemsOf(name, text)
  const columns = new Map<string, number>()
  const rows = items.map((item) => rowOf(item, columns))
  const names = [...columns.keys()]
  const isList = names.every((each) => each === '')
  return {
    name,
    format: areLines ? 'ndjson' : 'json',
    delimiter: ',',
    needsMark: false,
    listColumn: isList ? 0 : undefined,
    names: isList ? undefined : names,
    rows,
    firstRows: () => [],
  }
}

interface Item {
  line: number
  value?: unknown
  problem?: string | undefined
}

/** Returns the items of an array, or a document that is no array as the only item. */
function itemsOf(name: string, text: string): Item[] {
  try {
    const document: unknown = JSON.parse(text)
    const counts = countNames(text, Array.isArray(document) ? 1 : 0)
    return [document].flat().map((value: unknown, index) => ({
      line: index + 1,
      value,
      problem: nameProblem(value, counts[index]),
    }))
  } catch (error) {
    throw usageError(
      `${name} is not whole JSON: ${shorten(messageOf(error), 200)}`,
      'if a command wrote it, run that again, and use its output only when it ends with exit code 0',
    )
  }
}

/** Returns the items of a text that has one in each line. */
function itemsOfLines(text: string): Item[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return []
    const line = index + 1
    try {
      const value: unknown = JSON.parse(content)
      return { line, value, problem: nameProblem(value, countNames(content, 0)[0]) }
    } catch (error) {
      return { line, problem: `not whole JSON: ${shorten(messageOf(error), 200)}` }
    }
  })
}

/**
 * Counts the names in each item of a JSON text. Items are separated by commas at `itemDepth`: 1 in an array, and 0 in a document
 * that is one item.
 */
function countNames(json: string, itemDepth: number) {
  const counts = [0]
  let depth = 0
  const signs = /["[\]{},:]/g
  for (let found = signs.exec(json); found !== null; found = signs.exec(json)) {
    const [sign] = found
    if (sign === '"') signs.lastIndex = endOfString(json, found.index + 1) + 1
    else if (sign === ':') counts.push((counts.pop() ?? 0) + 1)
    else if (sign === '{' || sign === '[') depth += 1
    else if (sign !== ',') depth -= 1
    else if (depth === itemDepth) counts.push(0)
  }
  return counts
}

/** Returns what is wrong if a name is twice in one object: the text then has more names than the parsed value. */
function nameProblem(item: unknown, namesInText = 0) {
  let names = 0
  // The list grows while it is read. Recursion would not reach every depth.
  const values = [item]
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    const members: unknown[] = Object.values(value)
    if (!Array.isArray(value)) names += members.length
    for (const member of members) values.push(member)
  }
  return names === namesInText ? undefined : 'a name is in it twice'
}

/** Returns the row of an item, and adds its names to `columns`. */
function rowOf({ line, value, problem }: Item, columns: Map<string, number>): Row {
  const cells: Record<number, string> = {}
  const reasons: Record<number, string | undefined> = {}
  for (const [name, member] of membersOf(value)) {
    const column = columns.get(name) ?? columns.size
    columns.set(name, column)
    cells[column] = cellText(member)
    reasons[column] = reasonIfUnfit(member)
  }
  return { line, cells, problem, unfitReason: (column) => reasons[column] }
}

/** Returns the members of an object, and those of objects in it under names such as `contact.id`. A value has an empty name. */
function membersOf(value: unknown): [string, unknown][] {
  if (!isObject(value)) return [['', value]]
  return Object.entries(value).flatMap(([name, member]) =>
    isObject(member)
      ? Object.entries(member).map(([inner, each]): [string, unknown] => [
          `${name}.${inner}`,
          each,
        ])
      : [[name, member]],
  )
}

function cellText(value: unknown) {
  if (typeof value === 'string') return value
  const isShown = typeof value === 'number' || typeof value === 'boolean'
  return isShown ? String(value) : ''
}

/** Returns why nothing may be decided by a value; undefined if it may. */
function reasonIfUnfit(value: unknown) {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'a number: its last digits are lost; ids must be strings'
  const isNested = typeof value === 'object' && value !== null
  return isNested ? 'an array or an object, not a text' : undefined
}
