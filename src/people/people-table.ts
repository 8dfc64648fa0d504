/** Reads a table of people from csv or a workbook. Each row has a name, values, and perhaps the decision of a person. */
import { usageError } from '../errors.ts'
import { isId } from '../values.ts'
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
 * Reads a table of people. `country` is that of phone numbers in rows that name none. `onRow` gets all rows, also those above the
 * heading. Returns the people, the columns that were read, and notes about them. Throws a usage error for any other input.
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
    // A cell whose quotes are wrong may contain other rows. Nobody would notice that they are missing.
    if (finding.isNeverSkipped)
      throw usageError(`${name} ${unfit}`, 'rows may be lost in that cell')
    people.push({ row, name: '', values: [], unfit, unread: [], decided: undefined })
  }
  const table = await readTable(host, path, rule, { ...options, onRow })
  const { columns } = rule
  if (columns === undefined)
    throw usageError(`${name} is empty`, 'it needs a heading and a row for each person')
  /** Returns the heading of a column, or its number from 1. */
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const quoted = (indexes: readonly number[]) =>
    quoteAll(indexes.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  for (const column of columns.others) {
    const filled = people.filter(({ row }) => !isEmptyCell(textAt(row, column)))
    const kinds = filled.flatMap(({ row }) => kindOfCell(textAt(row, column)) ?? [])
    const [kind] = kinds
    if (kind === undefined) continue
    // If an option names columns of a kind, others of that kind are left out on purpose.
    if (options[`${kind}Column`].length > 0) continue
    // Columns with such values in at most half of their cells are left out.
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

/** Returns the address of a cell as spreadsheets write it: `C4`. */
function addressOf({ line }: Row, column: number) {
  return `${columnName(column)}${line}`
}

function readPerson(
  row: Row,
  { phone, email, name, country, contactId }: PeopleColumns,
  usual: Country | undefined,
) {
  /** Why the row is not matched: a cell may not be shown as it is stored, or a decision is not an id. */
  let unfit: string | undefined
  /** Cells that were not understood or not read. The match then never says that nobody has their values. */
  const unread: string[] = []

  /** Returns the text of a cell; empty without a column, and for a cell that must not decide anything. */
  function textOf(column: number | undefined) {
    if (column === undefined) return ''
    const reason = row.unfit?.(column)
    if (reason === undefined) return textAt(row, column)
    unfit ??= `${addressOf(row, column)}: ${reason}`
    return ''
  }

  function quote(column: number) {
    return `${addressOf(row, column)}: "${shorten(textAt(row, column))}"`
  }

  /** Returns the values that `read` finds in a cell. `kind` is what they are called if there are none. */
  function find(column: number, kind: string, read: (text: string) => readonly Value[]) {
    const text = textOf(column)
    const found = isEmptyCell(text) ? [] : read(text)
    if (found.length === 0 && !isEmptyCell(text))
      unread.push(`${quote(column)} has no ${kind}`)
    return found
  }

  const countryText = textOf(country[0])
  const countryOfRow = isEmptyCell(countryText) ? usual : countryOf(countryText)
  const readNumbers = (text: string) => readPhones(text, countryOfRow)
  const numbers = phone.flatMap((column) => find(column, 'phone number', readNumbers))
  const addresses = email.flatMap((column) => find(column, 'email address', readAddresses))
  for (const { key, shown } of numbers)
    if (key === undefined) unread.push(`${shown} needs its country`)
  const [decisionColumn] = contactId
  const decision = textOf(decisionColumn).trim()
  // Some programs write an apostrophe before a lone dash.
  const isNobody = /^'?-$/.test(decision)
  /** The id of a contact, or `-` for nobody; undefined until a person decides. */
  let decided: string | undefined
  if (isNobody) decided = '-'
  else if (isId(decision)) decided = decision
  else if (decisionColumn !== undefined && decision !== '')
    unfit ??= `${quote(decisionColumn)} is not the id of a contact`
  const names = name.map(textOf).filter((text) => !isEmptyCell(text))
  // A value that appears twice counts once.
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
