/**
 * One company: a method for each of the ten operations, and the state that they share. It knows no HTTP: a
 * method returns the `data` of the answer, or throws a `Refusal` if a rule is broken.
 *
 * Where the description is silent: `search` finds a part of a name, in any letter case. A merge removes the source, and the
 * target gets its identities, lists and chats. `mergedContactId` is the source's id.
 */
import { limits, type OperationName } from '../api/operations.ts'
import type { Host } from '../host.ts'
import { refusals } from './exchange.ts'
import {
  bodyIdIn,
  contactIdsIn,
  idIn,
  listTextIn,
  pagingIn,
  queryText,
  type SandboxCall,
  type PageRequest,
} from './input.ts'
import { contactData, Contacts, type SeedContact } from './contacts.ts'
import { day, iso, minute, seedingOf, type Seeding } from './ids.ts'
import { seedEmployees, seedLists, seedTickets, type SeedEmployee } from './seed.ts'
import { assign, historyOf, type SeedTicket } from './tickets.ts'

/** Options of a sandbox's data; tests use fewer contacts than the default. */
export interface DataOptions {
  seed?: number | undefined
  contacts?: number | undefined
}

/** The company of a sandbox. */
export function createCompany(
  host: Pick<Host, 'now'>,
  { seed = 1, contacts = 5000 }: DataOptions,
) {
  const epoch = Math.floor(host.now() / day) * day
  return new Company(seedingOf({ seed, contacts, epoch }))
}

interface StoredList {
  id: string
  name: string
  description: string | undefined
  createdAt: string
  updatedAt: string
  /**
   * Members by the contact's id, in the order in which they joined: the position from which the id of a membership is made,
   * and its time in milliseconds since 1970.
   */
  members: Map<string, { number: number; createdAt: number }>
}

/** A company. It begins as its seed describes it, and requests change it. */
export class Company implements Record<OperationName, (call: SandboxCall) => unknown> {
  readonly seeding: Seeding
  readonly contacts: Contacts
  /** By id, the oldest first. None is ever removed: the description has no such operation. */
  readonly lists = new Map<string, StoredList>()
  /** By id. */
  readonly tickets: ReadonlyMap<string, SeedTicket>
  readonly employees: readonly SeedEmployee[]
  #memberships = 0

  constructor(seeding: Seeding) {
    this.seeding = seeding
    this.employees = seedEmployees(seeding)
    this.contacts = new Contacts(seeding)
    this.tickets = new Map(seedTickets(seeding).map((ticket) => [ticket.id, ticket]))
    for (const { name, description, createdAt, members } of seedLists(seeding)) {
      const list = this.createList(name, description, createdAt)
      for (const [n, position] of members.entries())
        this.join(list, seeding.ids.contact(position), createdAt + n * minute)
    }
  }

  /** Lists whose name contains the text, the newest first. */
  listsWith(text: string): StoredList[] {
    const wanted = text.toLowerCase()
    const all = [...this.lists.values()]
    return all.filter(({ name }) => name.toLowerCase().includes(wanted)).reverse()
  }

  /** The list with an id in any letter case. Throws a `Refusal` if there is none. */
  findList(id: string): StoredList {
    const list = this.lists.get(id.toLowerCase())
    if (list === undefined) throw refusals.notFound('the contact list')
    return list
  }

  /** The ticket with an id in any letter case. Throws a `Refusal` if there is none. */
  findTicket(id: string): SeedTicket {
    const ticket = this.tickets.get(id.toLowerCase())
    if (ticket === undefined) throw refusals.notFound('the ticket')
    return ticket
  }

  createList(name: string, description: string | undefined, now: number): StoredList {
    const id = this.seeding.ids.list(this.lists.size)
    const createdAt = iso(now)
    const times = { createdAt, updatedAt: createdAt }
    const list: StoredList = { id, name, description, ...times, members: new Map() }
    this.lists.set(id, list)
    return list
  }

