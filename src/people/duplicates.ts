/**
 * Contacts that share a value exactly, for `svc contacts duplicates`. Each row is a pair that `contacts merge` can merge.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import { pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import { requireCountry, type Country } from './phone.ts'
import { valuesOf } from './values.ts'

/** By contact: the values that others have too, with all who have them, and who of these are not in a group yet. */
type Sharing = Map<
  FoundContact,
  { text: string; people: readonly FoundContact[]; ungrouped: FoundContact[] }[]
>

/** A contact that shares something with an older one of its group. */
export type Duplicate = ReturnType<typeof rowsOf>[number]

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
  return {
    rows: shown.flatMap((group, index) => rowsOf(group, index + 1, sharing)),
    ending: { shown: shown.length, total: groups.length, notes },
  }
}

/** `uncompared`: how many phone numbers were not compared, because their country is not known. */
function shareValues(people: readonly FoundContact[], country: Country | undefined) {
  const byText = new Map<string, FoundContact[]>()
  let uncompared = 0
  for (const contact of people) {
    for (const { key: text } of valuesOf(contact, country)) {
      const owners = byText.get(text ?? '')
      if (text === undefined) uncompared += 1
      // Most values are those of one contact: an array of one item is small, and grows with the second.
      else if (owners === undefined) byText.set(text, [contact])
      else if (owners.at(-1) !== contact) owners.push(contact)
    }
  }
  const sharing: Sharing = new Map()
  for (const [text, owners] of byText) {
    if (owners.length === 1) continue
    const shared = { text, people: owners, ungrouped: [...owners] }
    for (const contact of owners)
      sharing.set(contact, [...(sharing.get(contact) ?? []), shared])
  }
  return { sharing, uncompared }
}

/** Contacts that share values, directly or through others, the oldest first. */
function groupsOf(sharing: Sharing): FoundContact[][] {
  const groups: FoundContact[][] = []
  const seen = new Set<FoundContact>()
  for (const oldest of [...sharing.keys()].sort(byAge)) {
    if (seen.has(oldest)) continue
    const group = new Set([oldest])
    // The group grows while it is walked. Thousands may share a value, so each value is followed only once.
    for (const contact of group) {
      seen.add(contact)
      const values = sharing.get(contact) ?? []
      const others = values.flatMap(({ ungrouped }) => ungrouped.splice(0))
      for (const other of others) group.add(other)
    }
    groups.push([...group].sort(byAge))
  }
  return groups
}

/** Orders contacts from the oldest to the newest, then by id. Those without a date come last. */
function byAge(one: FoundContact, other: FoundContact) {
  return ageOf(one) < ageOf(other) ? -1 : 1
}

function ageOf({ createdAt, id }: FoundContact) {
  return `${createdAt || 'unknown'} ${id.toLowerCase()}`
}

function rowsOf([target, ...sources]: FoundContact[], group: number, sharing: Sharing) {
  if (target === undefined) return []
  const targetName = fullName(target)
  const ofTarget = new Set(sharing.get(target))
  return sources.map((source) => {
    const sourceName = fullName(source)
    const values = sharing.get(source) ?? []
    const direct = values.filter((value) => ofTarget.has(value))
    const shared = direct.length > 0 ? direct : values
    const warning: string[] = []
    if (doNamesContradict(sourceName, targetName)) warning.push('names differ')
    // A number that more than two have may be that of a company's desk.
    const most = Math.max(...shared.map(({ people }) => people.length))
    if (most > 2) warning.push(`shared by ${most}`)
    if (direct.length === 0) warning.push('only through others')
    return {
      group,
      source: source.id,
      target: target.id,
      /** `phone +491712345678`: with the target; of a contact that shares nothing with it, with others of the group. */
      shared: shared.map(({ text }) => text),
      sourceName,
      targetName,
      warning,
    }
  })
}
