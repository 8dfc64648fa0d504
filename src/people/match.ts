/**
 * Finds the contact of each row of a table of people. Says how well it fits, and why if it is not certain. It never guesses, and
 * never changes what a person decided.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type FoundContact, type PeopleSource } from '../api/people.ts'
import type { TextsFor } from '../input/annotated.ts'
import { textAt } from '../input/table.ts'
import { shorten } from '../safe-text.ts'
import { firstOf, groupDigits, pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import type { PeopleTable, Person } from './people-table.ts'
import { indexValues, ownerTest, type Owners } from './values.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable'] as const

/** What was found for a row of a table of people. */
export interface ContactMatch {
  /** The line of a text, or the row of a sheet. */
  row: number
  /** The name as the table has it. */
  name: string
  match: (typeof verdicts)[number]
  /** An id, or `-` for nobody; null if a person still has to decide. */
  contactId: string | null
  /** Why the match is not `one`. */
  why: string
  /** For `check` and `several`, contacts as `<id> <name>`. Those whose name fits come first. */
  candidates: readonly string[]
}

/**
 * Reads the lists, and finds the contacts of the rows. Returns the rows, notes, and the texts that a copy of the table adds.
 * Throws the error of a list that cannot be read.
 */
export async function matchTable(
  { people, columns, country }: PeopleTable,
  source: PeopleSource,
) {
  const values = people.flatMap((person) => person.values)
  const contacts = await readPeople(source, ownerTest(values, country))
  const ownersOf = indexValues(contacts.all, country)
  const rows = people.map((person) => matchRow(person, ownersOf(person.values)))
  const counts = verdicts.map((verdict) => {
    const { length } = rows.filter(({ match }) => match === verdict)
    return `${groupDigits(length)} ${verdict}`
  })
  const notes = [`${pluralize(rows.length, 'row')}: ${counts.join(', ')}`]
  const undecided = rows.filter(({ contactId }) => contactId === null).length
  if (undecided > 0)
    notes.push(`${pluralize(undecided, 'row')} without a decision: fill in contactId`)
  const withoutCountry = values.filter(({ key }) => key === undefined).length
  if (withoutCountry > 0)
    notes.push(
      `${pluralize(withoutCountry, 'phone number')} without a country: add --country`,
    )
  notes.push(...contacts.extentNotes(rows.every(({ match }) => match !== 'none')))
  const byRow = new Map(people.map(({ row }, index) => [row, rows[index]]))
  /** Returns the cells to add to a row. A filled cell of contactId remains as it is. */
  const textsFor: TextsFor = (row) => {
    const found = byRow.get(row)
    if (found === undefined) return undefined
    const [column] = columns.contactId
    const decision = column === undefined ? '' : textAt(row, column)
    return [
      decision.trim() === '' ? (found.contactId ?? '') : decision,
      found.match,
      shorten(found.why, 1000),
      found.candidates.join('; '),
    ]
  }
  return { rows, notes, textsFor, isComplete: undecided === 0 }
}

/** `owned` has the values of the person that anybody has, with these contacts. */
function matchRow(person: Person, owned: readonly Owners[]): ContactMatch {
  const { row, name, decided } = person
  const best = bestOf(owned)
  const { match, why } = judge(person, owned, best)
  const found = match === 'one' ? best[0]?.id : undefined
  const hasCandidates = match === 'check' || match === 'several'
  return {
    row: row.line,
    name,
    match,
    contactId: decided ?? found ?? null,
    why: why.join('; '),
    candidates: hasCandidates ? candidatesOf(name, owned, best) : [],
  }
}

/** Returns how well the best contacts fit a person, and why it is not `one`. */
function judge(
  { name, values, unfit, unread }: Person,
  owned: readonly Owners[],
  [contact, otherContact]: readonly FoundContact[],
): { match: ContactMatch['match']; why: readonly string[] } {
  if (unfit !== undefined) return { match: 'unreadable', why: [unfit] }
  if (contact === undefined) {
    if (unread.length > 0) return { match: 'unreadable', why: unread }
    const sought = values.map(({ shown }) => shown)
    if (sought.length === 0) return { match: 'unreadable', why: ['nothing to look for'] }
    return { match: 'none', why: [`nobody has ${firstOf(sought, maxShown).join(', ')}`] }
  }
  const ownerTexts = owned.slice(0, maxShown).map(ownersText)
  if (otherContact !== undefined) return { match: 'several', why: ownerTexts }
  const hasAllExactly = owned.every(({ isNear, people }) => !isNear && people.has(contact))
  const why = hasAllExactly ? [] : ownerTexts
  if (doNamesContradict(name, fullName(contact)))
    why.push(`another name: ${fullName(contact) || contact.id}`)
  return { match: why.length === 0 ? 'one' : 'check', why }
}

/** Returns the contacts that have the most of these values. */
function bestOf(owned: readonly Owners[]): FoundContact[] {
  // Thousands may share the number of a desk, so the values with the fewest people come first.
  const sets = owned.map(({ people }) => people).toSorted((a, b) => a.size - b.size)
  for (let most = sets.length; most > 0; most -= 1) {
    // A contact with `most` of the values lacks only the others, so it is in at least one of these sets.
    const possible = sets.slice(0, sets.length - most + 1).flatMap((set) => [...set])
    const best = possible.filter(
      (contact) => sets.filter((set) => set.has(contact)).length === most,
    )
    if (best.length > 0) return [...new Set(best)]
  }
  return []
}

/** The maximum of values in a sentence and of candidates in a cell. */
const maxShown = 5

function ownersText({ value, people, isNear }: Owners) {
  const [owner, otherOwner] = people
  const isOnlyOne = owner !== undefined && otherOwner === undefined
  const who = isOnlyOne
    ? `${fullName(owner) || owner.id} has`
    : `${pluralize(people.size, 'contact')} have`
  return isNear ? `${who} a number like ${value.shown}` : `${who} ${value.shown}`
}

/** The maximum of people with the same value whose names are compared. */
const maxCompared = 1000

/** Returns contacts with any of the values. Those whose name fits come first, then those with the most values. */
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
