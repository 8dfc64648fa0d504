/**
 * The contacts of a company and the lists that they are on, for `company.ts`. Contacts are computed from the seed when they are asked for, so
 * that they cost no memory; only those that were changed are kept. Everybody else knows a contact by its position, which never changes.
 */
import { limits } from '../api/operations.ts'
import { type Ids, minute, type Seeding } from './ids.ts'
import { refusals } from './answer.ts'
import type { SeedList } from './seed/company.ts'
import { seedContact, type SeedContact } from './seed/contacts.ts'

type ContactData = Omit<SeedContact, 'chat'> & { readonly id: string }

/** The contacts of a company: who is there, and how those look who were changed. The others are computed when asked for. */
export class Contacts {
  readonly #seeding: Seeding
  readonly #gone = new Set<number>()
  readonly #changed = new Map<number, SeedContact>()

  constructor(seeding: Seeding) {
    this.#seeding = seeding
  }

  /** The position of a contact that is there, by its id in any letter case. */
  find(id: string): number | undefined {
    const position = this.#seeding.ids.contact.position(id)
    return position !== undefined && this.#has(position) ? position : undefined
  }

  idAt(position: number): string {
    return this.#seeding.ids.contact.at(position)
  }

  /** Everything about a contact; another object each time, unless it was changed before. */
  stateAt(position: number): SeedContact {
    return this.#changed.get(position) ?? seedContact(this.#seeding, position)
  }

  /** As the service answers with it. */
  dataAt(position: number): ContactData {
    const { chat: _, ...data } = this.stateAt(position)
    return { id: this.idAt(position), ...data }
  }

  *all(): Generator<ContactData & { chat: boolean }> {
    for (let position = 0; position < this.#seeding.contacts; position += 1) {
      if (this.#has(position)) yield { id: this.idAt(position), ...this.stateAt(position) }
    }
  }

  change(position: number, contact: SeedContact): void {
    this.#changed.set(position, contact)
  }

  remove(position: number): void {
    this.#gone.add(position)
  }

  #has(position: number): boolean {
    return position < this.#seeding.contacts && !this.#gone.has(position)
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
    }
    this.#lists.push(list)
    return list
  }

  join(list: StoredList, contact: number, createdAt: number): void {
    this.#memberships += 1
    list.members.set(contact, { number: this.#memberships, createdAt })
  }

  leaveAll(contact: number): void {
    for (const list of this.#lists) list.members.delete(contact)
  }

  /** Puts `target` on every list that `source` is on, in its place; a contact that is there already stays as it is. */
  copy(source: number, target: number): void {
    for (const list of this.#lists) {
      const membership = list.members.get(source)
      if (membership === undefined || list.members.has(target)) continue
      list.members.set(target, membership)
    }
  }

  /** A page of the positions of its members, the one that joined last comes first. */
  membersOf(list: StoredList, paging: Paging) {
    return page(this.membersInOrder(list).reverse(), paging)
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
