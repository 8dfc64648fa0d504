/** The rules by which ids and pairs are found in a table: which columns have them, and what a row has in these columns. */
import { SvcError, usageError } from '../errors.ts'
import type { IdFinding } from '../values.ts'
import { say, svc } from '../message.ts'
import { quoteAll } from '../safe-text.ts'
import { fold } from '../words.ts'
import {
  findColumns,
  findDecisionColumn,
  findNamedColumn,
  foldHeading,
  isColumnNumber,
  isSameHeading,
  requireTypedColumn,
} from './columns.ts'
import { idAt, idIn } from './id.ts'
import { textAt, type Finding, type Row, type Table, type TableRule } from './table.ts'

const idHeading =
  /^(?:contact|contact\.id|(?:(?:contact|ticket|employee|source|target)[ _]?)?id)$/

/** Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, `CONTACT`. */
function isIdHeading(heading: string, item: string) {
  const folded = foldHeading(heading)
  return idHeading.test(folded) || (item === 'ticket' && folded === 'ticket')
}

/**
 * Returns the rule for ids. They are in the column that a person `typed` by its name, its number from 1 or a dotted path. If none
 * was typed, they are in the only column, or in the one whose heading says so.
 */
export function idRule(item: 'contact' | 'ticket', typed: string | undefined): TableRule {
  const isKnownHeading = (cell: string) =>
    isIdHeading(cell, item) || (typed !== undefined && isSameHeading(cell, typed))
  return {
    isHeading(cells) {
      if (typed === undefined || !isColumnNumber(typed)) return cells.some(isKnownHeading)
      // Only this column is looked at, and any other word in it could be a damaged id.
      return isKnownHeading(cells[Number(typed) - 1] ?? '')
    },
    isValue: (text) => idIn(text, item).reason === undefined,
    columnsOf(table, cells) {
      const { name, headings } = table
      const hasOneCell = cells.slice(1).every((cell) => cell === '')
      if (headings.length === 0 && hasOneCell) return [0]
      const column =
        typed === undefined
          ? findIdColumn(table, item)
          : requireTypedColumn(name, cells, typed)
      if (column === undefined)
        throw usageError(
          `${name} has no single column called "id" or "${item}Id"; its columns are ${quoteAll(cells)}`,
          'name the one with the ids, or give its number from 1: --column <name>',
        )
      if (item === 'contact') refuseOtherIds(table, column)
      return [column]
    },
    find(row, { name, headings, columns: [column = 0] = [] }) {
      const { id, reason } = idAt(row, column, item)
      if (id !== undefined) return { kind: 'found', id }
      // Some programs write an apostrophe before a lone dash.
      const isEmptyOrDash = /^\s*(?:'?-)?\s*$/.test(textAt(row, column))
      const isPlain = row.unfit?.(column) === undefined
      if (isPlain && isEmptyOrDash && findDecisionColumn(name, headings) === column)
        return { kind: 'left-out', reason: 'contactId is empty or "-"' }
      return { kind: 'invalid', reason, column }
    },
  }
}

/** Returns the column that has the ids by its heading; undefined if none or several may have them. */
function findIdColumn({ name, headings }: Table, item: string) {
  const decisionColumn = item === 'contact' ? findDecisionColumn(name, headings) : undefined
  if (decisionColumn !== undefined) return decisionColumn
  const idColumns = findColumns(headings, (heading) => isIdHeading(heading, item))
  // Next to another id, `id` belongs to the row itself, as in a membership, and `Contact` is a name.
  const specific = idColumns.filter(
    (column) => !/^(?:id|contact)$/.test(foldHeading(headings[column] ?? '')),
  )
  const candidates = specific.length > 0 ? specific : idColumns
  return candidates.length === 1 ? candidates[0] : undefined
}

/** Headings that tell the lists and employees that svc prints from contacts. */
const otherThings = [
  { things: 'lists', headings: ['contactsCount', 'updatedAt'] },
  { things: 'employees', headings: ['kind', 'access'] },
]

/** Throws a usage error if the column `id` has the ids of lists or employees, as svc prints them. */
function refuseOtherIds(table: Table, column: number) {
  const hasHeading = (name: string) =>
    table.headings.some((heading) => isSameHeading(heading, name))
  const other = otherThings.find(({ headings }) => headings.every(hasHeading))
  if (other === undefined || !isSameHeading(table.headings[column] ?? '', 'id')) return
  throw usageError(
    `${table.name} has the ids of ${other.things}, not of contacts`,
    say`the contacts of a list have their ids in:\n  ${svc`lists members <list> -o ids`}`,
  )
}

/** The error for a file of tickets without their new assignees. One employee can then be chosen for all of them. */
export class MissingEmployees extends SvcError {}

/** The headings of the two columns of pairs: `source` and `target`, or `ticket` and `employee`. */
export type Sides = readonly [first: string, second: string]

/**
 * Returns the rule for pairs. Each side is in the column with its heading: `source`, `sourceId`, `source_id` or `Source ID`. If
 * pairs of a merge have a column `merge`, it says which of them are read.
 */
export function pairRule(sides: Sides): TableRule {
  const sideOf = (heading: string) => foldHeading(heading).replace(/[ _]?id$/, '')
  return {
    isHeading: (cells) => cells.some((cell) => sides.includes(sideOf(cell))),
    isValue: (text) => idIn(text, 'contact').reason === undefined,
    columnsOf({ name }, cells) {
      const cellSides = cells.map(sideOf)
      const [first, second] = sides.map((side) => findNamedColumn(name, cellSides, side))
      if (first !== undefined && second !== undefined) {
        const isMerge = sides[0] === 'source'
        const mergeColumn = isMerge ? findNamedColumn(name, cells, 'merge') : undefined
        return mergeColumn === undefined ? [first, second] : [first, second, mergeColumn]
      }
      const wanted = sides.join(' and ')
      const message = `${name} has no columns ${wanted}: ${quoteAll(cells)}`
      if (sides[1] === 'employee' && second === undefined)
        throw new MissingEmployees('usage', message, {
          hint: 'name one new assignee for all of them with --to, or add a column "employee"',
        })
      throw usageError(message, `its first row must be a heading with ${wanted}`)
    },
    find(row, { columns = [] }) {
      const unconfirmed = unconfirmedFinding(row, columns[2])
      if (unconfirmed !== undefined) return unconfirmed
      const ids: string[] = []
      for (const [index, side] of sides.entries()) {
        const column = columns[index] ?? 0
        const { id, reason } = idOfSide(row, column, side)
        if (id === undefined)
          return { kind: 'invalid', reason: `${side}: ${reason}`, column }
        ids.push(id)
      }
      const [id = '', other] = ids
      return { kind: 'found', id, other }
    },
  }
}

/** Returns the finding for a pair that is not to be merged; undefined if a person wrote yes, or without a column for it. */
function unconfirmedFinding(row: Row, column?: number): Finding | undefined {
  if (column === undefined) return undefined
  const word = fold(textAt(row, column))
  const isKnown = ['yes', 'no', ''].includes(word)
  const reason = row.unfit?.(column) ?? (isKnown ? undefined : 'merge can be yes or no')
  // A merge cannot be undone, so --skip-invalid does not skip a decision that is not clear.
  if (reason !== undefined) return { kind: 'invalid', reason, column, isNeverSkipped: true }
  return word === 'yes' ? undefined : { kind: 'left-out', reason: 'merge is not "yes"' }
}

/** Returns the id in a cell, or why it has none. An employee's name is returned in place of the id, and resolved later. */
function idOfSide(row: Row, column: number, side: string): IdFinding {
  const found = idAt(row, column, side)
  const text = textAt(row, column).trim()
  const isPlainText = text !== '' && row.unfit?.(column) === undefined
  const isName = side === 'employee' && isPlainText && found.reason !== undefined
  return isName ? { id: text } : found
}
