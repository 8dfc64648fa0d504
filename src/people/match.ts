/**
 * Finds the contact of each row of a table of people, or says why there is none: with a verdict, and in words. It never
 * guesses, and never changes what a person decided.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type FoundContact, type PeopleSource } from '../api/people.ts'
import type { Addition, TextsFor } from '../input/annotated.ts'
import { textAt } from '../input/table.ts'
import { shorten } from '../safe-text.ts'
import { firstOf, groupDigits, pluralize } from '../words.ts'
import { addedHeadings, columnsToReplace } from './columns.ts'
import { doNamesContradict } from './names.ts'
import type { PeopleTable, PersonRow } from './people-table.ts'
import { indexValues, searchKey, valuesOf, type Owners } from './values.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable'] as const
type Verdict = (typeof verdicts)[number]

/** A row of a table of people, and the contact that it means. */
export interface ContactMatch {
  /** Its line in a text, its row in a sheet. */
  row: number
  /** As the table has it. */
  name: string
  match: Verdict
  /** An id, `-` for nobody, or null: somebody has to decide. */
  contactId: string | null
  /** Why the match is not `one`. */
  why: string
  /** For `check` and `several`: `<id> <name>`, those whose name fits first. */
  candidates: readonly string[]
}

/** Reads the lists, and finds the contacts of the rows. Throws the error of a list that cannot be read. */
export async function matchTable({ people, country }: PeopleTable, source: PeopleSource) {
  const values = people.flatMap((person) => person.values)
  const keys = new Set(values.map(searchKey))
  const contacts = await readPeople(source, (contact) =>
    valuesOf(contact, country).some((value) => keys.has(searchKey(value))),
  )
  const ownersOf = indexValues(contacts.all, country)
  const rows = people.map((person) => {
    const owned = person.values.flatMap((value) => ownersOf(value) ?? [])
    return matchRow(person, owned)
  })
  const counts = verdicts.flatMap((verdict) => {
    const { length } = rows.filter(({ match }) => match === verdict)
    return length === 0 ? [] : [`${groupDigits(length)} ${verdict}`]
  })
  const notes = [[pluralize(rows.length, 'row'), ...counts].join(', ')]
  const open = rows.filter(({ contactId }) => contactId === null).length
  if (open > 0)
    notes.push(`${pluralize(open, 'row')} without a decision: fill in contactId`)
  const unplaced = values.filter(({ key }) => key === undefined).length
  if (unplaced > 0)
    notes.push(`${pluralize(unplaced, 'phone number')} without a country: add --country`)
  notes.push(...contacts.extentNotes(rows.every(({ match }) => match !== 'none')))
  return { rows, notes, isComplete: open === 0 }
}

function matchRow(person: PersonRow, owned: readonly Owners[]): ContactMatch {
  const { row, names, decided } = person
  const best = bestOf(owned)
  const { match, why } = judge(person, owned, best)
  const found = match === 'one' ? best[0]?.id : undefined
  const isOther = found?.toLowerCase() !== (decided ?? found)?.toLowerCase()
  return {
    row: row.line,
    name: names[0] ?? '',
    match,
    contactId: decided ?? found ?? null,
    why: isOther && found ? `its values belong to ${found}` : why.join('; '),
    candidates:
      match === 'check' || match === 'several' ? candidatesOf(names, owned, best) : [],
  }
}

/** The contacts that have the most of these values. */
function bestOf(owned: readonly Owners[]): FoundContact[] {
  const sets = owned.map(({ people }) => people).toSorted((a, b) => a.size - b.size)
  const countOf = (contact: FoundContact) => sets.filter((set) => set.has(contact)).length
  // Thousands may share the number of a desk, so the value with the fewest is looked at first.
  const [fewest = new Set<FoundContact>()] = sets
  const all = [...fewest].filter((contact) => countOf(contact) === sets.length)
  if (all.length > 0) return all
  const some = [...new Set(sets.flatMap((set) => [...set]))]
  const most = some.reduce((count, contact) => Math.max(count, countOf(contact)), 0)
  return some.filter((contact) => countOf(contact) === most)
}

function judge(
  { names, values, unfit, unread }: PersonRow,
  owned: readonly Owners[],
  [contact, other]: readonly FoundContact[],
): { match: Verdict; why: readonly string[] } {
  if (unfit !== undefined) return { match: 'unreadable', why: [unfit] }
  if (contact === undefined) {
    const unplaced = values.filter(({ key }) => key === undefined)
    const problems = [
      ...unread,
      ...unplaced.map(({ shown }) => `${shown} needs its country`),
    ]
    if (problems.length + values.length === 0) problems.push('nothing to look for')
    if (problems.length > 0) return { match: 'unreadable', why: problems }
    const sought = values.map(({ shown }) => shown)
    return { match: 'none', why: [`nobody has ${firstOf(sought, mostTold).join(', ')}`] }
  }
  const owners = owned.slice(0, mostTold).map(ownersInWords)
  if (other !== undefined) return { match: 'several', why: owners }
  const isWhole = owned.every(({ fit, people }) => fit === 'equal' && people.has(contact))
  const why = isWhole ? [] : owners
  const isOther = names.length > 0 && !names.some((name) => isNameOf(name, contact))
  if (isOther) why.push(`another name: ${nameOf(contact)}`)
  return { match: why.length === 0 ? 'one' : 'check', why }
}

/** At most this many values are in a sentence, and candidates in a cell. */
const mostTold = 5

function ownersInWords({ value, people, fit }: Owners) {
  const [owner] = people
  const isOne = owner !== undefined && people.size === 1
  const who = isOne ? `${nameOf(owner)} has` : `${pluralize(people.size, 'contact')} have`
  return `${who} ${fit === 'equal' ? '' : 'nearly '}${value.shown}`
}

/** A contact without a name is told by its id. */
function nameOf(contact: FoundContact) {
  return fullName(contact) || contact.id
}

function isNameOf(name: string, contact: FoundContact) {
  return !doNamesContradict(name, fullName(contact))
}

/** Of more people who share a value no names are compared. */
const mostCompared = 1000

function candidatesOf(
  names: readonly string[],
  owned: readonly Owners[],
  best: readonly FoundContact[],
) {
  const sets = [best, ...owned.map(({ people }) => [...people])]
  const all = new Set(sets.flatMap((set) => set.slice(0, mostCompared)))
  const named = [...all].filter((contact) => names.some((name) => isNameOf(name, contact)))
  return [...new Set([...named, ...all])]
    .slice(0, mostTold)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}

/** The columns that `contacts match --annotate` adds, or writes anew. */
export const matchAddition: Addition = {
  headings: addedHeadings,
  idHeading: '',
  findEarlier: columnsToReplace,
}

/** The cells to add to each row. A cell of contactId that is filled stays as it is. */
export function addedCells(
  { people, columns }: PeopleTable,
  rows: readonly ContactMatch[],
): TextsFor {
  const byRow = new Map(people.map(({ row }, index) => [row, rows[index]]))
  return (row) => {
    const { contactId = -1 } = columns
    const decision = textAt(row, contactId)
    const found = byRow.get(row)
    if (found === undefined) return [decision]
    return [
      decision.trim() === '' ? (found.contactId ?? '') : decision,
      found.match,
      shorten(found.why, 1000),
      found.candidates.join('; '),
    ]
  }
}
