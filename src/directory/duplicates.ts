/**
 * Contacts that share a value exactly. Values are counted by their hashes first; only contacts with a value that occurs twice
 * are kept, which a second pass over a temporary file tells.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { IdTable } from '../ids/id-table.ts'
import type { Duplicate } from '../resources/duplicate.ts'
import { foldedValue, identitiesOf, namesDiffer, type Identity, type Kind } from './identity.ts'
import { LineSpool } from './line-spool.ts'
import { Numbers } from './numbers.ts'
import type { ReadPhone } from './phone.ts'

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
  readonly #readPhone: ReadPhone
  readonly #by: ReadonlySet<Kind>
  readonly #ids = new IdTable()
  readonly #spool = new LineSpool()
  readonly #hashes = new Numbers(true)

  constructor(readPhone: ReadPhone, by: readonly Kind[]) {
    this.#readPhone = readPhone
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
    for (const value of values) this.#hashes.push(hashOf(value))
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
    const phone = this.#readPhone(text)
    if (phone === undefined) return []
    if (phone.e164 === undefined) this.unplaced += 1
    const extension = phone.extension === undefined ? '' : ` ext. ${phone.extension}`
    return phone.e164 === undefined ? [] : [`phone ${phone.e164}${extension}`]
  }

  #sharers(): Sharer[] {
    const repeated = repeatedOf(this.#hashes.sorted())
    const values = new Map<string, Value>()
    const sharers: Sharer[] = []
    for (let index = 0; index < this.#spool.length; index += 1) {
      // What this class wrote itself.
      const [id, name, time, texts] = JSON.parse(this.#spool.at(index)) as Line
      const sharer: Sharer = { id, name, time: time ?? Infinity, shared: [], towards: undefined }
      for (const text of texts) {
        if (!isAmong(repeated, hashOf(text))) continue
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
        ...(namesDiffer(source.name, target.name) ? ['names differ'] : []),
        ...(most > 2 ? [`shared by ${most}`] : []),
        ...(towards === target ? [] : [`only through ${towards.name || towards.id}`]),
      ],
    }
  }
}

function hashOf(text: string): number {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 2_654_435_761)
    two = Math.imul(two ^ code, 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909)
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & two) + (one >>> 0)
}

/** Those that occur twice or more of sorted numbers, still sorted. */
function repeatedOf(sorted: Float64Array): Float64Array {
  let count = 0
  for (let at = 1; at < sorted.length; at += 1) {
    const hash = sorted[at] ?? 0
    if (hash !== sorted[at - 1] || (count > 0 && sorted[count - 1] === hash)) continue
    sorted[count] = hash
    count += 1
  }
  return sorted.subarray(0, count)
}

function isAmong(sorted: Float64Array, wanted: number): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted
}
