/**
 * Reads the rows of one input: a workbook, JSON, a list with one id per line, or csv. In JSON, a row is an item
 * of the array, in ndjson a line, and its headings are the paths of its members (`contact.id`).
 */
import { parse } from 'csv-parse/sync'
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { isObject } from '../values.ts'
import { Table, type RowOptions, type TableRule, type Row } from './table.ts'
import { inputName, readWhole, type InputHost, openText } from './text.ts'

/**
 * Reads a file or standard input. Passes its rows to `options.onRow`, and returns its table. Throws a usage error if the input
 * cannot be read, or if its columns cannot be known.
 */
export async function readTable(
  host: InputHost,
  path: string,
  rule: TableRule,
  options: RowOptions,
) {
  const table = new Table(inputName(path), rule, options)
  const bytes = await readWhole(host, path)
  // A workbook is a zip archive, which begins with these characters.
  // oxlint-disable-next-line no-control-regex -- two of them are controls
  const isArchive = /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
  if (isArchive) await readSheet(bytes, table)
  else readText(bytes, table)
  return table
}

async function readSheet(bytes: Buffer, table: Table) {
  table.format = 'xlsx'
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const rows = await readWorkbook(table.name, bytes, table.options.sheet)
  for (const row of rows) table.take(row)
}

function readText(bytes: Buffer, table: Table) {
  // openText also sets the format and the delimiter of the table.
  const { text, above, body } = openText(bytes, table)
  if (table.format.endsWith('json')) return readJson(text, table)
  if (table.format === 'lines') return readLines(text, table)
  // Comments above the heading are rows, too, because a copy (`--annotate`) has them.
  readLines(above, table)
  // A line `sep=;` can stand between `above` and the body.
  const beforeBody = text.slice(0, text.length - body.length)
  readCsv(body, countBreaks(beforeBody), table)
}

const countBreaks = (text: string) => text.split('\n').length - 1

/** Reads each line as a row with one cell. Blank lines and comments are no data. */
function readLines(text: string, table: Table) {
  let line = 1
  // An array of all lines would take much memory, so they are cut off one by one.
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const content = text.slice(start, end < 0 ? text.length : end)
    const isBlankOrComment = /^\s*(?:#|$)/.test(content)
    table.take({ line, cells: [content] }, { kind: isBlankOrComment ? 'no-data' : 'data' })
    start += content.length + 1
  }
}

/** The mistakes that csv-parse finds, by its codes. */
const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/**
 * Reads csv. A record with wrong quotes is a bad line. --skip-invalid does not skip it, because its end is not known. `linesAbove`
 * is the number of lines in the file above this text.
 */
function readCsv(text: string, linesAbove: number, table: Table) {
  /** How many lines of this text were read. */
  let linesRead = 0
  /** The lines of the text; undefined until there is a bad one. */
  let textLines: string[] | undefined
  parse(text, {
    delimiter: table.delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      const lastLine = Number(error?.['lines'])
      // The parser reports every problem of a record. Those after the first are ignored.
      if (lastLine <= linesRead) return undefined
      textLines ??= text.split('\n')
      const content = textLines[linesRead] ?? ''
      const code = error?.code ?? ''
      const reason = quoteProblems[code] ?? code
      const line = linesAbove + linesRead + 1
      table.take(
        { line, cells: [content] },
        { kind: 'invalid', reason, isNeverSkipped: true },
      )
      linesRead = lastLine
      return undefined
    },
    on_record(cells: string[], { lines: lastLine }) {
      // The record ends on `lastLine`, and begins earlier by the line breaks in its cells. The parser skips blank lines before it.
      const breaks = lastLine > linesRead + 1 ? countBreaks(cells.join('')) : 0
      const line = linesAbove + lastLine - breaks
      const isBlank = cells.every((cell) => cell.trim() === '')
      table.take({ line, cells }, { kind: isBlank ? 'no-data' : 'data' })
      linesRead = lastLine
      // With null, the parser does not keep the record.
      return null
    },
  })
}

/**
 * Reads each item as a row. The heading has the paths of all members, such as `contact.id`. If no item has members, there is no
 * heading. Throws a usage error for a text that is not JSON.
 */
function readJson(text: string, table: Table) {
  const items = parseItems(table, text)
  const columns = new Map<string, number>()
  const rows: Row[] = []
  for (const [index, item] of items.entries()) {
    if (item === undefined) continue
    const values: unknown[] = []
    for (const [path, value] of membersOf(item)) {
      const column = columns.get(path) ?? columns.size
      columns.set(path, column)
      values[column] = value
    }
    rows.push({
      line: index + 1,
      cells: values.map(cellText),
      unfitReason: (column) => reasonIfUnfit(values[column]),
    })
  }
  const paths = [...columns.keys()]
  if (paths.some((path) => path !== '')) table.takeHeading(paths)
  for (const row of rows) table.take(row)
}

/** Returns the items of a document, or the values of lines. A blank line is undefined. */
function parseItems({ name, format }: Table, text: string): unknown[] {
  // A document that is not an array is one item.
  if (format === 'json') return [parseJson(name, text)].flat()
  return text.split('\n').map((line, index) => {
    const isBlank = line.trim() === ''
    return isBlank ? undefined : parseJson(`${name} line ${index + 1}`, line)
  })
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(
      `${what} is not whole JSON: ${shorten(messageOf(error), 200)}`,
      'if a command wrote it, run that again, and use its output only when it ends with exit code 0',
    )
  }
}

/** Objects inside objects are read to this depth. No ids are nested deeper. */
const maxDepth = 8

/** Returns each member of an object with its path. Any other value has an empty path. */
function membersOf(value: unknown, path = '', depth = 0): [string, unknown][] {
  if (!isObject(value) || depth > maxDepth) return [[path, value]]
  const prefix = path === '' ? '' : `${path}.`
  return Object.entries(value).flatMap(([name, member]) =>
    membersOf(member, prefix + name, depth + 1),
  )
}

function cellText(value: unknown) {
  if (typeof value === 'string') return value
  const isShown = typeof value === 'number' || typeof value === 'boolean'
  return isShown ? String(value) : ''
}

/** Returns why the text of a value cannot be trusted; undefined if it can. */
function reasonIfUnfit(value: unknown) {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'a number: its last digits are lost; ids must be strings'
  const isNested = typeof value === 'object' && value !== null
  return isNested ? 'an array or an object, not a text' : undefined
}
