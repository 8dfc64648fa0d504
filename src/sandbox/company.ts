/**
 * One company: a method for each of the ten operations, and the state that they share. `service.ts` calls the method of a request
 * whose key may make it. No HTTP here: a result is what the answer has under `data`, with the change that was made for the log; a rule
 * that is broken is thrown as a `Refusal`.
 *
 * Where the description is silent: `search` matches a part of the name, in any letter case; a merge removes the source,
 * unites the identities and moves memberships and chats to the target; `mergedContactId` is the source's id.
 */
import { limits, type OperationName } from '../api/operations.ts'
import type { Host } from '../host.ts'
import { refusals } from './answer.ts'
import {
  contactIdsIn,
  fieldsIn,
  idIn,
  listTextIn,
  pagingIn,
  textIn,
  type Call,
} from './input.ts'
import { Contacts, Lists } from './contacts.ts'
import type { Result } from './record.ts'
import type { Identities } from './seed/contacts.ts'
import { seedEmployees, seedLists, seedTickets, type SeedEmployee } from './seed/company.ts'
import { day, iso, seedingOf, type Seeding } from './ids.ts'
import { Tickets } from './tickets.ts'

const lowerCase = (id: string): string => id.toLowerCase()

/** Options of a sandbox's data; tests ask for fewer contacts than people get. */
export interface DataOptions {
  readonly seed?: number | undefined
  readonly contacts?: number | undefined
}

/** The two companies of a sandbox, and what they are made from. */
export type Companies = ReturnType<typeof createCompanies>

export function createCompanies(
  host: Pick<Host, 'now'>,
  { seed = 1, contacts = 5000 }: DataOptions,
) {
  const epoch = Math.floor(host.now() / day) * day
  const seeding = { seed, contacts, epoch }
  const companies = [
    new Company(seedingOf(seeding, 0)),
    new Company(seedingOf({ ...seeding, contacts: 30 }, 1)),
  ] as const
  return { seeding, companies }
}

/** A company that begins as its seed describes it and changes with each request. */
export class Company implements Record<OperationName, (call: Call) => Result> {
  readonly #ids: Seeding['ids']
  readonly contacts: Contacts
  readonly lists: Lists
  readonly tickets: Tickets
  readonly employees: readonly SeedEmployee[]

  constructor(seeding: Seeding) {
    this.#ids = seeding.ids
    this.employees = seedEmployees(seeding)
    this.contacts = new Contacts(seeding)
    this.lists = new Lists(seeding.ids.list, seedLists(seeding))
    this.tickets = new Tickets(seedTickets(seeding), this.employees)
  }

  /** API: operation 1, newest first. */
  'lists.list'({ query }: Call): Result {
    const paging = pagingIn(query)
    const search = textIn(query, 'search')
    const { items, pagination } = this.lists.page(search, paging)
    const lists = items.map((list) => this.lists.dataOf(list))
    return { data: { lists, pagination } }
  }

  /** API: operation 2. Names need not be unique: the description asks for none. */
  'lists.create'(call: Call): Result {
    const { name, description } = listTextIn(call)
    if (name === undefined) throw refusals.validation('name: is required')
    const list = this.lists.create(name, description, iso(call.now))
    return {
      data: this.lists.dataOf(list),
      change: { created: list.id, list: list.id },
    }
  }

  /** API: operation 3, members newest first. */
  'lists.get'({ ids, query }: Call): Result {
    const id = idIn(ids, 'listId')
    const paging = pagingIn(query)
    const list = this.lists.get(id)
    const { items, pagination } = this.lists.membersOf(list, paging)
    const members = items.map((contact) => {
      const membership = list.members.get(contact)
      return {
        id: this.#ids.membership.at(membership?.number ?? 0),
        contact: this.contacts.dataAt(contact),
        createdAt: membership && iso(membership.createdAt),
      }
    })
    return {
      data: {
        list: this.lists.dataOf(list),
        members,
        pagination,
      },
    }
  }

  /** API: operation 4. */
  'lists.update'(call: Call): Result {
    const { name, description } = listTextIn(call)
    if (name === undefined && description === undefined) {
      throw refusals.validation('body: at least one field is required')
    }
    const list = this.lists.get(idIn(call.ids, 'listId'))
    if (name !== undefined) list.name = name
    if (description !== undefined) list.description = description
    list.updatedAt = iso(call.now)
    return {
      data: this.lists.dataOf(list),
      change: { updated: list.id, list: list.id },
    }
  }

