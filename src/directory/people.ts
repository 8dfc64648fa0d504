/**
 * Contacts, each once, with the lists that they are on, as every command on contacts reads them. In memory are ids, places and memberships,
 * about 100 bytes a contact: a company may have a million. Their JSON is in a temporary file, and is read back for those that are shown.
 * Called by `contacts list` and `get`, by `find.ts`, `matching.ts` and `duplicates.ts`, and for `--who` by `bulk/telling/who.ts`.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { IdTable } from '../input/id-table.ts'
import type { SpoolHost } from '../output/spool.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { Numbers, Records } from './packed.ts'
import {
  readDirectory,
  type DirectoryRead,
  type DirectorySource,
  type NamedList,
} from './reading.ts'

/** Instead of the number of a membership, which begins at 1. */
const none = 0

type IsWanted = (contact: Contact, index: number) => boolean

/** `close` must follow. */
export class People {
  readonly ids = new IdTable()
  readonly #contacts: Records<Contact>
  /** Lists, how many of the contacts are on each, and their numbers by id. */
  readonly #lists: NamedList[] = []
  readonly #counts: number[] = []
  readonly #numberOf = new Map<string, number>()
  /** By contact: its last membership. */
  readonly #memberships = new Numbers(Uint32Array)
  /** By membership: its list, and the one of the same contact before it. */
  readonly #listOf = new Numbers(Uint32Array)
  readonly #before = new Numbers(Uint32Array)

  constructor(host: SpoolHost) {
    this.#contacts = new Records(host)
    this.#listOf.push(0)
    this.#before.push(none)
  }

  get size(): number {
    return this.ids.size
  }

  /**
   * Reads members of lists once, and takes those that are wanted; each is asked about until it is wanted, with the index
   * that it then gets. Throws the error of a list that cannot be read, with what came before it in place.
   */
  read(source: DirectorySource, isWanted: IsWanted): Promise<DirectoryRead> {
    return readDirectory(source, (contact, list) => {
      const known = this.ids.indexOf(contact.id)
      if (known >= 0) {
        this.#join(known, list)
        return
      }
      if (!isWanted(contact, this.size)) return
      this.#add(contact)
      this.#join(this.size - 1, list)
    })
  }

  at(index: number): FoundContact {
    const contact = this.#contacts.at(index) as Contact & { lists: readonly NamedList[] }
    const lists: NamedList[] = []
    for (let one = this.#memberships.at(index); one !== none; one = this.#before.at(one)) {
      const list = this.#lists[this.#listOf.at(one)]
      if (list !== undefined) lists.unshift(list)
    }
    contact.lists = lists
    return contact
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
    const lists = this.#lists.map(({ name }, number) => ({
      name,
      count: this.#counts[number] ?? 0,
    }))
    return lists.sort((one, other) => other.count - one.count)
  }

  close(): void {
    this.#contacts.close()
  }

  #add(contact: Contact): void {
    this.ids.addText(contact.id, 0)
    // A copy with a member more takes a hundred times as long as the text.
    const own = Object.hasOwn(contact, 'lists') ? { ...contact, lists: undefined } : contact
    this.#contacts.push(own)
    this.#memberships.push(none)
  }

  #join(index: number, list: NamedList): void {
    const last = this.#memberships.at(index)
    const number = this.#numberOfList(list)
    if (last !== none && this.#listOf.at(last) === number) return
    this.#memberships.set(index, this.#before.length)
    this.#listOf.push(number)
    this.#before.push(last)
    this.#counts[number] = (this.#counts[number] ?? 0) + 1
  }

  #numberOfList({ id, name }: NamedList): number {
    const known = this.#numberOf.get(id)
    if (known !== undefined) return known
    this.#numberOf.set(id, this.#lists.length)
    this.#lists.push({ id, name })
    return this.#lists.length - 1
  }
}

/** Everybody that is wanted, once the lists were read; `people.close` must follow. Throws the error of a list that cannot be read. */
export async function readContacts(source: DirectorySource, isWanted: IsWanted) {
  const people = new People(source.host)
  try {
    return { people, read: await people.read(source, isWanted) }
  } catch (error) {
    people.close()
    throw error
  }
}
