/** The rules that find ids and pairs in a table: in which columns, and what a row has there. A damaged id is never repaired. */
import { usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { idInAddress, idPattern, type IdFinding } from '../values.ts'
import { fold } from '../words.ts'
import {
  findNamedColumn,
  findRankedColumn,
  foldHeading,
  requireTypedColumn,
  shownHeadings,
} from './columns.ts'
import { textAt, type Row } from './rows.ts'
import type { Columns, Finding, Found, Invalid, RowReader, TableRule } from './table.ts'

/** A number that a spreadsheet rounded to 15 digits. Zeros or an exponent replace the other digits. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators, in a text that has more than this id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Returns the id in a text, or why there is none: the first reason that fits. */
export function idIn(text: string): IdFinding {
  const bare = text.trim()
  if (bare === '') return { reason: 'empty' }
  if (roundedPattern.test(bare))
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (idPattern.test(bare)) return { id: bare }
  if (/^[0-9a-f]+$/i.test(bare))
    return { reason: `${bare.length} hexadecimal digits; an id has 24` }
  if (idAmongOthers.test(bare))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(bare) ?? []
  return { reason: `contains "${safe(wrong)}", not a hexadecimal digit` }
}

/** Returns the id in an argument, or why there is none. A ticket can also be a web address with one id. */
export function typedIdIn(text: string, item: string): IdFinding {
  const idFromAddress = item === 'ticket' ? idInAddress(text) : undefined
  return idFromAddress ?? idIn(text)
}

/** Finds the id in a cell. */
function findId(row: Row, column: number): Found | Invalid {
  const unfit = row.unfitReason?.(column)
  const { id, reason } = unfit === undefined ? idIn(textAt(row, column)) : { reason: unfit }
  return id === undefined ? { kind: 'invalid', reason, column } : { kind: 'found', id }
}

/** Returns the tests of headings for the ids of an item, the best first. */
function ranksOf(item: string) {
  const variants = ['id', '_id', ' id', '.id'].map((end) => item + end)
  // CONTACT stands above ids in svc's own tables. In other tables, `Contact` is a name.
  const isItem = (heading: string) =>
    item === 'contact' ? heading === 'CONTACT' : foldHeading(heading) === item
  return [
    (heading: string) => heading === `${item}Id`,
    (heading: string) => variants.includes(foldHeading(heading)),
    isItem,
  ]
}

/** Returns the tests of headings for a column of ids that is the only one. */
const idRanks = (item: string) => [
  ...ranksOf(item),
  (heading: string) => foldHeading(heading) === 'id',
]

const isValue = (text: string) => idPattern.test(text.trim())

/**
 * Returns the rule for ids. A list has one column. In a table, the ids are in the column that was `typed`, as a name or a number
 * from 1, or in the one whose heading says so.
 */
export function idRule(item: 'contact' | 'ticket', typed?: string): TableRule {
  const ranks = idRanks(item)
  return {
    canBeList: true,
    leavesOutHidden: false,
    isValue,
    isKnown: (heading) =>
      ranks.some((isWanted) => isWanted(heading)) ||
      (typed !== undefined && foldHeading(heading) === foldHeading(typed)),
    readerFor(columns) {
      const column = idColumnOf(columns, item, typed)
      if (columns.headings[column] === 'contactId') return decisionReader(columns, column)
      return {
        columns: [column],
        idColumns: [column],
        find: (row) => findId(row, column),
      }
    },
  }
}

/** Returns the column of the ids. Throws a usage error if it is not certain. */
function idColumnOf(columns: Columns, item: string, typed: string | undefined) {
  const { name, headings, listColumn } = columns
  const column =
    typed === undefined
      ? (listColumn ?? findRankedColumn(name, headings, idRanks(item)))
      : requireTypedColumn(name, headings, typed, columns.headingHint)
  if (column !== undefined) return column
  const canBePeople =
    item === 'contact' &&
    headings.some((heading) => /phone|tel|mobil|handy|mail|correo|courriel/i.test(heading))
  throw noColumnError(
    columns,
    `no column called "id" or "${item}Id"`,
    canBePeople
      ? 'to find the contacts of people:\n  svc contacts match <table>'
      : 'name the one with the ids, or give its number: --column <name>',
  )
}

/** The error for a table without a column that is needed. */
function noColumnError(
  { name, headings, headingHint }: Columns,
  problem: string,
  hint: string,
) {
  return usageError(
    `${name} has ${problem}; ${shownHeadings(headings)}`,
    headingHint ?? hint,
  )
}

/**
 * Returns the reader of a table from `svc contacts match`: in its column contactId, people decide which contact each row is.
 * `differs` in MATCH says that somebody else fits the row better.
 */
function decisionReader({ name, headings }: Columns, column: number): RowReader {
  const match = findRankedColumn(name, headings, [(heading) => heading === 'MATCH'])
  const idColumns = [column, match ?? []].flat()
  return {
    columns: idColumns,
    idColumns,
    find(row) {
      const finding = decisionAt(row, column)
      if (match === undefined || finding.kind === 'invalid') return finding
      const reason = row.unfitReason?.(match)
      if (reason !== undefined) return { kind: 'invalid', reason, column: match }
      const isOther = finding.kind === 'found' && fold(textAt(row, match)) === 'differs'
      return isOther ? { kind: 'undecided', reason: '"differs" in MATCH' } : finding
    },
  }
}

/**
 * Finds the decision in a cell of contactId: an id, `-` for nobody, or nothing yet. A copied cell of CANDIDATES with one contact
 * (`<id> <name>`) counts as its id.
 */
export function decisionAt(row: Row, column: number): Finding {
  const text = textAt(row, column)
  const finding = findId(row, column)
  if (finding.kind === 'found' || row.unfitReason?.(column) !== undefined) return finding
  if (text.trim() === '') return { kind: 'undecided', reason: 'no decision in contactId' }
  // Some programs write an apostrophe before the dash.
  if (/^\s*'?-\s*$/.test(text)) return { kind: 'left-out', reason: 'contactId is "-"' }
  const [, id] = /^\s*([0-9a-f]{24})\s(?!.*[0-9a-f]{24})/is.exec(text) ?? []
  return id === undefined ? finding : { kind: 'found', id }
}

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

/** The words that confirm a merge, and those that do not, in five languages. */
const yesWords = ['yes', 'ja', 'oui', 'si', 'sí', 'sim']

/** Returns the rule for pairs. If there is a column `merge`, only pairs with yes in it are merged. */
export function pairRule(sides: Sides): TableRule {
  const [firstSide, secondSide] = sides
  const ranks = sides.map(ranksOf)
  return {
    canBeList: false,
    leavesOutHidden: false,
    isValue,
    isKnown: (heading) => ranks.flat().some((isWanted) => isWanted(heading)),
    readerFor(columns) {
      const { name, headings } = columns
      const [first, second] = ranks.map((each) => findRankedColumn(name, headings, each))
      if (first === undefined || second === undefined)
        throw noColumnError(
          columns,
          `no columns ${sides.join(' and ')}`,
          secondSide === 'employee'
            ? 'name one new assignee for all tickets with --to, or add a column "employee"'
            : `the heading needs ${sides.join(' and ')}`,
        )
      const merge =
        firstSide === 'source' ? findNamedColumn(name, headings, 'merge') : undefined
      const read = [first, second, merge ?? []].flat()
      return {
        columns: read,
        idColumns: read,
        find(row) {
          const notConfirmed = findingIfNotConfirmed(row, merge)
          if (notConfirmed !== undefined) return notConfirmed
          const one = findSide(row, first, firstSide)
          if (one.kind === 'invalid') return one
          const other = findSide(row, second, secondSide)
          return other.kind === 'invalid' ? other : { ...one, other: other.id }
        },
      }
    },
  }
}

/** Why a pair is left out. */
export const notConfirmed = 'merge is not "yes"'

/** Returns the finding for a pair that a person has not confirmed in the column `merge`; undefined for any other pair. */
function findingIfNotConfirmed(row: Row, column?: number): Finding | undefined {
  if (column === undefined) return undefined
  const word = fold(textAt(row, column))
  const isYes = yesWords.includes(word)
  const isKnown = isYes || ['no', ''].includes(word)
  const reason =
    row.unfitReason?.(column) ?? (isKnown ? undefined : 'merge can be yes or no')
  if (reason !== undefined) return { kind: 'invalid', reason, column }
  return isYes ? undefined : { kind: 'left-out', reason: notConfirmed }
}

/** Finds the id of one side of a pair. The name of an employee takes the place of the id until the name is resolved. */
function findSide(row: Row, column: number, side: string): Found | Invalid {
  const finding = findId(row, column)
  if (finding.kind === 'found') return finding
  const name = textAt(row, column).trim()
  const isName = side === 'employee' && row.unfitReason?.(column) === undefined
  if (isName && name !== '') return { kind: 'found', id: name }
  return { ...finding, reason: `${side}: ${finding.reason}` }
}
