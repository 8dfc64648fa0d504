/** A table of people, csv or a sheet of a workbook: each row with its names, its values, and what a person decided. */
import { usageError } from '../errors.ts'
import { isId, isNobody } from '../input/id.ts'
import { readTable } from '../input/rows.ts'
import { inputName, type InputHost } from '../input/source.ts'
import { textAt, type OnRow, type Row, type RowOptions } from '../input/table.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits, shellWord } from '../words.ts'
import {
  columnsInWords,
  nameOfColumn,
  peopleRule,
  type PeopleChoice,
  type PeopleColumns,
} from './columns.ts'
import { countryOf, readPhones, requireCountry, type Country } from './phone.ts'
import { isEmptyCell, kindOfCell, readAddresses, type Value } from './values.ts'

/** A row of the table. */
export interface PersonRow {
  row: Row
  /** The names that are not empty. The first one is shown. */
  names: readonly string[]
  values: readonly Value[]
  /** Why the row is never matched: a cell may not be shown as it is stored. */
  unfit: string | undefined
  /** Cells that were not understood or not read: nobody is said to have none of their values. */
  unread: string[]
  /** The id of a contact, or `-` for nobody; undefined if nobody decided. */
  decided: string | undefined
}

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/**
 * `country`: that of phone numbers in rows without one. `onRow` is called with all rows, also those above the heading.
 * Throws exit 2 for anything but a table of people.
 */
export async function readPeopleTable(
  host: InputHost,
  path: string,
  options: PeopleChoice & RowOptions & { country: string | undefined },
) {
  const country = requireCountry(options.country)
  const name = inputName(path)
  const rule = peopleRule(name, options)
  const people: PersonRow[] = []
  const onRow: OnRow = (row, finding, table) => {
    options.onRow?.(row, finding, table)
    const { columns } = rule
    if (columns === undefined) return
    if (finding.kind === 'data') people.push(readPerson(row, columns, country))
    if (finding.kind !== 'invalid') return
    const unfit = `line ${groupDigits(row.line)}: ${finding.reason}`
    // A cell whose quote does not close may hold further rows, and nobody would notice that they are missing.
    if (finding.isNeverSkipped)
      throw usageError(`${name} ${unfit}`, 'rows may be lost in that cell')
    people.push({ row, names: [], values: [], unfit, unread: [], decided: undefined })
  }
  await readTable(host, path, rule, { ...options, onRow })
  const { columns } = rule
  if (columns === undefined)
    throw usageError(`${name} is empty`, 'it needs a heading and a row for each person')
  const overlooked = findOverlooked(people, columns, options)
  const notes = [columnsInWords(columns), ...overlooked]
  return { people, columns, country, notes }
}

/** The address of a cell, as spreadsheets have it. */
function addressOf({ line }: Row, column: number) {
  return `${columnName(column)}${line}`
}

/** The cells of a row, and what is wrong with them. */
class Cells {
  readonly row: Row
  unfit: string | undefined
  readonly unread: string[] = []

  constructor(row: Row) {
    this.row = row
  }

  quote(column: number) {
    return `${addressOf(this.row, column)}: "${shorten(textAt(this.row, column))}"`
  }

  /** The text of a cell; empty if it only says that there is nothing, or if it may be shown otherwise. */
  text(column: number) {
    const reason = this.row.unfit?.(column)
    const text = textAt(this.row, column)
    if (reason === undefined) return isEmptyCell(text) ? '' : text
    this.unfit ??= `${addressOf(this.row, column)}: ${reason}`
    return ''
  }

  /** The values that `read` finds in the text of a cell. */
  read<T>(column: number, what: string, read: (text: string) => readonly T[]) {
    const text = this.text(column)
    const found = text === '' ? [] : read(text)
    if (text !== '' && found.length === 0)
      this.unread.push(`${this.quote(column)} has no ${what}`)
    return found
  }
}

function readPerson(
  row: Row,
  columns: PeopleColumns,
  usual: Country | undefined,
): PersonRow {
  const cells = new Cells(row)
  const country = readCountry(cells, columns.country, usual)
  const readNumbers = (text: string) => readPhones(text, country)
  const values = [
    ...columns.phone.flatMap((column) => cells.read(column, 'phone number', readNumbers)),
    ...columns.email.flatMap((column) =>
      cells.read(column, 'email address', readAddresses),
    ),
  ]
  // A value that is there twice counts once.
  const unique = new Map(values.map((value) => [value.key ?? value.ending, value]))
  const names = columns.names.map((places) => places.map((column) => cells.text(column)))
  const decided = readDecision(cells, columns.contactId)
  return {
    row,
    names: names.map((words) => words.join(' ').trim()).filter((name) => name !== ''),
    values: [...unique.values()],
    unfit: cells.unfit,
    unread: cells.unread,
    decided,
  }
}

/** The country of the phone numbers in a row: its own, or the usual one. Undefined for one that is not understood. */
function readCountry(cells: Cells, column: number | undefined, usual: Country | undefined) {
  if (column === undefined || cells.text(column) === '') return usual
  const [own] = cells.read(column, 'country as two letters', (text) =>
    [countryOf(text) ?? []].flat(),
  )
  return own
}

/** The id of a contact, or `-`; undefined if nobody decided. */
function readDecision(cells: Cells, column: number | undefined) {
  const decision = column === undefined ? '' : textAt(cells.row, column).trim()
  if (column === undefined || decision === '') return undefined
  const reason = cells.row.unfit?.(column)
  if (reason === undefined && isNobody(decision)) return '-'
  if (reason === undefined && isId(decision)) return decision
  cells.unfit ??= `${cells.quote(column)} is ${reason ?? 'no id of a contact'}`
  return undefined
}

/**
 * Finds columns that were not read, but have numbers or addresses for the most part, and adds their cells to the unread ones.
 * If an option names columns of a kind, others of that kind are left out on purpose. Returns sentences.
 */
function findOverlooked(
  people: readonly PersonRow[],
  columns: PeopleColumns,
  choice: PeopleChoice,
) {
  return columns.others.flatMap((column) => {
    const filled = people.filter(({ row }) => !isEmptyCell(textAt(row, column)))
    const [kind, ...kinds] = filled.flatMap(
      ({ row }) => kindOfCell(textAt(row, column)) ?? [],
    )
    const isMost = 2 * (kinds.length + 1) > filled.length
    if (kind === undefined || !isMost || choice[`${kind}Column`].length > 0) return []
    const name = nameOfColumn(columns, column)
    const option = `--${kind}-column ${shellWord(name)}`
    for (const { row, unread } of filled)
      unread.push(`${addressOf(row, column)} was not read: ${option}`)
    return `"${name}" was not read, but seems to have numbers or addresses: ${option}`
  })
}
