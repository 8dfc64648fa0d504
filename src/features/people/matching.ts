/**
 * `svc contacts match`: a table of people, each row with the contact that it means, or why there is none, as a verdict and
 * in words: the column WHY of `--annotate`, and `why` of its JSON. It never guesses. The table is read first, then the
 * members of lists, once: rows are many, and each reading of all lists takes minutes.
 */
import { fullName } from '../../api/names.ts'
import {
  readPeople,
  tell,
  type DirectorySource,
  type FoundContact,
} from '../../api/people.ts'
import type { Addition, AddedTo } from '../../input/annotated.ts'
import { verdicts } from '../../input/row-filter.ts'
import { shorten } from '../../safe-text.ts'
import type { ContactMatch } from '../../views/documents.ts'
import { firstOf, groupDigits, pluralize } from '../../words.ts'
import { addedHeadings } from './headings.ts'
import type { Accepted } from './kinds.ts'
import { doNamesContradict } from './names.ts'
import type { PeopleTable, PersonRow, SoughtValue } from './people-table.ts'
import { e164Of, writeNumber } from './phone.ts'
import {
  coarseKey,
  indexValues,
  valuesOf,
  type BestFit,
  type FindBest,
  type IdentityValue,
  type ReadValues,
} from './values.ts'

/** The rows of a table, and what is to be said of them. */
export type Matching = Awaited<ReturnType<typeof matchTable>>

/** Reads the lists for a table. Throws the error of a list that cannot be read. */
export async function matchTable(
  table: PeopleTable,
  source: DirectorySource,
  accepted: Accepted,
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
  const findBest = indexValues(people.all, readValues, kinds)
  const rows = table.rows.map((row): MatchedRow => {
    const { decision } = row
    if (decision === undefined) return { ...row, match: matchRow(row, findBest, accepted) }
    // Its contact may be on no list that was read.
    const contact = people.find(decision.contactId)
    const contacts = contact === undefined ? [] : [contact]
    return { ...row, match: { ...decision, contacts, known: [], unknown: [] } }
  })
  const isFound = rows.every(({ match }) => match.verdict !== 'none')
  return {
    rows,
    /** Whether every row has its contact, or is `no`. */
    isComplete: rows.every(
      ({ match: { verdict } }) => verdict === 'one' || verdict === 'no',
    ),
    notes: [...countNotes(rows), ...cellNotes(rows), ...people.extent(isFound)],
    warning: warningOf(rows, findBest),
    show,
  }
}

/** How many rows are what: `12 rows: 3 kept, 1 "no", 7 one, 1 none`. */
function countNotes(rows: readonly MatchedRow[]) {
  const sought = rows.filter(({ decision }) => decision === undefined)
  const kept = keptRows(rows).length
  const refused = rows.length - sought.length - kept
  const counts = verdicts.flatMap((verdict) => {
    const { length } = sought.filter(({ match }) => match.verdict === verdict)
    return length === 0 ? [] : [`${groupDigits(length)} ${verdict}`]
  })
  if (refused > 0) counts.unshift(`${groupDigits(refused)} "no"`)
  if (kept > 0) counts.unshift(`${groupDigits(kept)} kept`)
  const all = `${pluralize(rows.length, 'row')}: ${counts.join(', ')}`
  if (kept === 0) return [all]
  const again = '--again matches every row again except those with "no"'
  return [all, `kept: rows that are "one" already; ${again}`]
}

function keptRows(rows: readonly MatchedRow[]): MatchedRow[] {
  return rows.filter(({ decision }) => decision?.verdict === 'one')
}

