/**
 * `svc contacts match`: finds the contact of each row of a table of people, or says why there is none: with a verdict,
 * and in words (the column WHY of `--annotate`, and `why` in JSON). It never guesses. The table is read first. Then the
 * members of lists are read once for all rows, because reading all lists takes minutes.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import type { Addition, TextsFor } from '../input/annotated.ts'
import { shorten } from '../safe-text.ts'
import type { NamedList } from '../api/people.ts'
import { firstOf, groupDigits, pluralize } from '../words.ts'
import { addedHeadings, verdicts } from './headings.ts'
import { caseNotes } from './find.ts'
import { doNamesContradict } from './names.ts'
import type { PeopleTable, PersonRow, SoughtValue } from './people-table.ts'
import { e164Of, writeNumber } from './phone.ts'
import {
  coarseKey,
  indexValues,
  valuesOf,
  type FindOwners,
  type IdentityValue,
  type Owners,
  type ReadValues,
} from './values.ts'

interface Match {
  verdict: (typeof verdicts)[number]
  /** Kinds of values that decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  by: string
  /** Those that every value fits, for `conflict` any value. Of a row that was decided, its contact, if it was read. */
  contacts: readonly FoundContact[]
  /** Values that somebody has. */
  found: readonly OwnedValue[]
  /** Values that nobody has. */
  notFound: readonly SoughtValue[]
}

/** A row of a table of people, and the contact that it means. */
export interface ContactMatch {
  /** Its line in a text, its row in a sheet. */
  row: number
  match: (typeof verdicts)[number]
  /** Null unless the match is `one`. */
  contactId: string | null
  /** The name of the contact, or of those that a value points to. */
  name: string
  /** The kind of value that decided. */
  by: string
  /** The lists of the contact, also of one that a person has to look at. */
  lists: readonly NamedList[]
  /** Without a contact: those that a value points to. */
  candidates: readonly { id: string; name: string }[]
  /** Why the match is not `one`, in words. */
  why: string
}

type OwnedValue = SoughtValue & Owners

/** A row with its contact, or why it has none. */
export interface MatchedRow extends PersonRow {
  match: Match
}

/** Reads the lists, and finds the contacts of a table. Throws the error of a list that cannot be read. */
export async function matchTable(
  table: PeopleTable,
  source: PeopleSource,
  readValues: ReadValues,
) {
  const values = table.rows.flatMap((row) => row.values)
  const kinds = new Set(values.map(({ kind }) => kind))
  const keys = new Set(values.map(coarseKey))
  const decided = new Set(
    table.rows.map(({ decision }) => decision?.contactId.toLowerCase()),
  )
  const people = await readPeople(source, (contact) => {
    if (decided.has(contact.id.toLowerCase())) return true
    return valuesOf(contact, readValues, kinds).some((value) => keys.has(coarseKey(value)))
  })
  const findOwners = indexValues(people.all, readValues, kinds)
  const rows = table.rows.map((row): MatchedRow => {
    const { decision } = row
    if (decision === undefined) return { ...row, match: matchRow(row, findOwners) }
    // Its contact may be on no list that was read.
    const contact = people.find(decision.contactId)
    const contacts = contact === undefined ? [] : [contact]
    return { ...row, match: { ...decision, contacts, found: [], notFound: [] } }
  })
  const hasNone = rows.some(({ match }) => match.verdict === 'none')
  return {
    rows,
    /** Whether every row has its contact, or is `no`. */
    isComplete: rows.every(
      ({ match: { verdict } }) => verdict === 'one' || verdict === 'no',
    ),
    notes: [...countNotes(rows), ...cellNotes(rows), ...people.extentNotes(!hasNone)],
    warning: warningOf(rows, findOwners),
  }
}

