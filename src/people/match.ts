/**
 * Finds the contact for each row of a table of people, and gives the table back with it. Says how well the contact fits, and if it
 * is not certain, why. Never guesses, and never changes what a person decided.
 */
import { fullName } from '../api/by-name.ts'
import type { FoundContact, People } from '../api/people.ts'
import { copyTable } from '../input/table-copy.ts'
import { shorten } from '../safe-text.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { matchHeadings } from './people-columns.ts'
import type { PeopleTable, PersonRow } from './people-table.ts'
import { doNamesContradict } from './person-names.ts'
import { ContactReader, type Value } from './person-values.ts'

const verdicts = ['one', 'check', 'several', 'none', 'unreadable', 'differs'] as const
type Verdict = (typeof verdicts)[number]

/** A sentence shows at most this many values, a cell this many candidates. */
const maxShown = 5

/** A person with the contacts that were found for this row. */
type FoundFor = ReturnType<typeof findFor>

/** The match for a row of a table of people. */
export type ContactMatch = ReturnType<typeof matchOf>

/**
 * Finds the contacts for the people of a table among those that were read. Also returns notes, which count the verdicts, and what
 * could not be compared. `place` is where they were looked for, such as ` on "VIP"`; empty for all lists.
 */
export function matchPeople(
  { people, country, kinds }: PeopleTable,
  { all, find, place }: Pick<People, 'all' | 'find' | 'place'>,
) {
  const reader = new ContactReader(kinds, country)
  const wanted = people.flatMap(({ values }) => values)
  const findOwners = findOwnersIn(all, reader, wanted)
  let unchecked = 0
  const matches = people.map((person) => {
    const chosen = find(person.decided ?? '')
    const found = findFor(person, findOwners, chosen)
    // A value of the row that somebody has, or two names that can be compared, check a decision.
    const hasNames = person.name !== '' && chosen !== undefined && fullName(chosen) !== ''
    if (choseContact(person) && found.owned.length === 0 && !hasNames) unchecked += 1
    return matchOf(found, place)
  })
  return { matches, notes: [...notesOf(matches, unchecked), ...reader.notes()] }
}

/** Whether a row has a decision, and nobody else fits it better. */
export function isSettled({ contactId, match }: ContactMatch) {
  return contactId !== null && match !== 'differs'
}

/** Yields the table as a file, with each match in columns of its own. `matches` are those of its people, in their order. */
export function copyMatched(
  { table, rows, people }: PeopleTable,
  matches: readonly ContactMatch[],
  format: 'csv' | 'xlsx',
) {
  const textsByRow = new Map(
    people.map(({ tableRow, decided }, index) => {
      const match = matches[index]
      const texts = {
        // A contactId in which somebody decided remains as it is.
        contactId: decided === undefined ? (match?.contactId ?? undefined) : undefined,
        MATCH: match?.match,
        WHY: match && shorten(match.why, 1000),
        CANDIDATES: match?.candidates.join('; '),
      }
      return [tableRow, texts] as const
    }),
  )
  return copyTable({
    table,
    rows,
    addedHeadings: matchHeadings,
    addedTextsOf: ({ row }) => textsByRow.get(row) ?? {},
    format,
  })
}

type ContactsByForm = Map<string, Set<FoundContact>>

/**
 * Reads contacts for some values. Returns a function that finds the owners of one of these: the contacts that have it exactly, and if
 * nobody does, those that have it nearly. It returns undefined if there are none.
 */
function findOwnersIn(
  contacts: readonly FoundContact[],
  reader: ContactReader,
  wanted: readonly Value[],
) {
  // The forms of all contacts would take much memory.
  const exact: ContactsByForm = new Map()
  const near: ContactsByForm = new Map()
  for (const value of wanted) {
    if (value.exact !== undefined) exact.set(value.exact, new Set())
    near.set(value.near, new Set())
  }
  for (const contact of contacts)
    for (const value of reader.read(contact)) {
      exact.get(value.exact ?? '')?.add(contact)
      near.get(value.near)?.add(contact)
    }
  return (value: Value) => {
    const exactly = exact.get(value.exact ?? '')
    if (exactly !== undefined && exactly.size > 0)
      return { value, contacts: exactly, areNear: false }
    const nearly = near.get(value.near)
    if (nearly === undefined || nearly.size === 0) return undefined
    return { value, contacts: nearly, areNear: true }
  }
}

/** If thousands share a value, only this many of them can be candidates. */
const maxCandidates = 1000

/** Returns the contacts that have values of a person. `chosen` is the contact for which somebody decided, if it was read. */
function findFor(
  person: PersonRow,
  findOwners: ReturnType<typeof findOwnersIn>,
  chosen: FoundContact | undefined,
) {
  const owned = person.values.flatMap((value) => findOwners(value) ?? [])
  // Those with a rare value come first.
  const byRarity = owned.toSorted((one, other) => one.contacts.size - other.contacts.size)
  const all = [...new Set(byRarity.flatMap(({ contacts }) => [...contacts]))]
  const counts = all.map(
    (contact) => owned.filter(({ contacts }) => contacts.has(contact)).length,
  )
  const most = counts.reduce((one, other) => Math.max(one, other), 0)
  /** The contacts that have the most of the values. */
  const best = all.filter((_, index) => counts[index] === most)
  /** The contacts that have any of the values, the best first. */
  const candidates = [...new Set([...best, ...all])].slice(0, maxCandidates)
  return { person, owned, best, candidates, chosen }
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
      const sought = values.map(({ shown }) => shown)
      return [`nobody${place} has ${firstTexts(sought, maxShown).join(', ')}`]
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
function ownersTexts(owned: FoundFor['owned']) {
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
