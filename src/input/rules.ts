/** The rules by which ids and pairs are found in a table: which columns have them, and what is in a row. */
import { SvcError, usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { quoteAll } from '../safe-text.ts'
import { fold } from '../words.ts'
import {
  decisionPlace,
  findColumn,
  foldHeading,
  isColumnNumber,
  isSameHeading,
  placeNamed,
  placesOf,
  refuseColumn,
} from './columns.ts'
import { idAt, idIn } from './id.ts'
import { textAt, type Finding, type Row, type Table, type TableRule } from './table.ts'

const idHeading =
  /^(?:contact|contact\.id|(?:(?:contact|ticket|employee|source|target)[ _]?)?id)$/

/** Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, `CONTACT`. */
function isIdHeading(name: string, isTicket: boolean) {
  const heading = foldHeading(name)
  return idHeading.test(heading) || (isTicket && heading === 'ticket')
}

/**
 * The rule for ids: they are in the column of this name, number from 1, or dotted path; else in the one with an id heading, or
 * in the only one. Of a ticket, an address with one id in it is that id.
 */
export function idRule(item: 'contact' | 'ticket', wanted: string | undefined): TableRule {
  const isTicket = item === 'ticket'
  const isKnown = (cell: string) =>
    isIdHeading(cell, isTicket) || (wanted !== undefined && isSameHeading(cell, wanted))
  return {
    isHeading(cells) {
      // Of a numbered column any other word could be a ruined id.
      return wanted !== undefined && isColumnNumber(wanted)
        ? isKnown(cells[Number(wanted) - 1] ?? '')
        : cells.some(isKnown)
    },
    isValue: (text) => idIn(text, isTicket).reason === undefined,
    columnsOf(table, cells) {
      const { name, headings } = table
      if (headings.length === 0 && cells.slice(1).every((cell) => cell === '')) return [0]
      const place =
        wanted === undefined
          ? idPlace(table, isTicket)
          : (findColumn(name, cells, wanted) ?? refuseColumn(name, cells, wanted))
      if (place === undefined)
        throw usageError(
          `${name} has no single column called "id" or "${item}Id"; its columns are ${quoteAll(cells)}`,
          'name the one with the ids, or give its number from 1: --column <name>',
        )
      if (!isTicket) refuseOtherThings(table, place)
      return [place]
    },
    find(row, { name, headings, columns: [column = 0] = [] }) {
      const found = idAt(row, column, isTicket)
      if (found.reason === undefined) return { kind: 'found', id: found.id }
      // Some programs write an apostrophe before a lone dash.
      const isUndecided = /^\s*(?:'?-)?\s*$/.test(textAt(row, column))
      const isPlain = row.unfit?.(column) === undefined
      if (isPlain && isUndecided && decisionPlace(name, headings) === column)
        return { kind: 'left-out', reason: 'contactId is empty or "-"' }
      return { kind: 'invalid', reason: found.reason, column }
    },
  }
}

/** The column that has the ids by its heading; undefined if none or several may have them. */
function idPlace({ name, headings }: Table, isTicket: boolean) {
  const decided = isTicket ? undefined : decisionPlace(name, headings)
  const known = placesOf(headings, (heading) => isIdHeading(heading, isTicket))
  // Beside another id, `id` is that of the row itself, as of a membership, and `Contact` a name.
  const others = known.filter(
    (place) => !/^(?:id|contact)$/.test(foldHeading(headings[place] ?? '')),
  )
  const places = others.length > 0 ? others : known
  return decided ?? (places.length === 1 ? places[0] : undefined)
}

/** Other things that svc prints with an `id`, by the columns beside it. */
const otherThings = [
  { what: 'lists', beside: ['contactsCount', 'updatedAt'] },
  { what: 'employees', beside: ['kind', 'access'] },
]

/** Throws exit 2 where the ids are those of lists or employees, as svc prints them. */
function refuseOtherThings({ name, headings }: Table, place: number) {
  const has = (wanted: string) => headings.some((heading) => isSameHeading(heading, wanted))
  const found = otherThings.find(({ beside }) => beside.every(has))
  if (found === undefined || !isSameHeading(headings[place] ?? '', 'id')) return
  throw usageError(
    `${name} has the ids of ${found.what}, not of contacts`,
    say`the contacts of a list have their ids in:\n  ${svc`lists members <list> -o ids`}`,
  )
}

/** The error for a file that has tickets but not their new assignees. One employee can be chosen for all of them. */
export class MissingEmployees extends SvcError {}

/** The headings of pairs: `source,target`. An `employee` may be a name, which is left as it is. */
export type Sides = readonly [first: string, second: string]

/** The rule for pairs: two columns by their headings, `source`, `sourceId`, `source_id` or `Source ID`, and `merge`. */
export function pairRule(sides: Sides): TableRule {
  const sideOf = (cell: string) => foldHeading(cell).replace(/[ _]?id$/, '')
  return {
    isHeading: (cells) => cells.some((cell) => sides.includes(sideOf(cell))),
    isValue: (text) => idIn(text, false).reason === undefined,
    columnsOf({ name }, cells) {
      const found = cells.map(sideOf)
      const [first, second] = sides.map((side) => placeNamed(name, found, side))
      if (first !== undefined && second !== undefined) {
        const merge = sides[0] === 'source' ? placeNamed(name, cells, 'merge') : undefined
        return [first, second, merge ?? []].flat()
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
      const merge = columns[2]
      const undecided = merge === undefined ? undefined : undecidedMerge(row, merge)
      if (undecided !== undefined) return undecided
      const parties: string[] = []
      for (const [n, side] of sides.entries()) {
        const column = columns[n] ?? 0
        const text = textAt(row, column).trim()
        const id = idAt(row, column, side === 'ticket')
        // The name of an employee is resolved later.
        const isName =
          side === 'employee' && text !== '' && row.unfit?.(column) === undefined
        if (id.reason !== undefined && !isName)
          return { kind: 'invalid', reason: `${side}: ${id.reason}`, column }
        parties.push(id.reason === undefined ? id.id : text)
      }
      const [id = '', other] = parties
      return { kind: 'found', id, other }
    },
  }
}

/** Why a pair is not merged; undefined if a person wrote yes. */
function undecidedMerge(row: Row, column: number): Finding | undefined {
  const word = fold(textAt(row, column))
  const isKnown = ['yes', 'no', ''].includes(word)
  const reason = row.unfit?.(column) ?? (isKnown ? undefined : 'merge can be yes or no')
  // A merge cannot be undone, so a word that decides nothing is never skipped.
  if (reason !== undefined) return { kind: 'invalid', reason, column, isNeverSkipped: true }
  return word === 'yes' ? undefined : { kind: 'left-out', reason: 'merge is not "yes"' }
}
