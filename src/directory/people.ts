/** Contacts, each once, with the lists that they are on. In memory are ids and memberships, about 70 bytes a contact. */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { IdTable } from '../ids/id-table.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import { LineSpool, Numbers } from './line-spool.ts'
import { readDirectory, type DirectoryRead, type DirectorySource, type NamedList } from './reading.ts'

/** Instead of the number of a membership, which begins at 1. */
const none = 0

/** `close` must follow. */
export class People {
  readonly ids = new IdTable()
  readonly #spool = new LineSpool()
  /** As JSON, and how many of the contacts are on each. */
  readonly #lists: string[] = []
  readonly #counts: number[] = []
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

  /**
   * Reads members of lists once, and takes those that are wanted; each is asked about until it is wanted, and then gets the index
   * `size`. Throws the error of a list that cannot be read, with what came before it in place.
   */
  read(source: DirectorySource, isWanted: (contact: Contact) => boolean): Promise<DirectoryRead> {
    return readDirectory(source, (contact, list) => {
      const known = this.ids.indexOf(contact.id)
      if (known < 0 && !isWanted(contact)) return
      if (known < 0) this.#add(contact)
      this.#join(known < 0 ? this.size - 1 : known, list)
    })
  }

  at(index: number): FoundContact {
    let lists = ''
    for (let one = this.#first.at(index); one !== none; one = this.#next.at(one))
      lists += `${lists === '' ? '' : ','}${this.#lists[this.#listOf.at(one)]}`
    // What this class wrote itself.
    return JSON.parse(`${this.#spool.at(index).slice(0, -1)},"lists":[${lists}]}`) as FoundContact
  }

  /** Undefined for an id that is not among them. */
  find(id: string): FoundContact | undefined {
    const index = this.ids.indexOf(id)
    return index < 0 ? undefined : this.at(index)
  }

  nameAt(index: number): string {
    return fullName(this.at(index))
  }

  /** How many are on each list, the most first. */
  countsByList(): { name: string; count: number }[] {
    const lists = this.#lists.map((json, number) => {
      const { name } = JSON.parse(json) as NamedList
      return { name, count: this.#counts[number] ?? 0 }
    })
    return lists.sort((one, other) => other.count - one.count)
  }

  close(): void {
    this.#spool.close()
  }

  #add(contact: Contact): void {
    this.ids.addText(contact.id, 0)
    this.#spool.push(JSON.stringify({ ...contact, lists: undefined }))
    this.#first.push(none)
    this.#last.push(none)
  }

  #join(index: number, list: NamedList): void {
    const [last, number] = [this.#last.at(index), this.#numberOfList(list)]
    if (last !== none && this.#listOf.at(last) === number) return
    const membership = this.#next.length
    this.#listOf.push(number)
    this.#next.push(none)
    if (last === none) this.#first.set(index, membership)
    else this.#next.set(last, membership)
    this.#last.set(index, membership)
    this.#counts[number] = (this.#counts[number] ?? 0) + 1
  }

  #numberOfList({ id, name }: NamedList): number {
    const known = this.#numberOf.get(id)
    if (known !== undefined) return known
    this.#numberOf.set(id, this.#lists.length)
    this.#lists.push(JSON.stringify({ id, name }))
    return this.#lists.length - 1
  }
}

/** Everybody that is wanted, once the lists were read; `people.close` must follow. Throws the error of a list that cannot be read. */
export async function readContacts(source: DirectorySource, isWanted: (contact: Contact) => boolean) {
  const people = new People()
  try {
    return { people, read: await people.read(source, isWanted) }
  } catch (error) {
    people.close()
    throw error
  }
}