/** Cells that were not compared as they are. */
function cellNotes(rows: readonly MatchedRow[]) {
  const sought = rows.filter(({ decision }) => decision === undefined)
  const cells = sought.flatMap(({ match, unreadable, remarks }) => {
    const isDoubtful = match.verdict === 'unreadable'
    const doubts = isDoubtful ? match.unknown.flatMap(({ doubt }) => doubt ?? []) : []
    return [...unreadable, ...doubts, ...remarks]
  })
  const phones = sought.flatMap(({ values }) => values.flatMap(({ phone }) => phone ?? []))
  const unplaced = phones.filter((phone) => {
    return phone.readings.length === 0 && phone.country === undefined
  })
  const notes = tell(cells, 'cell', 'cannot be read')
  if (unplaced.length > 0) {
    const count = pluralize(unplaced.length, 'phone number')
    const why = 'can match only as a variant: name the country, for example --country DE'
    notes.unshift(`${count} without + or 00 ${why}`)
  }
  return notes
}

/** Kept rows of which a value is another contact's and not that of their own. */
function warningOf(rows: readonly MatchedRow[], findBest: FindBest): string | undefined {
  const moved = keptRows(rows).filter(({ values, match: { contacts } }) => {
    const [own] = contacts
    return values.some((value) => {
      const best = findBest(value)
      return best !== undefined && (own === undefined || !best.people.has(own))
    })
  })
  const [words] = tell(
    moved.map(({ line }) => groupDigits(line)),
    'row',
    'kept, although their values belong to other contacts',
  )
  if (words === undefined) return undefined
  return `${words}; was the table sorted in part? check NAME, or match again with --again`
}

/** A row as it is shown. Words are made for no other: half of a table may be rows that nobody fits. */
function show(row: MatchedRow): ContactMatch {
  const { line, match, decision } = row
  const { verdict, by, contacts } = match
  const isOne = verdict === 'one'
  const [first] = contacts
  const only = contacts.length === 1 ? first : undefined
  const all = contacts.map((contact) => ({ id: contact.id, name: fullName(contact) }))
  const names = contacts.map(nameOf)
  const someNames = decision === undefined ? firstOf(names, mostNamed).join('; ') : row.name
  return {
    row: line,
    match: verdict,
    contactId: isOne ? (decision?.contactId ?? only?.id ?? null) : null,
    name: only === undefined ? someNames : fullName(only),
    by,
    lists: [...(only?.lists ?? [])],
    candidates: isOne ? [] : all,
    why: whyOf(row),
  }
}

/** The columns that `contacts match --annotate` adds. */
export const addition: Addition = { headings: addedHeadings, names: [] }

/** Entries of a cell at most; all of them are in the JSON form. */
const shownInCell = 100