  join(list: StoredList, contactId: string, now: number) {
    this.#memberships += 1
    list.members.set(contactId, { number: this.#memberships, createdAt: now })
  }

  /** API: operation 1, newest first. */
  'lists.list'({ query }: SandboxCall) {
    const paging = pagingIn(query)
    const matches = this.listsWith(queryText(query, 'search') ?? '')
    const { items, pagination } = pageOf(matches, paging)
    return { lists: items.map(listData), pagination }
  }

  /** API: operation 2. Names need not be unique: the description asks for none. */
  'lists.create'(call: SandboxCall) {
    const { name, description } = listTextIn(call)
    if (name === undefined) throw refusals.validation('name: is required')
    const list = this.createList(name, description, call.now)
    return listData(list)
  }

  /** API: operation 3, members newest first. */
  'lists.get'({ ids, query }: SandboxCall) {
    const id = idIn(ids, 'listId')
    const paging = pagingIn(query)
    const list = this.findList(id)
    const { items, pagination } = pageOf([...list.members].reverse(), paging)
    const members = items.map(([contactId, { number, createdAt }]) => {
      const contact = this.contacts.find(contactId)
      return {
        id: this.seeding.ids.membership(number),
        contact: contact && contactData(contact),
        createdAt: iso(createdAt),
      }
    })
    return { list: listData(list), members, pagination }
  }

  /** API: operation 4. */
  'lists.update'(call: SandboxCall) {
    const { name, description } = listTextIn(call)
    if (name === undefined && description === undefined) {
      throw refusals.validation('body: at least one field is required')
    }
    const list = this.findList(idIn(call.ids, 'listId'))
    list.name = name ?? list.name
    list.description = description ?? list.description
    list.updatedAt = iso(call.now)
    return listData(list)
  }

  /** API: operation 5. The counts add up to the number of ids: one that appears twice counts as added, then as skipped. */
  'lists.add-contacts'(call: SandboxCall) {
    const id = idIn(call.ids, 'listId')
    const contactIds = contactIdsIn(call)
    const list = this.findList(id)
    const counts = { added: 0, skipped: 0, failed: 0 }
    for (const contactId of contactIds) {
      const contact = this.contacts.find(contactId)
      if (contact === undefined) counts.failed += 1
      else if (list.members.has(contact.id)) counts.skipped += 1
      else {
        this.join(list, contact.id, call.now)
        counts.added += 1
      }
    }
    if (counts.added > 0) list.updatedAt = iso(call.now)
    return counts
  }

  /** API: operation 6. */
  'contacts.merge'(call: SandboxCall) {
    const sourceId = idIn(call.ids, 'sourceContactId')
    const targetId = bodyIdIn(call, 'targetContactId')
    const source = this.contacts.find(sourceId)
    if (source === undefined) throw refusals.notFound('the source contact')
    const target = this.contacts.find(targetId)
    if (target === undefined) throw refusals.notFound('the target contact')
    if (source === target)
      throw refusals.validation('a contact cannot be merged into itself')
    for (const [key, values] of Object.entries(source.identities)) {
      const known = target.identities[key] ?? []
      target.identities[key] = [...new Set([...known, ...values])]
    }
    target.chat ||= source.chat
    target.updatedAt = iso(call.now)
    for (const list of this.lists.values()) {
      const { members } = list
      if (members.has(source.id) && !members.has(target.id))
        this.join(list, target.id, call.now)
    }
    this.#remove(source)
    return { mergedContactId: source.id, contact: contactData(target) }
  }

  /** API: operation 7. An id counts once in any letter case. The answer has ids as they were sent. */
  'contacts.delete'(call: SandboxCall) {
    const ids = contactIdsIn(call)
    const keys = ids.map((id) => id.toLowerCase())
    const unique = ids.filter((id, n) => keys.indexOf(id.toLowerCase()) === n)
    const notFoundIds: string[] = []
    const blockedIds: string[] = []
    let deletedCount = 0
    for (const id of unique) {
      const contact = this.contacts.find(id)
      if (contact === undefined) notFoundIds.push(id)
      else if (contact.chat) blockedIds.push(id)
      else {
        this.#remove(contact)
        deletedCount += 1
      }
    }
    return { deletedCount, notFoundIds, blockedIds }
  }

  /** API: operation 8. */
  'tickets.history'(call: SandboxCall) {
    const id = idIn(call.ids, 'ticketId')
    const cursor = queryText(call.query, 'chunkLastMessageId')
    return historyOf(this.findTicket(id), cursor, call)
  }

  /** API: operation 9. */
  'tickets.assign'(call: SandboxCall) {
    const id = idIn(call.ids, 'ticketId')
    const wanted = bodyIdIn(call, 'newAssigneeId')
    return assign(this.findTicket(id), this.employees, wanted)
  }

  /** API: operation 10, sorted by first name, last name and id (by code unit), at most 1000. */
  'employees.list'() {
    const keyOf = ({ firstName, lastName, id }: SeedEmployee) =>
      [firstName, lastName, id].join('\0')
    const sorted = this.employees.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    return sorted.slice(0, limits.employees)
  }

  #remove(contact: SeedContact) {
    this.contacts.remove(contact)
    for (const { members } of this.lists.values()) members.delete(contact.id)
  }
}

/** A list as the service answers with it. */
function listData({ members, createdAt, updatedAt, ...data }: StoredList) {
  return { ...data, contactsCount: members.size, createdAt, updatedAt }
}

/** API: Pagination. A page beyond the last one is empty. */
function pageOf<T>(
  all: readonly T[],
  { page = 1, limit = limits.pageSize.default }: PageRequest,
) {
  const total = all.length
  const totalPages = Math.ceil(total / limit)
  const hasNext = page < totalPages
  const pagination = { page, limit, total, totalPages, hasNext, hasPrev: page > 1 }
  return { items: all.slice((page - 1) * limit, page * limit), pagination }
}
