/** Finds contacts that share a value exactly. Each row is a pair that `svc contacts merge` can merge. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import { pluralize } from '../words.ts'
import { doNamesContradict } from './names.ts'
import { requireCountry, type Country, valuesOf } from './values.ts'

/** A value that several contacts have. */
interface SharedValue {
  text: string
  people: readonly FoundContact[]
  /** Those of the people who are not in a group yet. */
  ungrouped: FoundContact[]
}

/** The shared values of each contact that shares some. */
type Sharing = Map<FoundContact, SharedValue[]>

/** A contact of a group, paired with the oldest contact of the group. */
export type Duplicate = ReturnType<typeof rowsOf>[number]

/**
 * Returns a row for each contact except the oldest of its group, for at most `limit` groups. Throws the error of a list that
 * cannot be read.
 */
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

/** Returns the shared values, and how many phone numbers were not compared because their country is not known. */
function shareValues(people: readonly FoundContact[], country: Country | undefined) {
  const byText = new Map<string, FoundContact[]>()
  let uncompared = 0
  for (const contact of people) {
    for (const { key: text } of valuesOf(contact, country)) {
      const owners = byText.get(text ?? '')
      if (text === undefined) uncompared += 1
      // Most values have one owner. An array that starts with one item takes less memory than an empty one that grows.
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

/** Returns groups of contacts that share values, directly or through others. The oldest contact of a group comes first. */
function groupsOf(sharing: Sharing): FoundContact[][] {
  const groups: FoundContact[][] = []
  const seen = new Set<FoundContact>()
  for (const oldest of [...sharing.keys()].sort(byAge)) {
    if (seen.has(oldest)) continue
    const group = new Set([oldest])
    // The loop also visits contacts that it adds. Thousands may share a value, so splice(0) takes its people only once.
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

/** Returns a row for each pair of a group with its oldest contact, which is the target. */
function rowsOf([target, ...sources]: FoundContact[], group: number, sharing: Sharing) {
  if (target === undefined) return []
  const targetName = fullName(target)
  const targetValues = new Set(sharing.get(target))
  return sources.map((source) => {
    const sourceName = fullName(source)
    const values = sharing.get(source) ?? []
    const direct = values.filter((value) => targetValues.has(value))
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
      /** The values that it shares with the target, such as `phone +491712345678`; if there are none, with others of the group. */
      shared: shared.map(({ text }) => text),
      sourceName,
      targetName,
      warning,
    }
  })
}
