/**
 * A table of people, csv or a sheet of a workbook: each row with its name and its values, or with the
 * decision that an earlier match, or a person, wrote into it.
 */
import { SvcError, usageError } from '../../errors.ts'
import { inputName, type StreamInput } from '../../input/input.ts'
import { addressOf, type CellUse, type Problem, type Row } from '../../input/row.ts'
import { verdictIn, verdicts } from '../../input/row-filter.ts'
import { readRows, type Readers } from '../../input/rows.ts'
import type { OnRow, Table } from '../../input/table.ts'
import {
  columnsInWords,
  peopleRule,
  type PeopleChoice,
  type PeopleColumns,
  type ValueColumn,
} from './headings.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { isEmptyCell, textsIn, type ReadValues, type IdentityValue } from './values.ts'
import { kindOf, type Kind } from './kinds.ts'
import { countryOf, doubtOf, type Country } from './phone.ts'
import { shorten } from '../../safe-text.ts'
import { firstOf, groupDigits, joinOr, pluralize } from '../../words.ts'

export interface PeopleOptions extends PeopleChoice {
  sheet?: string | undefined
  readers?: Readers
  /** Called with all rows, also those above the heading. */
  onRow?: OnRow | undefined
}

/** A value of a row. */
export interface SoughtValue extends IdentityValue {
  /** Said when nobody has it: it was not compared whole. */
  doubt?: string | undefined
}

/** A row of the table. */
export interface PersonRow {
  /** Line in a text, row in a sheet. */
  line: number
  /** A name never decides: it only makes `differs`. */
  name: string
  /** They decide nothing where the row was decided already, but they may be another contact's. */
  values: readonly SoughtValue[]
  /** Cells that may decide and were not understood, each by its address: `B7: "see notes" has no phone number`. */
  unreadable: readonly string[]
  /** Other cells that are ignored: a name that a person may not see as it is stored, an unknown country. */
  remarks: readonly string[]
  decision?: Decision | undefined
}

/** The decision that an earlier match, or a person, wrote into a row; `no`: nobody, or not this one. */
export interface Decision {
  verdict: 'one' | 'no'
  /** A valid id where it is `one`, else nothing. */
  contactId: string
  by: string
}

/** A table that was read. */
export interface PeopleTable {
  rows: readonly PersonRow[]
  /** Sentences about rows that were skipped. */
  notes: readonly string[]
  /** Which columns have what. */
  columns: readonly string[]
}

/** Reads the rows of a table. Throws exit 2 for what is not a table of people, and for words of a person that are not understood: nothing may be written over them. */
export async function readTable(
  input: StreamInput,
  options: PeopleOptions,
  readValues: ReadValues,
): Promise<PeopleTable> {
  const rows: PersonRow[] = []
  const unknown: string[] = []
  let columns: PeopleColumns | undefined
  const onRow = (row: Row, table: Table) => {
    options.onRow?.(row, table)
    // Nobody would look for people in rows that are lost in this one.
    const problem = problemOf(row)
    if (problem?.isNeverSkipped === true)
      throw usageError(
        `${table.input} line ${groupDigits(row.line)}: ${problem.reason}`,
        'fix the quotes: rows may be lost in that cell',
      )
    const isData = row.finding.kind === 'data'
    if (columns === undefined || (!isData && problem === undefined)) return
    const match = ownText(row, columns.matched?.match)
    if (isData && match !== '' && verdictIn(match) === undefined)
      unknown.push(quoteCell(row, columns.matched?.match ?? 0, match))
    rows.push(readRow(row, columns, options, readValues))
  }
  const { sheet, readers } = options
  const ruleFor = (name: string) =>
    peopleRule(name, options, (found) => {
      columns = found
    })
  const [table] = await readRows([input], ruleFor, { sheet, readers }, onRow)
  const { notes = [] } = table ?? {}
  if (columns === undefined)
    throw usageError(
      `${inputName(input)} is empty`,
      'it needs a heading and a row for each person',
    )
  if (unknown.length > 0) {
    const lines = firstOf(unknown)
    const what = `${pluralize(unknown.length, 'word')} under MATCH that svc does not know`
    throw new SvcError('usage', what, { lines, hint: `MATCH can be ${joinOr(verdicts)}` })
  }
  return { rows, notes, columns: columnsInWords(columns) }
}

/** Why a row is invalid; undefined if it is not. */
function problemOf({ finding }: Row): Problem | undefined {
  return finding.kind === 'invalid' ? finding.problem : undefined
}

/** The content of a cell, or why it counts for nothing. */
interface PeopleReading<T> {
  content?: T | undefined
  problem?: string | undefined
}

