/**
 * The state of one company and what the ten operations do to it. No HTTP here: input is checked already, a result is
 * what stands under `data`, and a rule that is broken is thrown as a `Refusal`.
 *
 * Where the description is silent: `search` matches a part of the name, in any letter case; a merge removes the source,
 * unites the identities and moves memberships and chats to the target; `mergedContactId` is the source's id.
 */
import { limits } from '../api/limits.ts'
import { refusals } from './refusal.ts'
import { hasChat, type CompanySeed, type Identities, type SeedContact } from './seed.ts'
import { day, minute, type SeedMessage, type SeedTicket } from './seed-tickets.ts'

/** What a request really did, for `record`. Ids are in lower case. */
export interface Change {
  list?: string
  created?: string
  updated?: string
  added?: string[]
  skipped?: string[]
  failed?: string[]
  deleted?: string[]
  notFound?: string[]
  blocked?: string[]
  merged?: { source: string; target: string }
  assigned?: { ticket: string; from: string; to: string }
}

/** A result and, for a write, what changed. */
export interface Outcome {
  readonly data: unknown
  readonly change?: Change
}

export interface ContactListData {
  id: string
  name: string
  description?: string
  contactsCount: number
  createdAt: string
  updatedAt: string
}

export interface ContactData {
  id: string
  firstName: string
  lastName: string
  identities: Identities
  createdAt: string
  updatedAt: string
}

interface Membership {
  /** Position of the membership's id; a later one joined later. */
  readonly number: number
  readonly createdAt: string
}

interface StoredList {
  readonly position: number
  name: string
  description: string | undefined
  readonly createdAt: string
  updatedAt: string
  /** By position of the contact. */
  readonly members: Map<number, Membership>
  /** Positions of the contacts, the one that joined last comes first; undefined after a change. */
  newestFirst: number[] | undefined
}

export interface Paging {
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** What `--data` keeps of a company: the differences from its seed, and its lists whole. */
export interface CompanySnapshot {
  readonly membershipCount: number
  /** A bit for each contact, in base64: 1 is deleted or merged away. */
  readonly deleted: string
  readonly changed: readonly (readonly [number, SeedContact])[]
  readonly lists: readonly {
    readonly name: string
    readonly description: string | null
    readonly createdAt: string
    readonly updatedAt: string
    readonly members: readonly (readonly [contact: number, number: number, createdAt: string])[]
  }[]
  readonly assignees: readonly (readonly [ticket: string, employee: string])[]
}

/** How the history is cut into chunks: the service's way, or another one that the description allows as well. */
export interface Chunking {
  readonly size: number
  /** The cursor is the id of the last message that was given, and the next chunk begins after it. */
  readonly exclusive: boolean
  /** The next chunk begins with the last message of this one. */
  readonly overlap: boolean
}

export const usualChunking: Chunking = { size: limits.messagesPerChunk, exclusive: false, overlap: false }

const iso = (time: number): string => new Date(time).toISOString()

export class Company {
  readonly #seed: CompanySeed
  /** One byte a contact: 1 is gone. */
  readonly #gone: Uint8Array
  /** In how many lists each contact is: most are in none, and deleting them need not look. */
  readonly #listsOf: Uint16Array
  readonly #changed = new Map<number, SeedContact>()
  readonly #lists: StoredList[] = []
  readonly #tickets = new Map<string, SeedTicket>()
  readonly #assignees = new Map<string, string>()
  #memberships = 0
  #present: number

  constructor(seed: CompanySeed, snapshot?: CompanySnapshot) {
    this.#seed = seed
    this.#gone = new Uint8Array(seed.contactCount)
    this.#listsOf = new Uint16Array(seed.contactCount)
    this.#present = seed.contactCount
    for (const ticket of seed.tickets) this.#tickets.set(ticket.id, ticket)
    if (snapshot !== undefined) {
      this.#restore(snapshot)
      return
    }
    for (const list of seed.lists) {
      const stored = this.#append(list.name, list.description, list.createdAt)
      const created = Date.parse(list.createdAt)
      for (const [n, contact] of list.members.entries()) {
        this.#join(stored, contact, this.#membership(iso(created + n * minute)))
      }
    }
  }

  // Operations 1 to 5

