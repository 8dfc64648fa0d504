/** Finds ids, decisions and pairs in the rows of a table. */
import { findId, isId } from '../identifiers.ts'
import { fold } from '../words.ts'
import {
  findColumn,
  foldHeading,
  noColumnError,
  rankOfName,
  requireColumn,
  textAt,
  type Headed,
  type RankOf,
  type Row,
} from './rows.ts'
import type { Bad, Finding, TableReader } from './table.ts'

export type ItemKind = 'contact' | 'ticket'

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

function findItem(text: string): Finding | Bad {
  const { id, reason } = findId(text)
  return id === undefined ? { kind: 'bad', reason } : { kind: 'found', id }
}

/**
 * Finds the decision in a cell of contactId: an id, `-` for nobody, or nothing yet. A copied cell of CANDIDATES with one contact
 * (`<id> <name>`) counts as its id.
 */
export function findDecision(cell: string): Finding | Bad {
  const text = cell.trim()
  if (text === '') return { kind: 'undecided', reason: 'no decision in contactId' }
  // Some programs write an apostrophe before the dash.
  if (text === '-' || text === "'-") return { kind: 'left-out', reason: 'contactId is "-"' }
  const [, id = text] = /^([0-9a-f]{24})\s(?!.*[0-9a-f]{24})/is.exec(text) ?? []
  const found = findItem(id)
  return found.kind === 'bad'
    ? { ...found, reason: `${found.reason}; write one id, or - for nobody` }
    : found
}

/** The words that confirm a merge, in five languages. */
const yesWords = ['yes', 'ja', 'oui', 'si', 'sí', 'sim']

/** Returns what keeps a pair from being merged by its cell of `merge`; undefined if a person has confirmed it. */
function findUnconfirmed(row: Row, column: number): Finding | Bad | undefined {
  const word = fold(textAt(row, column))
  if (yesWords.includes(word)) return undefined
  if (word === 'no' || word === '')
    return { kind: 'left-out', reason: 'merge is not "yes"' }
  return { kind: 'bad', reason: 'merge can be yes or no', column }
}

/** Returns the id of one side of a pair. The name of an employee takes the place of the id until the name is resolved. */
function findSide(row: Row, side: string, column: number): string | Bad {
  const text = textAt(row, column)
  const { id, reason } = findId(text)
  if (id !== undefined) return id
  const name = text.trim()
  // An id that is refused, such as a rounded number, is no name.
  return side === 'employee' && name !== '' && !isId(name)
    ? name
    : { kind: 'bad', reason: `${side}: ${reason}`, column }
}

/** Returns how well a heading names the ids of an item: exactly `contactId` is best. */
function rankFor(item: string): RankOf {
  const variants = ['id', '_id', ' id', '.id'].map((end) => item + end)
  return (heading) => {
    const folded = foldHeading(heading)
    if (heading === `${item}Id`) return 0
    if (variants.includes(folded)) return 1
    // CONTACT stands above ids in svc's own tables. In other tables, `Contact` is a name.
    const isItem = item === 'contact' ? heading === 'CONTACT' : folded === item
    return isItem ? 2 : undefined
  }
}

const isValue = (text: string) => isId(text.trim())

/**
 * Returns the reader for ids. A list has one column. In a table, the ids are in the column that was `typed`, as a name or a number
 * from 1, or in the one whose heading says so.
 */
export function idReader(item: ItemKind, typed?: string): TableReader {
  const rankOfItem = rankFor(item)
  const rankOf: RankOf = (heading) =>
    rankOfItem(heading) ?? (foldHeading(heading) === 'id' ? 3 : undefined)
  const ranks = typed === undefined ? [rankOf] : [rankOf, rankOfName(typed)]
  return {
    kind: 'ids',
    isValue,
    isKnown: (heading) => ranks.some((each) => each(heading) !== undefined),
    readingOf(table) {
      const known = table.source.isList ? 0 : findColumn(table, rankOf)
      const column = typed === undefined ? known : requireColumn(table, typed)
      if (column === undefined) throw noIdsError(table, item)
      const isDecision = table.headings[column] === 'contactId'
      // -1 without such a column; the text of that is empty.
      const match = isDecision ? table.headings.indexOf('MATCH') : -1
      return {
        columns: match < 0 ? [column] : [column, match],
        judge(row) {
          const text = textAt(row, column)
          const found = isDecision ? findDecision(text) : findItem(text)
          if (found.kind === 'bad') return { ...found, column }
          // Somebody else fits the row better than the contact that a person decided for.
          const isOther = found.kind === 'found' && fold(textAt(row, match)) === 'differs'
          return isOther ? { kind: 'undecided', reason: '"differs" in MATCH' } : found
        },
      }
    },
  }
}

function noIdsError(table: Headed, item: ItemKind) {
  const column = table.headings.findIndex(isValue) + 1
  const isPeople = /phone|tel|mobil|handy|mail|correo|courriel/i.test(table.headings.join())
  const tableHint =
    item === 'contact' && isPeople
      ? 'to find the contacts of people:\n  svc contacts match <table>'
      : 'name the one with the ids, or give its number: --column <name>'
  return noColumnError(
    table,
    `no column called "id" or "${item}Id"`,
    column > 0 ? `if these are no headings: --heading-row 0 --column ${column}` : tableHint,
  )
}

/** Returns the reader for pairs. If merges have a column `merge`, only pairs with yes in it are merged. */
export function pairReader(sides: Sides): TableReader {
  const isMerge = sides[0] === 'source'
  return {
    kind: 'pairs',
    isValue,
    isKnown: (heading) => sides.some((side) => rankFor(side)(heading) !== undefined),
    readingOf(table) {
      const [first, second] = sides.map((side) => findColumn(table, rankFor(side)))
      if (first === undefined || second === undefined)
        throw noColumnError(
          table,
          `no columns ${sides.join(' and ')}`,
          isMerge
            ? `the heading needs ${sides.join(' and ')}`
            : 'name one new assignee for all tickets with --to, or add a column "employee"',
        )
      const merge = isMerge ? findColumn(table, rankOfName('merge')) : undefined
      return {
        columns: [merge ?? [], first, second].flat(),
        judge(row) {
          const unconfirmed = merge === undefined ? undefined : findUnconfirmed(row, merge)
          if (unconfirmed !== undefined) return unconfirmed
          const id = findSide(row, sides[0], first)
          if (typeof id !== 'string') return id
          const target = findSide(row, sides[1], second)
          return typeof target === 'string' ? { kind: 'found', id, target } : target
        },
      }
    },
  }
}
