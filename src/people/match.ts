/**
 * Finds the contact for each row of a table of people. Says how well the contact fits, and if it is not certain, why. Never
 * guesses, and never changes what a person decided.
 */
import { fullName } from '../api/by-name.ts'
import type { FoundContact, People } from '../api/people.ts'
import { shorten } from '../safe-text.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { ContactReader } from './contact-values.ts'
import { findOwnersIn, rankOwners, type Owners } from './owners.ts'
import type { PeopleTable } from './people-table.ts'
import { doNamesContradict } from './person-names.ts'
import type { PersonRow } from './person-row.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable', 'differs'] as const
type Verdict = (typeof verdicts)[number]

/** A sentence shows at most this many values, a cell this many candidates. */
const maxShown = 5

/** A person with the contacts that were found for this row. */
interface FoundFor {
  person: PersonRow
  /** The owners of the values that anybody has. */
  owned: readonly Owners[]
  /** The contacts that have the most of the values. */
  best: readonly FoundContact[]
  /** The contacts that have any of the values, the best first. */
  candidates: readonly FoundContact[]
  /** The contact for which somebody decided, if it was read. */
  chosen: FoundContact | undefined
}

/** The match for a row of a table of people. */
export type ContactMatch = ReturnType<typeof matchOf>

/**
 * Finds the contacts for the people of a table among those that were read. Also returns notes, which count the verdicts, and what
 * could not be compared. `place` is where they were looked for, such as ` on "VIP"`; empty for all lists.
 */
export function matchPeople(
  { people, country, kinds }: Pick<PeopleTable, 'people' | 'country' | 'kinds'>,
  { all, find, place }: Pick<People, 'all' | 'find' | 'place'>,
) {
  const reader = new ContactReader(kinds, country)
  const wanted = people.flatMap(({ values }) => values)
  const findOwners = findOwnersIn(all, reader, wanted)
  let unchecked = 0
  const matches = people.map((person) => {
    const owned = person.values.flatMap((value) => findOwners(value) ?? [])
    const chosen = find(person.decided ?? '')
    const found = { person, owned, ...rankOwners(owned), chosen }
    if (choseContact(person) && !canCheck(found)) unchecked += 1
    return matchOf(found, place)
  })
  return { matches, notes: [...notesOf(matches, unchecked), ...reader.notes()] }
}

/** Whether anything can check a decision: a value of the row that somebody has, or two names to compare. */
function canCheck({ person, owned, chosen }: FoundFor) {
  const hasNames = person.name !== '' && chosen !== undefined && fullName(chosen) !== ''
  return owned.length > 0 || hasNames
}

/** Whether a row has a decision, and nobody else fits it better. */
export function isSettled({ contactId, match }: ContactMatch) {
  return contactId !== null && match !== 'differs'
}

function matchOf(found: FoundFor, place: string) {
  const { person, best } = found
  const match = verdictOn(found)
  const only = match === 'one' ? best[0] : undefined
  return {
    /** The line of a text, or the row of a sheet. */
    row: person.tableRow.line,
    /** The name as the table has it. */
    name: person.name,
    match,
    /** The id of the contact, or `-` for nobody; null if the user still has to decide. */
    contactId: person.decided ?? only?.id ?? null,
    /** Why the match is not `one`. */
    why: whyOf(match, found, place).join('; '),
    /** Contacts as `<id> <name>`. Contacts whose name fits come first. */
    candidates: match === 'one' || match === 'none' ? [] : shownCandidates(found),
  }
}

/** Returns how well the best contacts fit a person. */
function verdictOn(found: FoundFor): Verdict {
  const { person, best } = found
  if (choseContact(person) && isAnotherBetter(found)) return 'differs'
  const [contact, other] = best
  if (other !== undefined) return 'several'
  if (contact !== undefined)
    return doubtsAbout(contact, found).length === 0 ? 'one' : 'check'
  return person.problems.length > 0 || person.values.length === 0 ? 'unreadable' : 'none'
}

