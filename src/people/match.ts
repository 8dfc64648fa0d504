/**
 * Finds the contact for each row of a table of people. Says how well the contact fits, and if it is not certain, why. Never
 * guesses, and never changes what a person decided. Pure.
 */
import { fullName } from '../api/by-name.ts'
import type { FoundContact, People as ReadPeople } from '../api/people.ts'
import type { TextsFor } from '../input/table-copy.ts'
import { shorten } from '../safe-text.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { doNamesContradict } from './person-names.ts'
import type { PeopleTable, PersonRow } from './people-table.ts'
import { ContactValues, keysOf } from './contact-values.ts'
import type { Value } from './identities.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable', 'differs'] as const

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
  /** For `check`, `several` and `differs`: contacts as `<id> <name>`. Contacts whose name fits come first. */
  candidates: readonly string[]
}

/** A value of a person, and the people who have it exactly. If nobody does, the people who have it nearly. */
interface Owners {
  value: Value
  people: ReadonlySet<FoundContact>
  isNear: boolean
}

/**
 * Finds the contacts for the people of a table among those that were read. Also returns notes, which count the verdicts, and what
 * could not be compared.
 */
export function matchPeople(
  { people, country, kinds }: Pick<PeopleTable, 'people' | 'country' | 'kinds'>,
  { all, find, place }: Pick<ReadPeople, 'all' | 'find' | 'place'>,
) {
  const contactValues = new ContactValues(all, kinds, country)
  const ownersOf = ownersIn(contactValues, people)
  /** How many decisions nothing can check: nobody has a value of the row, and there are no two names to compare. */
  let unchecked = 0
  const matches = people.map((person): ContactMatch => {
    const { tableRow, name, decided = null } = person
    const owned = person.values.flatMap(ownersOf)
    const best = bestOf(owned)
    const isChosen = decided !== null && decided !== '-'
    const chosen = isChosen ? find(decided) : undefined
    if (isChosen && owned.length === 0 && !haveNames(name, chosen)) unchecked += 1
    const differs = isChosen && isAnotherBetter(name, owned, best, chosen)
    const [match, why] = differs
      ? (['differs', [...ownersTexts(owned), ...otherName(name, chosen)]] as const)
      : verdictOf(person, owned, best, place)
    const only = match === 'one' ? best[0] : undefined
    return {
      row: tableRow.line,
      name,
      match,
      contactId: decided ?? only?.id ?? null,
      why: why.join('; '),
      candidates: ['one', 'none'].includes(match) ? [] : candidatesOf(name, owned, best),
    }
  })
  const notes = [...notesOf(matches, unchecked), ...contactValues.unreadNotes()]
  return { matches, notes }
}

/** Whether a name of a row and one of a contact can be compared. */
const haveNames = (name: string, contact: FoundContact | undefined) =>
  name !== '' && contact !== undefined && fullName(contact) !== ''

/** Returns a function that returns the owners of a value; none if no contact has it, not even nearly. */
function ownersIn(contactValues: ContactValues, people: readonly PersonRow[]) {
  const wanted = new Set(people.flatMap(({ values }) => keysOf(values)))
  const index = contactValues.index(wanted)
  const sets = new Map(Array.from(index, ([key, owners]) => [key, new Set(owners)]))
  return (value: Value): Owners[] => {
    const exact = sets.get(value.key ?? '')
    const owners = exact ?? sets.get(value.nearKey)
    return owners ? [{ value, people: owners, isNear: exact === undefined }] : []
  }
}

/** Whether a row has a decision, and nobody else fits it better. */
export function isDecided({ contactId, match }: ContactMatch) {
  return contactId !== null && match !== 'differs'
}

