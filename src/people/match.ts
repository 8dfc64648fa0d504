/**
 * Finds the contact for each row of a table of people. Says how well the contact fits, and if it is not certain, why. Never
 * guesses, and never changes what a person decided.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type FoundContact, type PeopleSource } from '../api/people.ts'
import { textAt } from '../input/rows.ts'
import type { TextsFor } from '../input/table-copy.ts'
import { shorten } from '../safe-text.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import type { PeopleTable, Person } from './people-table.ts'
import { hasNoCountry, indexValues, ownerTest, type Owners } from './values.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable'] as const

/** A sentence shows at most this many values, a cell this many candidates. */
const maxShown = 5

/** If thousands share a value, the names of only this many of them are compared. */
const maxCompared = 1000

/** The match for a row of a table of people. */
export interface ContactMatch {
  /** The line of a text, or the row of a sheet. */
  row: number
  /** The name as the table has it. */
  name: string
  match: (typeof verdicts)[number]
  /** The id of the contact, or `-` for nobody; null if the user still has to decide. */
  contactId: string | null
  /** Why the match is not `one`. */
  why: string
  /** For `check` and `several`: contacts as `<id> <name>`. Contacts whose name fits come first. */
  candidates: readonly string[]
}

/**
 * Reads the lists, and finds the contacts for the rows. Returns the matches, notes, the texts that a copy of the table adds, and
 * whether every row is decided.
 * Throws the error of a list that cannot be read.
 */
export async function matchTable(table: PeopleTable, source: PeopleSource) {
  const { people, country } = table
  const values = people.flatMap((person) => person.values)
  // Keeps the contacts that have one of the values, or a phone number that is nearly one of them.
  const contacts = await readPeople(source, ownerTest(values, country, 'nearKey'))
  const ownersOf = indexValues(contacts.all, country)
  const rows = people.map((person) => matchRow(person, ownersOf(person.values)))
  const notes = notesOf(rows)
  const withoutCountry = values.filter(hasNoCountry).length
  if (withoutCountry > 0)
    notes.push(
      `${pluralize(withoutCountry, 'phone number')} without a country: add --country`,
    )
  // If somebody was not found, a note says how much was read.
  const areAllFound = rows.every(({ match }) => match !== 'none')
  notes.push(...contacts.extentNotes(areAllFound))
  const isComplete = rows.every(isDecided)
  return { rows, notes, textsFor: textsOf(table, rows), isComplete }
}

function isDecided({ contactId }: ContactMatch) {
  return contactId !== null
}

/** Returns the counts of the verdicts, and of the rows that a person still has to decide. */
function notesOf(rows: readonly ContactMatch[]) {
  const counts = verdicts.map((verdict) => {
    const count = rows.filter(({ match }) => match === verdict).length
    return `${groupDigits(count)} ${verdict}`
  })
  const notes = [`${pluralize(rows.length, 'row')}: ${counts.join(', ')}`]
  const undecided = rows.filter((row) => !isDecided(row)).length
  if (undecided > 0)
    notes.push(`${pluralize(undecided, 'row')} without a decision: fill in contactId`)
  return notes
}

/** Returns a function that returns the cells to add to a row. A contactId that is filled in remains as it is. */
function textsOf(
  { people, columns }: PeopleTable,
  rows: readonly ContactMatch[],
): TextsFor {
  const matches = new Map(people.map(({ tableRow }, index) => [tableRow, rows[index]]))
  return ({ row: tableRow }) => {
    const found = matches.get(tableRow)
    if (found === undefined) return []
    const { contactId: column } = columns
    // What was refused must not come back as a decision.
    const isReadable = column !== undefined && tableRow.unfitReason?.(column) === undefined
    const decision = isReadable ? textAt(tableRow, column) : ''
    return [
      decision.trim() === '' ? (found.contactId ?? '') : decision,
      found.match,
      shorten(found.why, 1000),
      found.candidates.join('; '),
    ]
  }
}

