/**
 * Which rows of a table are taken: those that `--where` wants, and, where `svc contacts match --annotate`
 * wrote contactId, MATCH and BY, those with exactly one contact.
 */
import { usageError } from '../errors.ts'
import { fold, joinOr, pluralize } from '../words.ts'
import { refuseColumn, placeNamed, placesOfAll, isSameHeading } from './columns.ts'
import {
  addressOf,
  invalid,
  invalidCell,
  textAt,
  unfitAt,
  type Row,
  type RowFinding,
} from './row.ts'
import { shorten } from '../safe-text.ts'

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

/** Other words for `no`. */
const otherWordsForNo: readonly string[] = ['nein', 'non', 'não']

/**
 * The word of a cell under MATCH; undefined for one that svc does not know, in which a person may have decided something.
 */
export function verdictIn(text: string): (typeof verdicts)[number] | undefined {
  const word = fold(text)
  if (otherWordsForNo.includes(word)) return 'no'
  return verdicts.find((verdict) => verdict === word)
}

/** Why rows are left out. */
const unwanted = 'excluded by --where'
const unmatched = 'MATCH is not "one"'
export const totalRow = 'the total row of a table'

/** `DECISION=merge`, or `DECISION!=merge` for the rows that do not have this value. Throws exit 2. */
export function parseWhere(text: string) {
  // The first = counts: a value may have more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const column = typed.trim()
  if (column !== '') return { column, value: fold(value), isExcluded: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where DECISION=merge',
  )
}

/**
 * Where contactId, MATCH and BY are, as svc contacts match writes them; undefined unless all three are there. Throws exit 2
 * where one is there twice: nobody could see which of them decides.
 */
export function matchPlaces(input: string, headings: readonly string[]) {
  const names = ['contactId', 'MATCH', 'BY']
  const places = placesOfAll(input, headings, names, isSameHeading)
  if (places === undefined) return undefined
  const [contactId = 0, match = 0, by = 0] = places
  return { contactId, match, by }
}

/** The filter of one table; it counts what it leaves out. */
export class RowFilter {
  readonly input: string
  readonly #wanted: readonly ReturnType<typeof parseWhere>[]
  #places: readonly number[] = []
  /** Column of MATCH, where a match wrote it. */
  #match: number | undefined
  /** How many rows are left out, by why. */
  readonly #leftOut = new Map<string, number>()

  /** `where` as it was typed. Throws exit 2. */
  constructor(input: string, where: readonly string[] = []) {
    this.input = input
    this.#wanted = where.map(parseWhere)
  }

  get columns(): readonly number[] {
    return this.#match === undefined ? this.#places : [...this.#places, this.#match]
  }

  get leftOut() {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Sentences about the rows that were left out, and why. */
  get notes(): string[] {
    return [...this.#leftOut].map(
      ([why, count]) => `${this.input}: ${pluralize(count, 'row')} left out: ${why}`,
    )
  }

  /** Throws exit 2 if --where was typed: it needs a heading. */
  refuseWhere() {
    if (this.#wanted.length === 0) return
    throw usageError(`--where is for tables with a heading; ${this.input} has none`)
  }

  leaveOut(reason: string): RowFinding {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1)
    return { kind: 'left-out', reason }
  }

  /**
   * Finds whether a row is taken as data or left out. It is invalid if a cell that decides that is not plain, or if MATCH
   * has a word that no match writes: a person's decision, which is never skipped.
   */
  judge(row: Row): RowFinding {
    for (const column of this.columns) {
      const reason = unfitAt(row, column, column === this.#match ? 'word' : 'value')
      if (reason !== undefined) return invalidCell(row, column, reason)
    }
    const match = this.#match ?? 0
    const typed = textAt(row, match)
    const verdict = this.#match === undefined ? 'one' : verdictIn(typed)
    if (verdict === undefined) {
      const cell = addressOf(row, match)
      const reason = `MATCH can be ${joinOr(verdicts)}`
      return invalid({ reason, text: typed, cell, isNeverSkipped: true })
    }
    const isWanted = this.#wanted.every(({ value, isExcluded }, index) => {
      const text = fold(textAt(row, this.#places[index] ?? -1))
      return (text === value) !== isExcluded
    })
    if (!isWanted) return this.leaveOut(unwanted)
    return verdict === 'one' ? { kind: 'data' } : this.leaveOut(unmatched)
  }

  /** Finds the columns to look at in the heading of the table. Throws exit 2 where they are not there, or there twice. */
  begin(cells: readonly string[]) {
    this.#places = this.#wanted.map(({ column }) => {
      const place = placeNamed(this.input, cells, column)
      return place ?? refuseColumn(this.input, cells, column)
    })
    this.#match = matchPlaces(this.input, cells)?.match
  }
}
