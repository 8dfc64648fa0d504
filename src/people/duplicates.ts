/**
 * Contacts that share a value exactly, for `svc contacts duplicates`. Each row is a pair that `contacts merge` can merge.
 */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource, type FoundContact } from '../api/people.ts'
import type { Ending } from '../output/result.ts'
import { pluralize } from '../words.ts'
import { kinds } from './kinds.ts'
import { doNamesContradict } from './names.ts'
import { getOrSet, isAmbiguous, valuesOf, type ReadValues } from './values.ts'

/** A value, and the contacts that have it. */
interface SharedValue {
  text: string
  people: FoundContact[]
}

const allKinds = new Set(kinds)

/** By contact: its values that others have too. */
type Sharing = Map<FoundContact, SharedValue[]>

/** Contacts that share values, directly or through others. The oldest is the target. */
interface Group {
  target: FoundContact
  sources: Source[]
}

/** A contact of a group, and the neighbor through which it was reached: the target, or another source. */
interface Source {
  contact: FoundContact
  neighbor: FoundContact
}

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

/**
 * A row for each contact but the target of its group. `limit`: groups to show; all are counted. Throws the error of a list
 * that cannot be read.
 */
export async function* findDuplicates(
  source: PeopleSource,
  readValues: ReadValues,
  limit: number,
): AsyncGenerator<Duplicate, Ending> {
  const people = await readPeople(source, () => true)
  const { sharing, ambiguous } = shareValues(people.all, readValues)
  let groups = 0
  let contacts = 0
  for (const group of groupsOf(sharing)) {
    groups += 1
    contacts += 1 + group.sources.length
    if (groups <= limit) yield* rowsOf(groups, group, sharing)
  }
  const notes = people.extentNotes(groups > 0)
  if (ambiguous > 0) {
    const numbers = pluralize(ambiguous, 'phone number')
    const why = 'incomplete, ambiguous, or without a country (--country)'
    notes.unshift(`${numbers} not compared: ${why}`)
  }
  if (groups > 0)
    notes.unshift(`${pluralize(groups, 'group')} of ${pluralize(contacts, 'contact')}`)
  return groups > limit ? { shown: limit, total: groups, notes } : { notes }
}

/** `ambiguous`: how many phone numbers were not compared, because they do not have exactly one reading. */
function shareValues(
  people: readonly FoundContact[],
  readValues: ReadValues,
): { sharing: Sharing; ambiguous: number } {
  const byText = new Map<string, SharedValue>()
  let ambiguous = 0
  for (const contact of people) {
    for (const value of valuesOf(contact, readValues, allKinds)) {
      const { text } = value
      const shared = byText.get(text)
      if (isAmbiguous(value)) ambiguous += 1
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
  return { sharing, ambiguous }
}

/** The groups, each with its sources from the oldest to the newest. */
function* groupsOf(sharing: Sharing): Generator<Group> {
  const seen = new Set<FoundContact>()
  for (const target of [...sharing.keys()].sort(byAge)) {
    if (seen.has(target)) continue
    const sources = sourcesAround(target, sharing, seen)
    sources.sort((one, other) => byAge(one.contact, other.contact))
    yield { target, sources }
  }
}

/** Orders contacts from the oldest to the newest, then by id. Those without a date come last. */
function byAge(one: FoundContact, other: FoundContact) {
  const order = timeOf(one) - timeOf(other)
  return order || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}

function timeOf({ createdAt }: FoundContact) {
  const time = Date.parse(createdAt ?? '')
  return Number.isNaN(time) ? Number.MAX_VALUE : time
}

/** Everybody who shares a value with the target, or with somebody who does. The nearest come first. */
function sourcesAround(target: FoundContact, sharing: Sharing, seen: Set<FoundContact>) {
  const sources: Source[] = []
  const reached = [target]
  // Thousands of people may share a value, so each value is followed only once.
  const followed = new Set<SharedValue>()
  seen.add(target)
  // Breadth first: `reached` grows while it is walked.
  for (const neighbor of reached) {
    const values = sharing.get(neighbor)?.filter((value) => !followed.has(value)) ?? []
    for (const contact of values.flatMap(({ people }) => people)) {
      if (seen.has(contact)) continue
      seen.add(contact)
      reached.push(contact)
      sources.push({ contact, neighbor })
    }
    for (const value of values) followed.add(value)
  }
  return sources
}

function* rowsOf(
  group: number,
  { target, sources }: Group,
  sharing: Sharing,
): Generator<Duplicate> {
  for (const { contact: source, neighbor } of sources) {
    const valuesOfNeighbor = sharing.get(neighbor)
    const values = sharing.get(source) ?? []
    const shared = values.filter((value) => valuesOfNeighbor?.includes(value))
    const warning = warningsOf(source, target, shared)
    if (neighbor !== target)
      warning.push(`only through ${fullName(neighbor) || neighbor.id}`)
    yield {
      group,
      source: source.id,
      target: target.id,
      shared: shared.map(({ text }) => text),
      sourceName: fullName(source),
      targetName: fullName(target),
      warning,
    }
  }
}

function warningsOf(
  source: FoundContact,
  target: FoundContact,
  shared: readonly SharedValue[],
) {
  const warnings: string[] = []
  if (doNamesContradict(fullName(source), fullName(target))) warnings.push('names differ')
  // A number that more than two have may be that of a company's desk.
  const most = Math.max(...shared.map(({ people }) => people.length))
  if (most > 2) warnings.push(`shared by ${most}`)
  return warnings
}
