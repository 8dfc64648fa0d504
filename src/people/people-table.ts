/** Reads a table of people from csv or a workbook. Each row has a name, values, and perhaps a decision who the contact is. */
import { usageError } from '../errors.ts'
import { BadLines } from '../input/bad-lines.ts'
import { inputName, type InputHost } from '../input/bytes.ts'
import { textAt, type Row } from '../input/rows.ts'
import { isDash } from '../input/rules.ts'
import { readTable, type TableOptions } from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { isId } from '../values.ts'
import { columnName, pluralize, shellWord } from '../words.ts'
import { isNumbered, peopleRule, type PeopleChoice, type PeopleColumns } from './columns.ts'
import { countryOf, requireCountry, type Country } from './countries.ts'
import {
  isEmptyCell,
  kindOfCell,
  lacksCountry,
  readAddresses,
  readPhones,
  type Reading,
  type Value,
} from './values.ts'

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/** A person, as a row of the table describes it. */
export interface Person {
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
  const decisions = people.filter(({ tableRow }) => hasDecision(tableRow, columns))
  if (decisions.length > 0 && decisions.every(({ decided }) => decided === undefined))
    throw usageError(
      `the column contactId of ${name} has neither ids nor "-"`,
      'svc keeps decisions in a column of this name: give yours another name',
    )
  /** Returns the heading of a column, or its number from 1. */
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const quoted = (indexes: readonly number[]) =>
    quoteAll(indexes.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  for (const column of columns.others.filter((each) => !isNumbered(nameOf(each)))) {
    const texts = people.map(({ tableRow }) => textAt(tableRow, column))
    const kind = kindOfColumn(texts, country)
    if (kind !== undefined)
      notes.push(
        `"${nameOf(column)}" was not read, but seems to have numbers or addresses: --${kind}-column ${shellWord(nameOf(column))}`,
      )
  }
  const lackingCount = people.filter(({ lacksCountry }) => lacksCountry).length
  if (lackingCount > 0) {
    const who = pluralize(lackingCount, 'row has', 'rows have')
    const advice = country === undefined ? ': add --country' : ''
    notes.push(`${who} a phone number without a country${advice}`)
  }
  const { hiddenNote } = table
  if (hiddenNote !== undefined) notes.push(hiddenNote)
  const kinds = (['phone', 'email'] as const).filter((kind) => columns[kind].length > 0)
  return { people, table, rows, columns, country, kinds, notes }
}

function hasDecision(row: Row, { contactId }: PeopleColumns) {
  return contactId !== undefined && textAt(row, contactId).trim() !== ''
}

/** Returns the kind of values that most of the filled cells of a column have; undefined if they have none. */
function kindOfColumn(texts: readonly string[], country: Country | undefined) {
  const filled = texts.filter((text) => !isEmptyCell(text))
  const kinds = filled.flatMap((text) => kindOfCell(text, country) ?? [])
  // Few columns have both numbers and addresses, so the first value decides the kind.
  return 2 * kinds.length > filled.length ? kinds[0] : undefined
}

/** Returns the address of a cell as spreadsheets write it: `C4`. */
function addressOf({ line }: Row, column: number) {
  return `${columnName(column)}${line}`
}

/** Reads the cells of a row, and collects what is wrong with them. */
class CellReader {
  readonly problems: string[] = []
  lacksCountry = false
  readonly #row: Row

  constructor(row: Row) {
    this.#row = row
  }

  /** Returns the text of a cell; empty for one that says that it has nothing, and for one that cannot be trusted. */
  textOf(column: number) {
    const text = textAt(this.#row, column)
    if (this.#row.unfitReason?.(column) === undefined) return isEmptyCell(text) ? '' : text
    this.addProblem(column)
    return ''
  }

  /** Returns the values that the readers find in a cell. It is understood if one of them understands it. */
  valuesIn(column: number, readers: readonly ((text: string) => Reading)[]) {
    const text = this.textOf(column)
    if (text === '') return []
    const readings = readers.map((read) => read(text))
    const problems = readings.flatMap(({ problem }) => problem ?? [])
    const isUnderstood = problems.length < readings.length
    if (!isUnderstood) this.addProblem(column, problems[0])
    if (!isUnderstood && problems.includes(lacksCountry)) this.lacksCountry = true
    return readings.flatMap(({ values }) => values)
  }

  /** Returns what a person decided in a cell: an id, or `-` for nobody; undefined without a decision. */
  decisionIn(column: number) {
    const isTrusted = this.#row.unfitReason?.(column) === undefined
    const text = textAt(this.#row, column).trim()
    if (isTrusted && isDash(text)) return '-'
    // A copied cell of CANDIDATES.
    const [, candidate = text] = /^([0-9a-f]{24}) (?!.*[0-9a-f]{24})/is.exec(text) ?? []
    if (isTrusted && isId(candidate)) return candidate
    if (!isTrusted || text !== '') this.addProblem(column, 'is not the id of a contact')
    return undefined
  }

  /** Adds why a cell was not understood: it cannot be trusted, or `problem`. */
  addProblem(column: number, problem = '') {
    const reason = this.#row.unfitReason?.(column)
    const text = shorten(textAt(this.#row, column))
    this.problems.push(
      `${addressOf(this.#row, column)}: ${reason ?? `"${text}" ${problem}`}`,
    )
  }
}

/** Reads the person of a row. `defaultCountry` is assumed for a row that names no country. */
function readPerson(
  row: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
): Person {
  const cells = new CellReader(row)
  const { contactId } = columns
  const countryColumn = columns.country.find((column) => cells.textOf(column) !== '')
  const country =
    countryColumn === undefined ? defaultCountry : countryOf(cells.textOf(countryColumn))
  const readNumbers = (text: string) => readPhones(text, country)
  const values = [...new Set([...columns.phone, ...columns.email])].flatMap((column) => {
    const readers = columns.phone.includes(column) ? [readNumbers] : []
    if (columns.email.includes(column)) readers.push(readAddresses)
    return cells.valuesIn(column, readers)
  })
  if (countryColumn !== undefined && cells.lacksCountry)
    cells.addProblem(countryColumn, 'is not a country')
  const names = columns.name.map((column) => cells.textOf(column))
  return {
    tableRow: row,
    name: names.filter((text) => text !== '').join(' '),
    // A value that appears twice counts once.
    values: [
      ...new Map(values.map((value) => [value.key ?? value.nearKey, value])).values(),
    ],
    decided: contactId === undefined ? undefined : cells.decisionIn(contactId),
    problems: cells.problems,
    lacksCountry: cells.lacksCountry,
  }
}