  /** API: operation 5. The counts add up to the array's length: an id twice is added, then "already in the list". */
  'lists.add-contacts'(call: Call): Result {
    const id = idIn(call.ids, 'listId')
    const contactIds = contactIdsIn(fieldsIn(call, 'contactIds'))
    const list = this.lists.get(id)
    const added: string[] = []
    const skipped: string[] = []
    const failed: string[] = []
    for (const contactId of contactIds.map(lowerCase)) {
      const contact = this.contacts.find(contactId)
      if (contact === undefined) {
        failed.push(contactId)
      } else if (list.members.has(contact)) {
        skipped.push(contactId)
      } else {
        this.lists.join(list, contact, call.now)
        added.push(contactId)
      }
    }
    if (added.length > 0) list.updatedAt = iso(call.now)
    return {
      data: {
        added: added.length,
        skipped: skipped.length,
        failed: failed.length,
      },
      change: { list: list.id, added, skipped, failed },
    }
  }

  /** API: operation 6. */
  'contacts.merge'(call: Call): Result {
    const sourceId = idIn(call.ids, 'sourceContactId')
    const body = fieldsIn(call, 'targetContactId')
    const targetId = idIn(body, 'targetContactId')
    const source = this.contacts.find(sourceId)
    if (source === undefined) throw refusals.unknown('the source contact')
    const target = this.contacts.find(targetId)
    if (target === undefined) throw refusals.unknown('the target contact')
    if (source === target)
      throw refusals.validation('a contact cannot be merged into itself')
    const from = this.contacts.stateAt(source)
    const into = this.contacts.stateAt(target)
    unite(from.identities, into.identities)
    into.chat ||= from.chat
    into.updatedAt = iso(call.now)
    this.contacts.change(target, into)
    this.lists.copy(source, target)
    this.#remove(source)
    const merged = {
      source: this.contacts.idAt(source),
      target: this.contacts.idAt(target),
    }
    const data = {
      mergedContactId: merged.source,
      contact: this.contacts.dataAt(target),
    }
    return { data, change: { merged } }
  }

  /** API: operation 7. An id counts once, whatever its letter case; ids are answered as they were sent. */
  'contacts.delete'(call: Call): Result {
    const seen = new Set<string>()
    const deleted: string[] = []
    const notFoundIds: string[] = []
    const blockedIds: string[] = []
    for (const id of contactIdsIn(fieldsIn(call, 'contactIds'))) {
      const lower = id.toLowerCase()
      if (seen.has(lower)) continue
      seen.add(lower)
      const contact = this.contacts.find(id)
      if (contact === undefined) {
        notFoundIds.push(id)
      } else if (this.contacts.stateAt(contact).chat) {
        blockedIds.push(id)
      } else {
        this.#remove(contact)
        deleted.push(lower)
      }
    }
    return {
      data: { deletedCount: deleted.length, notFoundIds, blockedIds },
      change: {
        deleted,
        notFound: notFoundIds.map(lowerCase),
        blocked: blockedIds.map(lowerCase),
      },
    }
  }

  /** API: operation 8. */
  'tickets.history'(call: Call): Result {
    const id = idIn(call.ids, 'ticketId')
    const cursor = textIn(call.query, 'chunkLastMessageId')
    return this.tickets.history(id, cursor, call)
  }

  /** API: operation 9. */
  'tickets.assign'(call: Call): Result {
    const id = idIn(call.ids, 'ticketId')
    const body = fieldsIn(call, 'newAssigneeId')
    return this.tickets.assign(id, idIn(body, 'newAssigneeId'))
  }

  /** API: operation 10, sorted by first name, last name and id (by code unit), at most 1000. */
  'employees.list'(): Result {
    const sorted = [...this.employees].sort((a, b) => {
      return (
        compareUnits(a.firstName, b.firstName) ||
        compareUnits(a.lastName, b.lastName) ||
        compareUnits(a.id, b.id)
      )
    })
    return { data: sorted.slice(0, limits.employees) }
  }

  /** Every list, oldest first, with the ids of its members, the one that joined first comes first. */
  *allLists() {
    for (const list of this.lists.all()) {
      const positions = this.lists.membersInOrder(list)
      yield {
        ...this.lists.dataOf(list),
        memberIds: positions.map((position) => this.contacts.idAt(position)),
      }
    }
  }

  #remove(contact: number): void {
    this.contacts.remove(contact)
    this.lists.leaveAll(contact)
  }
}

/** Negative when the first text comes first by its code units, as the description sorts. */
function compareUnits(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Adds to the second what only the first has. */
function unite(from: Identities, into: Identities): void {
  for (const [key, values] of Object.entries(from)) {
    const present = into[key] ?? []
    for (const value of values) {
      if (!present.includes(value)) present.push(value)
    }
  }
}
