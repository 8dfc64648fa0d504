/** The service of a world: contacts, a list and tickets; what was really done; and a network that loses what it carries. */
import type { Exchange, Wire, WireRequest } from '../../src/world.ts'
import { below, type Dice } from './dice.ts'
import type { Process } from './world.ts'

/** A change that was made, and the run whose request made it. */
export interface Effect {
  at: number
  run: string | undefined
  kind: 'deleted' | 'added' | 'removed' | 'merged' | 'assigned'
  id: string
  other?: string | undefined
}

/** A request that left, and whether its process got an answer to it. */
export interface Left {
  run: string | undefined
  path: string
  ids: readonly string[]
  kind: 'pending' | 'never-sent' | 'refused' | 'ambiguous' | 'answered'
  /** The HTTP status of the answer. */
  status?: number
}

/** Chances of what happens to a request, each from 0 to 1. */
export interface NetworkFaults {
  neverSent: number
  /** It arrives, or not, and its answer is lost. */
  lost: number
  /** Of a lost one: it arrives after its process has given up. */
  late: number
  refused: number
  serverError: number
  odd: number
}

const json = (status: number, document: unknown): Exchange => ({
  kind: 'response',
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(document)),
})
const refusals: Readonly<Record<number, number>> = {
  400: 40001,
  401: 40121,
  403: 40361,
  429: 42901,
}
const failed = (sent: boolean, code: string): Exchange => ({
  kind: 'failed',
  sent,
  error: Object.assign(new Error(code), { code }),
})

export class Service {
  readonly faults: NetworkFaults = {
    neverSent: 0,
    lost: 0,
    late: 0,
    refused: 0,
    serverError: 0,
    odd: 0,
  }
  readonly contacts = new Map<string, 'there' | 'blocked'>()
  readonly members = new Set<string>()
  /** Tickets by id, with who has them: null for nobody. */
  readonly tickets = new Map<string, string | null>()
  /** Everybody who had a ticket, and since when. */
  readonly holders = new Map<string, { at: number; who: string | null }[]>()
  readonly effects: Effect[] = []
  readonly left: Left[] = []
  readonly #roll: Dice
  readonly #now: () => number
  readonly #later: (delay: number, go: () => void) => void

  constructor(roll: Dice, now: () => number, later: (delay: number, go: () => void) => void) {
    this.#roll = roll
    this.#now = now
    this.#later = later
  }

  setHolder(ticket: string, who: string | null) {
    this.tickets.set(ticket, who)
    this.holders.set(ticket, [...(this.holders.get(ticket) ?? []), { at: this.#now(), who }])
  }

  wireOf(process: Process, step: (delay?: number) => Promise<void>): Wire {
    return {
      send: async (request) => {
        const exchange = await this.#carry(process, request, step)
        return { exchange, release: () => undefined }
      },
      close: () => undefined,
    }
  }

  async #carry(process: Process, request: WireRequest, step: (delay?: number) => Promise<void>) {
    const { run } = process
    const { faults } = this
    const roll = this.#roll
    const left: Left = { run, path: request.path, ids: idsOf(request), kind: 'pending' }
    if (request.method !== 'GET') this.left.push(left)
    const end = (kind: Left['kind'], exchange: Exchange) => {
      left.kind = kind
      if (exchange.kind === 'response') left.status = exchange.status
      return exchange
    }
    await step(below(roll, 5))
    if (roll() < faults.neverSent) return end('never-sent', failed(false, 'ECONNREFUSED'))
    await step(below(roll, 30))
    if (roll() < faults.lost) {
      const fate = roll()
      if (fate < faults.late) this.#later(below(roll, 60_000), () => this.#answer(run, request))
      else if (fate < faults.late + (1 - faults.late) / 2) this.#answer(run, request)
      await step(below(roll, 1000))
      return end('ambiguous', failed(true, 'ECONNRESET'))
    }
    if (roll() < faults.refused) {
      const status = [400, 429, 401, 403][below(roll, 4)] ?? 400
      await step(below(roll, 20))
      return end('refused', json(status, { code: refusals[status], message: 'refused' }))
    }
    const isServerError = roll() < faults.serverError
    if (isServerError && roll() < 0.5)
      return end('ambiguous', json(500, { code: 50001, message: 'error' }))
    const answer = this.#answer(run, request)
    await step(below(roll, 30))
    if (isServerError) return end('ambiguous', json(503, { code: 50001, message: 'error' }))
    if (roll() < faults.odd) return end('ambiguous', json(200, { data: { deletedCount: -1 } }))
    return end(answer.kind === 'response' && answer.status < 300 ? 'answered' : 'refused', answer)
  }

  /** What the service does with a request, and says. */
  #answer(run: string | undefined, { method, path, body }: WireRequest): Exchange {
    const at = this.#now()
    const [, noun, id = '', verb] = path.replace('/v1', '').split(/[/?]/)
    const sent = (body.length === 0 ? {} : JSON.parse(body.toString())) as Record<
      string,
      string
    > & {
      contactIds: string[]
    }
    const log = (kind: Effect['kind'], of: string, other?: string) =>
      this.effects.push({ at, run, kind, id: of, other })
    if (noun === 'tickets') {
      const assigneeId = this.tickets.get(id)
      const ticket = { id, chatId: id, status: 'active', startedAt: '2026-01-01T00:00:00.000Z' }
      if (assigneeId === undefined) return json(400, { code: 40001, message: 'no such ticket' })
      if (method === 'GET')
        return json(200, {
          data: { ticket: { ...ticket, ...(assigneeId !== null && { assigneeId }) }, messages: [] },
        })
      const { newAssigneeId = '' } = sent
      if (assigneeId === null || assigneeId === newAssigneeId)
        return json(400, { code: 40001, message: 'not allowed' })
      this.setHolder(id, newAssigneeId)
      log('assigned', id, newAssigneeId)
      return json(200, {
        data: { ticketId: id, chatId: id, previousAssigneeId: assigneeId, newAssigneeId },
      })
    }
    if (verb === 'merge') {
      const { targetContactId = '' } = sent
      if (!this.contacts.has(id)) return json(404, { code: 40401, message: 'no such contact' })
      this.contacts.delete(id)
      log('merged', id, targetContactId)
      return json(200, { data: { mergedContactId: id, contact: { id: targetContactId } } })
    }
    const ids = sent.contactIds
    if (noun === 'lists') {
      const present = ids.filter((each) => this.contacts.has(each))
      const added = present.filter((each) => !this.members.has(each))
      for (const each of added) {
        this.members.add(each)
        log('added', each)
      }
      const counts = { added: added.length, skipped: present.length - added.length }
      return json(200, { data: { ...counts, failed: ids.length - present.length } })
    }
    const there = ids.filter((each) => this.contacts.get(each) === 'there')
    for (const each of there) {
      this.contacts.delete(each)
      log('deleted', each)
    }
    return json(200, {
      data: {
        deletedCount: there.length,
        // In the other letter case, as a service may.
        notFoundIds: ids
          .filter((each) => !this.contacts.has(each) && !there.includes(each))
          .map((each) => each.toUpperCase()),
        blockedIds: ids.filter((each) => this.contacts.get(each) === 'blocked'),
      },
    })
  }
}

function idsOf({ path, body }: WireRequest): string[] {
  const { contactIds } = (body.length === 0 ? {} : JSON.parse(body.toString())) as {
    contactIds?: string[]
  }
  return contactIds ?? [path.split('/')[3] ?? '']
}
