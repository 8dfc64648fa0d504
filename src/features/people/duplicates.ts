/**
 * Contacts that share a value exactly, for `svc contacts duplicates`, which prints a pair for `contacts
 * merge` of each row.
 */
import { fullName } from '../../api/names.ts'
import type { FoundContact } from '../../api/people.ts'
import type { Duplicate } from '../../views/documents.ts'
import type { Ending } from '../../output/result.ts'
import { pluralize } from '../../words.ts'
import { valuesOf, type ReadValues, setDefault } from './values.ts'
import { kindOf, type Kind } from './kinds.ts'
import { doNamesContradict } from './names.ts'
import { identityKeys } from '../../api/operations.ts'
import { readPeople, type DirectorySource } from '../../api/people.ts'
import { e164Of } from './phone.ts'

/** A value, and the contacts that have it. */
interface SharedValue {
  text: string
  people: FoundContact[]
}

/** By contact: its values that others have too. */
type Sharing = Map<FoundContact, SharedValue[]>

/** A contact of a group, and the one that led to it: nearer to the target, which none did. */
interface Sharer {
  contact: FoundContact
  towards?: FoundContact
}

/**
 * A row for each contact but the target of its group. `limit`: groups to show; all are counted. Throws the error of a list
 * that cannot be read.
 */
export async function* findDuplicates(
  source: DirectorySource,
  readValues: ReadValues,
  { by, limit }: { by: readonly Kind[]; limit: number },
): AsyncGenerator<Duplicate, Ending> {
  const people = await readPeople(source, () => true)
  const { sharing, unplaced } = shareValues(people.all, readValues, new Set(by))
  let groups = 0
  let contacts = 0
  for (const group of groupsOf(sharing)) {
    groups += 1
    contacts += group.length
    if (groups <= limit) yield* rowsOf(groups, group, sharing)
  }
  const notes = people.extent(groups > 0)
  if (unplaced > 0) {
    const numbers = pluralize(unplaced, 'phone number')
    notes.unshift(`${numbers} not compared: they are not complete, or need --country`)
  }
  if (groups > 0)
    notes.unshift(`${pluralize(groups, 'group')} of ${pluralize(contacts, 'contact')}`)
  return groups > limit ? { shown: limit, total: groups, notes } : { notes }
}

/** `unplaced`: numbers that cannot be the same as others, since their country is not known. */
function shareValues(
  people: readonly FoundContact[],
  readValues: ReadValues,
  kinds: ReadonlySet<Kind>,
): { sharing: Sharing; unplaced: number } {
  const byText = new Map<string, SharedValue>()
  let unplaced = 0
  for (const contact of people) {
    for (const { text, phone } of valuesOf(contact, readValues, kinds)) {
      const shared = byText.get(text)
      if (phone !== undefined && e164Of(phone) === undefined) unplaced += 1
      // Most values are those of one contact: an array of one item is small, and grows with the second.
      else if (shared === undefined) byText.set(text, { text, people: [contact] })
      else if (shared.people.at(-1) !== contact) shared.people.push(contact)
    }
  }
  const sharing: Sharing = new Map()
  for (const shared of byText.values()) {
    if (shared.people.length === 1) continue
    for (const contact of shared.people) setDefault(sharing, contact, []).push(shared)
  }
  return { sharing, unplaced }
}

function byAge(one: FoundContact, other: FoundContact) {
  const order = timeOf(one) - timeOf(other)
  return order || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}

/** Undated ones come last. */
function timeOf({ createdAt }: FoundContact) {
  const time = Date.parse(createdAt ?? '')
  return Number.isNaN(time) ? Number.MAX_VALUE : time
}

/** Each group with its target first, and the others by age. */
function* groupsOf(sharing: Sharing): Generator<Sharer[]> {
  const seen = new Set<FoundContact>()
  for (const target of [...sharing.keys()].sort(byAge)) {
    if (seen.has(target)) continue
    const group = walk(target, sharing, seen)
    yield group.sort((one, other) => byAge(one.contact, other.contact))
  }
}

/** Everybody who shares a value with the first, or with one who does, nearest first. */
function walk(first: FoundContact, sharing: Sharing, seen: Set<FoundContact>): Sharer[] {
  const group: Sharer[] = [{ contact: first }]
  const walked = new Set<SharedValue>()
  seen.add(first)
  for (const { contact } of group) {
    const values = sharing.get(contact)?.filter((value) => !walked.has(value)) ?? []
    for (const other of values.flatMap(({ people }) => people)) {
      if (!seen.has(other)) group.push({ contact: other, towards: contact })
      seen.add(other)
    }
    for (const value of values) walked.add(value)
  }
  return group
}

function* rowsOf(
  number: number,
  [first, ...sharers]: readonly Sharer[],
  sharing: Sharing,
): Generator<Duplicate> {
  if (first === undefined) return
  const target = first.contact
  for (const { contact: source, towards = target } of sharers) {
    const nearer = sharing.get(towards)
    const shared = (sharing.get(source) ?? []).filter((value) => nearer?.includes(value))
    const warning = warningsOf(source, target, shared)
    if (towards !== target) warning.push(`only through ${fullName(towards) || towards.id}`)
    yield {
      group: number,
      source: source.id,
      target: target.id,
      shared: shared.map(({ text }) => text),
      sourceName: fullName(source),
      targetName: fullName(target),
      sourceLists: source.lists.map(({ name }) => name),
      targetLists: target.lists.map(({ name }) => name),
      sourceEmails: textsOf(source, 'email'),
      targetEmails: textsOf(target, 'email'),
      sourcePhones: textsOf(source, 'phone'),
      targetPhones: textsOf(target, 'phone'),
      sourceCreatedAt: source.createdAt ?? null,
      targetCreatedAt: target.createdAt ?? null,
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

/** Values of a kind as they are stored. */
function textsOf({ identities }: FoundContact, wanted: Kind) {
  const keys = identityKeys.filter((key) => kindOf(key) === wanted)
  const texts = keys.flatMap((key) => identities?.[key] ?? [])
  return texts.filter((text) => text.trim() !== '')
}
