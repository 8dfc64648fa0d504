/**
 * The contacts of a company and the lists that they are on, for `company.ts`. Contacts are computed from the seed when they are asked for, so
 * that each of them costs one byte; only those that were changed are kept. Everybody else knows a contact by its position, which never changes.
 */
import { limits } from '../api/operations.ts'
import { type Ids, minute } from './ids.ts'
import { refusals } from './answer.ts'
import type { SeedList } from './seed/company.ts'
import { hasChat, type SeedContact } from './seed/contacts.ts'

type ContactData = Omit<SeedContact, 'chat'> & { readonly id: string }

interface ContactsSeed {
  readonly ids: Ids
  readonly count: number
  readonly at: (position: number) => SeedContact
}

/** The contacts of a company: who is there, and how those look who were changed. The others are computed when asked for. */
export class Contacts {
  readonly #seed: ContactsSeed
  /** One byte a contact: 1 is gone. */
  readonly #gone: Uint8Array
  readonly #changed = new Map<number, SeedContact>()
  /** How many are there. */
  count: number

  constructor(seed: ContactsSeed) {
    this.#seed = seed
    this.#gone = new Uint8Array(seed.count)
    this.count = seed.count
  }

  /** How many positions there are, those of removed contacts included. */
  get size(): number {
    return this.#gone.length
  }

  has(position: number): boolean {
    return this.#gone[position] === 0
  }

  /** The position of a contact that is there, by its id in any letter case. */
  find(id: string): number | undefined {
    const position = this.#seed.ids.position(id)
    if (position === undefined || !this.has(position)) return undefined
    return position
  }

  idAt(position: number): string {
    return this.#seed.ids.at(position)
  }

  /** Everything about a contact; another object each time, unless it was changed before. */
  stateAt(position: number): SeedContact {
    return this.#changed.get(position) ?? this.#seed.at(position)
  }

  hasChat(position: number): boolean {
    return this.#changed.get(position)?.chat ?? hasChat(position)
  }

  /** As the service answers with it. */
  dataAt(position: number): ContactData {
    const { firstName, lastName, identities, createdAt, updatedAt } = this.stateAt(position)
    return {
      id: this.idAt(position),
      firstName,
      lastName,
      identities,
      createdAt,
      updatedAt,
    }
  }

  *all(): Generator<ContactData & { chat: boolean }> {
    for (let position = 0; position < this.size; position += 1) {
      if (!this.has(position)) continue
      yield { ...this.dataAt(position), chat: this.hasChat(position) }
    }
  }

  change(position: number, contact: SeedContact): void {
    this.#changed.set(position, contact)
  }

  remove(position: number): void {
    this.#gone[position] = 1
    this.count -= 1
    this.#changed.delete(position)
  }
}

export interface Membership {
  /** Position of the membership's id; a later one joined later. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

export interface StoredList {
  readonly id: string
  name: string
  description: string | undefined
  readonly createdAt: string
  updatedAt: string
  /** By position of the contact. */
  readonly members: Map<number, Membership>
  /** Positions of the contacts, the one that joined last comes first; undefined after a change. */
  newestFirst: number[] | undefined
}

export type Paging = Readonly<Partial<Record<'page' | 'limit', number | undefined>>>

/** The lists of one company. None is ever removed: the description has no such operation. */
export class Lists {
  readonly #ids: Ids
  readonly #lists: StoredList[] = []
  #memberships = 0

  constructor(ids: Ids, lists: readonly SeedList[]) {
    this.#ids = ids
    for (const { name, description, createdAt, members } of lists) {
      const list = this.create(name, description, createdAt)
      const created = Date.parse(createdAt)
      for (const [n, contact] of members.entries())
        this.join(list, contact, created + n * minute)
    }
  }

  /** A page of those whose name has the text in it, newest first. */
  page(search: string | undefined, paging: Paging) {
    const wanted = search?.toLowerCase() ?? ''
    const matches = this.#lists.filter(({ name }) => name.toLowerCase().includes(wanted))
    return page(matches.reverse(), paging)
  }

  /** Throws a `Refusal` when there is none. */
  get(id: string): StoredList {
    const list = this.find(id)
    if (list === undefined) throw refusals.unknown('the contact list')
    return list
  }

  find(id: string): StoredList | undefined {
    const position = this.#ids.position(id)
    return position === undefined ? undefined : this.#lists[position]
  }

  create(name: string, description: string | undefined, createdAt: string): StoredList {
    const list: StoredList = {
      id: this.#ids.at(this.#lists.length),
      name,
      description,
      createdAt,
      updatedAt: createdAt,
      members: new Map(),
      newestFirst: undefined,
    }
    this.#lists.push(list)
    return list
  }

  join(list: StoredList, contact: number, createdAt: number): void {
    this.#memberships += 1
    this.#add(list, contact, { number: this.#memberships, createdAt })
  }

  leave(list: StoredList, contact: number): void {
    if (list.members.delete(contact)) list.newestFirst = undefined
  }

  leaveAll(contact: number): void {
    for (const list of this.#lists) this.leave(list, contact)
  }

  /** Puts `target` on every list that `source` is on, in its place; a contact that is there already stays as it is. */
  copy(source: number, target: number): void {
    for (const list of this.#lists) {
      const membership = list.members.get(source)
      if (membership === undefined || list.members.has(target)) continue
      this.#add(list, target, membership)
    }
  }

  /** A page of the positions of its members, the one that joined last comes first. */
  membersOf(list: StoredList, paging: Paging) {
    list.newestFirst ??= this.membersInOrder(list).reverse()
    return page(list.newestFirst, paging)
  }

  /** The positions of its members, the one that joined first comes first. */
  membersInOrder({ members }: StoredList): number[] {
    const numberOf = (contact: number): number => members.get(contact)?.number ?? 0
    return [...members.keys()].sort((a, b) => numberOf(a) - numberOf(b))
  }

  /** As the service answers with it. */
  dataOf({ id, name, description, members, createdAt, updatedAt }: StoredList) {
    return {
      id,
      name,
      description,
      contactsCount: members.size,
      createdAt,
      updatedAt,
    }
  }

  /** Every list, oldest first. */
  all(): readonly StoredList[] {
    return this.#lists
  }

  #add(list: StoredList, contact: number, membership: Membership): void {
    list.members.set(contact, membership)
    list.newestFirst = undefined
  }
}

/** API: Pagination. A page beyond the last one is empty. */
export function page<T>(all: readonly T[], paging: Paging) {
  const page = paging.page ?? 1
  const limit = paging.limit ?? limits.pageSize.default
  const total = all.length
  const totalPages = Math.ceil(total / limit)
  return {
    items: all.slice((page - 1) * limit, page * limit),
    pagination: {
      page,
      limit,
      total,
      totalPages,
      hasNext: page < totalPages,
      hasPrev: page > 1,
    },
  }
}
