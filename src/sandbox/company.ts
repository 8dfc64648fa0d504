/**
 * The company of the sandbox: its state, and a method for each of the ten operations. A method returns the `data` of the answer, or
 * throws a `Refusal` if the request breaks a rule.
 *
 * The description of the service leaves some questions open. Here, `search` finds a part of a name, in any letter case. A merge
 * removes the source, and gives its identities, lists and chats to the target. `mergedContactId` is the source's id.
 */
import { limits, type OperationName } from '../api/operations.ts'
import { day, idOf, iso, minute } from './made-ids.ts'
import {
  check,
  existing,
  Refusal,
  checkId,
  contactIdsOf,
  fieldsOf,
  listTextOf,
  pageOf,
  queryText,
  type SandboxCall,
} from './request.ts'
import { emptyList, newList, seedContacts, seedEmployees, seedLists, vip } from './seed.ts'
import { seedTickets, ticketNames } from './tickets.ts'

interface StoredList {
  id: string
  name: string
  description: string | undefined
  createdAt: string
  updatedAt: string
  /** The memberships by the contact's id, with the oldest first. */
  members: Map<string, { id: string; createdAt: string }>
}

type StoredContact = ReturnType<typeof seedContacts>[number]

/** The company as it was seeded and as requests have changed it. The keys of its maps are ids in lower case. */
export class Company implements Record<OperationName, (call: SandboxCall) => unknown> {
  readonly contacts = new Map<string, StoredContact>()
  /** The ids of contacts with chats, which are not deleted (API: Delete contacts in bulk). */
  readonly chats = new Set<string>()
  /** The lists, with the oldest first. The service has no operation that removes one. */
  readonly lists = new Map<string, StoredList>()
  readonly tickets = new Map<string, ReturnType<typeof seedTickets>[number]>()
  readonly employees: ReturnType<typeof seedEmployees>
  #newList = newList
  #membershipCount = 0

  constructor(now: number) {
    const epoch = Math.floor(now / day) * day
    for (const [n, contact] of seedContacts(epoch).entries()) {
      this.contacts.set(contact.id, contact)
      if (n % 3 === 1) this.chats.add(contact.id)
    }
    for (const { id, name, description, createdAt, members } of seedLists(epoch)) {
      const list = this.#addList(id, name, description, createdAt)
      for (const [n, contactId] of members.entries())
        this.#addMember(list, contactId, createdAt + n * minute)
    }
    for (const seeded of seedTickets(epoch)) this.tickets.set(seeded.ticket.id, seeded)
    this.employees = seedEmployees(epoch)
  }