/** Returns the reasons for a verdict. */
function whyOf(verdict: Verdict, found: FoundFor, place: string): readonly string[] {
  const { person, owned, best, chosen } = found
  const { values, problems } = person
  switch (verdict) {
    case 'one':
      return []
    case 'check':
      return best.flatMap((contact) => doubtsAbout(contact, found))
    case 'several':
      return [...ownersTexts(owned), ...problems]
    case 'differs':
      return [...ownersTexts(owned), ...(chosen ? nameDoubts(chosen, person) : [])]
    case 'unreadable':
      return problems.length > 0 ? problems : ['nothing to look for']
    case 'none': {
      const sought = firstTexts(
        values.map(({ shown }) => shown),
        maxShown,
      )
      return [`nobody${place} has ${sought.join(', ')}`]
    }
  }
}

/** Whether somebody chose a contact for the row, and not `-` for nobody. */
function choseContact({ decided }: PersonRow) {
  return decided !== undefined && decided !== '-'
}

/**
 * Whether a row fits somebody else better than the chosen contact: others have more of its values, or somebody has them whose name
 * agrees where that of the chosen one contradicts, or nobody has them.
 */
function isAnotherBetter({ person, best, candidates, chosen }: FoundFor) {
  const hasOtherName = (contact: FoundContact) => contradictsName(contact, person)
  if (chosen === undefined) return best.length > 0
  if (best.length === 0) return hasOtherName(chosen)
  if (!best.includes(chosen)) return true
  return hasOtherName(chosen) && !candidates.every(hasOtherName)
}

/** Returns why the only contact that fits a person best may be somebody else. Values that nobody has do not count. */
function doubtsAbout(contact: FoundContact, { person, owned }: FoundFor) {
  const hasAll = owned.every(({ areNear, contacts }) => !areNear && contacts.has(contact))
  return [
    ...(hasAll ? [] : ownersTexts(owned)),
    ...nameDoubts(contact, person),
    ...person.problems,
  ]
}

function nameDoubts(contact: FoundContact, person: PersonRow) {
  return contradictsName(contact, person) ? [`another name: ${nameOrId(contact)}`] : []
}

function contradictsName(contact: FoundContact, { name }: PersonRow) {
  return doNamesContradict(name, fullName(contact))
}

function nameOrId(contact: FoundContact) {
  return fullName(contact) || contact.id
}

/** Returns texts such as `Anna Miller has +491712345678` and `3 contacts have a value like +491712345678`. */
function ownersTexts(owned: readonly Owners[]) {
  return owned.slice(0, maxShown).map(({ value, contacts, areNear }) => {
    const [first] = contacts
    const who =
      first !== undefined && contacts.size === 1
        ? `${nameOrId(first)} has`
        : `${pluralize(contacts.size, 'contact')} have`
    return `${who} ${areNear ? 'a value like ' : ''}${value.shown}`
  })
}

/** Returns the candidates that a cell shows: first those whose name fits. */
function shownCandidates({ person, candidates }: FoundFor) {
  const agreeing = candidates.filter((contact) => !contradictsName(contact, person))
  return [...new Set([...agreeing, ...candidates])]
    .slice(0, maxShown)
    .map((contact) => `${contact.id} ${shorten(fullName(contact), 100)}`.trim())
}

/** Returns the counts of the verdicts, and of the rows that a person still has to look at. */
function notesOf(matches: readonly ContactMatch[], unchecked: number) {
  const counts = verdicts.flatMap((verdict) => {
    const { length } = matches.filter(({ match }) => match === verdict)
    return length === 0 ? [] : [`${groupDigits(length)} ${verdict}`]
  })
  const notes = [`${pluralize(matches.length, 'row')}: ${counts.join(', ')}`]
  const undecided = matches.filter(({ contactId }) => contactId === null).length
  if (undecided > 0)
    notes.push(`${pluralize(undecided, 'row')} without a decision: fill in contactId`)
  if (unchecked > 0)
    notes.push(
      `${pluralize(unchecked, 'filled contactId')} could not be checked: nobody has the values, and no name could be compared`,
    )
  return notes
}