function matchRow(row: PersonRow, findOwners: FindOwners): Match {
  const found: OwnedValue[] = []
  const notFound: SoughtValue[] = []
  for (const value of row.values) {
    const owners = findOwners(value)
    if (owners === undefined) notFound.push(value)
    else found.push({ ...value, ...owners })
  }
  const contacts = sharedContacts(found)
  const [contact] = contacts
  const kinds = found.map(({ kind, fit }) => (fit === 'exact' ? kind : `${kind} (variant)`))
  const match = { by: [...new Set(kinds)].join('+'), contacts, found, notFound }
  if (found.length === 0) return { ...match, verdict: verdictIfNobodyFits(row) }
  if (contact === undefined) {
    const owners = found.flatMap(({ people }) => [...people])
    return { ...match, contacts: [...new Set(owners)], verdict: 'conflict' }
  }
  if (contacts.length > 1) return { ...match, verdict: 'several' }

  const isVariant = found.every(({ fit }) => fit !== 'exact')
  if (isVariant) return { ...match, verdict: 'variant' }

  const isOther = doNamesContradict(row.name, fullName(contact))
  return { ...match, verdict: isOther ? 'differs' : 'one' }
}

/** Contacts that every value fits, found from the value with the fewest. */
function sharedContacts(found: readonly Owners[]) {
  const [fewest, ...others] = found.toSorted((a, b) => a.people.size - b.people.size)
  const contacts = [...(fewest?.people ?? [])]
  return contacts.filter((contact) => others.every(({ people }) => people.has(contact)))
}

/** "Nobody" is never said of a value that was not compared. */
function verdictIfNobodyFits({ values, unreadable }: PersonRow) {
  const hasDoubt = values.some(({ doubt }) => doubt !== undefined)
  if (hasDoubt || unreadable.length > 0) return 'unreadable'
  return values.length === 0 ? 'empty' : 'none'
}

/** How many rows have each verdict: `12 rows: 3 kept, 1 "no", 7 one, 1 none`. */
function countNotes(rows: readonly MatchedRow[]) {
  const sought = soughtRows(rows)
  const kept = keptRows(rows).length
  const refused = rows.length - sought.length - kept
  const counts = verdicts.flatMap((verdict) => {
    const { length } = sought.filter(({ match }) => match.verdict === verdict)
    return length === 0 ? [] : [`${groupDigits(length)} ${verdict}`]
  })
  if (refused > 0) counts.unshift(`${groupDigits(refused)} "no"`)
  if (kept > 0) counts.unshift(`${groupDigits(kept)} kept`)
  const all = [pluralize(rows.length, 'row'), counts.join(', ')].filter(Boolean).join(': ')
  if (kept === 0) return [all]
  return [all, 'kept: rows that are "one" already']
}

/** Rows on which nobody decided before. */
function soughtRows(rows: readonly MatchedRow[]) {
  return rows.filter(({ decision }) => decision === undefined)
}

/** Rows that were `one` before. */
function keptRows(rows: readonly MatchedRow[]) {
  return rows.filter(({ decision }) => decision?.verdict === 'one')
}

/** Cells that could not be compared, or only in part. */
function cellNotes(rows: readonly MatchedRow[]) {
  const cells = soughtRows(rows).flatMap(({ match, unreadable, remarks }) => {
    const doubts = match.verdict === 'unreadable' ? doubtsOf(match) : []
    return [...unreadable, ...doubts, ...remarks]
  })
  return caseNotes(cells, 'cell', 'cannot be read')
}

function doubtsOf({ notFound }: Match) {
  return notFound.flatMap(({ doubt }) => doubt ?? [])
}

/** Warns of kept rows whose values belong to other contacts, not to the contact of the row. */
function warningOf(rows: readonly MatchedRow[], findOwners: FindOwners) {
  const misplaced = keptRows(rows).filter(({ values, match }) => {
    const [own] = match.contacts
    return values.some((value) => {
      const owners = findOwners(value)
      return owners !== undefined && (own === undefined || !owners.people.has(own))
    })
  })
  const [words] = caseNotes(
    misplaced.map(({ line }) => groupDigits(line)),
    'row',
    'kept, although their values belong to other contacts',
  )
  if (words === undefined) return undefined
  return `${words}; was only part of the table sorted? check NAME`
}

/** At most this many values or names are in a sentence. */
const mostInSentence = 5