/** The cells to add to each row, in the order of the rows. */
export function matchesOf({ rows, show }: Matching): AddedTo {
  const some = (texts: readonly string[]) => firstOf(texts, shownInCell).join('; ')
  let place = 0
  return ({ line }) => {
    const row = rows[place]
    if (row?.line !== line) return undefined
    place += 1
    const { match, contactId, name, by, lists, candidates, why } = show(row)
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

interface Match {
  verdict: (typeof verdicts)[number]
  /** Kinds of values that decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  by: string
  /** The contact of `one`, and of a row that was decided if it was read; else every contact that a value points to. */
  contacts: readonly FoundContact[]
  /** Values that somebody has, and those that nobody has. */
  known: readonly (SoughtValue & BestFit)[]
  unknown: readonly SoughtValue[]
}

/** A row with its contact, or why it has none. */
interface MatchedRow extends PersonRow {
  match: Match
}

/** `accepted`: verdicts that count as `one`. */
function matchRow(row: PersonRow, findBest: FindBest, accepted: Accepted): Match {
  const known: (SoughtValue & BestFit)[] = []
  const unknown: SoughtValue[] = []
  for (const value of row.values) {
    const best = findBest(value)
    if (best === undefined) unknown.push(value)
    else known.push({ ...value, ...best })
  }
  const contacts = sharedContacts(known)
  const [contact] = contacts
  const kinds = known.map(({ kind, fit }) => (fit === 'exact' ? kind : `${kind} (variant)`))
  const match = { by: [...new Set(kinds)].join('+'), contacts, known, unknown }
  if (known.length === 0) return { ...match, verdict: verdictOfNobody(row) }
  if (contact === undefined) {
    const fitting = known.flatMap(({ people }) => [...people])
    return { ...match, contacts: [...new Set(fitting)], verdict: 'conflict' }
  }
  if (contacts.length > 1) return { ...match, verdict: 'several' }

  const isVariant = known.every(({ fit }) => fit !== 'exact')
  if (isVariant && !accepted.has('variant')) return { ...match, verdict: 'variant' }

  if (!doNamesContradict(row.name, fullName(contact))) return { ...match, verdict: 'one' }
  if (!accepted.has('differs')) return { ...match, verdict: 'differs' }
  return { ...match, verdict: 'one', by: `${match.by} (name differs)` }
}

/** The verdict on a row whose values nobody has: "nobody" is never said of a value that was not compared. */
function verdictOfNobody({ values, unreadable }: PersonRow) {
  const isDoubtful = values.some(({ doubt }) => doubt !== undefined)
  if (isDoubtful || unreadable.length > 0) return 'unreadable'
  return values.length === 0 ? 'empty' : 'none'
}

/** Contacts that every value fits, found from the value with the fewest. */
function sharedContacts(known: readonly BestFit[]): FoundContact[] {
  const [fewest, ...others] = known.toSorted((a, b) => a.people.size - b.people.size)
  const contacts = [...(fewest?.people ?? [])]
  return contacts.filter((contact) => others.every(({ people }) => people.has(contact)))
}

/** Values and names of a sentence; the others are in the table. */
const mostNamed = 5

/** Why a row is not `one`. */
function whyOf(row: MatchedRow) {
  const { verdict, unknown } = row.match
  if (verdict === 'one' || verdict === 'no') return ''
  const doubts = unknown.flatMap(({ doubt }) => doubt ?? [])
  const words = [...verdictWords(row), ...row.unreadable, ...doubts, ...row.remarks]
  return words.length === 0 ? 'nothing to look for' : [...new Set(words)].join('; ')
}

function verdictWords({ name, match }: MatchedRow) {
  const { verdict, contacts, known, unknown } = match
  const [found = ''] = contacts.map(nameOf)
  switch (verdict) {
    case 'differs':
      return [`names differ: ${name}, ${found}`]
    case 'variant':
      return known.map((value) => `${showValue(value)} is nearly a number of ${found}`)
    case 'several':
      return [severalWords(contacts.length, namesOf(known).slice(0, mostNamed))]
    case 'conflict':
      return known.slice(0, mostNamed).map(ownerWords)
    case 'one':
    case 'no':
      return []
    case 'none':
    case 'unreadable':
    case 'empty': {
      const names = namesOf(unknown.filter(({ doubt }) => doubt === undefined))
      return names.length === 0
        ? []
        : [`nobody has ${firstOf(names, mostNamed).join(', ')}`]
    }
  }
}

/** A contact without a name is shown by its id. */
function nameOf(contact: FoundContact) {
  return fullName(contact) || contact.id
}

function ownerWords(value: SoughtValue & BestFit) {
  const [owner, other] = value.people
  const text = showValue(value)
  if (owner === undefined || other !== undefined)
    return severalWords(value.people.size, [text])
  return `${nameOf(owner)} fits ${text}`
}

function severalWords(count: number, values: readonly string[]) {
  return `${groupDigits(count)} contacts fit ${values.join(' and ')}`
}

function showValue({ text, phone }: IdentityValue) {
  if (phone === undefined) return text.slice(text.indexOf(' ') + 1)
  const e164 = e164Of(phone)
  const number = e164 === undefined ? `…${phone.digits}` : writeNumber(e164)
  return phone.extension === undefined ? number : `${number} ext. ${phone.extension}`
}

function namesOf(values: readonly IdentityValue[]) {
  return [...new Set(values.map(showValue))]
}
