/**
 * The contact lists of a company and who is on them, for `company.ts`. Contacts are known here by their positions alone. The order in
 * which contacts joined is remembered, because the description sorts members by it.
 */
import { limits } from '../api/operations.ts'
import { type Ids, minute } from './ids.ts'
import { refusals } from './answer.ts'
import type { SeedList } from './seed/company.ts'

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
      for (const [n, contact] of members.entries()) this.join(list, contact, created + n * minute)
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
function page<T>(all: readonly T[], paging: Paging) {
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
