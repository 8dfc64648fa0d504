/** Finds ids, decisions and pairs in the texts of a table. A damaged id is never repaired. */
import { safe } from '../safe-text.ts'
import { idInAddress, idPattern } from '../values.ts'
import { fold } from '../words.ts'
import {
  findColumn,
  foldHeading,
  noColumnError,
  rankOfName,
  requireColumn,
  type RankOf,
} from './columns.ts'
import type { ColumnReader, Table, TableRule } from './table.ts'

export type ItemKind = 'contact' | 'ticket'

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

type Found = ReturnType<NonNullable<ColumnReader['find']>>

/** An id that is no rounded number of 24 digits. */
const soundId = /^(?!\d{15}0{9}$)[0-9a-f]{24}$/i

/** A number that a spreadsheet rounded to 15 digits. Zeros or an exponent replace the other digits. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators, in a text that has more than this id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Returns why a text is no id: the first reason that fits; undefined if it is one. */
export function whyNoId(text: string) {
  if (soundId.test(text)) return undefined
  if (text === '') return 'empty'
  if (roundedPattern.test(text))
    return 'rounded by a spreadsheet; export the ids again, as text'
  if (/^[0-9a-f]+$/i.test(text)) return `${text.length} hexadecimal digits; an id has 24`
  if (idAmongOthers.test(text))
    return 'more than just an id; put each id on its own line, or name its --column'
  const [wrong = ''] = /[^0-9a-f]/iu.exec(text) ?? []
  return `contains "${safe(wrong)}", not a hexadecimal digit`
}

function findId(text: string): Found {
  const id = text.trim()
  const reason = whyNoId(id)
  return reason === undefined ? { kind: 'found', id } : { kind: 'bad', reason }
}

/** Finds the ticket in an argument, which can be a web address with one id. */
function findTicket(text: string): Found {
  const { id = text, reason } = idInAddress(text) ?? {}
  return reason === undefined ? findId(id) : { kind: 'bad', reason }
}

/**
 * Finds the decision in a cell of contactId: an id, `-` for nobody, or nothing yet. A copied cell of CANDIDATES with one contact
 * (`<id> <name>`) counts as its id.
 */
export function findDecision(cell: string): Found {
  const text = cell.trim()
  if (text === '') return { kind: 'undecided', reason: 'no decision in contactId' }
  // Some programs write an apostrophe before the dash.
  if (text === '-' || text === "'-") return { kind: 'left-out', reason: 'contactId is "-"' }
  const [, id = text] = /^([0-9a-f]{24})\s(?!.*[0-9a-f]{24})/is.exec(text) ?? []
  return findId(id)
}

/** Finds in a cell of MATCH that somebody else fits the row better than the contact that a person decided for. */
function findDiffering(text: string): Found {
  if (fold(text) !== 'differs') return undefined
  return { kind: 'undecided', reason: '"differs" in MATCH' }
}

/** The words that confirm a merge, in five languages. */
const yesWords = ['yes', 'ja', 'oui', 'si', 'sí', 'sim']

/** Why a pair is left out. */
export const notConfirmed = 'merge is not "yes"'

/** Finds in a cell of `merge` that a person has not confirmed the pair. */
function findUnconfirmed(text: string): Found {
  const word = fold(text)
  if (yesWords.includes(word)) return undefined
  if (word === 'no' || word === '') return { kind: 'left-out', reason: notConfirmed }
  return { kind: 'bad', reason: 'merge can be yes or no' }
}

/** Finds the id of one side of a pair. The name of an employee takes the place of the id until the name is resolved. */
function findSide(side: string, text: string): Found {
  const found = findId(text)
  const isName = side === 'employee' && text.trim() !== ''
  if (found?.kind !== 'bad') return found
  if (isName) return { kind: 'found', id: text.trim() }
  return { kind: 'bad', reason: `${side}: ${found.reason}` }
}

/** Returns how well a heading names the ids of an item or of one side of pairs: 0 is best. */
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

const isIdText = (text: string) => idPattern.test(text.trim())

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
    isValue: isIdText,
    isKnown: (heading) => ranks.some((each) => each(heading) !== undefined),
    columnsOf(table) {
      const { headings, source } = table
      const known = source.isList ? 0 : findColumn(table, rankOf)
      const column = typed === undefined ? known : requireColumn(table, typed)
      if (column === undefined) throw noIdsError(table, item)
      const isTicket = item === 'ticket' && source.format === 'words'
      if (headings[column] !== 'contactId')
        return [{ column, find: isTicket ? findTicket : findId }]
      const match = findColumn(table, (heading) => (heading === 'MATCH' ? 0 : undefined))
      const differing = match === undefined ? [] : [{ column: match, find: findDiffering }]
      return [{ column, find: findDecision }, ...differing]
    },
    advice(format) {
      if (format !== 'words')
        return 'fix the input, or name its column of ids with --column'
      return item === 'contact'
        ? 'to find the id of a person:\n  svc contacts find <words>\nto read ids from a file, use --file <path>'
        : 'copy the id, or the address of the ticket, from the service; to read ids from a file, use --file <path>'
    },
  }
}

function noIdsError(table: Table, item: ItemKind) {
  const column = table.headings.findIndex(isIdText) + 1
  const isPeople = /phone|tel|mobil|handy|mail|correo|courriel/i.test(table.headings.join())
  const columnHint = 'name the one with the ids, or give its number: --column <name>'
  const matchHint = 'to find the contacts of people:\n  svc contacts match <table>'
  const headingHint = `if these are no headings: --heading-row 0 --column ${column}`
  const tableHint = item === 'contact' && isPeople ? matchHint : columnHint
  const hint = column > 0 ? headingHint : tableHint
  return noColumnError(table, `no column called "id" or "${item}Id"`, hint)
}

/** Returns the rule for pairs. If merges have a column `merge`, only pairs with yes in it are merged. */
export function pairRule(sides: Sides): TableRule {
  const isMerge = sides[0] === 'source'
  const ranks = sides.map(rankFor)
  return {
    kind: 'pairs',
    isValue: isIdText,
    isKnown: (heading) => ranks.some((rankOf) => rankOf(heading) !== undefined),
    columnsOf(table) {
      const columns = sides.flatMap((side) => {
        const column = findColumn(table, rankFor(side))
        const find = (text: string) => findSide(side, text)
        return column === undefined ? [] : [{ column, find }]
      })
      const merge = isMerge ? findColumn(table, rankOfName('merge')) : undefined
      const confirming =
        merge === undefined ? [] : [{ column: merge, find: findUnconfirmed }]
      if (columns.length === 2) return [...confirming, ...columns]
      throw noColumnError(
        table,
        `no columns ${sides.join(' and ')}`,
        isMerge
          ? `the heading needs ${sides.join(' and ')}`
          : 'name one new assignee for all tickets with --to, or add a column "employee"',
      )
    },
    advice: () => 'fix these lines; one bad line stops the whole table',
  }
}
