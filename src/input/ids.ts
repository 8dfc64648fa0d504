/** Finds ids, decisions and pairs in the texts of a table. */
import { findId, isId } from '../identifiers.ts'
import { fold } from '../words.ts'
import {
  findColumn,
  foldHeading,
  noColumnError,
  rankOfName,
  requireColumn,
  type Headed,
  type RankOf,
} from './rows.ts'
import type { CellFinding, TableRule } from './table.ts'

export type ItemKind = 'contact' | 'ticket'

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

function findItem(text: string): CellFinding {
  const { id, reason } = findId(text)
  return id === undefined ? { kind: 'bad', reason } : { kind: 'found', id }
}

/**
 * Finds the decision in a cell of contactId: an id, `-` for nobody, or nothing yet. A copied cell of CANDIDATES with one contact
 * (`<id> <name>`) counts as its id.
 */
export function findDecision(cell: string): CellFinding {
  const text = cell.trim()
  if (text === '') return { kind: 'undecided', reason: 'no decision in contactId' }
  // Some programs write an apostrophe before the dash.
  if (text === '-' || text === "'-") return { kind: 'left-out', reason: 'contactId is "-"' }
  const [, id = text] = /^([0-9a-f]{24})\s(?!.*[0-9a-f]{24})/is.exec(text) ?? []
  return findItem(id)
}

/** The words that confirm a merge, in five languages. */
const yesWords = ['yes', 'ja', 'oui', 'si', 'sí', 'sim']

/** Finds in a cell of `merge` that a person has not confirmed the pair. */
function findUnconfirmed(text: string): CellFinding {
  const word = fold(text)
  if (yesWords.includes(word)) return undefined
  if (word === 'no' || word === '')
    return { kind: 'left-out', reason: 'merge is not "yes"' }
  return { kind: 'bad', reason: 'merge can be yes or no' }
}

/** Finds the id of one side of a pair. The name of an employee takes the place of the id until the name is resolved. */
function findSide(side: string, text: string): CellFinding {
  const { id, reason } = findId(text)
  if (id !== undefined) return { kind: 'found', id }
  const name = text.trim()
  return side === 'employee' && name !== ''
    ? { kind: 'found', id: name }
    : { kind: 'bad', reason: `${side}: ${reason}` }
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
 * Returns the rule for ids. A list has one column. In a table, the ids are in the column that was `typed`, as a name or a number
 * from 1, or in the one whose heading says so.
 */
export function idRule(item: ItemKind, typed?: string): TableRule {
  const rankOfItem = rankFor(item)
  const rankOf: RankOf = (heading) =>
    rankOfItem(heading) ?? (foldHeading(heading) === 'id' ? 3 : undefined)
  const ranks = typed === undefined ? [rankOf] : [rankOf, rankOfName(typed)]
  return {
    kind: 'ids',
    isValue,
    isKnown: (heading) => ranks.some((each) => each(heading) !== undefined),
    columnsOf(table) {
      const known = table.source.isList ? 0 : findColumn(table, rankOf)
      const column = typed === undefined ? known : requireColumn(table, typed)
      if (column === undefined) throw noIdsError(table, item)
      if (table.headings[column] !== 'contactId') return [{ column, find: findItem }]
      const match = table.headings.indexOf('MATCH')
      const decision = { column, find: findDecision }
      if (match < 0) return [decision]
      // "differs": somebody else fits the row better than the contact that a person decided for.
      const reason = '"differs" in MATCH'
      const find = (cell: string): CellFinding =>
        fold(cell) === 'differs' ? { kind: 'undecided', reason } : undefined
      return [decision, { column: match, find }]
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

/** Returns the rule for pairs. If merges have a column `merge`, only pairs with yes in it are merged. */
export function pairRule(sides: Sides): TableRule {
  const isMerge = sides[0] === 'source'
  return {
    kind: 'pairs',
    isValue,
    isKnown: (heading) => sides.some((side) => rankFor(side)(heading) !== undefined),
    columnsOf(table) {
      const columns = sides.flatMap((side) => {
        const column = findColumn(table, rankFor(side))
        const find = (text: string) => findSide(side, text)
        return column === undefined ? [] : [{ column, find }]
      })
      if (columns.length < 2)
        throw noColumnError(
          table,
          `no columns ${sides.join(' and ')}`,
          isMerge
            ? `the heading needs ${sides.join(' and ')}`
            : 'name one new assignee for all tickets with --to, or add a column "employee"',
        )
      const merge = isMerge ? findColumn(table, rankOfName('merge')) : undefined
      return merge === undefined
        ? columns
        : [{ column: merge, find: findUnconfirmed }, ...columns]
    },
  }
}
