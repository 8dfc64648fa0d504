/** Decisions that an earlier match, or a person, wrote into a table; and what that match read, as far as the table says it. */
import { isSame } from '../input/columns.ts'
import { isId, trimBlanks, unwrapId } from '../input/id.ts'
import type { Row } from '../input/row.ts'
import { optionOf, wordsOf, type PeopleColumns } from './headings.ts'
import { kindOf, kinds, type Kind } from './identity.ts'
import type { IndexedValue } from './value-index.ts'

/** A row that is "one", with its contact. */
export interface KeptRow {
  readonly kind: 'one'
  readonly line: number
  readonly contactId: string
  readonly name: string
  readonly by: string
  /** They decide nothing any more, but they may be another contact's. */
  readonly values: readonly IndexedValue[]
}

/** A row under whose MATCH a person wrote `no`: nobody, or not this one. */
export interface RefusedRow {
  readonly kind: 'no'
  readonly line: number
  readonly name: string
  readonly by: string
}

export type DecidedRow = KeptRow | RefusedRow

export class EarlierMatch {
  /** Kinds of values by which rows were matched. */
  readonly #kinds = new Set<Kind>()

  /** The decision on a row, without its values. `isAgain`: only a `no` counts. */
  decisionOf(
    { matched }: PeopleColumns,
    { cells, line, origin }: Row,
    isAgain: boolean,
  ): DecidedRow | undefined {
    if (matched === undefined) return undefined
    const text = (column: number): string => trimBlanks(cells[column] ?? '')
    const by = text(matched.by)
    const name = matched.name === undefined ? '' : text(matched.name)
    for (const kind of kindsOf(by)) this.#kinds.add(kind)
    const match = text(matched.match)
    // Whether it is seen or not: it changes nothing.
    if (isSame(match, 'no')) return { kind: 'no', line, name, by }
    const contactId = unwrapId(text(matched.contactId))
    if (isAgain || !isSame(match, 'one') || !isId(contactId)) return undefined
    const unfit = origin?.unfit(matched.match, 'word') ?? origin?.unfit(matched.contactId, 'id')
    return unfit === undefined ? { kind: 'one', line, contactId, name, by, values: [] } : undefined
  }

  /** Kinds of values that the earlier match read and this one does not. */
  words({ values }: PeopleColumns): string[] {
    const isRead = new Set(values.map(({ key }) => kindOf(key)))
    const missing = kinds.filter((kind) => this.#kinds.has(kind) && !isRead.has(kind))
    return missing.map(
      (kind) =>
        `an earlier match found rows by ${wordsOf[kind]}, which are not read now; to read them: ${optionOf[kind]}`,
    )
  }
}

/** `phone+email (variant) (name differs)`: the kinds in BY, as a match writes it. */
function kindsOf(by: string): Kind[] {
  if (by === '') return []
  const words = by.split('+').map((word) => word.replace(/ \(.*$/, '').toLowerCase())
  return kinds.filter((kind) => words.includes(kind))
}
