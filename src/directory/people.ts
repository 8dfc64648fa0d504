/** Contacts, each once, with the lists that they are on. In memory are ids and memberships, about 70 bytes a contact. */
import type { Contact } from '../api/schemas.ts'
import { IdTable } from '../ids/id-table.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import { LineSpool, Numbers } from './line-spool.ts'
import { readDirectory, type DirectorySource, type NamedList } from './reading.ts'

/** Instead of the number of a membership, which begins at 1. */
const none = 0

export class People {
  readonly ids = new IdTable()
  readonly #spool = new LineSpool()
  /** As JSON. */
  readonly #lists: string[] = []
  readonly #numberOf = new Map<string, number>()
  /** By contact: its first and its last membership. */
  readonly #first = new Numbers()
  readonly #last = new Numbers()
  /** By membership: its list, and the contact's next one. */
  readonly #listOf = new Numbers()
  readonly #next = new Numbers()

  constructor() {
    this.#listOf.push(0)
    this.#next.push(none)
  }

  get size(): number {
    return this.ids.size
  }

  /** False when it was known to be on that list. */
  add(contact: Contact, list: NamedList): boolean {
    if (this.ids.addText(contact.id, 0)) {
      this.#spool.push(JSON.stringify({ ...contact, lists: undefined }))
      this.#first.push(none)
      this.#last.push(none)
    }
    const index = this.ids.indexOf(contact.id)
    const [last, number] = [this.#last.at(index), this.#numberOfList(list)]
    if (last !== none && this.#listOf.at(last) === number) return false
    const membership = this.#next.length
    this.#listOf.push(number)
    this.#next.push(none)
    if (last === none) this.#first.set(index, membership)
    else this.#next.set(last, membership)
    this.#last.set(index, membership)
    return true
  }

  at(index: number): FoundContact {
    // What this class wrote itself.
    return JSON.parse(this.#json(index)) as FoundContact
  }

  /** Undefined for an id that is not among them. */
  find(id: string): FoundContact | undefined {
    const index = this.ids.indexOf(id)
    return index < 0 ? undefined : this.at(index)
  }

  close(): void {
    this.#spool.close()
  }

  #json(index: number): string {
    let lists = ''
    for (let one = this.#first.at(index); one !== none; one = this.#next.at(one))
      lists += `${lists === '' ? '' : ','}${this.#lists[this.#listOf.at(one)]}`
    return `${this.#spool.at(index).slice(0, -1)},"lists":[${lists}]}`
  }

  #numberOfList({ id, name }: NamedList): number {
    const known = this.#numberOf.get(id)
    if (known !== undefined) return known
    this.#numberOf.set(id, this.#lists.length)
    this.#lists.push(JSON.stringify({ id, name }))
    return this.#lists.length - 1
  }
}

/**
 * Who the contacts of some ids are, and which lists they are on: read once, whatever their number. `people.close` must follow.
 * `lists`: how many of them are on each, the most first. Throws the error of a list that cannot be read.
 */
export async function readWho(source: DirectorySource, ids: { has(id: string): boolean }) {
  const people = new People()
  const counts = new Map<string, number>()
  try {
    const read = await readDirectory(source, (contact, list) => {
      if (ids.has(contact.id) && people.add(contact, list)) counts.set(list.id, (counts.get(list.id) ?? 0) + 1)
    })
    const lists = read.lists.map(({ id, name }) => ({ name, count: counts.get(id) ?? 0 }))
    return { people, read, lists: lists.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count) }
  } catch (error) {
    people.close()
    throw error
  }
}
