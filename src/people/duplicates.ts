/** Finds contacts that share a value exactly. Returns pairs that `svc contacts merge` can merge. Pure. */
import { fullName } from '../api/by-name.ts'
import { identityKeys } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import { doNamesContradict } from './person-names.ts'
import { ContactReader, type Country } from './person-values.ts'

/** A value that several contacts have. */
interface SharedValue {
  /** For example `phone +491712345678`. */
  text: string
  people: readonly FoundContact[]
}

/** The shared values by contact. A contact without a shared value is not in it. */
type Sharing = Map<FoundContact, SharedValue[]>

/** A contact of a group, paired with the oldest contact of the group. */
export type Duplicate = ReturnType<typeof rowsOf>[number]

/**
 * Finds groups of duplicates. Returns their number, notes, and rows for at most `limit` groups: a row for each contact except the
 * oldest of its group. `country` is assumed for phone numbers without `+` or `00`.
 */
export function findDuplicates(
  contacts: readonly FoundContact[],
  country: Country | undefined,
  limit: number,
) {
  const reader = new ContactReader(['phone', 'email', 'messenger'], country)
  const sharing = sharingOf(contacts, reader)
  const groups = groupsOf(sharing)
  const shown = groups.slice(0, limit)
  return {
    rows: shown.flatMap((group, position) => rowsOf(group, position + 1, sharing)),
    shown: shown.length,
    total: groups.length,
    notes: reader.notes(),
  }
}

/** Returns the values that several contacts have exactly. */
function sharingOf(contacts: readonly FoundContact[], reader: ContactReader) {
  /** The contacts that have a value, by its text. */
  const owners = new Map<string, FoundContact[]>()
  for (const contact of contacts)
    for (const { exact } of reader.read(contact)) {
      if (exact === undefined) continue
      const present = owners.get(exact)
      // Most values have one owner. An array that starts with one item takes less memory than an empty one that grows.
      if (present === undefined) owners.set(exact, [contact])
      // A contact can have a value twice.
      else if (present.at(-1) !== contact) present.push(contact)
    }
  const sharing: Sharing = new Map()
  for (const [text, people] of owners) {
    if (people.length === 1) continue
    const shared = { text, people }
    for (const contact of people)
      sharing.set(contact, [...(sharing.get(contact) ?? []), shared])
  }
  return sharing
}

/** Returns groups of contacts that share values, directly or through others. A group begins with its oldest contact. */
function groupsOf(sharing: Sharing): FoundContact[][] {
  const groups: FoundContact[][] = []
  const grouped = new Set<FoundContact>()
  for (const oldest of [...sharing.keys()].sort(byAge)) {
    if (grouped.has(oldest)) continue
    const group = connectedTo(oldest, sharing)
    for (const contact of group) grouped.add(contact)
    groups.push([...group].sort(byAge))
  }
  return groups
}

/** Returns a contact and all that share values with it, directly or through others. */
function connectedTo(contact: FoundContact, sharing: Sharing) {
  const group = new Set([contact])
  const followed = new Set<SharedValue>()
  // The loop also visits the contacts that it adds.
  for (const member of group)
    for (const value of sharing.get(member) ?? []) {
      // Thousands may share a value.
      if (followed.has(value)) continue
      followed.add(value)
      for (const other of value.people) group.add(other)
    }
  return group
}

/** Orders contacts from the oldest to the newest, then by id. Contacts without a date come last. */
function byAge(one: FoundContact, other: FoundContact) {
  const [first, second] = [one, other].map(({ createdAt }) => {
    const time = Date.parse(createdAt ?? '')
    return Number.isNaN(time) ? Infinity : time
  })
  if (first !== second) return Number(first) - Number(second)
  return one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1
}

/** Pairs the oldest contact of a group, the target, with each of the others. Returns a row for each pair. */
function rowsOf(contacts: readonly FoundContact[], group: number, sharing: Sharing) {
  const [target, ...sources] = contacts
  if (target === undefined) return []
  const targetValues = new Set(sharing.get(target))
  return sources.map((source) => {
    const values = sharing.get(source) ?? []
    const direct = values.filter((value) => targetValues.has(value))
    // Without a value in common, the two share values with others of the group.
    const shared = direct.length > 0 ? direct : values
    const warning: string[] = []
    if (doNamesContradict(fullName(source), fullName(target))) warning.push('names differ')
    // A number that more than two contacts have may belong to an office.
    const maxPeople = Math.max(...shared.map(({ people }) => people.length))
    if (maxPeople > 2) warning.push(`shared by ${maxPeople}`)
    if (direct.length === 0) warning.push('only through others')
    return {
      group,
      source: source.id,
      target: target.id,
      shared: shared.map(({ text }) => text),
      warning,
      sourceName: fullName(source),
      targetName: fullName(target),
      sourcePhones: phonesOf(source),
      targetPhones: phonesOf(target),
      sourceEmails: source.identities?.email ?? [],
      targetEmails: target.identities?.email ?? [],
      sourceLists: source.lists.map(({ name }) => name),
      targetLists: target.lists.map(({ name }) => name),
      sourceCreatedAt: source.createdAt ?? null,
      targetCreatedAt: target.createdAt ?? null,
      /** A person writes "yes" here where both are the same person. */
      merge: '',
    }
  })
}

/** Returns the phone numbers of a contact, also those of messengers. */
function phonesOf({ identities }: FoundContact) {
  const keys = identityKeys.filter((key) => key.endsWith('phone'))
  return [...new Set(keys.flatMap((key) => identities?.[key] ?? []))]
}
