/**
 * One company and what the ten operations do to it. No HTTP here: input is checked already, a result is what the answer has under
 * `data`, and a rule that is broken is thrown as a `Refusal`.
 *
 * Where the description is silent: `search` matches a part of the name, in any letter case; a merge removes the source,
 * unites the identities and moves memberships and chats to the target; `mergedContactId` is the source's id.
 */
import { limits } from '../api/limits.ts'
import { refusals } from './answer.ts'
import { Body, checkedId, pagingOf, textOf, type ListText } from './input.ts'
import type { Route } from './routes.ts'
import { Contacts, type ContactData, type ContactsSnapshot } from './contacts.ts'
import { Lists, type ContactListData, type ListsSnapshot, type Paging } from './lists.ts'
import type { Outcome } from './record.ts'
import type { Identities } from './seed/contacts.ts'
import type { CompanySeed, SeedEmployee } from './seed/company.ts'
import { iso } from './seed/time.ts'
import { Tickets, type Assignees, type Chunking } from './tickets.ts'

/** What `--data` keeps of a company: the differences from its seed, and its lists whole. */
export interface CompanySnapshot extends ContactsSnapshot, ListsSnapshot {
  readonly assignees: Assignees
}

const lowerCase = (id: string): string => id.toLowerCase()

/** A request to one company. */
export interface Call {
  readonly company: Company
  readonly route: Route
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  readonly rawBody: Uint8Array
  /** The service's time in milliseconds since 1970. */
  readonly now: number
  readonly limitedHistory: boolean
  readonly chunking: Chunking
  /** Apply only the first half of a bulk request. */
  readonly half: boolean
}

export class Company {
  readonly #seed: CompanySeed
  readonly #contacts: Contacts
  readonly #lists: Lists
  readonly tickets: Tickets

  constructor(seed: CompanySeed, snapshot?: CompanySnapshot) {
    this.#seed = seed
    const { ids, contactCount } = seed
    this.#contacts = new Contacts({ ids: ids.contact, count: contactCount, at: seed.contact }, snapshot)
    this.#lists = new Lists({ ids: ids.list, contactCount, lists: seed.lists }, snapshot)
    this.tickets = new Tickets(seed.tickets, seed.employees, snapshot?.assignees)
  }

  /** Checks the input of a request and does what it asks for. Throws a `Refusal`. */
  perform(call: Call): Outcome {
    const { route, query, now } = call
    const id = (name: string): string => checkedId(name, route.ids[name])
    switch (route.name) {
      case 'lists.list':
        return this.lists({ ...pagingOf(query), search: textOf(query, 'search') })
      case 'lists.create': {
        const { name, description } = bodyOf(call, 'name', 'description').listText()
        if (name === undefined) throw refusals.validation('name: is required')
        return this.createList({ name, description }, now)
      }
      case 'lists.get':
        return this.list(id('listId'), pagingOf(query))
      case 'lists.update': {
        const text = bodyOf(call, 'name', 'description').listText()
        if (text.name === undefined && text.description === undefined) {
          throw refusals.validation('body: at least one field is required')
        }
        return this.updateList(id('listId'), text, now)
      }
      case 'lists.add-contacts':
        return this.addContacts(id('listId'), contactIdsOf(call), now)
      case 'contacts.merge':
        return this.merge(id('sourceContactId'), bodyOf(call, 'targetContactId').id('targetContactId'), now)
      case 'contacts.delete':
        return this.deleteContacts(contactIdsOf(call))
      case 'tickets.history':
        return this.tickets.history(id('ticketId'), { ...call, cursor: textOf(query, 'chunkLastMessageId') })
      case 'tickets.assign':
        return this.tickets.assign(id('ticketId'), bodyOf(call, 'newAssigneeId').id('newAssigneeId'))
      case 'employees.list':
        return this.employees()
    }
  }

