/** The rules that find ids and pairs in a table: in which columns, and what a row has there. A damaged id is never repaired. */
import { usageError, say, svc } from '../errors.ts'
import { quoteAll, safe } from '../safe-text.ts'
import { idInAddress, idPattern, type IdFinding } from '../values.ts'
import { fold } from '../words.ts'
import {
  findColumns,
  findNamedColumn,
  foldHeading,
  hasDecisions,
  isColumnNumber,
  isSameHeading,
  requireTypedColumn,
} from './columns.ts'
import {
  textAt,
  type Finding,
  type Found,
  type Invalid,
  type Row,
  type Table,
  type TableRule,
} from './table.ts'

/** A number that a spreadsheet rounded to 15 digits. Zeros or an exponent replace the other digits. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators, in a text that has more than this id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Whether a cell has only a dash, which people write for nobody. Some programs write an apostrophe before the dash. */
export function isDash(text: string) {
  return /^\s*'?-\s*$/.test(text)
}

/** Returns the id in a cell, or why there is none. A ticket can also be a web address with one id. */
export function idAt(row: Row, column: number, item: string): IdFinding {
  const reason = row.unfitReason?.(column)
  return reason === undefined ? idIn(textAt(row, column), item) : { reason }
}

/** Returns the id in a text, or why there is none: the first reason that fits. */
export function idIn(text: string, item: string): IdFinding {
  const bare = text.trim()
  const idFromAddress = item === 'ticket' ? idInAddress(bare) : undefined
  if (idFromAddress !== undefined) return idFromAddress
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

const itemsWithIds = ['contact', 'ticket', 'employee', 'source', 'target']

/** The headings of ids, folded: `contactId`, `contact_id` and `Contact ID` for each item, and short ones. */
const idHeadings = [
  'id',
  'contact',
  'contact.id',
  ...itemsWithIds.flatMap((item) => [`${item}id`, `${item}_id`, `${item} id`]),
]

/** Whether a heading says that its column has ids, of whatever item. Only for tickets, `ticket` is one too. */
function isIdHeading(heading: string, item: string) {
  const folded = foldHeading(heading)
  return idHeadings.includes(folded) || (item === 'ticket' && folded === 'ticket')
}

/**
 * Returns the rule for ids. A list without a heading has one column. In other tables, the ids are in the column of --column, if it
 * was `typed`: its name, its number from 1 or a dotted path. Otherwise they are in the column whose heading says so.
 */
export function idRule(item: 'contact' | 'ticket', typed: string | undefined): TableRule {
  const isKnownHeading = (cell: string) =>
    isIdHeading(cell, item) || (typed !== undefined && isSameHeading(cell, typed))
  return {
    isHeading(cells) {
      if (typed === undefined || !isColumnNumber(typed)) return cells.some(isKnownHeading)
      // With a column number, only that column decides. An unknown word in it may be a damaged id.
      return isKnownHeading(cells[Number(typed) - 1] ?? '')
    },
    isValue: (text) => idIn(text, item).reason === undefined,
    readerFor(table, cells) {
      const { headings } = table
      const isSingleColumn = cells.slice(1).every((cell) => cell === '')
      const isPlainList = headings.length === 0 && isSingleColumn
      // The --column may be meant for another file: it holds for those of --except too.
      const column = isPlainList ? 0 : requireIdColumn(table, cells, item, typed)
      const isDecisionColumn =
        hasDecisions(headings) && isSameHeading(headings[column] ?? '', 'contactId')
      return {
        columns: [column],
        idColumns: [column],
        find(row) {
          const { id, reason } = idAt(row, column, item)
          if (id !== undefined) return { kind: 'found', id }
          if (isDecisionColumn && isUndecided(row, column))
            return { kind: 'left-out', reason: 'contactId is empty or "-"' }
          return { kind: 'invalid', reason, column }
        },
      }
    },
  }
}

/** Whether a person has not decided which contact a row is, or decided for nobody. */
function isUndecided(row: Row, column: number) {
  const text = textAt(row, column)
  return row.unfitReason?.(column) === undefined && (text.trim() === '' || isDash(text))
}

/** Returns the column of the ids. Throws a usage error if it is not certain, or if its ids are of lists or employees. */
function requireIdColumn(
  table: Table,
  cells: readonly string[],
  item: string,
  typed: string | undefined,
) {
  const { name } = table
  const column =
    typed === undefined ? findIdColumn(table, item) : requireTypedColumn(name, cells, typed)
  if (column === undefined)
    throw usageError(
      `${name} has no single column called "id" or "${item}Id"; its columns are ${quoteAll(cells)}`,
      'name the one with the ids, or give its number from 1: --column <name>',
    )
  if (item === 'contact') refuseOtherIds(table, column)
  return column
}

/** Returns the column whose heading says that it has the ids; undefined if there are none or several. */
function findIdColumn({ name, headings }: Table, item: string) {
  if (item === 'contact' && hasDecisions(headings))
    return findNamedColumn(name, headings, 'contactId')
  const idColumns = findColumns(headings, (heading) => isIdHeading(heading, item))
  // Next to `contactId`, a plain `id` is that of the row (a membership), and `Contact` is a name.
  const specific = idColumns.filter(
    (column) => !/^(?:id|contact)$/.test(foldHeading(headings[column] ?? '')),
  )
  const candidates = specific.length > 0 ? specific : idColumns
  return candidates.length === 1 ? candidates[0] : undefined
}

/** The headings that only svc's output of lists, or of employees, has. */
const otherThings = [
  { things: 'lists', headings: ['contactsCount', 'updatedAt'] },
  { things: 'employees', headings: ['kind', 'access'] },
]

/** Throws a usage error for the column `id` in svc's output of lists or employees. */
function refuseOtherIds(table: Table, column: number) {
  if (!isSameHeading(table.headings[column] ?? '', 'id')) return
  const hasHeading = (name: string) =>
    table.headings.some((heading) => isSameHeading(heading, name))
  const other = otherThings.find(({ headings }) => headings.every(hasHeading))
  if (other === undefined) return
  throw usageError(
    `${table.name} has the ids of ${other.things}, not of contacts`,
    say`the contacts of a list have their ids in:\n  ${svc`lists members <list> -o ids`}`,
  )
}

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

/**
 * Returns the rule for pairs. Each side has the column with its heading: `source`, `sourceId`, `source_id` or `Source ID`. If
 * there is a column `merge`, only pairs with yes in it are merged.
 */
export function pairRule(sides: Sides): TableRule {
  const [firstSide, secondSide] = sides
  const sideOf = (heading: string) => foldHeading(heading).replace(/[ _]?id$/, '')
  return {
    isHeading: (cells) => cells.some((cell) => sides.includes(sideOf(cell))),
    isValue: (text) => idIn(text, 'contact').reason === undefined,
    readerFor({ name }, cells) {
      const cellSides = cells.map(sideOf)
      const firstColumn = findNamedColumn(name, cellSides, firstSide)
      const secondColumn = findNamedColumn(name, cellSides, secondSide)
      if (firstColumn === undefined || secondColumn === undefined) {
        const wanted = sides.join(' and ')
        const message = `${name} has no columns ${wanted}: ${quoteAll(cells)}`
        if (secondSide === 'employee' && secondColumn === undefined)
          throw usageError(
            message,
            'name one new assignee for all of them with --to, or add a column "employee"',
          )
        throw usageError(message, `its first row must be a heading with ${wanted}`)
      }
      const isMerge = firstSide === 'source'
      const mergeColumn = isMerge ? findNamedColumn(name, cells, 'merge') : undefined
      return {
        columns: [firstColumn, secondColumn],
        idColumns: [firstColumn, secondColumn, mergeColumn ?? []].flat(),
        find(row) {
          const notConfirmed = findingIfNotConfirmed(row, mergeColumn)
          if (notConfirmed !== undefined) return notConfirmed
          const first = findSide(row, firstColumn, firstSide)
          if (first.kind === 'invalid') return first
          const second = findSide(row, secondColumn, secondSide)
          if (second.kind === 'invalid') return second
          return { ...first, other: second.id }
        },
      }
    },
  }
}

/** Returns the finding for a pair that a person has not confirmed in the column `merge`; undefined for any other pair. */
function findingIfNotConfirmed(row: Row, column?: number): Finding | undefined {
  if (column === undefined) return undefined
  const word = fold(textAt(row, column))
  const isKnown = ['yes', 'no', ''].includes(word)
  const reason =
    row.unfitReason?.(column) ?? (isKnown ? undefined : 'merge can be yes or no')
  // A merge cannot be undone, so --skip-invalid does not skip an unclear decision.
  if (reason !== undefined) return { kind: 'invalid', reason, column, isNeverSkipped: true }
  return word === 'yes' ? undefined : { kind: 'left-out', reason: 'merge is not "yes"' }
}

/** Finds the id of one side of a pair. The name of an employee takes the place of the id until the name is resolved. */
function findSide(row: Row, column: number, side: string): Found | Invalid {
  const { id, reason } = idAt(row, column, side)
  if (id !== undefined) return { kind: 'found', id }
  const text = textAt(row, column).trim()
  const canBeName = side === 'employee' && row.unfitReason?.(column) === undefined
  if (canBeName && text !== '') return { kind: 'found', id: text }
  return { kind: 'invalid', reason: `${side}: ${reason}`, column }
}
