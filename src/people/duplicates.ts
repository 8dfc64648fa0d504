/** Finds contacts that share a value exactly. Returns pairs that `svc contacts merge` can merge. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import { pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import { requireCountry, type Country, valuesOf } from './values.ts'

/** A value that several contacts have. */
interface SharedValue {
  text: string
  people: readonly FoundContact[]
  /** The people with this value who are not in a group yet. */
  ungrouped: FoundContact[]
}

/** The shared values by contact. A contact without a shared value is not in it. */
type Sharing = Map<FoundContact, SharedValue[]>

/** A contact of a group, paired with the oldest contact of the group. */
export type Duplicate = ReturnType<typeof rowsOf>[number]

/**
 * Finds groups of duplicates. Returns the rows of at most `limit` groups: a row for each contact except the oldest of its group.
 * Throws the error of a list that cannot be read.
 */
export async function findDuplicates(
  source: PeopleSource,
  country: string | undefined,
  limit: number,
) {
  const people = await readPeople(source, () => true)
  const { sharing, uncompared } = findSharedValues(people.all, requireCountry(country))
  const groups = groupsOf(sharing)
  const shown = groups.slice(0, limit)
  const notes = people.extentNotes(groups.length > 0)
  if (uncompared > 0)
    notes.unshift(
      `${pluralize(uncompared, 'phone number')} not compared: incomplete, or without a country (--country)`,
    )
  return {
    rows: shown.flatMap((group, index) => rowsOf(group, index + 1, sharing)),
    ending: { shown: shown.length, total: groups.length, notes },
  }
}

/** Returns the shared values, and how many phone numbers were not compared because their country is not known. */
function findSharedValues(people: readonly FoundContact[], country: Country | undefined) {
  const ownersByKey = new Map<string, FoundContact[]>()
  let uncompared = 0
  for (const contact of people) {
    for (const { key } of valuesOf(contact, country)) {
      if (key === undefined) {
        uncompared += 1
        continue
      }
      const owners = ownersByKey.get(key)
      // Most values have one owner. An array that starts with one item takes less memory than an empty one that grows.
      if (owners === undefined) ownersByKey.set(key, [contact])
      else if (owners.at(-1) !== contact) owners.push(contact)
    }
  }
  const sharing: Sharing = new Map()
  for (const [text, owners] of ownersByKey) {
    if (owners.length === 1) continue
    const shared = { text, people: owners, ungrouped: [...owners] }
    for (const contact of owners)
      sharing.set(contact, [...(sharing.get(contact) ?? []), shared])
  }
  return { sharing, uncompared }
}

/** Returns groups of contacts that share values, directly or through others. A group begins with its oldest contact. */
function groupsOf(sharing: Sharing): FoundContact[][] {
  const groups: FoundContact[][] = []
  const seen = new Set<FoundContact>()
  for (const oldest of [...sharing.keys()].sort(byAge)) {
    if (seen.has(oldest)) continue
    const group = new Set([oldest])
    // The loop also visits the contacts that it adds.
    for (const contact of group) {
      seen.add(contact)
      const values = sharing.get(contact) ?? []
      // Thousands may share a value. splice(0) empties its array, so that its people are added only once.
      const others = values.flatMap(({ ungrouped }) => ungrouped.splice(0))
      for (const other of others) group.add(other)
    }
    groups.push([...group].sort(byAge))
  }
  return groups
}

/** Orders contacts from the oldest to the newest, then by id. Contacts without a date come last. */
function byAge(one: FoundContact, other: FoundContact) {
  return sortKeyOf(one) < sortKeyOf(other) ? -1 : 1
}

function sortKeyOf({ createdAt, id }: FoundContact) {
  return `${createdAt || 'unknown'} ${id.toLowerCase()}`
}

/** Pairs the oldest contact of a group, the target, with each of the others. Returns a row for each pair. */
function rowsOf(contacts: readonly FoundContact[], group: number, sharing: Sharing) {
  const [target, ...sources] = contacts
  if (target === undefined) return []
  const targetName = fullName(target)
  const targetValues = new Set(sharing.get(target))
  return sources.map((source) => {
    const sourceName = fullName(source)
    const values = sharing.get(source) ?? []
    const direct = values.filter((value) => targetValues.has(value))
    // Without a value in common, the two share values with others of the group.
    const shared = direct.length > 0 ? direct : values
    const warning: string[] = []
    if (doNamesContradict(sourceName, targetName)) warning.push('names differ')
    // A number that more than two contacts have may belong to an office.
    const maxPeople = Math.max(...shared.map(({ people }) => people.length))
    if (maxPeople > 2) warning.push(`shared by ${maxPeople}`)
    if (direct.length === 0) warning.push('only through others')
    return {
      group,
      source: source.id,
      target: target.id,
      /** For example `phone +491712345678`. */
      shared: shared.map(({ text }) => text),
      sourceName,
      targetName,
      warning,
    }
  })
}
