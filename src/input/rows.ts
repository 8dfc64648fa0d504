/**
 * The rows of one input, for readers of ids, of pairs and of people. It is read whole, decoded, and cut: a list into lines, csv
 * strictly as csv-parse reads it.
 */
import { parse } from 'csv-parse/sync'
import { readJson } from './json.ts'
import { inputName, readWhole, type InputHost } from './source.ts'
import { isHeading, Table, type RowOptions, type TableRule } from './table.ts'
import { openText } from './text.ts'

/** Reads a file or standard input. Throws exit 2 for what cannot be read, or does not say where its columns are. */
export async function readTable(
  host: InputHost,
  path: string,
  rule: TableRule,
  options: RowOptions,
) {
  const table = new Table(inputName(path), rule, options)
  const bytes = await readWhole(host, path)
  // A zip archive, as every workbook is.
  // oxlint-disable-next-line no-control-regex -- archives have one
  if (/^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))) await readSheet(bytes, table)
  else readText(bytes, table)
  return table
}

async function readSheet(bytes: Buffer, table: Table) {
  const { name, rule, options, take } = table
  table.format = 'xlsx'
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const hasColumn = (cells: readonly string[]) => isHeading(cells, rule)
  for (const row of await readWorkbook(name, bytes, options.sheet, hasColumn)) take(row)
}

function readText(bytes: Buffer, table: Table) {
  const { text, above, body } = openText(bytes, table)
  if (table.format.endsWith('json')) return readJson(text, table)
  if (table.format === 'lines') return readList(text, table)
  // What is above its first row is no data.
  readList(above, table)
  const linesAbove = text.slice(0, text.length - body.length).split('\n').length - 1
  readCsv(body, linesAbove, table)
}

/** Reads a list, or what is above a table. Blank lines and comments are no data. */
function readList(text: string, { take }: Table) {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const content = text.slice(start, end < 0 ? text.length : end)
    const isBlankOrComment = /^\s*(?:#|$)/.test(content)
    take({ line, cells: [content] }, isBlankOrComment ? { kind: 'no-data' } : undefined)
    start += content.length + 1
  }
}

const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/**
 * Reads csv. A record whose quotes are wrong is a bad line that is never skipped, because nobody knows where it ends.
 * `linesAbove`: lines in front of the text.
 */
function readCsv(text: string, linesAbove: number, { delimiter, take }: Table) {
  /** Lines of the text that are read. */
  let read = 0
  let lines: string[] | undefined
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      const last = Number(error?.['lines'])
      // There can be several problems with one record.
      if (!(last > read)) return undefined
      lines ??= text.split('\n')
      const content = lines[read] ?? ''
      const code = error?.code ?? ''
      const reason = quoteProblems[code] ?? code
      const line = linesAbove + read + 1
      take({ line, cells: [content] }, { kind: 'invalid', reason, isNeverSkipped: true })
      read = last
      return undefined
    },
    on_record(cells: string[], { lines: last }) {
      const breaks = last > read + 1 ? cells.join('').split('\n').length - 1 : 0
      const isBlank = cells.every((cell) => cell.trim() === '')
      const line = linesAbove + last - breaks
      take({ line, cells }, isBlank ? { kind: 'no-data' } : undefined)
      read = last
      // So that the parser keeps nothing.
      return null
    },
  })
}