/** Returns the counts of the verdicts, and of the rows that a person still has to look at. */
function notesOf(matches: readonly ContactMatch[], unchecked: number) {
  const countOf = (isCounted: (row: ContactMatch) => boolean) =>
    matches.filter(isCounted).length
  const counts = verdicts.flatMap((verdict) => {
    const count = countOf(({ match }) => match === verdict)
    return count === 0 ? [] : [`${groupDigits(count)} ${verdict}`]
  })
  const notes = [`${pluralize(matches.length, 'row')}: ${counts.join(', ')}`]
  const undecided = countOf(({ contactId }) => contactId === null)
  if (undecided > 0)
    notes.push(`${pluralize(undecided, 'row')} without a decision: fill in contactId`)
  if (unchecked > 0)
    notes.push(
      `${pluralize(unchecked, 'filled contactId')} could not be checked: nobody has the values, and there is no name to compare`,
    )
  return notes
}

/** Returns a function that returns the cells to add to a row. A contactId that is filled in remains as it is. */
export function textsOf(
  { people }: PeopleTable,
  matches: readonly ContactMatch[],
): TextsFor {
  const cells = new Map(
    people.map(({ tableRow, decided }, index) => {
      const { contactId, match = '', why = '', candidates = [] } = matches[index] ?? {}
      const filled = decided === undefined ? (contactId ?? undefined) : undefined
      return [tableRow, [filled, match, shorten(why, 1000), candidates.join('; ')]]
    }),
  )
  return ({ row }) => cells.get(row) ?? []
}

/** Returns how well the best contacts fit a person, and why if it is not `one`. */
function verdictOf(
  { name, values, problems }: PersonRow,
  owned: readonly Owners[],
  [contact, otherContact]: readonly FoundContact[],
  place: string,
): readonly [ContactMatch['match'], why: readonly string[]] {
  if (contact === undefined) {
    if (problems.length > 0) return ['unreadable', problems]
    if (values.length === 0) return ['unreadable', ['nothing to look for']]
    const sought = values.map(({ shown }) => shown)
    return ['none', [`nobody${place} has ${firstTexts(sought, maxShown).join(', ')}`]]
  }
  const reasons = ownersTexts(owned)
  if (otherContact !== undefined) return ['several', [...reasons, ...problems]]
  // Values that nobody has do not count: the service does not know them.
  const hasAllExactly = owned.every(({ isNear, people }) => !isNear && people.has(contact))
  const why = [...(hasAllExactly ? [] : reasons), ...otherName(name, contact), ...problems]
  return [why.length === 0 ? 'one' : 'check', why]
}

/**
 * Whether a row fits somebody else better than the `chosen` contact, which is undefined if it was not read: others have more of
 * its values, or somebody has them whose name agrees where that of the chosen one contradicts, or nobody has them.
 */
function isAnotherBetter(
  name: string,
  owned: readonly Owners[],
  best: readonly FoundContact[],
  chosen: FoundContact | undefined,
) {
  const hasOtherName = otherName(name, chosen).length > 0
  if (best.length === 0) return hasOtherName
  if (!best.some((contact) => contact === chosen)) return true
  return (
    hasOtherName && someOf(owned).some((contact) => otherName(name, contact).length === 0)
  )
}

/** Returns a reason if the name of a contact contradicts another name. */
function otherName(name: string, contact: FoundContact | undefined) {
  const agrees = contact === undefined || !doNamesContradict(name, fullName(contact))
  return agrees ? [] : [`another name: ${fullName(contact) || contact.id}`]
}

/** Returns contacts with any of the values; of thousands who share one, only some. */
function someOf(owned: readonly Owners[]) {
  return owned.flatMap(({ people }) => [...people].slice(0, maxCompared))
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

/** Returns texts such as `Anna Miller has +491712345678` and `3 contacts have a number like +491712345678`. */
function ownersTexts(owned: readonly Owners[]) {
  return owned.slice(0, maxShown).map(({ value, people, isNear }) => {
    const [owner, otherOwner] = people
    const isOnlyOne = owner !== undefined && otherOwner === undefined
    const who = isOnlyOne
      ? `${fullName(owner) || owner.id} has`
      : `${pluralize(people.size, 'contact')} have`
    return `${who} ${isNear ? 'a value like ' : ''}${value.shown}`
  })
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
  const all = [...best.slice(0, maxCompared), ...someOf(owned)]
  const agreeing = all.filter((contact) => otherName(name, contact).length === 0)
  return [...new Set([...agreeing, ...all])]
    .slice(0, maxShown)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}
