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
import { detectFormat, isBlankOrComment, linesOf } from './detect.ts'
import { checkInputs, inputName, readWhole, type Input } from './input.ts'
import { readJson } from './json.ts'
import { fillHoles, rowOf, type Problem, type Row } from './row.ts'
import { mostTitleRows, type Columns, type TableRule } from './columns.ts'
import type { Readers } from './sheet.ts'
import { Table, type TableForm } from './table.ts'
import { decode, isZip, noteOnEncoding } from './text.ts'

export interface RowOptions {
  readonly sheet?: string | undefined
  readonly readers?: Readers | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows for which all of them hold. */
  readonly where?: readonly string[] | undefined
}

/** Takes each row of an input, in order. */
type TakeRow<C extends Columns> = (row: Row, table: Table<C>) => void

/**
 * Reads every input, each by its rule. Throws exit 2 for what cannot be read, is no text, or does not say where its columns are.
 */
export async function readRows<C extends Columns>(
  inputs: readonly Input[],
  ruleFor: (input: string) => TableRule<C>,
  options: RowOptions,
  onRow: TakeRow<C>,
): Promise<Table<C>[]> {
  checkInputs(inputs)
  const tables: Table<C>[] = []
  for (const input of inputs) {
    const name = inputName(input)
    const rule = ruleFor(name)
    const begin = (form: Partial<TableForm> & Pick<TableForm, 'format'>): Table<C> => {
      const table = new Table(
        { ...plainForm, input: name, ...form },
        rule,
        options.where,
        onRow,
      )
      tables.push(table)
      return table
    }
    if (input.kind === 'words') readWords(input.texts, rule, begin)
    else {
      const source = { name, bytes: await readWhole(input), options, begin }
      if (isZip(source.bytes)) await readSheet(source)
      else readText(source, rule)
    }
    tables.at(-1)?.end()
  }
  return tables
}

const plainForm = {
  unit: 'line',
  delimiter: ',',
  isSeparatorSkipped: false,
  needsMark: true,
} as const

/** An input that was read, and what begins its table. */
interface InputSource<C extends Columns> {
  readonly name: string
  readonly bytes: Buffer
  readonly options: RowOptions
  readonly begin: (form: Partial<TableForm> & Pick<TableForm, 'format'>) => Table<C>
}

/** Words of the command line are a list. Throws exit 2 where lists are not taken. */
function readWords<C extends Columns>(
  texts: readonly string[],
  { list }: TableRule<C>,
  begin: InputSource<C>['begin'],
): void {
  if (list === undefined) throw usageError('pairs are read from a file: --file <path>')
  const table = begin({ format: 'lines', unit: 'argument' })
  table.columns = list
  for (const [n, text] of texts.entries()) table.take(rowOf(n + 1, [text]))
}

/** Reads the sheet that is meant. Throws exit 2 for a damaged workbook, and for several sheets. */
async function readSheet<C extends Columns>(source: InputSource<C>): Promise<void> {
  const { name, bytes, options } = source
  const table = source.begin({ format: 'xlsx' })
  const readWorkbook = await options.readers?.xlsx?.()
  if (readWorkbook === undefined)
    throw usageError(
      `${name} is a workbook, which this svc cannot read`,
      'save its table as csv',
    )
  const { sheet, notes } = await readWorkbook(name, bytes, options.sheet, ({ rows }) =>
    rows.slice(0, mostTitleRows + 1).some(({ cells }) => table.isHeading(fillHoles(cells))),
  )
  table.sheet = sheet
  table.notes.push(...notes)
  for (const row of sheet.rows) table.take(rowOf(row.line, row.cells, row))
}

