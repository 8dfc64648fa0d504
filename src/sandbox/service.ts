/**
 * The service of the sandbox: a method for each of the ten operations. A method returns the `data` of the answer, or throws a
 * `Refusal` if the request breaks a rule.
 *
 * The description of the service leaves some questions open. Here, `search` finds a part of a name, in any letter case. A merge
 * removes the source, and gives its identities, lists and chats to the target. `mergedContactId` is the source's id.
 */
import { limits, type OperationName } from '../api/operations.ts'
import type { Company, StoredList } from './company.ts'
import {
  check,
  checkId,
  contactIdsOf,
  fieldsOf,
  listTextOf,
  pageOf,
  queryText,
  Refusal,
  type SandboxCall,
} from './request.ts'
import { day, iso } from './seed.ts'

export class Service implements Record<OperationName, (call: SandboxCall) => unknown> {
  readonly #company: Company

  constructor(company: Company) {
    this.#company = company
  }

  /** API: operation 1. Lists come newest first. */
  'lists.list'({ query }: SandboxCall) {
    const wanted = queryText(query, 'search')?.toLowerCase() ?? ''
    const all = [...this.#company.lists.values()].reverse()
    const found = all.filter(({ name }) => name.toLowerCase().includes(wanted))
    const { items, pagination } = pageOf(found, query)
    return { lists: items.map(listData), pagination }
  }

  /** API: operation 2. Names need not be unique, because the description does not say so. */
  'lists.create'(call: SandboxCall) {
    const { name, description } = listTextOf(call)
    check(name !== undefined, 'name is required')
    return listData(this.#company.addList(name, description, call.now))
  }

  /** API: operation 3. Members come newest first. */
  'lists.get'(call: SandboxCall) {
    const list = this.#findList(call)
    const { items, pagination } = pageOf([...list.members].reverse(), call.query)
    const members = items.map(([contactId, { id, createdAt }]) => ({
      id,
      contact: this.#company.contacts.get(contactId),
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
      if (!this.#company.contacts.has(contactId)) counts.failed += 1
      else if (list.members.has(contactId)) counts.skipped += 1
      else {
        this.#company.addMember(list, contactId, call.now)
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
    const source = existing(this.#company.contacts.get(call.id), 'the source contact')
    const target = existing(this.#company.contacts.get(targetId), 'the target contact')
    check(source !== target, 'a contact cannot be merged into itself')
    for (const [key, values] of Object.entries(source.identities)) {
      const known = target.identities[key] ?? []
      target.identities[key] = [...new Set([...known, ...values])]
    }
    target.updatedAt = iso(call.now)
    if (this.#company.chats.has(source.id)) this.#company.chats.add(target.id)
    for (const list of this.#company.lists.values())
      if (list.members.has(source.id) && !list.members.has(target.id))
        this.#company.addMember(list, target.id, call.now)
    this.#company.removeContact(source.id)
    return { mergedContactId: source.id, contact: target }
  }

  /** API: operation 7. An id that appears twice, in any letter case, counts once. */
  'contacts.delete'(call: SandboxCall) {
    const ids = [...new Set(contactIdsOf(call))]
    const notFoundIds = ids.filter((id) => !this.#company.contacts.has(id))
    const blockedIds = ids.filter((id) => this.#company.chats.has(id))
    const kept = new Set([...notFoundIds, ...blockedIds])
    const deleted = ids.filter((id) => !kept.has(id))
    for (const id of deleted) this.#company.removeContact(id)
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
    const employee = this.#company.employees.find(({ id }) => id === wanted)
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
    return this.#company.employees.toSorted((one, other) =>
      sortKeyOf(one) < sortKeyOf(other) ? -1 : 1,
    )
  }

  #findList({ id }: SandboxCall) {
    return existing(this.#company.lists.get(id), 'the contact list')
  }

  #findTicket({ id }: SandboxCall) {
    return existing(this.#company.tickets.get(id), 'the ticket')
  }
}

/** Returns a list as it is in answers. */
function listData({ members, createdAt, updatedAt, ...data }: StoredList) {
  return { ...data, contactsCount: members.size, createdAt, updatedAt }
}

/** Returns a resource. Throws a `Refusal` if it is undefined. The API gives no code for that, so 40401 is made up. */
function existing<T>(resource: T | undefined, name: string): T {
  if (resource === undefined) throw new Refusal(404, `${name} does not exist`, 40401)
  return resource
}
