/**
 * Contacts that share a value exactly, for `svc contacts duplicates`, which prints a pair for `contacts merge` of each row. A bit for each
 * hash tells which values occur twice, give or take a few that do not; only contacts with one of those are kept, by a second pass over a
 * temporary file: an address book need not fit in memory. Called by `commands/contacts/duplicates.ts` alone.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { identitiesOf, valueReader, type Kind, type ReadValues, type Value } from './identity.ts'
import { doNamesContradict } from './names.ts'
import { readContacts, type People } from './people.ts'
import type { ReadPhones } from './phone.ts'
import { quantity, type DirectorySource } from './reading.ts'
import { hashOfText } from './value-index.ts'

/** A value that may be shared. */
interface SharedValue {
  readonly text: string
  /** Sharers that have it, by their places. */
  readonly sharers: number[]
}

/** A contact that shares a value. */
interface Sharer {
  /** Number of the contact among the people. */
  readonly index: number
  /** When it was created; undated ones come last. */
  readonly time: number
  /** The values that it shares, each once. */
  readonly shared: SharedValue[]
  /** The contact that is nearer to the target, once the group was walked through. */
  towards: Sharer | undefined
}

interface DuplicateChoice {
  readonly by: readonly Kind[]
  /** Groups to show; all are counted. */
  readonly limit: number
}

/** A row for each contact but the target of its group. Throws the error of a list that cannot be read. */
export async function* findDuplicates(
  source: DirectorySource,
  readPhones: ReadPhones,
  { by, limit }: DuplicateChoice,
) {
  const readValues = valueReader(readPhones)
  const met = new Bits()
  const again = new Bits()
  let unplaced = 0
  const { people, read } = await readContacts(source, (contact) => {
    const values = valuesOf(contact, readValues, by)
    for (const { text } of comparable(values)) if (!met.add(text)) again.add(text)
    unplaced += values.filter((value) => !isComparable(value)).length
    return true
  })
  try {
    const counts = { groups: 0, contacts: 0 }
    const repeats = (contact: Contact): Value[] => {
      const values = comparable(valuesOf(contact, readValues, by))
      return values.filter(({ text }) => again.has(text))
    }
    const sharers = sharersOf(people, repeats)
    for (const group of groupsOf(sharers, (index) => people.ids.id(index).toLowerCase())) {
      counts.groups += 1
      counts.contacts += group.length
      if (counts.groups > limit) continue
      yield* rowsOf(counts.groups, group, (index) => people.at(index))
    }
    const cut = { shown: limit, total: counts.groups, missing: 'limit' as const }
    return {
      ...(counts.groups > limit ? cut : {}),
      notes: [...notesOf(counts, unplaced), ...read.notes()],
    }
  } finally {
    people.close()
  }
}

function notesOf(
  { groups, contacts }: Readonly<Record<'groups' | 'contacts', number>>,
  unplaced: number,
): string[] {
  const numbers = `${quantity(unplaced, 'phone number')} not compared: they are not complete, or need --country`
  const summary = `${quantity(groups, 'group')} of ${quantity(contacts, 'contact')}`
  const notes: string[] = []
  if (groups > 0) notes.push(summary)
  if (unplaced > 0) notes.push(numbers)
  return notes
}

function valuesOf(contact: Contact, readValues: ReadValues, by: readonly Kind[]): Value[] {
  return identitiesOf(contact).flatMap((identity) =>
    by.includes(identity.kind) ? readValues(identity) : [],
  )
}

/** Whether it can be the same as another one: a number of which one reading is known. */
function isComparable({ phone }: Value): boolean {
  return phone === undefined || phone.e164 !== undefined
}

/** Values that can be the same as others, each once. */
function comparable(values: readonly Value[]): Value[] {
  const byText = new Map<string, Value>()
  for (const value of values) {
    if (isComparable(value)) byText.set(value.text, value)
  }
  return [...byText.values()]
}

