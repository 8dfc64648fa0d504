/** Reads a table of people from csv or a workbook. Each row has a name, values, and perhaps a decision who the contact is. */
import { usageError } from '../errors.ts'
import { BadLines } from '../input/bad-lines.ts'
import { inputName, type InputHost } from '../input/bytes.ts'
import { textAt, type Row } from '../input/rows.ts'
import { isDash } from '../input/rules.ts'
import { readTable, type TableOptions } from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { isId } from '../values.ts'
import { columnName, shellWord } from '../words.ts'
import { peopleRule, type PeopleChoice, type PeopleColumns } from './columns.ts'
import {
  countryOf,
  readPhones,
  requireCountry,
  type Country,
  hasNoCountry,
  isEmptyCell,
  kindOfCell,
  readAddresses,
  type Value,
} from './values.ts'

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/** A person, as a row of the table describes it. */
export interface Person {
  tableRow: Row
  name: string
  /** The phone numbers and addresses to look for, each once. */
  values: readonly Value[]
  /** Why the row is not matched: it is a bad row, a cell cannot be trusted, or a decision is no id. */
  unfitReason: string | undefined
  /** Which cells were not understood or not read. With such a cell, the match is never `none`. */
  unread: string[]
  /** The id of a contact, or `-` for nobody; undefined until a person decides. */
  decided: string | undefined
}

/**
 * Reads a table of people. `country` is assumed for rows that name no country. Returns the people, the table and its rows, the
 * columns that were read, and notes about them. Throws a usage error for an input that is no table of people, and for bad lines.
 */
export async function readPeopleTable(
  host: InputHost,
  path: string,
  options: PeopleChoice & TableOptions & { country: string | undefined },
) {
  const country = requireCountry(options.country)
  const name = inputName(path)
  const rule = peopleRule(options)
  const table = await readTable(host, path, rule, options)
  const { columns } = rule
  if (columns === undefined)
    throw usageError(`${name} is empty`, 'it needs a heading and a row for each person')
  const badLines = new BadLines(name)
  const rows = [...table]
  const people = rows.flatMap(({ row, finding }) => {
    if (finding.kind !== 'invalid') return [readPerson(row, columns, country)]
    badLines.add(row, finding, table.source)
    return []
  })
  badLines.refuse('fix these lines; one bad line refuses the whole table')
  /** Returns the heading of a column, or its number from 1. */
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const quoted = (indexes: readonly number[]) =>
    quoteAll(indexes.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  for (const { column, kind } of unreadColumns(people, columns, options)) {
    const option = `--${kind}-column ${shellWord(nameOf(column))}`
    notes.push(
      `"${nameOf(column)}" was not read, but seems to have numbers or addresses: ${option}`,
    )
    for (const { tableRow, unread } of people)
      if (!isEmptyCell(textAt(tableRow, column)))
        unread.push(`${addressOf(tableRow, column)} was not read: ${option}`)
  }
  const { hiddenNote } = table
  if (hiddenNote !== undefined) notes.push(hiddenNote)
  return { people, table, rows, columns, country, notes }
}

/** Returns the columns that seem to have numbers or addresses, but were not read. */
function unreadColumns(
  people: readonly Person[],
  columns: PeopleColumns,
  choice: PeopleChoice,
) {
  return columns.others.flatMap((column) => {
    const texts = people.map(({ tableRow }) => textAt(tableRow, column))
    const filled = texts.filter((text) => !isEmptyCell(text))
    const kinds = filled.flatMap((text) => kindOfCell(text) ?? [])
    // Few columns have both numbers and addresses, so the first value decides the kind.
    const [kind] = kinds
    if (kind === undefined) return []
    // If an option names columns of a kind, others of that kind are left out on purpose.
    const isLeftOut = choice[`${kind}Column`].length > 0
    // A column counts only if more than half of its filled cells have such a value.
    return isLeftOut || 2 * kinds.length <= filled.length ? [] : [{ column, kind }]
  })
}

/** Returns the address of a cell as spreadsheets write it: `C4`. */
function addressOf({ line }: Row, column: number) {
  return `${columnName(column)}${line}`
}

/** Reads the cells of a row, and collects what is wrong with them for its `Person`. */
class CellReader {
  /** The first reason. */
  unfitReason: string | undefined
  readonly unread: string[] = []
  readonly #row: Row

  constructor(row: Row) {
    this.#row = row
  }

  /** Returns the text of a cell; empty without a column, and for a cell whose text cannot be trusted. */
  textOf(column: number | undefined) {
    if (column === undefined) return ''
    const reason = this.#row.unfitReason?.(column)
    if (reason === undefined) return textAt(this.#row, column)
    this.unfitReason ??= `${addressOf(this.#row, column)}: ${reason}`
    return ''
  }

  /** Returns the values that `read` finds in a cell. `kind` names them if there are none. */
  valuesIn(column: number, kind: string, read: (text: string) => readonly Value[]) {
    const text = this.textOf(column)
    if (isEmptyCell(text)) return []
    const found = read(text)
    if (found.length === 0) this.unread.push(`${this.#quote(column)} has no ${kind}`)
    return found
  }

  /** Returns what a person decided in a cell: an id, or `-` for nobody; undefined without a decision. */
  decisionIn(column: number | undefined) {
    const text = this.textOf(column).trim()
    if (isDash(text)) return '-'
    if (isId(text)) return text
    if (column !== undefined && text !== '')
      this.unfitReason ??= `${this.#quote(column)} is not the id of a contact`
    return undefined
  }

  #quote(column: number) {
    return `${addressOf(this.#row, column)}: "${shorten(textAt(this.#row, column))}"`
  }
}

/** Reads the person of a row. `defaultCountry` is assumed for a row that names no country. */
function readPerson(
  row: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
): Person {
  const cells = new CellReader(row)
  const countryText = cells.textOf(columns.country)
  const country = isEmptyCell(countryText) ? defaultCountry : countryOf(countryText)
  const readNumbers = (text: string) => readPhones(text, country)
  const numbers = columns.phone.flatMap((column) =>
    cells.valuesIn(column, 'phone number', readNumbers),
  )
  const addresses = columns.email.flatMap((column) =>
    cells.valuesIn(column, 'email address', readAddresses),
  )
  for (const number of numbers)
    if (hasNoCountry(number)) cells.unread.push(`${number.shown} needs its country`)
  const decided = cells.decisionIn(columns.contactId)
  const names = columns.name
    .map((column) => cells.textOf(column))
    .filter((text) => !isEmptyCell(text))
  // A value that appears twice counts once.
  const distinct = new Map(
    [...numbers, ...addresses].map((value) => [value.key ?? value.nearKey, value]),
  )
  return {
    tableRow: row,
    name: names.join(' '),
    values: [...distinct.values()],
    unfitReason: cells.unfitReason,
    unread: cells.unread,
    decided,
  }
}
