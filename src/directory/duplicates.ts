/**
 * Contacts that share a value exactly. A bit for each hash tells which values occur twice, give or take a few that do not; only
 * contacts with one of those are kept, by a second pass over a temporary file.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { IdTable } from '../ids/id-table.ts'
import type { Duplicate } from '../resources/duplicate.ts'
import { foldedValue, identitiesOf, type Identity, type Kind } from './identity.ts'
import { LineSpool } from './line-spool.ts'
import { doNamesContradict } from './names.ts'
import type { ReadPhones } from './phone.ts'

/** A contact that shares a value, as far as is known of it. */
interface Sharer {
  readonly id: string
  readonly name: string
  /** When it was created; undated ones come last. */
  readonly time: number
  /** The values that it shares, each once. */
  readonly shared: Value[]
  /** The contact that is nearer to the target, once the group was walked through. */
  towards: Sharer | undefined
}

/** `phone +491712345678`, and who has it. */
interface Value {
  readonly text: string
  readonly sharers: Sharer[]
}

/** What the temporary file has of a contact; null: undated. */
type Line = readonly [id: string, name: string, time: number | null, values: readonly string[]]

export class Duplicates {
  unplaced = 0
  readonly #readPhones: ReadPhones
  readonly #by: ReadonlySet<Kind>
  readonly #ids = new IdTable()
  readonly #spool = new LineSpool()
  /** Hashes that were met, and those that were met again. */
  readonly #met = new Uint8Array(1 << 25)
  readonly #again = new Uint8Array(1 << 25)

  constructor(readPhones: ReadPhones, by: readonly Kind[]) {
    this.#readPhones = readPhones
    this.#by = new Set(by)
  }

  /** Takes a contact; again for each further list that it is on. */
  readonly visit = (contact: Contact): void => {
    if (!this.#ids.addText(contact.id, 0)) return
    const values = [...new Set(identitiesOf(contact).flatMap((identity) => this.#valueOf(identity)))]
    if (values.length === 0) return
    const time = Date.parse(contact.createdAt ?? '')
    const line: Line = [contact.id, fullName(contact), Number.isNaN(time) ? null : time, values]
    this.#spool.push(JSON.stringify(line))
    for (const value of values) this.#count(hashOf(value))
  };

  /** A row for each contact but the target of its group. To be called once. */
  *rows(): Generator<Duplicate, { groups: number; contacts: number }> {
    const counts = { groups: 0, contacts: 0 }
    for (const group of groupsOf(this.#sharers())) {
      counts.groups += 1
      counts.contacts += group.length
      yield* rowsOf(counts.groups, group)
    }
    return counts
  }

  close(): void {
    this.#spool.close()
  }

  #valueOf({ kind, key, text }: Identity): string[] {
    if (!this.#by.has(kind)) return []
    if (kind !== 'phone') return [`${key} ${foldedValue(key, text)}`]
    return this.#readPhones(text).flatMap(({ e164, extension }) => {
      if (e164 === undefined) this.unplaced += 1
      return e164 === undefined ? [] : [`phone ${e164}${extension === undefined ? '' : ` ext. ${extension}`}`]
    })
  }

  #count({ byte, bit }: BitPosition): void {
    const met = this.#met[byte] ?? 0
    this.#met[byte] = met | bit
    if ((met & bit) !== 0) this.#again[byte] = (this.#again[byte] ?? 0) | bit
  }

  #isAgain({ byte, bit }: BitPosition): boolean {
    return ((this.#again[byte] ?? 0) & bit) !== 0
  }

  #sharers(): Sharer[] {
    const values = new Map<string, Value>()
    const sharers: Sharer[] = []
    for (let index = 0; index < this.#spool.length; index += 1) {
      // What this class wrote itself.
      const [id, name, time, texts] = JSON.parse(this.#spool.at(index)) as Line
      const sharer: Sharer = { id, name, time: time ?? Infinity, shared: [], towards: undefined }
      for (const text of texts) {
        if (!this.#isAgain(hashOf(text))) continue
        const value = values.get(text) ?? { text, sharers: [] }
        values.set(text, value)
        value.sharers.push(sharer)
        sharer.shared.push(value)
      }
      if (sharer.shared.length > 0) sharers.push(sharer)
    }
    return sharers
  }
}

/** Each group with its target first, and the others by age; a contact that shares no value is in none. */
function* groupsOf(sharers: readonly Sharer[]): Generator<Sharer[]> {
  const seen = new Set<Sharer>()
  for (const first of sharers) {
    if (seen.has(first)) continue
    const group = walk(first, seen)
    if (group.length < 2) continue
    group.sort((one, other) => one.time - other.time || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1))
    const [target = first] = group
    for (const sharer of group) sharer.towards = undefined
    walk(target, new Set())
    yield group
  }
}

/** Everybody who shares a value with the first, or with one who does, nearest first; each is told who led there. */
function walk(first: Sharer, seen: Set<Sharer>): Sharer[] {
  const group = [first]
  const walked = new Set<Value>()
  seen.add(first)
  for (const sharer of group) {
    const values = sharer.shared.filter((value) => !walked.has(value))
    for (const other of values.flatMap(({ sharers }) => sharers)) {
      if (seen.has(other)) continue
      seen.add(other)
      other.towards = sharer
      group.push(other)
    }
    for (const value of values) walked.add(value)
  }
  return group
}

function* rowsOf(number: number, [target, ...sources]: readonly Sharer[]): Generator<Duplicate, undefined> {
  if (target === undefined) return
  for (const source of sources) {
    const { towards = target } = source
    const shared = source.shared.filter((value) => value.sharers.length > 1 && towards.shared.includes(value))
    const most = Math.max(...shared.map(({ sharers }) => sharers.length))
    yield {
      group: number,
      source: source.id,
      target: target.id,
      shared: shared.map(({ text }) => text),
      sourceName: source.name,
      targetName: target.name,
      warning: [
        ...(doNamesContradict(source.name, target.name) ? ['names differ'] : []),
        ...(most > 2 ? [`shared by ${most}`] : []),
        ...(towards === target ? [] : [`only through ${towards.name || towards.id}`]),
      ],
    }
  }
}

/** One of 2^28 bits. */
interface BitPosition {
  readonly byte: number
  readonly bit: number
}

function hashOf(text: string): BitPosition {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  return { byte: hash >>> 7, bit: 1 << (hash & 7) }
}
