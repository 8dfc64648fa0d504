/**
 * The contacts of a company, for `company.ts`. They are computed from the seed when they are asked for, so that each of them costs
 * one byte; only those that were changed are kept. Everybody else knows a contact by its position, which never changes.
 */
import type { Ids } from './ids.ts'
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