function sharersOf(people: People, repeated: (contact: Contact) => Value[]): Sharer[] {
  const sharers: Sharer[] = []
  const byText = new Map<string, SharedValue>()
  const sharedValue = ({ text }: Value): SharedValue => {
    const one = byText.get(text) ?? { text, sharers: [] }
    byText.set(text, one)
    return one
  }
  for (let index = 0; index < people.size; index += 1) {
    const contact = people.at(index)
    const values = repeated(contact).map(sharedValue)
    if (values.length === 0) continue
    for (const value of values) value.sharers.push(sharers.length)
    const time = Date.parse(contact.createdAt ?? '')
    sharers.push({
      index,
      time: Number.isNaN(time) ? Infinity : time,
      shared: values,
      towards: undefined,
    })
  }
  return sharers
}

/** Each group with its target first, and the others by age; a contact that shares no value is in none. */
function* groupsOf(
  sharers: readonly Sharer[],
  idAt: (index: number) => string,
): Generator<Sharer[]> {
  const byAge = (one: Sharer, other: Sharer): number =>
    one.time - other.time || (idAt(one.index) < idAt(other.index) ? -1 : 1)
  const seen = new Set<Sharer>()
  for (const target of sharers.toSorted(byAge)) {
    const group = seen.has(target) ? [] : walk(target, sharers, seen)
    if (group.length > 1) yield group.sort(byAge)
  }
}

/** Everybody who shares a value with the first, or with one who does, nearest first; each is told who led there. */
function walk(first: Sharer, sharers: readonly Sharer[], seen: Set<Sharer>): Sharer[] {
  const group = [first]
  const walked = new Set<SharedValue>()
  seen.add(first)
  for (const sharer of group) {
    const values = sharer.shared.filter((value) => !walked.has(value))
    for (const place of values.flatMap((value) => value.sharers)) {
      const other = sharers[place]
      if (other === undefined || seen.has(other)) continue
      seen.add(other)
      other.towards = sharer
      group.push(other)
    }
    for (const value of values) walked.add(value)
  }
  return group
}

function* rowsOf(
  number: number,
  [first, ...sources]: readonly Sharer[],
  contactAt: (index: number) => FoundContact,
) {
  if (first === undefined) return
  const target = contactAt(first.index)
  const targetName = fullName(target)
  for (const sharer of sources) {
    const { towards = first } = sharer
    const source = contactAt(sharer.index)
    const sourceName = fullName(source)
    const shared = sharedValues(sharer, towards)
    const most = Math.max(...shared.map((value) => value.sharers.length))
    const via = towards === first ? undefined : contactAt(towards.index)
    const warning: string[] = []
    if (doNamesContradict(sourceName, targetName)) warning.push('names differ')
    // A number that more than two have may be that of a company's desk.
    if (most > 2) warning.push(`shared by ${most}`)
    if (via !== undefined) warning.push(`only through ${fullName(via) || via.id}`)
    yield {
      group: number,
      source: source.id,
      target: target.id,
      shared: shared.map(({ text }) => text),
      sourceName,
      targetName,
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

/** Values that lead from one contact to another: those that only the hash had twice have one contact. */
function sharedValues(one: Sharer, other: Sharer): SharedValue[] {
  return one.shared.filter((value) => value.sharers.length > 1 && other.shared.includes(value))
}

function textsOf(contact: Contact, wanted: Kind): string[] {
  return identitiesOf(contact).flatMap(({ kind, text }) => (kind === wanted ? [text] : []))
}

/** Texts, give or take a few that have the hash of another: 2^28 bits. */
class Bits {
  readonly #bytes = new Uint8Array(1 << 25)

  /** False when it was there. */
  add(text: string): boolean {
    const hash = hashOfText(text)
    const byte = this.#bytes[hash >>> 7] ?? 0
    const bit = 1 << (hash & 7)
    this.#bytes[hash >>> 7] = byte | bit
    return (byte & bit) === 0
  }

  has(text: string): boolean {
    const hash = hashOfText(text)
    return ((this.#bytes[hash >>> 7] ?? 0) & (1 << (hash & 7))) !== 0
  }
}
