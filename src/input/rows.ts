/**
 * The one loop over inputs: each is read whole, decoded, and cut into rows, for readers of ids, of pairs and
 * of people, each with its rule.
 *
 * Formats are found by themselves (see `detectFormat`): one id per line, with blank lines and `#` comments
 * left out; csv with commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON
 * document (an array of ids or of objects, or a path into it); NDJSON.
 */
import { CsvError, parse, type Options } from 'csv-parse/sync'
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import {
  detectFormat,
  isBlankOrComment,
  linesOf,
  decode,
  isZip,
  checkEncoding,
} from './text.ts'
import { checkInputs, inputName, readWhole, type Input } from './input.ts'
import { readJson } from './json.ts'
import { fillHoles, rowOf } from './row.ts'
import { mostTitleRows, type TableRule } from './columns.ts'
import { RowFilter } from './row-filter.ts'
import { Table, type OnRow } from './table.ts'

export interface RowOptions {
  sheet?: string | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows for which all of them hold. */
  where?: readonly string[] | undefined
}

/**
 * Reads every input, each by its rule. Throws exit 2 for what cannot be read, is not text, or does not say where its columns
 * are.
 */
export async function readRows(
  inputs: readonly Input[],
  ruleFor: (input: string) => TableRule,
  options: RowOptions,
  onRow: OnRow,
): Promise<Table[]> {
  checkInputs(inputs)
  const tables: Table[] = []
  for (const input of inputs) {
    const name = inputName(input)
    const where = input.kind === 'words' ? [] : options.where
    const table = new Table(ruleFor(name), new RowFilter(name, where), onRow)
    tables.push(table)
    if (input.kind === 'words') readWords(input.texts, table)
    else {
      const bytes = await readWhole(input)
      if (isZip(bytes)) await readSheet(bytes, options, table)
      else readText(bytes, options, table)
    }
    table.end()
  }
  return tables
}

/** Words of the command line are a list. Throws exit 2 where lists are not taken. */
function readWords(texts: readonly string[], table: Table) {
  if (table.rule.isOfLines !== true)
    throw usageError('pairs are read from a file: --file <path>')
  table.form = { ...table.form, format: 'words' }
  table.columns = [0]
  for (const [n, text] of texts.entries()) table.take(rowOf(n + 1, [text]))
}

/** Reads the sheet that is meant. Throws exit 2 for a damaged workbook, and for several sheets. */
async function readSheet(bytes: Buffer, { sheet: wanted }: RowOptions, table: Table) {
  const { input } = table
  table.form = { ...table.form, format: 'xlsx' }
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const { rows, notes } = await readWorkbook(input, bytes, wanted, (all) =>
    all
      .slice(0, mostTitleRows + 1)
      .some(({ cells }) => table.mayBeHeading(fillHoles(cells))),
  )
  table.notes.push(...notes)
  for (const row of rows) table.take(rowOf(row.line, row.cells, { sheetRow: row }))
}

function readText(bytes: Buffer, { sheet, where = [] }: RowOptions, table: Table) {
  const { input, rule, notes } = table
  const decoded = decode(input, bytes)
  const { text, needsMark } = decoded
  const isTable = rule.isOfLines !== true || where.length > 0
  const { start, ...form } = detectFormat(text, rule, isTable)
  const { format, delimiter, isSeparatorSkipped } = form
  table.form = { ...form, needsMark }
  notes.push(...checkEncoding(input, decoded, format === 'csv' ? delimiter : undefined))
  if (isSeparatorSkipped) notes.push(`${input}: skipped Excel's "sep=" line`)
  if (sheet !== undefined) notes.push(`--sheet is not used: ${input} is not a workbook`)
  if (format === 'csv') readCsv(text, table, start)
  else if (format === 'lines') readList(text, table)
  else readJson(text, table)
}

const noData = { kind: 'no-data' } as const

/** Reads a list. Blank lines and comments are no data. */
function readList(text: string, table: Table) {
  for (const { line, text: content } of linesOf(text)) {
    const details = isBlankOrComment(content) ? { finding: noData } : {}
    table.take(rowOf(line, [content], details))
  }
}

/** Reads csv whose first row is at `start`. The lines above it are no data. */
function readCsv(text: string, table: Table, start: number) {
  let linesAbove = 0
  for (const { line, text: content, next } of linesOf(text.slice(0, start))) {
    linesAbove = line
    const isSeparator = table.form.isSeparatorSkipped && next >= start
    if (!isSeparator) table.take(rowOf(line, [content], { finding: noData }))
  }
  readRecords(text.slice(start), table, linesAbove)
}

/**
 * Reads the rows of csv. Blank ones are no data. A cell that begins with a quote ends with one: a record in which one does
 * not is a problem, because the rows after it may be in that cell.
 */
function readRecords(text: string, table: Table, linesAbove: number) {
  const { delimiter } = table.form
  const bytes = Buffer.from(text)
  let lines = linesAbove
  let end = 0
  const options: Options = {
    delimiter,
    record_delimiter: '\n',
    // A quote in a cell that does not begin with one is a character.
    relax_quotes: true,
    relax_column_count: true,
    on_record(cells: string[], info) {
      const isBlank = cells.every((cell) => cell.trim() === '')
      const hasQuotes = cells.some((cell) => cell.startsWith('"'))
      const brokenQuote = hasQuotes
        ? quoteProblem(bytes.toString('utf8', end, info.bytes), delimiter)
        : undefined
      const line = lines + 1
      lines = linesAbove + info.lines
      end = info.bytes
      table.take(rowOf(line, cells, isBlank ? { finding: noData } : { brokenQuote }))
      // So that the parser keeps nothing.
      return null
    },
  }
  try {
    parse(bytes, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const brokenQuote = quoteProblem(bytes.toString('utf8', end), delimiter)
    table.take(rowOf(lines + 1, [brokenQuote?.text ?? ''], { brokenQuote }))
  }
}

/** Checks that each cell of a record that begins with a quote ends with one: undefined when it does. */
function quoteProblem(record: string, delimiter: string) {
  const ends = `\n\\${delimiter}`
  const inQuotes = '"[^"]*(?:""[^"]*)*"'
  const strictCell = new RegExp(`(?:${inQuotes}|(?!")[^${ends}]*)(?:[${ends}]|$)`, 'y')
  let at = 0
  let cell = 1
  for (; strictCell.test(record); cell += 1) {
    at = strictCell.lastIndex
    if (at === record.length) return undefined
  }
  const [text = ''] = record.slice(at).split('\n', 1)
  return {
    reason: `cell ${groupDigits(cell)} begins with a quote, but does not end with one`,
    text,
    // The lines after the first one may be rows.
    isNeverSkipped: record.slice(0, -1).includes('\n'),
  }
}