  #removeContact(id: string) {
    this.contacts.delete(id)
    this.chats.delete(id)
    for (const { members } of this.lists.values()) members.delete(id)
  }

  #findList({ id }: SandboxCall) {
    return existing(this.lists.get(id), 'the contact list')
  }

  #findTicket({ id }: SandboxCall) {
    return existing(this.tickets.get(id), 'the ticket')
  }

  #addList(id: string, name: string, description: string | undefined, now: number) {
    const times = { createdAt: iso(now), updatedAt: iso(now) }
    const list: StoredList = { id, name, description, ...times, members: new Map() }
    this.lists.set(id, list)
    return list
  }

  #addMember({ members }: StoredList, contactId: string, now: number) {
    const id = idOf('membership', (this.#membershipCount += 1))
    members.set(contactId, { id, createdAt: iso(now) })
  }

  /** API: operation 1. Lists come newest first. */
  'lists.list'({ query }: SandboxCall) {
    const wanted = queryText(query, 'search')?.toLowerCase() ?? ''
    const all = [...this.lists.values()].reverse()
    const found = all.filter(({ name }) => name.toLowerCase().includes(wanted))
    const { items, pagination } = pageOf(found, query)
    return { lists: items.map(listData), pagination }
  }

  /** API: operation 2. Names need not be unique, because the description does not say so. */
  'lists.create'(call: SandboxCall) {
    const { name, description } = listTextOf(call)
    check(name !== undefined, 'name is required')
    const id = idOf('list', this.#newList++)
    return listData(this.#addList(id, name, description, call.now))
  }

  /** API: operation 3. Members come newest first. */
  'lists.get'(call: SandboxCall) {
    const list = this.#findList(call)
    const { items, pagination } = pageOf([...list.members].reverse(), call.query)
    const members = items.map(([contactId, { id, createdAt }]) => ({
      id,
      contact: this.contacts.get(contactId),
      createdAt,
    }))
    return { list: listData(list), members, pagination }
  }

  /** API: operation 4. */
  'lists.update'(call: SandboxCall) {
    const { name, description } = listTextOf(call)
    check(name !== undefined || description !== undefined, 'at least one field is required')
    const list = this.#findList(call)
    list.name = name ?? list.name
    list.description = description ?? list.description
    list.updatedAt = iso(call.now)
    return listData(list)
  }

  /** API: operation 5. The counts add up to the number of ids. An id that appears twice counts as added and then as skipped. */
  'lists.add-contacts'(call: SandboxCall) {
    const contactIds = contactIdsOf(call)
    const list = this.#findList(call)
    const counts = { added: 0, skipped: 0, failed: 0 }
    for (const contactId of contactIds) {
      if (!this.contacts.has(contactId)) counts.failed += 1
      else if (list.members.has(contactId)) counts.skipped += 1
      else {
        this.#addMember(list, contactId, call.now)
        counts.added += 1
      }
    }
    if (counts.added > 0) list.updatedAt = iso(call.now)
    return counts
  }

  /** API: operation 6. */
  'contacts.merge'(call: SandboxCall) {
    const { targetContactId } = fieldsOf(call, 'targetContactId')
    const targetId = checkId(targetContactId, 'targetContactId')
    const source = existing(this.contacts.get(call.id), 'the source contact')
    const target = existing(this.contacts.get(targetId), 'the target contact')
    check(source !== target, 'a contact cannot be merged into itself')
    for (const [key, values] of Object.entries(source.identities)) {
      const known = target.identities[key] ?? []
      target.identities[key] = [...new Set([...known, ...values])]
    }
    target.updatedAt = iso(call.now)
    if (this.chats.has(source.id)) this.chats.add(target.id)
    for (const list of this.lists.values())
      if (list.members.has(source.id) && !list.members.has(target.id))
        this.#addMember(list, target.id, call.now)
    this.#removeContact(source.id)
    return { mergedContactId: source.id, contact: target }
  }

  /** API: operation 7. An id that appears twice, in any letter case, counts once. */
  'contacts.delete'(call: SandboxCall) {
    const ids = [...new Set(contactIdsOf(call))]
    const notFoundIds = ids.filter((id) => !this.contacts.has(id))
    const blockedIds = ids.filter((id) => this.chats.has(id))
    const kept = new Set([...notFoundIds, ...blockedIds])
    const deleted = ids.filter((id) => !kept.has(id))
    for (const id of deleted) this.#removeContact(id)
    return { deletedCount: deleted.length, notFoundIds, blockedIds }
  }

  /** API: operation 8. */
  'tickets.history'(call: SandboxCall) {
    const cursor = queryText(call.query, 'chunkLastMessageId')
    const { ticket, messages } = this.#findTicket(call)
    // API: operation 8, rule 4.
    check(ticket.status !== 'new', 'the history is unavailable while the ticket is new')
    // API: operation 8, rule 6.
    const age = call.now - Date.parse(ticket.startedAt)
    if (call.hasLimitedHistory && age > limits.historyDays * day) {
      const message = 'Tickets older than 30 days are unavailable on your current plan'
      throw new Refusal(403, message, 40352)
    }
    const all = messages()
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor)
    check(start >= 0, 'chunkLastMessageId is not a message of this ticket')
    const end = start + limits.messagesPerChunk
    return {
      ticket,
      messages: all.slice(start, end),
      nextChunkStartMessageId: all[end]?.id,
    }
  }

  /** API: operation 9 and "States and transitions", rule 2. Each refusal names the broken rule. */
  'tickets.assign'(call: SandboxCall) {
    const { newAssigneeId } = fieldsOf(call, 'newAssigneeId')
    const wanted = checkId(newAssigneeId, 'newAssigneeId')
    const { ticket, channel, isCurrent } = this.#findTicket(call)
    const { id: ticketId, chatId, assigneeId } = ticket
    const employee = this.employees.find(({ id }) => id === wanted)
    check(ticket.status === 'active', 'the ticket is not active')
    check(isCurrent, 'the ticket is not the current ticket of its chat')
    check(assigneeId !== null, 'the ticket has no assignee')
    check(employee !== undefined, 'the new assignee is not an employee of the company')
    check(employee.status === 'active', 'the new assignee is not active')
    check(wanted !== assigneeId, 'the new assignee is the current assignee')
    const hasChannel = employee.channels.includes(channel)
    check(hasChannel, "the new assignee has no access to the ticket's channel")
    ticket.assigneeId = wanted
    return { ticketId, chatId, previousAssigneeId: assigneeId, newAssigneeId: wanted }
  }

  /** API: operation 10. Sorted by first name, last name and id, by code unit. */
  'employees.list'() {
    const sortKeyOf = ({ firstName, lastName, id }: Company['employees'][number]) =>
      [firstName, lastName, id].join('\0')
    return this.employees.toSorted((one, other) =>
      sortKeyOf(one) < sortKeyOf(other) ? -1 : 1,
    )
  }
}

/** Returns a list as it is in answers. */
function listData({ members, createdAt, updatedAt, ...data }: StoredList) {
  return { ...data, contactsCount: members.size, createdAt, updatedAt }
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
