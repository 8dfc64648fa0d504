/**
 * The one loop over inputs: each is read whole, decoded, and cut into rows, or taken apart as JSON. The readers of ids (`reader.ts`), of pairs
 * (`pairs.ts`) and of people (`directory/people-table.ts`) call it, each with its rule.
 *
 * Formats are found by themselves unless named (see `detectFormat`): one id per line, with blank lines and `#` comments left out; csv with
 * commas, semicolons, tabs, pipes or what `sep=` says; a sheet of a workbook; a JSON document (an array of ids or of objects, or a path into
 * it); NDJSON.
 */
import { CsvError, parse, type Options } from 'csv-parse/sync'
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { lengthProblem, longestLine } from './bad-lines.ts'
import { detectFormat } from './detect.ts'
import type { InputFormat } from './id.ts'
import { checkInputs, inputName, readWhole, type Input, type StreamInput } from './input.ts'
import { documentItems, lineItem, type Item } from './json.ts'
import { rowOf, type Row } from './row.ts'
import { RowFilter } from './row-filter.ts'
import { Table, type TableForm, type TableRule } from './table.ts'
import { decode, isZip, noteOnEncoding } from './text.ts'

export interface RowOptions {
  readonly format: InputFormat | 'auto'
  readonly sheet?: string | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows of tables for which all of them hold. */
  readonly where?: readonly string[] | undefined
}

/** Takes each row of a table, in order, and each value of JSON or argument. */
export interface Takers<C> {
  readonly onRow: (row: Row, table: Table<C>) => void
  readonly onItem: (item: Item) => void
}

export interface ReadFacts<C> {
  readonly formats: InputFormat[]
  /** Sentences about what was skipped. */
  readonly notes: string[]
  leftOut: number
  readonly tables: Table<C>[]
}

/** Reads every input. Throws exit 2 for what cannot be read, is no text, or does not say where its columns are. */
export async function readRows<C>(
  inputs: readonly Input[],
  rule: TableRule<C>,
  options: RowOptions,
  takers: Takers<C>,
): Promise<ReadFacts<C>> {
  checkInputs(inputs)
  const facts: ReadFacts<C> = { formats: [], notes: [], leftOut: 0, tables: [] }
  const reading = { rule, options, takers, facts }
  let line = 0
  for (const input of inputs) {
    if (input.kind === 'argument') {
      line += 1
      const { text } = input
      const place = { input: inputName(input), unit: 'argument', line } as const
      takers.onItem({ place, value: text, text })
    } else {
      await readOne(input, reading)
    }
  }
  return facts
}

interface Reading<C> {
  readonly rule: TableRule<C>
  readonly options: RowOptions
  readonly takers: Takers<C>
  readonly facts: ReadFacts<C>
}

async function readOne<C>(input: StreamInput, reading: Reading<C>): Promise<void> {
  const name = inputName(input)
  const bytes = await readWhole(input)
  const { format: typed, sheet } = reading.options
  if (!isZip(bytes)) return readText(name, bytes, reading)
  if (typed !== 'auto' && typed !== 'xlsx') {
    const what = `${name} is not text: it is a workbook or a zip archive`
    throw usageError(what, 'leave out --input-format')
  }
  const table = beginTable({ ...workbookForm, input: name }, reading)
  // Reading a workbook takes two packages, which nothing else needs.
  const { readSheet } = await import('./sheet.ts')
  await readSheet(bytes, table, sheet)
  endTable(table, reading)
}

const workbookForm = {
  format: 'xlsx',
  delimiter: ',',
  linesAbove: 0,
  isSeparatorSkipped: false,
  needsMark: true,
} as const

function readText<C>(name: string, bytes: Buffer, reading: Reading<C>): void {
  const { rule, options, facts } = reading
  const { format: typed, sheet, where = [] } = options
  const decoded = decode(name, bytes)
  const { text, needsMark } = decoded
  if (typed === 'xlsx') {
    throw usageError(`${name} is not an .xlsx workbook`, 'leave out --input-format')
  }
  const isTable = rule.isTable || where.length > 0
  const detected = detectFormat(name, text, { ...rule, typed, isTable })
  const { format, delimiter, isSeparatorSkipped } = detected
  facts.notes.push(...noteOnEncoding(name, decoded, format === 'csv' ? delimiter : undefined))
  if (isSeparatorSkipped) facts.notes.push(`${name}: skipped Excel's "sep=" line`)
  if (sheet !== undefined) facts.notes.push(`--sheet is not used: ${name} is no workbook`)
  if (format === 'json' || format === 'ndjson') return readJson(name, text, format, reading)
  const table = beginTable({ ...detected, input: name, needsMark, format }, reading)
  if (format === 'csv') readDelimited(text, table, detected.start)
  else readList(text, table, rule.isTable)
  endTable(table, reading)
}

function readJson<C>(
  name: string,
  text: string,
  format: 'json' | 'ndjson',
  { rule, options, takers, facts }: Reading<C>,
): void {
  facts.formats.push(format)
  new RowFilter(name, options.where).refuse('is JSON')
  if (format === 'json') {
    const items = documentItems(name, text, (document) => rule.members(name, document))
    for (const item of items) takers.onItem(item)
    return
  }
  for (const { line, text: json } of linesOf(text)) {
    const item = lineItem(name, line, json)
    if (item !== undefined) takers.onItem(item)
  }
}

/** The table of an input, whose rows go to the taker. */
function beginTable<C>(
  form: TableForm,
  { rule, options, takers, facts }: Reading<C>,
): Table<C> {
  const table = new Table(form, rule, new RowFilter(form.input, options.where), takers.onRow)
  facts.formats.push(form.format)
  facts.tables.push(table)
  return table
}

function endTable<C>(table: Table<C>, { facts }: Reading<C>): void {
  table.end()
  facts.notes.push(...table.notes)
  facts.leftOut += table.filter.leftOut
}

/** Lines of a text from 1, without their ends. */
function* linesOf(text: string): Generator<{ readonly line: number; readonly text: string }> {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const to = end < 0 ? text.length : end
    yield { line, text: text.slice(start, to) }
    start = to + 1
  }
}

/** Reads a list. Blank lines and comments are no data. Throws exit 2 where a table was asked for. */
function readList<C>(text: string, table: Table<C>, isTable: boolean): void {
  const { input } = table.form
  table.filter.refuse('is not one')
  if (isTable && text !== '') {
    throw usageError(`--column is for csv, json and ndjson; ${input} is read as lines`)
  }
  for (const { line, text: content } of linesOf(text)) {
    const row = rowOf(line, [content])
    row.problem = lengthProblem(content)
    if (row.problem !== undefined) row.kind = 'invalid'
    else if (/^\s*(?:#|$)/.test(content)) row.kind = 'other'
    table.take(row)
  }
}

/** Reads csv from its first row. Blank rows are no data. Throws exit 2, with the line, for a quote that stays open. */
function readDelimited<C>(text: string, { form, take }: Table<C>, start: number): void {
  const { input, delimiter, linesAbove } = form
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