/** Matches a person. `owned` has those who have one of the person's values, for each value that anybody has. */
function matchRow(person: Person, owned: readonly Owners[]): ContactMatch {
  const { tableRow, name, decided } = person
  const best = bestOf(owned)
  const { match, why } = verdictOf(person, owned, best)
  const found = match === 'one' ? best[0]?.id : undefined
  const hasCandidates = match === 'check' || match === 'several'
  return {
    row: tableRow.line,
    name,
    match,
    contactId: decided ?? found ?? null,
    why: why.join('; '),
    candidates: hasCandidates ? candidatesOf(name, owned, best) : [],
  }
}

/** Returns how well the best contacts fit a person, and why if it is not `one`. */
function verdictOf(
  { name, values, unfitReason, unread }: Person,
  owned: readonly Owners[],
  best: readonly FoundContact[],
): { match: ContactMatch['match']; why: readonly string[] } {
  const [contact, otherContact] = best
  if (unfitReason !== undefined) return { match: 'unreadable', why: [unfitReason] }
  if (contact === undefined) {
    // A value that cannot be read matters only if the others find nobody.
    if (unread.length > 0) return { match: 'unreadable', why: unread }
    const sought = values.map(({ shown }) => shown)
    if (sought.length === 0) return { match: 'unreadable', why: ['nothing to look for'] }
    return { match: 'none', why: [`nobody has ${firstTexts(sought, maxShown).join(', ')}`] }
  }
  const ownerTexts = owned.slice(0, maxShown).map(ownersText)
  if (otherContact !== undefined) return { match: 'several', why: ownerTexts }
  // Values that nobody has do not count: the service does not know them.
  const hasAllExactly = owned.every(({ isNear, people }) => !isNear && people.has(contact))
  const reasons = hasAllExactly ? [] : [...ownerTexts]
  const contactName = fullName(contact)
  if (doNamesContradict(name, contactName))
    reasons.push(`another name: ${contactName || contact.id}`)
  return { match: reasons.length === 0 ? 'one' : 'check', why: reasons }
}

/** Returns the contacts that have the most of these values. */
function bestOf(owned: readonly Owners[]): FoundContact[] {
  // Thousands may share a switchboard number, so the smallest sets come first.
  const sets = owned
    .map(({ people }) => people)
    .toSorted((one, other) => one.size - other.size)
  // Looks first for contacts with all values, then for contacts that lack one, and so on.
  for (let lacking = 0; lacking < sets.length; lacking += 1) {
    // A contact that is missing from n sets is in one of any n + 1 sets, so the first n + 1 are enough to look in.
    const possible = sets.slice(0, lacking + 1).flatMap((set) => [...set])
    const best = possible.filter(
      (contact) => sets.filter((set) => !set.has(contact)).length === lacking,
    )
    if (best.length > 0) return [...new Set(best)]
  }
  return []
}

/** Returns `Anna Miller has +491712345678` or `3 contacts have a number like +491712345678`. */
function ownersText({ value, people, isNear }: Owners) {
  const [owner, otherOwner] = people
  const isOnlyOne = owner !== undefined && otherOwner === undefined
  const who = isOnlyOne
    ? `${fullName(owner) || owner.id} has`
    : `${pluralize(people.size, 'contact')} have`
  return isNear ? `${who} a number like ${value.shown}` : `${who} ${value.shown}`
}

/**
 * Returns contacts with any of the values. Contacts whose name fits come before the others, and in both groups those with the
 * most values come first.
 */
function candidatesOf(
  name: string,
  owned: readonly Owners[],
  best: readonly FoundContact[],
) {
  const owners = owned.flatMap(({ people }) => [...people].slice(0, maxCompared))
  const all = [...best.slice(0, maxCompared), ...owners]
  const agreeing = all.filter((contact) => !doNamesContradict(name, fullName(contact)))
  return [...new Set([...agreeing, ...all])]
    .slice(0, maxShown)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}
