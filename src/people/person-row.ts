/** Reads the person of a row of a table: a name, values to look for, and perhaps a decision who the contact is. */
import { findDecision } from '../input/ids.ts'
import { textAt, type Row } from '../input/rows.ts'
import { shorten } from '../safe-text.ts'
import { columnName } from '../words.ts'
import { readAddresses } from './addresses.ts'
import { countryOf, type Country } from './countries.ts'
import type { PeopleColumns } from './headings.ts'
import { isEmptyCell } from './people-cells.ts'
import { readPhones } from './phones.ts'
import { problemTexts, type Value } from './reading.ts'

/** A person, as a row of the table describes it. */
export interface PersonRow {
  tableRow: Row
  name: string
  /** The phone numbers and addresses to look for, each once. */
  values: readonly Value[]
  /** Which cells were not understood, and why. With such a cell, the match is never `one` or `none`. */
  problems: readonly string[]
  /** Whether one of its numbers cannot be compared as a whole, because its country is not known. */
  lacksCountry: boolean
  /** The id of a contact, or `-` for nobody; undefined until a person decides. */
  decided: string | undefined
}

/** Reads the person of a row. `defaultCountry` is assumed for a row that names no country. */
export function readPerson(
  tableRow: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
): PersonRow {
  const cells = new PersonCells(tableRow)
  const [countryCell] = cells.filled(columns.country)
  const country = countryCell === undefined ? defaultCountry : countryOf(countryCell.text)
  /** A value that appears twice counts once. */
  const values = new Map<string, Value>()
  let lacksCountry = false
  const valueColumns = new Set([...columns.phone, ...columns.email])
  for (const { column, text } of cells.filled(valueColumns)) {
    // In a column that is named for both, an address has an @.
    const isNumber = columns.phone.includes(column) && !text.includes('@')
    const isAddress = columns.email.includes(column) && !isNumber
    const reading = isAddress ? readAddresses(text) : readPhones(text, country)
    for (const value of reading.values) values.set(value.exact ?? value.near, value)
    if (reading.problem === undefined) continue
    cells.refuse(column, problemTexts[reading.problem])
    if (reading.problem === 'noCountry') lacksCountry = true
  }
  if (countryCell !== undefined && lacksCountry)
    cells.refuse(countryCell.column, 'is not a country')
  const names = Array.from(cells.filled(columns.name), ({ text }) => text)
  return {
    tableRow,
    name: names.join(' '),
    values: [...values.values()],
    decided: cells.decision(columns.contactId),
    problems: cells.problems,
    lacksCountry,
  }
}

/** The cells of a row, and which of them cannot be used. */
class PersonCells {
  readonly problems: string[] = []
  readonly #row: Row

  constructor(row: Row) {
    this.#row = row
  }

  /** Yields the cells of some columns, without those that say that they have nothing. */
  *filled(columns: Iterable<number>) {
    for (const column of columns) {
      const text = this.#trusted(column)
      if (!isEmptyCell(text)) yield { column, text }
    }
  }

  /** Returns the id or the `-` that somebody wrote in a cell; undefined without a decision. */
  decision(column: number | undefined) {
    if (column === undefined) return undefined
    const decision = findDecision(this.#trusted(column))
    if (decision?.kind === 'bad') this.refuse(column, 'is not the id of a contact')
    if (decision?.kind === 'left-out') return '-'
    return decision?.kind === 'found' ? decision.id : undefined
  }

  /** Says why the text of a cell cannot be used. */
  refuse(column: number, problem: string) {
    this.#add(column, `"${shorten(textAt(this.#row, column))}" ${problem}`)
  }

  /** Returns the text of a cell; empty for one that cannot be trusted, such as a formula. */
  #trusted(column: number) {
    const reason = this.#row.reasons?.[column]
    if (reason === undefined) return textAt(this.#row, column)
    this.#add(column, reason)
    return ''
  }

  #add(column: number, problem: string) {
    this.problems.push(`${columnName(column)}${this.#row.line}: ${problem}`)
  }
}
