/**
 * Which rows of a table are taken: those that `--where` wants, and, where `svc contacts match --annotate` wrote contactId,
 * MATCH and BY, those with exactly one contact.
 */
import { usageError } from '../errors.ts'
import { closest, groupDigits, joinOr } from '../words.ts'
import { placeNamed, isSame, isSameHeading } from './columns.ts'
import { textAt, type Problem, type Row } from './row.ts'
import { trimBlanks } from './id.ts'
import { quoteAll, shorten } from '../output/text/safe.ts'

/** Words under MATCH: those of svc contacts match, and `no`, by which a person says that a row has no contact. */
export const verdicts = [
  'one',
  'differs',
  'variant',
  'several',
  'conflict',
  'none',
  'unreadable',
  'empty',
  'no',
] as const

/** `DECISION=merge`, or `DECISION!=merge` for the rows that do not have this value. Throws exit 2. */
export function parseWhere(text: string) {
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const column = trimBlanks(typed)
  if (column !== '') return { column, value: trimBlanks(value), isExcluded: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where DECISION=merge',
  )
}

/** Where contactId, MATCH and BY are, as svc contacts match writes them; undefined unless all three are there. */
export function matchPlaces(headings: readonly string[]) {
  const [contactId = -1, match = -1, by = -1] = ['contactId', 'MATCH', 'BY'].map((name) =>
    headings.findIndex((cell) => isSameHeading(cell, name)),
  )
  return Math.min(contactId, match, by) < 0 ? undefined : { contactId, match, by }
}

export class RowFilter {
  readonly #input: string
  readonly #wanted: readonly ReturnType<typeof parseWhere>[]
  #places: readonly number[] = []
  /** Column of MATCH, where a match wrote it. */
  #match: number | undefined
  #unwanted = 0
  #unmatched = 0

  /** `where` as it was typed. Throws exit 2. */
  constructor(input: string, where: readonly string[] = []) {
    this.#input = input
    this.#wanted = where.map(parseWhere)
  }

  /** Whether rows have to be looked at. Known once the heading is. */
  get isActive(): boolean {
    return this.#wanted.length > 0 || this.#match !== undefined
  }

  get columns(): readonly number[] {
    return this.#match === undefined ? this.#places : [...this.#places, this.#match]
  }

  get leftOut(): number {
    return this.#unwanted + this.#unmatched
  }

  get notes(): string[] {
    const rows = (count: number, why: string): string[] =>
      count === 0
        ? []
        : [`${this.#input}: ${groupDigits(count)} ${count === 1 ? 'row' : 'rows'} left out: ${why}`]
    return [
      ...rows(this.#unwanted, 'excluded by --where'),
      ...rows(this.#unmatched, 'MATCH is not "one"'),
    ]
  }

  /** Throws exit 2 where there are no columns to look at. */
  refuse(what: string): void {
    if (this.#wanted.length === 0) return
    throw usageError(`--where is for csv and workbooks with a heading; ${this.#input} ${what}`)
  }

  /** Why a row is left out, or cannot be known to be wanted; undefined for one that is taken. Throws exit 2 for a word under MATCH that no match writes. */
  problem(row: Row): Problem | undefined {
    const { line, origin } = row
    for (const column of this.columns) {
      const reason = origin?.unfit(column, column === this.#match ? 'word' : 'value')
      if (reason !== undefined)
        return {
          reason,
          text: textAt(row, column) ?? '',
          cell: origin?.cell(column),
          isCondition: true,
        }
    }
    const text = (place: number): string => trimBlanks(textAt(row, place) ?? '')
    const isWanted = this.#wanted.every(
      ({ value, isExcluded }, index) =>
        isSame(text(this.#places[index] ?? -1), value) !== isExcluded,
    )
    const typed = this.#match === undefined ? 'one' : text(this.#match)
    const verdict = verdicts.find((one) => isSame(one, typed))
    if (verdict === undefined) {
      throw usageError(
        `${this.#input} line ${groupDigits(line)}: "${shorten(typed)}" under MATCH, which has ${joinOr(verdicts)}`,
        'to take a row that you looked at, write "one" there and the id of its contact under contactId',
      )
    }
    if (!isWanted) this.#unwanted += 1
    else if (verdict !== 'one') this.#unmatched += 1
    else return undefined
    return { reason: isWanted ? `MATCH is "${verdict}"` : 'excluded by --where', text: '' }
  }

  /** Finds the columns to look at in the heading of the table. Throws exit 2 where they are not there, or there twice. */
  begin(cells: readonly string[]): void {
    this.#places = this.#wanted.map(({ column }) => this.#placeOf(cells, column))
    const own = matchPlaces(cells)
    if (own === undefined) return
    const isThere = (name: string, from: number): boolean =>
      cells.slice(from).some((cell) => isSameHeading(cell, name))
    const twice = Object.values(own).find((place) => isThere(cells[place] ?? '', place + 1))
    if (twice !== undefined) {
      throw usageError(
        `${this.#input} has two columns called "${shorten(cells[twice] ?? '')}", as svc contacts match writes one`,
        'remove one of them',
      )
    }
    this.#match = own.match
  }

  #placeOf(cells: readonly string[], column: string): number {
    const place = placeNamed(this.#input, cells, column)
    if (place !== undefined) return place
    const near = closest(column, cells)
    throw usageError(
      `--where: ${this.#input} has no column "${shorten(column)}"; its columns are ${quoteAll(cells)}`,
      near === undefined ? undefined : `did you mean "${shorten(near)}"?`,
    )
  }
}