  /** API: operation 1, newest first. */
  lists({ search, ...paging }: Paging & { readonly search?: string | undefined }): Outcome {
    const { items, pagination } = this.#lists.page(search, paging)
    return { data: { lists: items.map((list) => this.#lists.dataOf(list)), pagination } }
  }

  /** API: operation 2. Names need not be unique: the description asks for none. */
  createList({ name, description }: ListText & { readonly name: string }, now: number): Outcome {
    const data = this.#lists.dataOf(this.#lists.create(name, description, iso(now)))
    return { data, change: { created: data.id, list: data.id } }
  }

  /** API: operation 3, members newest first. */
  list(id: string, paging: Paging): Outcome {
    const list = this.#lists.get(id)
    const { items, pagination } = this.#lists.membersOf(list, paging)
    const members = items.map((contact) => {
      const membership = list.members.get(contact)
      return {
        id: this.#seed.ids.membership.at(membership?.number ?? 0),
        contact: this.#contacts.dataAt(contact),
        createdAt: membership && iso(membership.createdAt),
      }
    })
    return { data: { list: this.#lists.dataOf(list), members, pagination } }
  }

  /** API: operation 4. */
  updateList(id: string, { name, description }: ListText, now: number): Outcome {
    const list = this.#lists.get(id)
    if (name !== undefined) list.name = name
    if (description !== undefined) list.description = description
    list.updatedAt = iso(now)
    return { data: this.#lists.dataOf(list), change: { updated: list.id, list: list.id } }
  }

  /** API: operation 5. The counts add up to the array's length: an id twice is added, then "already in the list". */
  addContacts(id: string, contactIds: readonly string[], now: number): Outcome {
    const list = this.#lists.get(id)
    const added: string[] = []
    const skipped: string[] = []
    const failed: string[] = []
    for (const contactId of contactIds.map(lowerCase)) {
      const contact = this.#contacts.find(contactId)
      if (contact === undefined) failed.push(contactId)
      else if (list.members.has(contact)) skipped.push(contactId)
      else {
        this.#lists.join(list, contact, now)
        added.push(contactId)
      }
    }
    if (added.length > 0) list.updatedAt = iso(now)
    return {
      data: { added: added.length, skipped: skipped.length, failed: failed.length },
      change: { list: list.id, added, skipped, failed },
    }
  }

  /** API: operation 6. */
  merge(sourceId: string, targetId: string, now: number): Outcome {
    const source = this.#contacts.find(sourceId)
    if (source === undefined) throw refusals.unknown('the source contact')
    const target = this.#contacts.find(targetId)
    if (target === undefined) throw refusals.unknown('the target contact')
    if (source === target) throw refusals.validation('a contact cannot be merged into itself')
    const from = this.#contacts.stateAt(source)
    const into = this.#contacts.stateAt(target)
    unite(from.identities, into.identities)
    into.chat ||= from.chat
    into.updatedAt = iso(now)
    this.#contacts.change(target, into)
    this.#lists.copy(source, target)
    this.#remove(source)
    const merged = { source: this.#contacts.idAt(source), target: this.#contacts.idAt(target) }
    return { data: { mergedContactId: merged.source, contact: this.#contacts.dataAt(target) }, change: { merged } }
  }

  /** API: operation 7. An id counts once, whatever its letter case; ids are answered as they were sent. */
  deleteContacts(contactIds: readonly string[]): Outcome {
    const seen = new Set<string>()
    const deleted: string[] = []
    const notFoundIds: string[] = []
    const blockedIds: string[] = []
    for (const id of contactIds) {
      const lower = id.toLowerCase()
      if (seen.has(lower)) continue
      seen.add(lower)
      const contact = this.#contacts.find(id)
      if (contact === undefined) notFoundIds.push(id)
      else if (this.#contacts.hasChat(contact)) blockedIds.push(id)
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
    return this.#contacts.count
  }

  /** Whether a contact is there, by its id in any letter case. */
  hasContact(id: string): boolean {
    return this.#contacts.find(id) !== undefined
  }

  contact(id: string): (ContactData & { chat: boolean }) | undefined {
    const position = this.#contacts.find(id)
    if (position === undefined) return undefined
    return { ...this.#contacts.dataAt(position), chat: this.#contacts.hasChat(position) }
  }

  contacts(): Generator<ContactData & { chat: boolean }> {
    return this.#contacts.all()
  }

  /** Every list, oldest first, with the ids of its members, the one that joined first comes first. */
  *allLists(): Generator<ContactListData & { memberIds: string[] }> {
    for (const list of this.#lists.all()) {
      const members = [...list.members.entries()].sort(([, a], [, b]) => a.number - b.number)
      yield { ...this.#lists.dataOf(list), memberIds: members.map(([contact]) => this.#contacts.idAt(contact)) }
    }
  }

  /** Ids of the members of a list; empty for an unknown list. */
  memberIds(listId: string): Set<string> {
    const members = this.#lists.find(listId)?.members.keys() ?? []
    return new Set([...members].map((contact) => this.#contacts.idAt(contact)))
  }

  allEmployees(): readonly SeedEmployee[] {
    return this.#seed.employees
  }

  snapshot(): CompanySnapshot {
    return { ...this.#contacts.snapshot(), ...this.#lists.snapshot(), assignees: this.tickets.snapshot() }
  }

  #remove(contact: number): void {
    this.#contacts.remove(contact)
    this.#lists.leaveAll(contact)
  }
}

/** Adds to the second what only the first has. */
function unite(from: Identities, into: Identities): void {
  for (const [key, values] of Object.entries(from)) {
    const there = into[key] ?? []
    for (const value of values) if (!there.includes(value)) there.push(value)
  }
}

function bodyOf({ contentType, rawBody }: Call, ...known: readonly string[]): Body {
  return new Body(contentType, rawBody, known)
}

function contactIdsOf(call: Call): string[] {
  const contactIds = bodyOf(call, 'contactIds').contactIds()
  return call.half ? contactIds.slice(0, Math.ceil(contactIds.length / 2)) : contactIds
}