  /** API: operation 1, newest first. */
  lists({ search, ...paging }: Paging & { readonly search?: string | undefined }): Outcome {
    const wanted = search?.toLowerCase()
    const found = this.#lists
      .filter((list) => wanted === undefined || list.name.toLowerCase().includes(wanted))
      .reverse()
    const { items, pagination } = paged(found, paging)
    return { data: { lists: items.map((list) => this.#listData(list)), pagination } }
  }

  /** API: operation 2. Names need not be unique: the description asks for none. */
  createList(body: { readonly name: string; readonly description?: string | undefined }, now: number): Outcome {
    const list = this.#append(body.name, body.description, iso(now))
    const data = this.#listData(list)
    return { data, change: { created: data.id, list: data.id } }
  }

  /** API: operation 3, members newest first. */
  list(id: string, paging: Paging): Outcome {
    const list = this.#list(id)
    list.newestFirst ??= [...list.members.entries()]
      .sort(([, a], [, b]) => b.number - a.number)
      .map(([contact]) => contact)
    const { items, pagination } = paged(list.newestFirst, paging)
    const members = items.map((contact) => {
      const membership = list.members.get(contact)
      return {
        id: this.#seed.ids.membership.at(membership?.number ?? 0),
        contact: this.#contactData(contact),
        createdAt: membership?.createdAt,
      }
    })
    return { data: { list: this.#listData(list), members, pagination } }
  }

  /** API: operation 4. */
  updateList(
    id: string,
    body: { readonly name?: string | undefined; readonly description?: string | undefined },
    now: number,
  ): Outcome {
    const list = this.#list(id)
    if (body.name !== undefined) list.name = body.name
    if (body.description !== undefined) list.description = body.description
    list.updatedAt = iso(now)
    const data = this.#listData(list)
    return { data, change: { updated: data.id, list: data.id } }
  }

  /**
   * API: operation 5. Each element is looked at in turn, so that the three counts add up to the length of the array: an
   * id that is given twice is added once and then "already in the list".
   */
  addContacts(id: string, contactIds: readonly string[], now: number): Outcome {
    const list = this.#list(id)
    const added: string[] = []
    const skipped: string[] = []
    const failed: string[] = []
    for (const contactId of contactIds) {
      const contact = this.#contact(contactId)
      if (contact === undefined) failed.push(contactId.toLowerCase())
      else if (list.members.has(contact)) skipped.push(contactId.toLowerCase())
      else {
        this.#join(list, contact, this.#membership(iso(now)))
        added.push(contactId.toLowerCase())
      }
    }
    if (added.length > 0) list.updatedAt = iso(now)
    return {
      data: { added: added.length, skipped: skipped.length, failed: failed.length },
      change: { list: this.#seed.ids.list.at(list.position), added, skipped, failed },
    }
  }

  // Operations 6 and 7

  /** API: operation 6. */
  merge(sourceId: string, targetId: string, now: number): Outcome {
    const source = this.#contact(sourceId)
    if (source === undefined) throw refusals.unknown('the source contact')
    const target = this.#contact(targetId)
    if (target === undefined) throw refusals.unknown('the target contact')
    if (source === target) throw refusals.validation('a contact cannot be merged into itself')
    const from = this.#contactState(source)
    const into = this.#contactState(target)
    for (const [key, values] of Object.entries(from.identities)) {
      const known = identitiesOf(into.identities, key)
      for (const value of values) if (!known.includes(value)) known.push(value)
    }
    into.chat ||= from.chat
    into.updatedAt = iso(now)
    this.#changed.set(target, into)
    for (const list of this.#lists) {
      const membership = list.members.get(source)
      if (membership === undefined) continue
      if (!list.members.has(target)) this.#join(list, target, membership)
    }
    this.#remove(source)
    const merged = { source: this.#seed.ids.contact.at(source), target: this.#seed.ids.contact.at(target) }
    return { data: { mergedContactId: merged.source, contact: this.#contactData(target) }, change: { merged } }
  }

  /**
   * API: operation 7. An id that is given twice, in whatever letter case, counts once. Ids are answered as they were
   * sent.
   */
  deleteContacts(contactIds: readonly string[]): Outcome {
    const seen = new Set<string>()
    const deleted: string[] = []
    const notFoundIds: string[] = []
    const blockedIds: string[] = []
    for (const id of contactIds) {
      const lower = id.toLowerCase()
      if (seen.has(lower)) continue
      seen.add(lower)
      const contact = this.#contact(id)
      if (contact === undefined) notFoundIds.push(id)
      else if (this.#hasChat(contact)) blockedIds.push(id)
      else {
        this.#remove(contact)
        deleted.push(lower)
      }
    }
    return {
      data: { deletedCount: deleted.length, notFoundIds, blockedIds },
      change: { deleted, notFound: notFoundIds.map(lowerCase), blocked: blockedIds.map(lowerCase) },
    }
  }

  // Operations 8 to 10

  /** API: operation 8. `limited`: the company's plan shows no history older than 30 days. */
  history(id: string, cursor: string | undefined, limited: boolean, now: number, chunking = usualChunking): Outcome {
    const ticket = this.#ticket(id)
    // API: operation 8, rule 4.
    if (ticket.status === 'new') throw refusals.validation('the history is unavailable while the ticket is new')
    // API: operation 8, rule 6.
    if (limited && now - Date.parse(ticket.startedAt) > limits.historyDays * day) throw refusals.history()
    const start = cursor === undefined ? 0 : this.#startOf(ticket, cursor, chunking)
    const end = Math.min(start + chunking.size, ticket.messageCount)
    const messages: SeedMessage[] = []
    for (let place = start; place < end; place += 1) messages.push(ticket.message(place))
    // An exclusive cursor is given after every full chunk, so that the last chunk may be empty.
    const more = chunking.exclusive ? messages.length === chunking.size : end < ticket.messageCount
    const next = more ? ticket.message(chunking.exclusive || chunking.overlap ? end - 1 : end).id : undefined
    return {
      data: {
        ticket: {
          id: ticket.id,
          chatId: ticket.chatId,
          status: ticket.status,
          assigneeId: this.#assignee(ticket),
          startedAt: ticket.startedAt,
          attribution: ticket.attribution,
        },
        messages,
        ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
      },
    }
  }

  /** API: operation 9 and "States and transitions", rule 2. Each refusal names the rule that is broken. */
  assign(id: string, newAssigneeId: string): Outcome {
    const ticket = this.#ticket(id)
    const previous = this.#assignee(ticket)
    if (ticket.status !== 'active') throw refusals.validation('the ticket is not active')
    if (!ticket.current) throw refusals.validation('the ticket is not the current ticket of its chat')
    if (previous === null) throw refusals.validation('the ticket has no assignee')
    const wanted = newAssigneeId.toLowerCase()
    const employee = this.#seed.employees.find((one) => one.id === wanted)
    if (employee === undefined) throw refusals.validation('the new assignee is not an employee of the company')
    if (employee.status !== 'active') throw refusals.validation('the new assignee is not active')
    if (employee.id === previous) throw refusals.validation('the new assignee is the current assignee')
    if (!employee.channels.includes(ticket.channel)) {
      throw refusals.validation("the new assignee has no access to the ticket's channel")
    }
    this.#assignees.set(ticket.id, employee.id)
    return {
      data: {
        ticketId: ticket.id,
        chatId: ticket.chatId,
        previousAssigneeId: previous,
        newAssigneeId: employee.id,
      },
      change: { assigned: { ticket: ticket.id, from: previous, to: employee.id } },
    }
  }

  /** API: operation 10, sorted by first name, last name and id (by code unit), at most 1000. */
  employees(): Outcome {
    const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
    const sorted = [...this.#seed.employees].sort(
      (a, b) => order(a.firstName, b.firstName) || order(a.lastName, b.lastName) || order(a.id, b.id),
    )
    return { data: sorted.slice(0, limits.employees) }
  }

  // For tests and for `/_sandbox/state`

  get contactCount(): number {
    return this.#present
  }

  /** Whether a contact is there, by its id in any letter case. */
  hasContact(id: string): boolean {
    return this.#contact(id) !== undefined
  }

  contact(id: string): (ContactData & { chat: boolean }) | undefined {
    const position = this.#contact(id)
    return position === undefined ? undefined : { ...this.#contactData(position), chat: this.#hasChat(position) }
  }

  *contacts(): Generator<ContactData & { chat: boolean }> {
    for (let position = 0; position < this.#gone.length; position += 1) {
      if (this.#gone[position] === 0) yield { ...this.#contactData(position), chat: this.#hasChat(position) }
    }
  }

  /** Every list, oldest first, with the ids of its members, the one that joined first comes first. */
  *allLists(): Generator<ContactListData & { memberIds: string[] }> {
    for (const list of this.#lists) {
      const members = [...list.members.entries()].sort(([, a], [, b]) => a.number - b.number)
      yield { ...this.#listData(list), memberIds: members.map(([contact]) => this.#seed.ids.contact.at(contact)) }
    }
  }

  /** Ids of the members of a list; empty for an unknown list. */
  memberIds(listId: string): Set<string> {
    const position = this.#seed.ids.list.position(listId)
    const list = position === undefined ? undefined : this.#lists[position]
    return new Set([...(list?.members.keys() ?? [])].map((contact) => this.#seed.ids.contact.at(contact)))
  }

  /** The assignee of a ticket now; null without one, undefined for an unknown ticket. */
  assigneeOf(ticketId: string): string | null | undefined {
    const ticket = this.#tickets.get(ticketId.toLowerCase())
    return ticket === undefined ? undefined : this.#assignee(ticket)
  }

  *allTickets(): Generator<Record<string, unknown>> {
    for (const { id, chatId, status, startedAt, channel, current, messageCount } of this.#tickets.values()) {
      yield { id, chatId, status, assigneeId: this.assigneeOf(id), startedAt, channel, current, messageCount }
    }
  }

  allEmployees(): CompanySeed['employees'] {
    return this.#seed.employees
  }

  snapshot(): CompanySnapshot {
    const bits = Buffer.alloc(Math.ceil(this.#gone.length / 8))
    this.#gone.forEach((gone, position) => {
      if (gone === 1) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7))
    })
    return {
      membershipCount: this.#memberships,
      deleted: bits.toString('base64'),
      changed: [...this.#changed],
      lists: this.#lists.map(({ name, description, createdAt, updatedAt, members }) => ({
        name,
        description: description ?? null,
        createdAt,
        updatedAt,
        members: [...members].map(([contact, { number, createdAt: joined }]) => [contact, number, joined] as const),
      })),
      assignees: [...this.#assignees],
    }
  }

  #restore(snapshot: CompanySnapshot): void {
    const bits = Buffer.from(snapshot.deleted, 'base64')
    for (let position = 0; position < this.#gone.length; position += 1) {
      if (((bits[position >> 3] ?? 0) >> (position & 7)) % 2 === 0) continue
      this.#gone[position] = 1
      this.#present -= 1
    }
    for (const [position, contact] of snapshot.changed) this.#changed.set(position, contact)
    for (const saved of snapshot.lists) {
      const list = this.#append(saved.name, saved.description ?? undefined, saved.createdAt)
      list.updatedAt = saved.updatedAt
      for (const [contact, number, createdAt] of saved.members) this.#join(list, contact, { number, createdAt })
    }
    for (const [ticket, employee] of snapshot.assignees) this.#assignees.set(ticket, employee)
    this.#memberships = snapshot.membershipCount
  }

  #append(name: string, description: string | undefined, createdAt: string): StoredList {
    const list: StoredList = {
      position: this.#lists.length,
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

  #membership(createdAt: string): Membership {
    this.#memberships += 1
    return { number: this.#memberships, createdAt }
  }

  #list(id: string): StoredList {
    const position = this.#seed.ids.list.position(id)
    const list = position === undefined ? undefined : this.#lists[position]
    if (list === undefined) throw refusals.unknown('the contact list')
    return list
  }

  #ticket(id: string): SeedTicket {
    const ticket = this.#tickets.get(id.toLowerCase())
    if (ticket === undefined) throw refusals.unknown('the ticket')
    return ticket
  }

  #assignee(ticket: SeedTicket): string | null {
    return this.#assignees.get(ticket.id) ?? ticket.assigneeId
  }

  #startOf(ticket: SeedTicket, cursor: string, chunking: Chunking): number {
    const place = ticket.place(cursor)
    if (place === undefined) throw refusals.validation('chunkLastMessageId is no message of this ticket')
    return chunking.exclusive ? place + 1 : place
  }

  /** The position of a contact that is there. */
  #contact(id: string): number | undefined {
    const position = this.#seed.ids.contact.position(id)
    return position !== undefined && this.#gone[position] === 0 ? position : undefined
  }

  #contactState(position: number): SeedContact {
    return this.#changed.get(position) ?? this.#seed.contact(position)
  }

  #hasChat(position: number): boolean {
    return this.#changed.get(position)?.chat ?? hasChat(position)
  }

  #remove(position: number): void {
    this.#gone[position] = 1
    this.#present -= 1
    this.#changed.delete(position)
    if (this.#listsOf[position] === 0) return
    this.#listsOf[position] = 0
    for (const list of this.#lists) if (list.members.delete(position)) list.newestFirst = undefined
  }

  #join(list: StoredList, contact: number, membership: Membership): void {
    list.members.set(contact, membership)
    list.newestFirst = undefined
    this.#listsOf[contact] = (this.#listsOf[contact] ?? 0) + 1
  }

  #listData({ position, name, description, members, createdAt, updatedAt }: StoredList): ContactListData {
    return {
      id: this.#seed.ids.list.at(position),
      name,
      ...(description === undefined ? {} : { description }),
      contactsCount: members.size,
      createdAt,
      updatedAt,
    }
  }

  #contactData(position: number): ContactData {
    const { firstName, lastName, identities, createdAt, updatedAt } = this.#contactState(position)
    return { id: this.#seed.ids.contact.at(position), firstName, lastName, identities, createdAt, updatedAt }
  }
}

const lowerCase = (id: string): string => id.toLowerCase()

function identitiesOf(identities: Identities, key: string): string[] {
  for (const [name, values] of Object.entries(identities)) if (name === key) return values
  return []
}

/** API: Pagination. A page beyond the last one is empty. */
function paged<T>(all: readonly T[], paging: Paging): { items: T[]; pagination: Record<string, number | boolean> } {
  const page = paging.page ?? 1
  const limit = paging.limit ?? limits.pageSize.default
  const total = all.length
  const totalPages = Math.ceil(total / limit)
  return {
    items: all.slice((page - 1) * limit, page * limit),
    pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
  }
}
