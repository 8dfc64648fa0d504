/**
 * A table of people, csv or a sheet of a workbook: each row with its name and its values, or with the
 * decision that an earlier match, or a person, wrote into it.
 */
import { SvcError, usageError } from '../errors.ts'
import { isId, unwrapId } from '../input/id.ts'
import { inputName, type StreamInput } from '../input/input.ts'
import { addressOf, unfitAt, type Row } from '../input/row.ts'
import { readRows, type RowOptions } from '../input/rows.ts'
import type { OnRow, Table } from '../input/table.ts'
import { shorten } from '../safe-text.ts'
import { firstOf, groupDigits, joinOr, pluralize } from '../words.ts'
import {
  columnsInWords,
  peopleRule,
  verdictIn,
  verdicts,
  type PeopleChoice,
  type PeopleColumns,
  type ValueKey,
} from './headings.ts'
import { countryOf, doubtOf } from './phone.ts'
import { isEmptyCell, textsIn, type ReadValues, type IdentityValue } from './values.ts'

export interface PeopleOptions extends PeopleChoice, Omit<RowOptions, 'where'> {
  /** Called with all rows, also those above the heading. */
  onRow?: OnRow | undefined
}

/** A value of a row. */
export interface SoughtValue extends IdentityValue {
  /** Why it was not compared whole. It is told if nobody has the value. */
  doubt?: string | undefined
}

/** A row of the table. */
export interface PersonRow {
  /** Line in a text, row in a sheet. */
  line: number
  /** A name never identifies a contact; a different name only makes the match `differs`. */
  name: string
  /** In a row with a decision they identify nobody, but may show that the row belongs to another contact. */
  values: readonly SoughtValue[]
  /** Cells that should identify a contact but could not be read: `B7: "see notes" has no phone number`. */
  unreadable: readonly string[]
  /** Other cells that are ignored: a name that may be shown differently from how it is stored, an unknown country. */
  remarks: readonly string[]
  decision?: Decision | undefined
}

/** The decision that an earlier match, or a person, wrote into a row. `no`: no contact, or not this one. */
export interface Decision {
  verdict: 'one' | 'no'
  /** A valid id if the verdict is `one`, else empty. */
  contactId: string
  by: string
}

/** A table that was read. */
export interface PeopleTable {
  rows: readonly PersonRow[]
  /** Sentences about rows that were skipped. */
  notes: readonly string[]
  /** Sentences that say which columns are read as what. */
  columnNotes: readonly string[]
}

/**
 * Reads the rows of a table. Throws exit 2 for anything but a table of people, and for an unknown word under MATCH: a
 * person's words must not be overwritten.
 */
export async function readPeopleTable(
  input: StreamInput,
  options: PeopleOptions,
  readValues: ReadValues,
): Promise<PeopleTable> {
  const rows: PersonRow[] = []
  const unknown: string[] = []
  const rule = peopleRule(inputName(input), options)
  const onRow = (row: Row, table: Table) => {
    options.onRow?.(row, table)
    // A cell whose quote does not close may hold further rows, and nobody would notice that they are missing.
    const { finding } = row
    const isInvalid = finding.kind === 'invalid'
    if (isInvalid && finding.problem.isNeverSkipped === true)
      throw usageError(
        `${table.input} line ${groupDigits(row.line)}: ${finding.problem.reason}`,
        'fix the quotes: rows may be lost in that cell',
      )
    const isData = finding.kind === 'data'
    const isPerson = isData || isInvalid
    const { columns } = rule
    if (columns === undefined || !isPerson) return
    const match = earlierText(row, columns.matched?.match)
    if (isData && match !== '' && verdictIn(match) === undefined)
      unknown.push(quoteCell(row, columns.matched?.match ?? 0, match))
    rows.push(readRow(row, columns, readValues))
  }
  const [table] = await readRows([input], () => rule, options, onRow)
  if (rule.columns === undefined)
    throw usageError(
      `${inputName(input)} is empty`,
      'it needs a heading and a row for each person',
    )
  if (unknown.length > 0) {
    const lines = firstOf(unknown)
    const what = `${pluralize(unknown.length, 'word')} under MATCH that svc does not know`
    throw new SvcError('usage', what, { lines, hint: `MATCH can be ${joinOr(verdicts)}` })
  }
  const notes = table?.notes ?? []
  return { rows, notes, columnNotes: columnsInWords(rule.columns) }
}

