/**
 * The one loop over inputs: each is read whole, decoded, and cut into rows. The readers of ids (`reader.ts`), of pairs (`pairs.ts`) and of people
 * (`directory/people-table.ts`) call it, each with its rule.
 *
 * Formats are found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left out; csv with
 * commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of objects, or a path into
 * it); NDJSON.
 */
import { CsvError, parse, type Options } from 'csv-parse/sync'
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { lengthProblem, longestLine } from './bad-lines.ts'
import { detectFormat, isBlankOrComment, linesOf } from './detect.ts'
import type { InputFormat } from './id.ts'
import { checkInputs, inputName, readWhole, type Input, type StreamInput } from './input.ts'
import { documentItems, jsonRows, lineItems } from './json.ts'
import { rowOf, type Row } from './row.ts'
import { RowFilter } from './row-filter.ts'
import type { Columns, TableRule } from './columns.ts'
import { Table, type TableForm } from './table.ts'
import { decode, isZip, noteOnEncoding } from './text.ts'

export interface RowOptions {
  readonly format: InputFormat | 'auto'
  readonly sheet?: string | undefined
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
): Promise<Reading<C>> {
  checkInputs(inputs)
  const reading = new Reading(options, onRow)
  for (const input of inputs) {
    const rule = ruleFor(inputName(input))
    if (input.kind === 'argument') reading.readWord(input.text, rule)
    else await reading.readStream(input, rule)
  }
  return reading
}

const plainForm = { delimiter: ',', isSeparatorSkipped: false, needsMark: true } as const

/** The tables of all inputs, and what is to be told of them. */
class Reading<C extends Columns> {
  readonly formats: InputFormat[] = []
  /** Sentences about what was skipped. */
  readonly notes: string[] = []
  readonly tables: Table<C>[] = []
  leftOut = 0
  readonly #options: RowOptions
  readonly #onRow: TakeRow<C>
  #words = 0

  constructor(options: RowOptions, onRow: TakeRow<C>) {
    this.#options = options
    this.#onRow = onRow
  }

  /** A word of the command line is a list of its own. Throws exit 2 where lists are not taken. */
  readWord(text: string, rule: TableRule<C>): void {
    if (rule.list === undefined)
      throw usageError('pairs are read from a file: --file <path>')
    const form = {
      ...plainForm,
      input: 'the arguments',
      format: 'lines',
      unit: 'argument',
    } as const
    const table = new Table(form, rule, new RowFilter(form.input), this.#onRow)
    table.columns = rule.list
    this.#words += 1
    table.take(rowOf(this.#words, [text]))
  }

  async readStream(input: StreamInput, rule: TableRule<C>): Promise<void> {
    const name = inputName(input)
    const bytes = await readWhole(input)
    const { format: typed, sheet } = this.#options
    if (!isZip(bytes)) return this.#readText(name, bytes, rule)
    if (typed !== 'auto' && typed !== 'xlsx') {
      const what = `${name} is not text: it is a workbook or a zip archive`
      throw usageError(what, 'leave out --input-format')
    }
    const table = this.#begin(
      { ...plainForm, input: name, format: 'xlsx', unit: 'line' },
      rule,
    )
    // Reading a workbook takes two packages, which nothing else needs.
    const { readSheet } = await import('./sheet.ts')
    await readSheet(bytes, table, sheet)
    this.#end(table)
  }

  #readText(name: string, bytes: Buffer, rule: TableRule<C>): void {
    const { format: typed, sheet, where = [] } = this.#options
    const decoded = decode(name, bytes)
    const { text, needsMark } = decoded
    if (typed === 'xlsx') {
      throw usageError(`${name} is not an .xlsx workbook`, 'leave out --input-format')
    }
    const isTable = rule.column !== undefined || rule.list === undefined || where.length > 0
    const detected = detectFormat(text, typed, isTable, rule)
    const { format, delimiter, isSeparatorSkipped, start } = detected
    const { notes } = this
    notes.push(...noteOnEncoding(name, decoded, format === 'csv' ? delimiter : undefined))
    if (isSeparatorSkipped) notes.push(`${name}: skipped Excel's "sep=" line`)
    if (sheet !== undefined) notes.push(`--sheet is not used: ${name} is not a workbook`)
    const unit = format === 'json' ? 'item' : 'line'
    const form = {
      input: name,
      format,
      unit,
      delimiter,
      isSeparatorSkipped,
      needsMark,
    } as const
    const table = this.#begin(form, rule)
    if (format === 'csv') readDelimited(text, table, start)
    else if (format === 'lines') readList(text, table)
    else readJson(text, table)
    this.#end(table)
  }

  #begin(form: TableForm, rule: TableRule<C>): Table<C> {
    const filter = new RowFilter(form.input, this.#options.where)
    const table = new Table(form, rule, filter, this.#onRow)
    this.formats.push(form.format)
    this.tables.push(table)
    return table
  }

  #end(table: Table<C>): void {
    table.end()
    this.notes.push(...table.notes)
    this.leftOut += table.filter.leftOut
  }
}

/** Reads a document, or lines of values. Throws exit 2 where people are looked for. */
function readJson<C extends Columns>(text: string, table: Table<C>): void {
  const { input, format } = table.form
  const { isOfPeople, column } = table.rule
  if (isOfPeople === true) {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }
  const document = format === 'json' ? [...documentItems(input, text)] : undefined
  const items = () => document ?? lineItems(input, linesOf(text))
  const { names, rows } = jsonRows(input, items, column)
  table.begin(rowOf(0, names))
  for (const row of rows) table.take(row)
}

/** Reads a list. Blank lines and comments are no data. */
function readList<C extends Columns>(text: string, { take }: Table<C>): void {
  for (const { line, text: content } of linesOf(text)) {
    const row = rowOf(line, [content])
    row.problem = lengthProblem(content)
    if (row.problem !== undefined) row.kind = 'invalid'
    else if (isBlankOrComment(content)) row.kind = 'other'
    take(row)
  }
}

/** Reads csv. Blank rows, and comments above its first row, are no data. Throws exit 2, with the line, for a quote that stays open. */
function readDelimited<C extends Columns>(
  text: string,
  { form, take }: Table<C>,
  start: number,
): void {
  const { input, delimiter, isSeparatorSkipped } = form
  let linesAbove = 0
  for (const line of linesOf(text.slice(0, start))) {
    linesAbove = line.line
    const isSeparator = isSeparatorSkipped && line.next >= start
    if (!isSeparator) take({ ...rowOf(line.line, [line.text]), kind: 'other' })
  }
  let lines = 0
  const refuse = (what: string, hint: string): never => {
    const line = groupDigits(linesAbove + lines + 1)
    throw usageError(`${input} line ${line}: ${what}`, hint)
  }
  const options: Options = {
    delimiter,
    record_delimiter: '\n',
    relax_quotes: true,
    relax_column_count: true,
    on_record(cells: string[], info) {
      if (cells.some(({ length }) => length > longestLine)) {
        refuse('a record of more than 1 MB', 'is a quote missing?')
      }
      const row = rowOf(linesAbove + lines + 1, cells)
      if (cells.every((cell) => cell.trim() === '')) row.kind = 'other'
      lines = info.lines
      take(row)
      // So that the parser keeps nothing.
      return null
    },
  }
  try {
    parse(text.slice(start), options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    refuse('a quote is opened and never closed', 'add or remove the quote')
  }
}
