/** The tickets of a company: their history in chunks, and who has them. */
import { limits } from '../api/limits.ts'
import { refusals } from './answer.ts'
import type { Outcome } from './record.ts'
import type { SeedEmployee } from './seed/company.ts'
import type { SeedMessage } from './seed/messages.ts'
import type { SeedTicket } from './seed/tickets.ts'
import { day } from './seed/time.ts'

/** How the history is cut into chunks: the service's way, or another one that the description allows as well. */
export interface Chunking {
  readonly size: number
  /** The cursor is the id of the last message that was given, and the next chunk begins after it. */
  readonly exclusive: boolean
  /** The next chunk begins with the last message of this one. */
  readonly overlap: boolean
}

export const usualChunking: Chunking = { size: limits.messagesPerChunk, exclusive: false, overlap: false }

/** How a history is read: by whom, when, and in which chunks. */
export interface Reading {
  /** The company's plan shows no history older than 30 days. */
  readonly limitedHistory: boolean
  /** The service's time in milliseconds since 1970. */
  readonly now: number
  readonly chunking: Chunking
}

/** The part of the tickets that a data file keeps: who has those that were assigned. */
export type Assignees = readonly (readonly [ticket: string, employee: string])[]

export class Tickets {
  readonly #tickets: ReadonlyMap<string, SeedTicket>
  readonly #employees: readonly SeedEmployee[]
  readonly #assignees: Map<string, string>

  constructor(tickets: readonly SeedTicket[], employees: readonly SeedEmployee[], assignees: Assignees = []) {
    this.#tickets = new Map(tickets.map((ticket) => [ticket.id, ticket]))
    this.#employees = employees
    this.#assignees = new Map(assignees)
  }

  /** API: operation 8. `cursor`: `chunkLastMessageId` of the request. */
  history(id: string, cursor: string | undefined, { limitedHistory, now, chunking }: Reading): Outcome {
    const ticket = this.#get(id)
    // API: operation 8, rule 4.
    if (ticket.status === 'new') throw refusals.validation('the history is unavailable while the ticket is new')
    // API: operation 8, rule 6.
    if (limitedHistory && now - Date.parse(ticket.startedAt) > limits.historyDays * day) throw refusals.history()
    const start = cursor === undefined ? 0 : startOf(ticket, cursor, chunking)
    const end = Math.min(start + chunking.size, ticket.messages.count)
    const messages: SeedMessage[] = []
    for (let place = start; place < end; place += 1) messages.push(ticket.messages.at(place))
    // An exclusive cursor is given after every full chunk, so that the last chunk may be empty.
    const more = chunking.exclusive ? messages.length === chunking.size : end < ticket.messages.count
    const next = more ? ticket.messages.at(chunking.exclusive || chunking.overlap ? end - 1 : end).id : undefined
    const { chatId, status, startedAt, attribution } = ticket
    const shown = { id: ticket.id, chatId, status, assigneeId: this.#assignee(ticket), startedAt, attribution }
    return { data: { ticket: shown, messages, nextChunkStartMessageId: next } }
  }

  /** API: operation 9 and "States and transitions", rule 2. Each refusal names the rule that is broken. */
  assign(id: string, newAssigneeId: string): Outcome {
    const ticket = this.#get(id)
    const from = this.#assignee(ticket)
    if (ticket.status !== 'active') throw refusals.validation('the ticket is not active')
    if (!ticket.current) throw refusals.validation('the ticket is not the current ticket of its chat')
    if (from === null) throw refusals.validation('the ticket has no assignee')
    const wanted = newAssigneeId.toLowerCase()
    const employee = this.#employees.find((one) => one.id === wanted)
    if (employee === undefined) throw refusals.validation('the new assignee is not an employee of the company')
    if (employee.status !== 'active') throw refusals.validation('the new assignee is not active')
    if (employee.id === from) throw refusals.validation('the new assignee is the current assignee')
    if (!employee.channels.includes(ticket.channel)) {
      throw refusals.validation("the new assignee has no access to the ticket's channel")
    }
    this.#assignees.set(ticket.id, employee.id)
    const [to, { chatId }] = [employee.id, ticket]
    return {
      data: { ticketId: ticket.id, chatId, previousAssigneeId: from, newAssigneeId: to },
      change: { assigned: { ticket: ticket.id, from, to } },
    }
  }

  /** The assignee of a ticket now; null without one, undefined for an unknown ticket. */
  assigneeOf(id: string): string | null | undefined {
    const ticket = this.#tickets.get(id.toLowerCase())
    return ticket === undefined ? undefined : this.#assignee(ticket)
  }

  *all(): Generator<Record<string, unknown>> {
    for (const ticket of this.#tickets.values()) {
      const { id, chatId, status, startedAt, channel, current, messages } = ticket
      const assigneeId = this.#assignee(ticket)
      yield { id, chatId, status, assigneeId, startedAt, channel, current, messageCount: messages.count }
    }
  }

  snapshot(): Assignees {
    return [...this.#assignees]
  }

  #get(id: string): SeedTicket {
    const ticket = this.#tickets.get(id.toLowerCase())
    if (ticket === undefined) throw refusals.unknown('the ticket')
    return ticket
  }

  #assignee(ticket: SeedTicket): string | null {
    return this.#assignees.get(ticket.id) ?? ticket.assigneeId
  }
}

function startOf(ticket: SeedTicket, cursor: string, chunking: Chunking): number {
  const place = ticket.messages.placeOf(cursor)
  if (place === undefined) throw refusals.validation('chunkLastMessageId is not a message of this ticket')
  return chunking.exclusive ? place + 1 : place
}
