/**
 * The contacts and the lists of a company as they are now, for `company.ts`. A contact is computed from the seed when it is first asked for,
 * so a sandbox with 100,000 contacts starts at once.
 */
import { limits } from '../api/operations.ts'
import type { Seeding } from './ids.ts'
import { seedContact, type SeedContact } from './seed/contacts.ts'

/** The contacts of a company. */
export class Contacts {
  readonly #seeding: Seeding
  /** Contacts that were asked for, by id; undefined for those that are gone. */
  readonly #made = new Map<string, SeedContact | undefined>()

  constructor(seeding: Seeding) {
    this.#seeding = seeding
  }

  /** The contact with an id in any letter case. */
  find(id: string): SeedContact | undefined {
    const key = id.toLowerCase()
    if (this.#made.has(key)) return this.#made.get(key)
    const position = this.#seeding.ids.contact.position(key) ?? Infinity
    if (position >= this.#seeding.contacts) return undefined
    const contact = seedContact(this.#seeding, position)
    this.#made.set(key, contact)
    return contact
  }

  *all(): Generator<SeedContact> {
    for (let position = 0; position < this.#seeding.contacts; position += 1) {
      const contact = this.find(this.#seeding.ids.contact.at(position))
      if (contact !== undefined) yield contact
    }
  }

  remove({ id }: SeedContact): void {
    this.#made.set(id, undefined)
  }
}

/** A contact as the service answers with it. */
export function contactData(contact: SeedContact) {
  const { chat: _, ...data } = contact
  return data
}

export interface Membership {
  /** Position of its id. */
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
  /** By the contact's id; who joined first comes first. */
  members: Map<string, Membership>
}

/** A list as the service answers with it. */
export function listData({ members, createdAt, updatedAt, ...data }: StoredList) {
  return { ...data, contactsCount: members.size, createdAt, updatedAt }
}

export type Paging = Readonly<Partial<Record<'page' | 'limit', number | undefined>>>

/** API: Pagination. A page beyond the last one is empty. */
export function pageOf<T>(
  all: readonly T[],
  { page = 1, limit = limits.pageSize.default }: Paging,
) {
  const total = all.length
  const totalPages = Math.ceil(total / limit)
  const hasNext = page < totalPages
  const pagination = { page, limit, total, totalPages, hasNext, hasPrev: page > 1 }
  return { items: all.slice((page - 1) * limit, page * limit), pagination }
}
