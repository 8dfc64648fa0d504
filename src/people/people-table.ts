/** A table of people, csv or a sheet of a workbook: each row with its name, its values, and what a person decided. */
import { usageError } from '../errors.ts'
import { isId } from '../input/id.ts'
import { readTable } from '../input/rows.ts'
import { inputName, type InputHost } from '../input/source.ts'
import { textAt, type OnRow, type Row, type RowOptions } from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { columnName, groupDigits, shellWord } from '../words.ts'
import { peopleRule, type PeopleChoice, type PeopleColumns } from './columns.ts'
import { countryOf, readPhones, requireCountry, type Country } from './phone.ts'
import { isEmptyCell, kindOfCell, readAddresses, type Value } from './values.ts'

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/** A row of the table. */
export type Person = ReturnType<typeof readPerson>

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
  const people: Person[] = []
  const onRow: OnRow = (row, finding, table) => {
    options.onRow?.(row, finding, table)
    if (rule.columns === undefined) return
    if (finding.kind === 'data') people.push(readPerson(row, rule.columns, country))
    if (finding.kind !== 'invalid') return
    const unfit = `line ${groupDigits(row.line)}: ${finding.reason}`
    // A cell whose quote does not close may hold further rows, and nobody would notice that they are missing.
    if (finding.isNeverSkipped)
      throw usageError(`${name} ${unfit}`, 'rows may be lost in that cell')
    people.push({ row, name: '', values: [], unfit, unread: [], decided: undefined })
  }
  const table = await readTable(host, path, rule, { ...options, onRow })
  const { columns } = rule
  if (columns === undefined)
    throw usageError(`${name} is empty`, 'it needs a heading and a row for each person')
  /** A column in words: by its heading, or by its number from 1. */
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const quoted = (places: readonly number[]) => quoteAll(places.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  for (const column of columns.others) {
    const filled = people.filter(({ row }) => !isEmptyCell(textAt(row, column)))
    const kinds = filled.flatMap(({ row }) => kindOfCell(textAt(row, column)) ?? [])
    const [kind] = kinds
    // If an option names columns of a kind, others of that kind are left out on purpose.
    if (kind === undefined || options[`${kind}Column`].length > 0) continue
    if (2 * kinds.length <= filled.length) continue
    const option = `--${kind}-column ${shellWord(nameOf(column))}`
    notes.push(
      `"${nameOf(column)}" was not read, but seems to have numbers or addresses: ${option}`,
    )
    for (const { row, unread } of filled)
      unread.push(`${addressOf(row, column)} was not read: ${option}`)
  }
  return { people, columns, country, notes }
}

/** The address of a cell, as spreadsheets have it. */
function addressOf({ line }: Row, column: number) {
  return `${columnName(column)}${line}`
}

function readPerson(
  row: Row,
  { phone, email, name, country, contactId }: PeopleColumns,
  usual: Country | undefined,
) {
  /** Why the row is never matched: a cell may not be shown as it is stored. */
  let unfit: string | undefined
  /** Cells that were not understood or not read: nobody is said to have none of their values. */
  const unread: string[] = []

  /** The text of a cell; empty without a column, and if it may be shown otherwise. */
  function textOf(column = -1) {
    const reason = row.unfit?.(column)
    if (reason === undefined) return textAt(row, column)
    unfit ??= `${addressOf(row, column)}: ${reason}`
    return ''
  }

  function quote(column = -1) {
    return `${addressOf(row, column)}: "${shorten(textAt(row, column))}"`
  }

  /** The values that `read` finds in a cell. */
  function find(column: number, what: string, read: (text: string) => readonly Value[]) {
    const text = textOf(column)
    const found = isEmptyCell(text) ? [] : read(text)
    if (found.length === 0 && !isEmptyCell(text))
      unread.push(`${quote(column)} has no ${what}`)
    return found
  }

  const own = textOf(country[0])
  const known = isEmptyCell(own) ? usual : countryOf(own)
  const readNumbers = (text: string) => readPhones(text, known)
  const numbers = phone.flatMap((column) => find(column, 'phone number', readNumbers))
  const addresses = email.flatMap((column) => find(column, 'email address', readAddresses))
  for (const { key, shown } of numbers)
    if (key === undefined) unread.push(`${shown} needs its country`)
  const decision = textOf(contactId[0]).trim()
  // Some programs write an apostrophe before a lone dash.
  const isNobody = /^'?-$/.test(decision)
  /** The id of a contact, or `-` for nobody; undefined if nobody decided. */
  const decided = isNobody ? '-' : [decision].find(isId)
  if (decided === undefined && decision !== '')
    unfit ??= `${quote(contactId[0])} is no id of a contact`
  const names = name.map(textOf).filter((text) => !isEmptyCell(text))
  // A value that is there twice counts once.
  const unique = new Map(
    [...numbers, ...addresses].map((value) => [value.key ?? value.ending, value]),
  )
  return {
    row,
    name: names.join(' '),
    values: [...unique.values()],
    unfit,
    unread,
    decided,
  }
}