function readRow(row: Row, columns: PeopleColumns, readValues: ReadValues): PersonRow {
  const { line, finding } = row
  const blank = { line, name: '', values: [], unreadable: [], remarks: [] }
  // Any of its cells may be in the wrong column, even those of an earlier match.
  if (finding.kind === 'invalid') {
    const { reason } = finding.problem
    return { ...blank, unreadable: [`line ${groupDigits(line)}: ${reason}`] }
  }
  const decision = decisionOf(row, columns)
  const decidedRow = { ...blank, name: earlierText(row, columns.earlierName), decision }
  if (decision?.verdict === 'no') return decidedRow
  const remarks: string[] = []
  const unreadable: string[] = []
  const country = readCountry(row, columns.country, remarks)
  const values = columns.values.flatMap(({ column, key }) => {
    const text = readText(row, column, unreadable)
    if (text === undefined) return []
    const cell = quoteCell(row, column, text)
    const texts = textsIn(key, text)
    const found = texts.flatMap((each) => readValues({ key, text: each, country }))
    if (found.length === 0) unreadable.push(`${cell} has ${lacks[key]}`)
    return found.map((value): SoughtValue => {
      const doubt = value.phone && doubtOf(value.phone)
      return { ...value, doubt: doubt && `${cell} ${doubt}` }
    })
  })
  if (decision !== undefined) return { ...decidedRow, values }
  const name = readName(row, columns.names, remarks)
  return { line, name, values, unreadable, remarks }
}

/** The first name of a row that is not empty. */
function readName(row: Row, columns: PeopleColumns['names'], problems: string[]) {
  const names = columns.map((ofName) => {
    const words = ofName.map((column) => readText(row, column, problems))
    return words
      .filter((word) => word !== undefined)
      .join(' ')
      .trim()
  })
  return names.find((name) => name !== '') ?? ''
}

/**
 * The text of a cell; undefined if it is empty. It is undefined too if it may be shown differently from how it is stored,
 * which is added to `problems`.
 */
function readText(row: Row, column: number, problems: string[]) {
  const problem = unfitAt(row, column)
  const text = filledText(row, column)
  if (problem === undefined) return text === '' ? undefined : text
  problems.push(`${addressOf(row, column)}: ${problem}`)
  return undefined
}

/** The country of a row; undefined if the row has none. */
function readCountry(row: Row, column: number | undefined, problems: string[]) {
  const text = column === undefined ? undefined : readText(row, column, problems)
  if (column === undefined || text === undefined) return undefined
  const country = countryOf(text)
  if (country === undefined)
    problems.push(`${quoteCell(row, column, text)} is not the two letters of a country`)
  return country
}

function quoteCell(row: Row, column: number, text: string) {
  return `${addressOf(row, column)}: "${shorten(text)}"`
}

const lacks: Readonly<Record<ValueKey, string>> = {
  phone: 'no phone number',
  email: 'no email address',
}

/** The decision on a row by an earlier match or a person. */
function decisionOf(row: Row, { matched }: PeopleColumns): Decision | undefined {
  if (matched === undefined) return undefined
  const by = earlierText(row, matched.by)
  const match = verdictIn(earlierText(row, matched.match))
  // A "no" counts even in a hidden cell: it can only keep svc from finding a contact.
  if (match === 'no') return { verdict: 'no', contactId: '', by }
  const contactId = unwrapId(earlierText(row, matched.contactId))
  if (match !== 'one' || !isId(contactId)) return undefined
  const isSeen = [matched.match, matched.contactId].every(
    (column) => unfitAt(row, column) === undefined,
  )
  return isSeen ? { verdict: 'one', contactId, by } : undefined
}

/** The text of a cell that an earlier match wrote. */
function earlierText({ cells }: Row, column: number | undefined) {
  return column === undefined ? '' : (cells[column] ?? '').trim()
}

/** The text of a cell, or an empty one if the cell only says that there is nothing: `n/a`. */
function filledText({ cells }: Row, column: number) {
  const cell = cells[column] ?? ''
  return isEmptyCell(cell) ? '' : cell
}
