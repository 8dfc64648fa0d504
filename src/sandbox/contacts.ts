/** The contacts of a company: who is there, and how those look who were changed. The others are computed when asked for. */
import type { Ids } from './ids.ts'
import { hasChat, type SeedContact } from './seed/contacts.ts'

type ContactData = Omit<SeedContact, 'chat'> & { readonly id: string }

export interface ContactsSeed {
  readonly ids: Ids
  readonly count: number
  readonly at: (position: number) => SeedContact
}

/** The part of the contacts that a data file keeps. */
export interface ContactsSnapshot {
  /** A bit for each contact, in base64: 1 is deleted or merged away. */
  readonly deleted: string
  readonly changed: readonly (readonly [number, SeedContact])[]
}

export class Contacts {
  readonly #seed: ContactsSeed
  /** One byte a contact: 1 is gone. */
  readonly #gone: Uint8Array
  readonly #changed = new Map<number, SeedContact>()
  /** How many are there. */
  count: number

  constructor(seed: ContactsSeed, snapshot?: ContactsSnapshot) {
    this.#seed = seed
    this.#gone = new Uint8Array(seed.count)
    this.count = seed.count
    if (snapshot === undefined) return
    const bits = Buffer.from(snapshot.deleted, 'base64')
    for (let position = 0; position < this.#gone.length; position += 1) {
      if (((bits[position >> 3] ?? 0) >> (position & 7)) % 2 === 1) this.remove(position)
    }
    for (const [position, contact] of snapshot.changed) this.change(position, contact)
  }

  /** The position of a contact that is there, by its id in any letter case. */
  find(id: string): number | undefined {
    const position = this.#seed.ids.position(id)
    return position !== undefined && this.#gone[position] === 0 ? position : undefined
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
    return { id: this.idAt(position), firstName, lastName, identities, createdAt, updatedAt }
  }

  *all(): Generator<ContactData & { chat: boolean }> {
    for (let position = 0; position < this.#gone.length; position += 1) {
      if (this.#gone[position] === 0) yield { ...this.dataAt(position), chat: this.hasChat(position) }
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

  snapshot(): ContactsSnapshot {
    const bits = Buffer.alloc(Math.ceil(this.#gone.length / 8))
    this.#gone.forEach((gone, position) => {
      if (gone === 1) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7))
    })
    return { deleted: bits.toString('base64'), changed: [...this.#changed] }
  }
}
