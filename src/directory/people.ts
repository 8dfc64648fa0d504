/**
 * Contacts by way of lists: the service has no search for contacts, so svc reads the members of lists, once, four lists at a time. Every
 * command on contacts reads them here (`commands/contacts`), and `bulk/telling/who.ts` for `--who`.
 */
import { join } from '../message.ts'
import type { Api } from '../api/client.ts'
import { pagesAtOnce } from '../api/paginate.ts'
import { findList, type AcceptNear } from '../api/names.ts'
import type { Contact, ContactList } from '../api/schemas.ts'
import { SvcError } from '../errors.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { groupDigits, pluralize } from '../words.ts'

export interface NamedList {
  readonly id: string
  readonly name: string
}

export interface ListsApi {
  readonly lists: Pick<Api['lists'], 'all' | 'get' | 'members'>
}

export interface DirectorySource {
  readonly api: ListsApi
  /** The lists to read, by name or id; all lists when there is none. */
  readonly within: readonly string[]
  /** Called with a list whose name is spelled differently. */
  readonly accept: AcceptNear
  /** Called with how far the reading was when a signal ended it. */
  readonly warn?: (words: string) => void
}

type IsWanted = (contact: Contact) => boolean

/** A contact while lists are read. */
interface Member {
  readonly contact: Contact
  /** Numbers of the lists that it is on. */
  lists: readonly number[]
  /** Where it stands first: its list, and its place on it. */
  order: number
}

/** More than a list can have members. */
const placesOfList = 2 ** 32

/** People by the lists that they are on, each once, in the order of the lists and newest first. */
export class People {
  readonly all: readonly FoundContact[]
  /** The notes on what was read. */
  readonly notes: readonly string[]
  readonly #byId: ReadonlyMap<string, FoundContact>

  constructor(all: readonly FoundContact[], notes: readonly string[]) {
    this.all = all
    this.notes = notes
    this.#byId = new Map(all.map((contact) => [contact.id.toLowerCase(), contact]))
  }

  /** Undefined for an id that is not among them. */
  find(id: string): FoundContact | undefined {
    return this.#byId.get(id.toLowerCase())
  }

  /** How many are on each list, the most first. */
  countsByList(): { name: string; count: number }[] {
    const counts = new Map<NamedList, number>()
    for (const list of this.all.flatMap(({ lists }) => lists))
      counts.set(list, (counts.get(list) ?? 0) + 1)
    return [...counts]
      .map(([{ name }, count]) => ({ name, count }))
      .sort((one, other) => other.count - one.count)
  }
}

/** Reads members of lists, and keeps those that are wanted. Throws the error of a list that cannot be read. */
export async function readPeople(
  source: DirectorySource,
  isWanted: IsWanted,
): Promise<People> {
  const reading = new Reading(source, isWanted)
  const lists = listsOf(source)
  try {
    await Promise.all(Array.from({ length: pagesAtOnce }, () => reading.readLists(lists)))
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted')
      source.warn?.(`interrupted after ${reading.extent}; this is not all`)
    throw error
  }
  return reading.end()
}

async function* listsOf({
  api,
  within,
  accept,
}: DirectorySource): AsyncGenerator<ContactList> {
  if (within.length === 0) {
    yield* api.lists.all({ limit: Infinity })
    return
  }
  const lists = new Map<string, ContactList>()
  for (const text of within) {
    const found = await findList(api, text, accept)
    lists.set(found.id.toLowerCase(), found.list ?? (await api.lists.get(found.id)))
  }
  yield* lists.values()
}

class Reading {
  readonly #source: DirectorySource
  readonly #isWanted: IsWanted
  readonly #lists: NamedList[] = []
  readonly #members = new Map<string, Member>()
  #count = 0
  /** Whether a list could not be read: then nothing further is read. */
  #hasFailed = false

  constructor(source: DirectorySource, isWanted: IsWanted) {
    this.#source = source
    this.#isWanted = isWanted
  }

  /** `5,555 members of 300 lists`. */
  get extent(): string {
    return `${pluralize(this.#count, 'member')} of ${pluralize(this.#lists.length, 'list')}`
  }

  /** Reads one list after the other; several readers take theirs from the same lists. */
  async readLists(lists: AsyncIterable<ContactList>): Promise<void> {
    try {
      for await (const list of lists) {
        const number = this.#lists.push({ id: list.id, name: list.name }) - 1
        await this.#readList(list, number)
        if (this.#hasFailed) return
      }
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }

  end(): People {
    const members = [...this.#members.values()].sort((one, other) => one.order - other.order)
    const people = members.map(({ contact, lists }): FoundContact => {
      const numbers = lists.toSorted((one, other) => one - other)
      return { ...contact, lists: numbers.flatMap((number) => this.#lists[number] ?? []) }
    })
    const where = this.#lists.length === 1 ? 'it' : 'them'
    const beyond =
      this.#source.within.length === 0
        ? 'a contact that is on no list cannot be found'
        : `and no other list; a contact that is not on ${where} cannot be found`
    const separator = this.#source.within.length === 0 ? ';' : ','
    return new People(people, [`read ${this.extent}${separator} ${beyond}`])
  }

  async #readList(list: ContactList, number: number): Promise<void> {
    let place = number * placesOfList
    try {
      for await (const { contact } of this.#source.api.lists.members(list.id, {
        limit: Infinity,
      })) {
        if (this.#hasFailed) return
        this.#count += 1
        this.#take(contact, number, place)
        place += 1
      }
    } catch (error) {
      throw error instanceof SvcError ? unreadable(error, list) : error
    }
  }

  #take(contact: Contact, list: number, order: number): void {
    const id = contact.id.toLowerCase()
    const known = this.#members.get(id)
    if (known === undefined) {
      if (this.#isWanted(contact)) this.#members.set(id, { contact, lists: [list], order })
      return
    }
    // An array that grows by itself keeps room for sixteen more.
    if (!known.lists.includes(list)) known.lists = [...known.lists, list]
    known.order = Math.min(known.order, order)
  }
}

function unreadable(error: SvcError, { id, name }: NamedList): SvcError {
  const { httpStatus, hint } = error.details
  const why =
    httpStatus === 404 ? ', which may have been deleted since: run the command again' : ''
  const lines = [
    `the list "${name}" (${id}) could not be read whole${why}; its members are not known`,
    hint,
  ]
  return error.withHint(join(lines, '\n'))
}

/** `5 cells cannot be read: B5: "see notes" has no phone number; …; 2 more`. Nothing without a case. */
export function tell(cases: readonly string[], what: string, why: string): string[] {
  if (cases.length === 0) return []
  return [`${pluralize(cases.length, what)} ${why}: ${firstOf(cases, 4).join('; ')}`]
}

/** Texts that may be too many: the last of them says how many more there are. */
export function firstOf(texts: readonly string[], most: number): string[] {
  if (texts.length <= most) return [...texts]
  const left = texts.length - most + 1
  return [...texts.slice(0, most - 1), `${groupDigits(left)} more`]
}
