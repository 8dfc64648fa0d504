/** Reads the rows of one input: a workbook, JSON, a list with one id per line, or csv. */
import { parse } from 'csv-parse/sync'
import { readJson } from './json.ts'
import { inputName, readWhole, type InputHost } from './source.ts'
import { hasKnownHeading, Table, type RowOptions, type TableRule } from './table.ts'
import { openText } from './text.ts'

/**
 * Reads a file or standard input. Returns its table, after its rows were passed to `options.onRow`. Throws a usage error if the
 * input cannot be read or does not say where its columns are.
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
  const { name, rule, options } = table
  table.format = 'xlsx'
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const hasHeading = (cells: readonly string[]) => hasKnownHeading(cells, rule)
  const rows = await readWorkbook(name, bytes, options.sheet, hasHeading)
  for (const row of rows) table.take(row)
}

function readText(bytes: Buffer, table: Table) {
  const { text, above, body } = openText(bytes, table)
  if (table.format.endsWith('json')) return readJson(text, table)
  if (table.format === 'lines') return readLines(text, table)
  readLines(above, table)
  const linesAbove = text.slice(0, text.length - body.length).split('\n').length - 1
  readCsv(body, linesAbove, table)
}

/** Reads each line as a row with one cell. Blank lines and comments are no data. */
function readLines(text: string, table: Table) {
  let line = 1
  // The lines are cut one by one, because an array of all of them would take much memory.
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const content = text.slice(start, end < 0 ? text.length : end)
    const isBlankOrComment = /^\s*(?:#|$)/.test(content)
    table.take({ line, cells: [content] }, { kind: isBlankOrComment ? 'no-data' : 'data' })
    start += content.length + 1
  }
}

/** Reasons by the codes of csv-parse. */
const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/**
 * Reads csv as strictly as csv-parse does. A record whose quotes are wrong is a bad line that --skip-invalid does not skip,
 * because its end is unknown. `linesAbove` are the lines of the file above this text.
 */
function readCsv(text: string, linesAbove: number, table: Table) {
  /** The number of lines that were read of this text. */
  let linesRead = 0
  /** The lines of the text; undefined until a bad one is shown. */
  let textLines: string[] | undefined
  parse(text, {
    delimiter: table.delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      const lastLine = Number(error?.['lines'])
      // The parser reports each problem of a record. Only the first one is shown.
      const isNewRecord = lastLine > linesRead
      if (!isNewRecord) return undefined
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
      const hasSeveralLines = lastLine > linesRead + 1
      const breaks = hasSeveralLines ? cells.join('').split('\n').length - 1 : 0
      const line = linesAbove + lastLine - breaks
      const isBlank = cells.every((cell) => cell.trim() === '')
      table.take({ line, cells }, { kind: isBlank ? 'no-data' : 'data' })
      linesRead = lastLine
      // With null, the parser does not keep the record.
      return null
    },
  })
}