/** The rows as they are printed, each made when it is asked for: half of a table may be rows that nobody fits. */
export function* shownRows(rows: readonly MatchedRow[]): Generator<ContactMatch> {
  for (const row of rows) yield shownRow(row)
}

function shownRow(row: MatchedRow): ContactMatch {
  const { line, match, decision } = row
  const { verdict, by, contacts } = match
  const isOne = verdict === 'one'
  const only = contacts.length === 1 ? contacts[0] : undefined
  const names = firstOf(contacts.map(nameOf), mostInSentence)
  const someNames = decision === undefined ? names.join('; ') : row.name
  return {
    row: line,
    match: verdict,
    contactId: isOne ? (decision?.contactId ?? only?.id ?? null) : null,
    name: only === undefined ? someNames : fullName(only),
    by,
    lists: [...(only?.lists ?? [])],
    candidates: isOne
      ? []
      : contacts.map((contact) => ({ id: contact.id, name: fullName(contact) })),
    why: whyOf(row),
  }
}

/** A contact without a name is shown by its id. */
function nameOf(contact: FoundContact) {
  return fullName(contact) || contact.id
}

/** Why a row is not `one`. */
function whyOf(row: MatchedRow) {
  const { verdict } = row.match
  if (verdict === 'one' || verdict === 'no') return ''
  const words = [
    ...verdictWords(row),
    ...row.unreadable,
    ...doubtsOf(row.match),
    ...row.remarks,
  ]
  return words.length === 0 ? 'nothing to look for' : [...new Set(words)].join('; ')
}

function verdictWords({ name, match }: MatchedRow) {
  const { verdict, contacts, found, notFound } = match
  const [contactName = ''] = contacts.map(nameOf)
  switch (verdict) {
    case 'differs':
      return [`names differ: ${name}, ${contactName}`]
    case 'variant':
      return found.map(
        (value) => `${shownValue(value)} is nearly a number of ${contactName}`,
      )
    case 'several':
      return [severalWords(contacts.length, shownValues(found).slice(0, mostInSentence))]
    case 'conflict':
      return found.slice(0, mostInSentence).map(ownerWords)
    case 'one':
    case 'no':
      return []
    case 'none':
    case 'unreadable':
    case 'empty': {
      const values = shownValues(notFound.filter(({ doubt }) => doubt === undefined))
      return values.length === 0
        ? []
        : [`nobody has ${firstOf(values, mostInSentence).join(', ')}`]
    }
  }
}

function ownerWords(value: OwnedValue) {
  const [owner, other] = value.people
  const text = shownValue(value)
  if (owner === undefined || other !== undefined)
    return severalWords(value.people.size, [text])
  return `${nameOf(owner)} fits ${text}`
}

function severalWords(count: number, values: readonly string[]) {
  return `${groupDigits(count)} contacts fit ${values.join(' and ')}`
}

function shownValues(values: readonly IdentityValue[]) {
  return [...new Set(values.map(shownValue))]
}

function shownValue({ text, phone }: IdentityValue) {
  if (phone === undefined) return text.slice(text.indexOf(' ') + 1)
  const e164 = e164Of(phone)
  const number = e164 === undefined ? `…${phone.digits}` : writeNumber(e164)
  return phone.extension === undefined ? number : `${number} ext. ${phone.extension}`
}

/** The columns that `contacts match --annotate` adds. */
export const matchAddition: Addition = { headings: addedHeadings, headingsOfRead: [] }

/** At most this many lists or candidates are in a cell. JSON has all of them. */
const mostInCell = 100

/** The cells to add to each row that was matched. */
export function addedCells(rows: readonly MatchedRow[]): TextsFor {
  const byLine = new Map(rows.map((row) => [row.line, row]))
  const some = (texts: readonly string[]) => firstOf(texts, mostInCell).join('; ')
  return ({ line }) => {
    const row = byLine.get(line)
    if (row === undefined) return undefined
    const { match, contactId, name, by, lists, candidates, why } = shownRow(row)
    return [
      contactId ?? '',
      match,
      by,
      shorten(name, 1000),
      some(lists.map((list) => list.name)),
      some(candidates.map(({ id }) => id)),
      shorten(why, 1000),
    ]
  }
}
