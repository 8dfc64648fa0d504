/**
 * Contacts that share a value exactly, for `svc contacts duplicates`. Each row is a pair that `contacts merge` can merge.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import { pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import { requireCountry, type Country } from './phone.ts'
import { getOrSet, valuesOf } from './values.ts'

/** A value, and the contacts that have it. */
interface SharedValue {
  text: string
  people: FoundContact[]
}

/** By contact: its values that others have too. */
type Sharing = Map<FoundContact, SharedValue[]>

/** A contact that shares something with an older one of its group. */
export interface Duplicate {
  group: number
  source: string
  target: string
  /** `phone +491712345678`: with the target, or with the contact that leads to it. */
  shared: readonly string[]
  sourceName: string
  targetName: string
  warning: readonly string[]
}

/** A row for each contact but the oldest of its group. `limit`: groups to show. Throws the error of a list that cannot be read. */
export async function findDuplicates(
  source: PeopleSource,
  country: string | undefined,
  limit: number,
) {
  const people = await readPeople(source, () => true)
  const { sharing, uncompared } = shareValues(people.all, requireCountry(country))
  const groups = groupsOf(sharing)
  const shown = groups.slice(0, limit)
  const notes = people.extentNotes(groups.length > 0)
  if (uncompared > 0)
    notes.unshift(
      `${pluralize(uncompared, 'phone number')} not compared: incomplete, or without a country (--country)`,
    )
  if (groups.length > 0)
    notes.unshift(
      `${pluralize(groups.length, 'group')} of ${pluralize(groups.flat().length, 'contact')}`,
    )
  return {
    rows: shown.flatMap((group, index) => rowsOf(group, index + 1, sharing)),
    ending: { shown: shown.length, total: groups.length, notes },
  }
}

/** `uncompared`: how many phone numbers were not compared, because their country is not known. */
function shareValues(people: readonly FoundContact[], country: Country | undefined) {
  const byText = new Map<string, SharedValue>()
  let uncompared = 0
  for (const contact of people) {
    for (const { key: text } of valuesOf(contact, country)) {
      const shared = byText.get(text ?? '')
      if (text === undefined) uncompared += 1
      // Most values are those of one contact: an array of one item is small, and grows with the second.
      else if (shared === undefined) byText.set(text, { text, people: [contact] })
      else if (shared.people.at(-1) !== contact) shared.people.push(contact)
    }
  }
  const sharing: Sharing = new Map()
  for (const shared of byText.values()) {
    if (shared.people.length === 1) continue
    for (const contact of shared.people) getOrSet(sharing, contact, []).push(shared)
  }
  return { sharing, uncompared }
}

/** A contact of a group, and the one through which it was reached: the target itself, or another source. */
interface Member {
  contact: FoundContact
  neighbor: FoundContact
}

/** Contacts that share values, directly or through others: first the oldest, which is the target, then the nearest to it. */
function groupsOf(sharing: Sharing): Member[][] {
  const seen = new Set<FoundContact>()
  // Thousands of people may share a value, so each value is followed only once.
  const followed = new Set<SharedValue>()
  return [...sharing.keys()].sort(byAge).flatMap((target) => {
    if (seen.has(target)) return []
    seen.add(target)
    const group = [{ contact: target, neighbor: target }]
    // Breadth first: the group grows while it is walked.
    for (const { contact: neighbor } of group) {
      const values = sharing.get(neighbor)?.filter((value) => !followed.has(value)) ?? []
      for (const value of values) followed.add(value)
      for (const contact of values.flatMap(({ people }) => people)) {
        if (seen.has(contact)) continue
        seen.add(contact)
        group.push({ contact, neighbor })
      }
    }
    return [group]
  })
}

/** Orders contacts from the oldest to the newest, then by id. Those without a date come last. */
function byAge(one: FoundContact, other: FoundContact) {
  const order = timeOf(one) - timeOf(other)
  return order || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}

function timeOf({ createdAt }: FoundContact) {
  return Date.parse(createdAt ?? '') || Number.MAX_VALUE
}

function rowsOf([first, ...sources]: Member[], group: number, sharing: Sharing) {
  if (first === undefined) return []
  const target = first.contact
  const targetName = fullName(target)
  sources.sort((one, other) => byAge(one.contact, other.contact))
  return sources.map(({ contact, neighbor }): Duplicate => {
    const sourceName = fullName(contact)
    const ofNeighbor = sharing.get(neighbor)
    const values =
      sharing.get(contact)?.filter((value) => ofNeighbor?.includes(value)) ?? []
    // A number that more than two have may be that of a company's desk.
    const most = Math.max(...values.map(({ people }) => people.length))
    const warning = [
      doNamesContradict(sourceName, targetName) && 'names differ',
      most > 2 && `shared by ${most}`,
      neighbor !== target && `only through ${fullName(neighbor) || neighbor.id}`,
    ].filter((words) => words !== false)
    const shared = values.map(({ text }) => text)
    return {
      group,
      source: contact.id,
      target: target.id,
      shared,
      sourceName,
      targetName,
      warning,
    }
  })
}
