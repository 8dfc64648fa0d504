/**
 * Finds the contact of each row of a table of people, or says why there is none: with a verdict, and in words. It never
 * guesses, and never changes what a person decided.
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

/** A row of a table of people, and the contact that it means. */
export interface ContactMatch {
  /** Its line in a text, its row in a sheet. */
  row: number
  /** As the table has it. */
  name: string
  match: (typeof verdicts)[number]
  /** An id, `-` for nobody, or null: somebody has to decide. */
  contactId: string | null
  /** Why the match is not `one`. */
  why: string
  /** For `check` and `several`: `<id> <name>`, those whose name fits first. */
  candidates: readonly string[]
}

/** Reads the lists, and finds the contacts of the rows. Throws the error of a list that cannot be read. */
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
  const open = rows.filter(({ contactId }) => contactId === null).length
  if (open > 0)
    notes.push(`${pluralize(open, 'row')} without a decision: fill in contactId`)
  const unplaced = values.filter(({ key }) => key === undefined).length
  if (unplaced > 0)
    notes.push(`${pluralize(unplaced, 'phone number')} without a country: add --country`)
  notes.push(...contacts.extentNotes(rows.every(({ match }) => match !== 'none')))
  const byRow = new Map(people.map(({ row }, index) => [row, rows[index]]))
  /** The cells to add to a row. A cell of contactId that is filled stays as it is. */
  const textsFor: TextsFor = (row) => {
    const found = byRow.get(row)
    if (found === undefined) return undefined
    const decision = textAt(row, columns.contactId[0] ?? -1)
    return [
      decision.trim() === '' ? (found.contactId ?? '') : decision,
      found.match,
      shorten(found.why, 1000),
      found.candidates.join('; '),
    ]
  }
  return { rows, notes, textsFor, isComplete: open === 0 }
}

function matchRow(person: Person, owned: readonly Owners[]): ContactMatch {
  const { row, name, decided } = person
  const best = bestOf(owned)
  const { match, why } = judge(person, owned, best)
  const found = match === 'one' ? best[0]?.id : undefined
  const isOpen = match === 'check' || match === 'several'
  return {
    row: row.line,
    name,
    match,
    contactId: decided ?? found ?? null,
    why: why.join('; '),
    candidates: isOpen ? candidatesOf(name, owned, best) : [],
  }
}

function judge(
  { name, values, unfit, unread }: Person,
  owned: readonly Owners[],
  [contact, other]: readonly FoundContact[],
): { match: ContactMatch['match']; why: readonly string[] } {
  if (unfit !== undefined) return { match: 'unreadable', why: [unfit] }
  if (contact === undefined) {
    if (unread.length > 0) return { match: 'unreadable', why: unread }
    const sought = values.map(({ shown }) => shown)
    if (sought.length === 0) return { match: 'unreadable', why: ['nothing to look for'] }
    return { match: 'none', why: [`nobody has ${firstOf(sought, mostTold).join(', ')}`] }
  }
  const owners = owned.slice(0, mostTold).map(ownersInWords)
  if (other !== undefined) return { match: 'several', why: owners }
  const isWhole = owned.every(({ isNear, people }) => !isNear && people.has(contact))
  const why = isWhole ? [] : owners
  if (doNamesContradict(name, fullName(contact)))
    why.push(`another name: ${fullName(contact) || contact.id}`)
  return { match: why.length === 0 ? 'one' : 'check', why }
}

/** The contacts that have the most of these values. */
function bestOf(owned: readonly Owners[]): FoundContact[] {
  // Thousands may share the number of a desk, so the values with the fewest people are looked at first.
  const sets = owned.map(({ people }) => people).toSorted((a, b) => a.size - b.size)
  for (let most = sets.length; most > 0; most -= 1) {
    // Who has so many of the values lacks too few of them to be in none of these sets.
    const some = sets.slice(0, sets.length - most + 1).flatMap((set) => [...set])
    const best = some.filter(
      (contact) => sets.filter((set) => set.has(contact)).length === most,
    )
    if (best.length > 0) return [...new Set(best)]
  }
  return []
}

/** At most this many values are in a sentence, and candidates in a cell. */
const mostTold = 5

function ownersInWords({ value, people, isNear }: Owners) {
  const [owner, other] = people
  const who =
    owner && !other
      ? `${fullName(owner) || owner.id} has`
      : `${pluralize(people.size, 'contact')} have`
  return `${who} ${isNear ? 'nearly ' : ''}${value.shown}`
}

/** Of more people who share a value no names are compared. */
const mostCompared = 1000

function candidatesOf(
  name: string,
  owned: readonly Owners[],
  best: readonly FoundContact[],
) {
  const owners = owned.flatMap(({ people }) => [...people].slice(0, mostCompared))
  const all = [...best.slice(0, mostCompared), ...owners]
  const named = all.filter((contact) => !doNamesContradict(name, fullName(contact)))
  return [...new Set([...named, ...all])]
    .slice(0, mostTold)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}
