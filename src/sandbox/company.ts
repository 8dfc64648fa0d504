/** The company of the sandbox: what it has, as it was seeded and as requests have changed it, and examples of it to try things with. */
import {
  day,
  emptyList,
  idOf,
  iso,
  minute,
  newList,
  seedContacts,
  seedEmployees,
  seedLists,
  vip,
} from './seed.ts'
import { seedTickets, ticketNames } from './tickets.ts'

export interface StoredList {
  id: string
  name: string
  description: string | undefined
  createdAt: string
  updatedAt: string
  /** The memberships by the contact's id, with the oldest first. */
  members: Map<string, { id: string; createdAt: string }>
}

/** A company. The keys of its maps are ids in lower case. */
export class Company {
  readonly contacts = new Map<string, ReturnType<typeof seedContacts>[number]>()
  /** The ids of contacts with chats, which are not deleted (API: Delete contacts in bulk). */
  readonly chats = new Set<string>()
  /** The lists, with the oldest first. The service has no operation that removes one. */
  readonly lists = new Map<string, StoredList>()
  readonly tickets = new Map<string, ReturnType<typeof seedTickets>[number]>()
  readonly employees: ReturnType<typeof seedEmployees>
  #nextList = newList
  #membershipCount = 0

  constructor(now: number) {
    const epoch = Math.floor(now / day) * day
    for (const [n, contact] of seedContacts(epoch).entries()) {
      this.contacts.set(contact.id, contact)
      if (n % 3 === 1) this.chats.add(contact.id)
    }
    for (const { id, name, description, createdAt, members } of seedLists(epoch)) {
      const list = this.#storeList(id, name, description, createdAt)
      for (const [n, contactId] of members.entries())
        this.addMember(list, contactId, createdAt + n * minute)
    }
    for (const seeded of seedTickets(epoch)) this.tickets.set(seeded.ticket.id, seeded)
    this.employees = seedEmployees(epoch)
  }

  /** Adds a list without members. */
  addList(name: string, description: string | undefined, now: number) {
    return this.#storeList(idOf('list', this.#nextList++), name, description, now)
  }

  #storeList(id: string, name: string, description: string | undefined, now: number) {
    const times = { createdAt: iso(now), updatedAt: iso(now) }
    const list: StoredList = { id, name, description, ...times, members: new Map() }
    this.lists.set(id, list)
    return list
  }

  addMember({ members }: StoredList, contactId: string, now: number) {
    const id = idOf('membership', (this.#membershipCount += 1))
    members.set(contactId, { id, createdAt: iso(now) })
  }

  /** Removes a contact, also from its lists. */
  removeContact(id: string) {
    this.contacts.delete(id)
    this.chats.delete(id)
    for (const { members } of this.lists.values()) members.delete(id)
  }
}

/** Returns ids of a new company to try things with, by what is special about them. */
export function examplesOf({ contacts, chats, tickets }: Company) {
  // No example changes the first contacts, who are the early customers.
  const ids = [...contacts.keys()].slice(38)
  const ticketIds = [...tickets.keys()]
  const special = ticketNames.map((name, n) => [name, ticketIds[n]])
  return {
    list: idOf('list', vip),
    emptyList: idOf('list', emptyList),
    contactsWithoutChats: ids.filter((id) => !chats.has(id)).slice(0, 300),
    contactsWithChats: ids.filter((id) => chats.has(id)).slice(0, 20),
    employee: idOf('employee', 1),
    aiEmployee: idOf('employee', 2),
    employeeInactive: idOf('employee', 3),
    employeeWithoutChannel: idOf('employee', 4),
    assignableTickets: ticketIds.slice(ticketNames.length),
    tickets: Object.fromEntries(special) as Record<(typeof ticketNames)[number], string>,
  }
}
