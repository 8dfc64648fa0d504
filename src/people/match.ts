/**
 * Finds the contact for each row of a table of people. Says how well the contact fits, and if it is not certain, why. Never
 * guesses, and never changes what a person decided. Pure.
 */
import { fullName } from '../api/by-name.ts'
import type { FoundContact, People } from '../api/people.ts'
import type { TextsFor } from '../input/table-copy.ts'
import { shorten } from '../safe-text.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { indexContacts } from './contact-index.ts'
import { isNear, type Value } from './identities.ts'
import type { PeopleTable, PersonRow } from './people-table.ts'
import { doNamesContradict } from './person-names.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable', 'differs'] as const
type Verdict = (typeof verdicts)[number]

/** A sentence shows at most this many values, a cell this many candidates. */
const maxShown = 5

/** If thousands share a value, only this many of them can be candidates. */
const maxCandidates = 1000

/** A value of a person, and the people who have it exactly. If nobody does, the people who have it nearly. */
interface Owners {
  shown: string
  people: ReadonlySet<FoundContact>
  areNear: boolean
}

/** A row with what was found for it. */
interface Fitting {
  person: PersonRow
  owned: readonly Owners[]
  /** The contacts that have the most of its values. */
  best: readonly FoundContact[]
  /** The contacts that have any of its values, each once, with the best first. */
  candidates: readonly FoundContact[]
  /** Whether its contactId is an id, and the contact, if it was read. */
  isChosen: boolean
  chosen: FoundContact | undefined
}

/** The match for a row of a table of people. */
export type ContactMatch = ReturnType<typeof matchOf>

/**
 * Finds the contacts for the people of a table among those that were read. Also returns notes, which count the verdicts, and what
 * could not be compared.
 */
export function matchPeople(
  { people, country, kinds }: Pick<PeopleTable, 'people' | 'country' | 'kinds'>,
  { all, find, place }: Pick<People, 'all' | 'find' | 'place'>,
) {
  const wanted = new Set(people.flatMap(({ values }) => values.flatMap(({ keys }) => keys)))
  const index = indexContacts(all, kinds, country, (key) => wanted.has(key))
  const ownersOf = ownersIn(index.owners)
  let unchecked = 0
  const matches = people.map((person) => {
    const { values, decided = '-' } = person
    const owned = values.flatMap(ownersOf)
    const isChosen = decided !== '-'
    const fitting = {
      person,
      owned,
      isChosen,
      chosen: find(decided),
      ...fittingContacts(owned),
    }
    if (isUnchecked(fitting)) unchecked += 1
    return matchOf(fitting, place)
  })
  return { matches, notes: [...notesOf(matches, unchecked), ...index.notes] }
}

/** Whether nothing can check a decision: nobody has a value of the row, and there are no two names to compare. */
function isUnchecked({ person, owned, isChosen, chosen }: Fitting) {
  const hasNames = person.name !== '' && chosen !== undefined && fullName(chosen) !== ''
  return isChosen && owned.length === 0 && !hasNames
}

function matchOf(fitting: Fitting, place: string) {
  const { tableRow, name, decided = null } = fitting.person
  const [match, why] = verdictOf(fitting, place)
  const only = match === 'one' ? fitting.best[0] : undefined
  return {
    /** The line of a text, or the row of a sheet. */
    row: tableRow.line,
    /** The name as the table has it. */
    name,
    match,
    /** The id of the contact, or `-` for nobody; null if the user still has to decide. */
    contactId: decided ?? only?.id ?? null,
    /** Why the match is not `one`. */
    why: why.join('; '),
    /** Contacts as `<id> <name>`. Contacts whose name fits come first. */
    candidates: match === 'one' || match === 'none' ? [] : shownCandidates(fitting),
  }
}

/** Returns a function that returns the owners of a value; none if no contact has it, not even nearly. */
function ownersIn(contactsByKey: ReadonlyMap<string, readonly FoundContact[]>) {
  const owners = new Map(
    Array.from(contactsByKey, ([key, contacts]) => [key, new Set(contacts)]),
  )
  return ({ shown, keys }: Value): Owners[] => {
    const key = keys.find((each) => owners.has(each)) ?? ''
    const people = owners.get(key)
    return people === undefined ? [] : [{ shown, people, areNear: isNear(key) }]
  }
}

/** Whether a row has a decision, and nobody else fits it better. */
export function isDecided({ contactId, match }: ContactMatch) {
  return contactId !== null && match !== 'differs'
}