function readText<C extends Columns>(
  { name, bytes, options, begin }: InputSource<C>,
  rule: TableRule<C>,
): void {
  const { sheet, where = [] } = options
  const decoded = decode(name, bytes)
  const { text, needsMark } = decoded
  const isTable = rule.column !== undefined || rule.list === undefined || where.length > 0
  const { start, ...form } = detectFormat(text, isTable, rule)
  const { format, delimiter, isSeparatorSkipped } = form
  const unit = format === 'json' ? 'item' : 'line'
  const table = begin({ ...form, unit, needsMark })
  const { notes } = table
  notes.push(...noteOnEncoding(name, decoded, format === 'csv' ? delimiter : undefined))
  if (isSeparatorSkipped) notes.push(`${name}: skipped Excel's "sep=" line`)
  if (sheet !== undefined) notes.push(`--sheet is not used: ${name} is not a workbook`)
  if (format === 'csv') readDelimited(text, table, start)
  else if (format === 'lines') readList(text, table)
  else readJson(text, table)
}

/** Reads a list. Blank lines and comments are no data. */
function readList<C extends Columns>(text: string, { take }: Table<C>): void {
  for (const { line, text: content } of linesOf(text)) {
    const row = rowOf(line, [content])
    if (isBlankOrComment(content)) row.kind = 'other'
    take(row)
  }
}

/**
 * Reads csv. Blank rows, and comments above its first row, are no data. A cell that begins with a quote ends with one: a record in which one does
 * not is a problem, because the rows behind it may be in that cell.
 */
function readDelimited<C extends Columns>(
  text: string,
  { form, take }: Table<C>,
  start: number,
): void {
  const { delimiter, isSeparatorSkipped } = form
  let linesAbove = 0
  for (const line of linesOf(text.slice(0, start))) {
    linesAbove = line.line
    const isSeparator = isSeparatorSkipped && line.next >= start
    if (!isSeparator) take({ ...rowOf(line.line, [line.text]), kind: 'other' })
  }
  const bytes = Buffer.from(text.slice(start))
  let lines = 0
  let end = 0
  const options: Options = {
    delimiter,
    record_delimiter: '\n',
    // A quote in a cell that does not begin with one is a character.
    relax_quotes: true,
    relax_column_count: true,
    on_record(cells: string[], info) {
      const row = rowOf(linesAbove + lines + 1, cells)
      if (cells.every((cell) => cell.trim() === '')) row.kind = 'other'
      if (cells.some((cell) => cell.startsWith('"'))) {
        const record = bytes.toString('utf8', end, info.bytes)
        row.problem = quoteProblem(record, delimiter)
      }
      lines = info.lines
      end = info.bytes
      take(row)
      // So that the parser keeps nothing.
      return null
    },
  }
  try {
    parse(bytes, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const record = bytes.toString('utf8', end)
    const problem = quoteProblem(record, delimiter)
    take({ ...rowOf(linesAbove + lines + 1, [problem?.text ?? '']), problem })
  }
}

/** A cell that begins with a quote, up to its closing one. */
const cellInQuotes = '"[^"]*(?:""[^"]*)*"'

/** Checks that each cell of a record that begins with a quote ends with one: undefined when it does. */
function quoteProblem(record: string, delimiter: string): Problem | undefined {
  const ends = `\n\\${delimiter}`
  const strictCell = new RegExp(`(?:${cellInQuotes}|(?!")[^${ends}]*)(?:[${ends}]|$)`, 'y')
  let at = 0
  let cell = 1
  for (; strictCell.test(record); cell += 1) {
    at = strictCell.lastIndex
    if (at === record.length) return undefined
  }
  const isClosed = new RegExp(`^${cellInQuotes}`).test(record.slice(at))
  const fault = isClosed ? 'has text behind the closing one' : 'never ends with one'
  const [text = ''] = record.slice(at).split('\n', 1)
  return {
    reason: `cell ${groupDigits(cell)} begins with a quote, but ${fault}`,
    text,
    isCondition: true,
    // The lines behind the first one may be rows.
    hidesRows: record.slice(0, -1).includes('\n'),
  }
}