function readRow(
  row: Row,
  columns: PeopleColumns,
  { again: isAgain = false }: PeopleOptions,
  readValues: ReadValues,
): PersonRow {
  const { line } = row
  const problem = problemOf(row)
  const nothing = { line, name: '', values: [], unreadable: [], remarks: [] }
  // No cell can be trusted to be below its heading, not even those of an earlier match.
  if (problem !== undefined)
    return { ...nothing, unreadable: [`line ${groupDigits(line)}: ${problem.reason}`] }
  const decision = decisionOf(row, columns, isAgain)
  const decided = { ...nothing, name: ownText(row, columns.ownName), decision }
  if (decision?.verdict === 'no') return decided
  const country = readCountry(row, columns.country)
  const cells = columns.values
    .filter(({ column }) => hasContent(row, column))
    .map((place) => readCell(row, place, country.content, readValues))
  const values = cells.flatMap(({ content }) => content ?? [])
  if (decision !== undefined) return { ...decided, values }
  const names = columns.names.map((parts) => {
    const filled = parts.filter((column) => hasContent(row, column))
    return filled.map((column) => readWord(row, column))
  })
  return {
    ...nothing,
    name: names.map(wordsOf).find((name) => name !== '') ?? '',
    values,
    unreadable: problemsIn(cells),
    remarks: problemsIn([country, ...names.flat()]),
  }
}

/** The text of a cell that a person sees as it is stored. */
function readWord(row: Row, column: number, use: CellUse = 'word'): PeopleReading<string> {
  const problem = row.sheetRow?.unfit(column, use)
  if (problem === undefined) return { content: textAt(row, column) }
  return { problem: `${addressOf(row, column)}: ${problem}` }
}

/** The country of a row; undefined where it says none. */
function readCountry(row: Row, column: number | undefined): PeopleReading<Country> {
  if (column === undefined || !hasContent(row, column)) return {}
  const { content: text, problem } = readWord(row, column)
  if (text === undefined) return { problem }
  const content = countryOf(text)
  if (content !== undefined) return { content }
  return { problem: `${quoteCell(row, column, text)} is not the two letters of a country` }
}

function readCell(
  row: Row,
  { column, key }: ValueColumn,
  country: Country | undefined,
  readValues: ReadValues,
): PeopleReading<SoughtValue[]> {
  const kind = kindOf(key)
  const { content: text, problem } = readWord(row, column, kind === 'phone' ? kind : 'word')
  if (text === undefined) return { problem }
  const cell = quoteCell(row, column, text)
  const texts = textsIn(key, text)
  const values = texts.flatMap((each) => readValues({ key, text: each, country }))
  if (values.length === 0) return { problem: `${cell} has ${lacks[kind]}` }
  const content = values.map((value) => {
    const doubt = value.phone && doubtOf(value.phone)
    return doubt === undefined ? value : { ...value, doubt: `${cell} ${doubt}` }
  })
  return { content }
}

function problemsIn(readings: readonly PeopleReading<unknown>[]) {
  return readings.flatMap(({ problem }) => problem ?? [])
}

function wordsOf(parts: readonly PeopleReading<string>[]) {
  return parts
    .flatMap(({ content }) => content ?? [])
    .join(' ')
    .trim()
}

function quoteCell(row: Row, column: number, text: string) {
  return `${addressOf(row, column)}: "${shorten(text)}"`
}

const lacks: Readonly<Record<Kind, string>> = {
  phone: 'no phone number',
  email: 'no email address',
  messenger: 'no messenger value',
}

/** The decision on a row by an earlier match or a person. `isAgain`: only a `no` counts. */
function decisionOf(
  row: Row,
  { matched }: PeopleColumns,
  isAgain: boolean,
): Decision | undefined {
  if (matched === undefined) return undefined
  const by = ownText(row, matched.by)
  const match = verdictIn(ownText(row, matched.match))
  // Whether it is seen or not: it changes nothing.
  if (match === 'no') return { verdict: 'no', contactId: '', by }
  const contactId = unwrapId(ownText(row, matched.contactId))
  if (isAgain || match !== 'one' || !isId(contactId)) return undefined
  const { sheetRow } = row
  const isSeen =
    sheetRow?.unfit(matched.match, 'word') === undefined &&
    sheetRow?.unfit(matched.contactId, 'id') === undefined
  return isSeen ? { verdict: 'one', contactId, by } : undefined
}

/** The text of a cell that an earlier match wrote. */
function ownText({ cells }: Row, column: number | undefined) {
  return column === undefined ? '' : (cells[column] ?? '').trim()
}

function textAt({ cells }: Row, column: number) {
  const cell = cells[column] ?? ''
  return isEmptyCell(cell) ? '' : cell
}

/** Another cell may be shown in place of one that is merged. */
function hasContent(row: Row, column: number) {
  return textAt(row, column) !== '' || row.sheetRow?.showsMoreThanText(column) === true
}