/** Returns the counts of the verdicts, and of the rows that a person still has to look at. */
function notesOf(
  matches: readonly { match: Verdict; contactId: string | null }[],
  unchecked: number,
) {
  const counts = verdicts.flatMap((verdict) => {
    const count = matches.filter(({ match }) => match === verdict).length
    return count === 0 ? [] : [`${groupDigits(count)} ${verdict}`]
  })
  const notes = [`${pluralize(matches.length, 'row')}: ${counts.join(', ')}`]
  const undecided = matches.filter(({ contactId }) => contactId === null).length
  if (undecided > 0)
    notes.push(`${pluralize(undecided, 'row')} without a decision: fill in contactId`)
  if (unchecked > 0)
    notes.push(
      `${pluralize(unchecked, 'filled contactId')} could not be checked: nobody has the values, and there is no name to compare`,
    )
  return notes
}

/** Returns a function that returns the cells to add to a row. A contactId that is filled in remains as it is. */
export function ownCellsOf(
  { people }: PeopleTable,
  matches: readonly ContactMatch[],
): TextsFor {
  const cells = new Map(
    matches.map(({ contactId, match, why, candidates }, index) => {
      const person = people[index]
      const filled = person?.decided === undefined ? (contactId ?? undefined) : undefined
      return [person?.tableRow, [filled, match, shorten(why, 1000), candidates.join('; ')]]
    }),
  )
  return ({ row }) => cells.get(row) ?? []
}

/** Returns how well the best contacts fit a person, and why if it is not `one`. */
function verdictOf(
  fitting: Fitting,
  place: string,
): readonly [Verdict, why: readonly string[]] {
  const { person, owned, best, isChosen, chosen } = fitting
  const { name, values, problems } = person
  const reasons = ownersTexts(owned)
  if (isChosen && isAnotherBetter(fitting))
    return ['differs', [...reasons, ...otherName(name, chosen)]]
  const [contact, otherContact] = best
  if (otherContact !== undefined) return ['several', [...reasons, ...problems]]
  if (contact !== undefined) {
    // Values that nobody has do not count: the service does not know them.
    const hasAll = owned.every(({ areNear, people }) => !areNear && people.has(contact))
    const why = [...(hasAll ? [] : reasons), ...otherName(name, contact), ...problems]
    return [why.length === 0 ? 'one' : 'check', why]
  }
  if (problems.length > 0) return ['unreadable', problems]
  if (values.length === 0) return ['unreadable', ['nothing to look for']]
  const sought = values.map(({ shown }) => shown)
  return ['none', [`nobody${place} has ${firstTexts(sought, maxShown).join(', ')}`]]
}

/**
 * Whether a row fits somebody else better than the chosen contact: others have more of its values, or somebody has them whose name
 * agrees where that of the chosen one contradicts, or nobody has them.
 */
function isAnotherBetter({ person: { name }, best, candidates, chosen }: Fitting) {
  const hasOtherName = otherName(name, chosen).length > 0
  if (best.length === 0) return hasOtherName
  if (chosen === undefined || !best.includes(chosen)) return true
  const isAgreeing = (contact: FoundContact) => otherName(name, contact).length === 0
  return hasOtherName && candidates.some(isAgreeing)
}

/** Returns a reason if the name of a contact contradicts another name. */
function otherName(name: string, contact: FoundContact | undefined) {
  const agrees = contact === undefined || !doNamesContradict(name, fullName(contact))
  return agrees ? [] : [`another name: ${fullName(contact) || contact.id}`]
}

/** Returns the contacts that have the most of the values, and those that have any. Those with a rare value come first. */
function fittingContacts(owned: readonly Owners[]) {
  const byRarity = owned.toSorted((one, other) => one.people.size - other.people.size)
  const all = [...new Set(byRarity.flatMap(({ people }) => [...people]))]
  const counts = all.map(
    (contact) => owned.filter(({ people }) => people.has(contact)).length,
  )
  const most = counts.reduce((one, other) => Math.max(one, other), 0)
  const best = all.filter((_, index) => counts[index] === most)
  const candidates = [...new Set([...best, ...all])].slice(0, maxCandidates)
  return { best, candidates }
}

/** Returns texts such as `Anna Miller has +491712345678` and `3 contacts have a number like +491712345678`. */
function ownersTexts(owned: readonly Owners[]) {
  return owned.slice(0, maxShown).map(({ shown, people, areNear }) => {
    const [owner] = people
    const who =
      owner !== undefined && people.size === 1
        ? `${fullName(owner) || owner.id} has`
        : `${pluralize(people.size, 'contact')} have`
    return `${who} ${areNear ? 'a value like ' : ''}${shown}`
  })
}

/** Returns the candidates that a cell shows: first those whose name fits. */
function shownCandidates({ person: { name }, candidates }: Fitting) {
  const agreeing = candidates.filter((contact) => otherName(name, contact).length === 0)
  return [...new Set([...agreeing, ...candidates])]
    .slice(0, maxShown)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}
