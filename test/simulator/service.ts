/** The service of a world: contacts, a list and tickets; what was really done; and a network that loses what it carries. */
import { below, type Dice } from './dice.ts'
import type { Folder } from './disk.ts'
import type { Answered, Later } from './process.ts'
import type { Process, World } from './world.ts'

/** A change that was made, and the run whose request made it, by its folder. */
export interface Effect {
  step: number
  run: Folder | undefined
  kind: 'deleted' | 'added' | 'merged' | 'assigned'
  id: string
  /** Who had the ticket before, and who has it then. */
  from?: string | null
  to?: string
}

/** A request that left, and what its process knows of it. */
export interface Request {
  run: Folder | undefined
  process: Process
  /** When the last sync before it ended, behind which the record was looked at. */
  syncedAt: number
  path: string
  ids: readonly string[]
  /** How it ended. Until the record has its result, a kill can make it forgotten. */
  kind: 'pending' | 'never-sent' | 'refused' | 'ambiguous' | 'answered'
  isRecorded: boolean
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

type Send = Later & { what: 'send' }

const refusals: Readonly<Record<number, number>> = {
  400: 40001,
  401: 40121,
  403: 40361,
  429: 42901,
}
const answered = (status: number, document: unknown): Answered => ({
  status,
  body: JSON.stringify(document),
})
const none: NetworkFaults = { neverSent: 0, lost: 0, late: 0, refused: 0, serverError: 0, odd: 0 }

export class Service {
  faults: NetworkFaults = none
  readonly contacts = new Map<string, 'there' | 'blocked'>()
  readonly members = new Set<string>()
  /** Tickets by id, with who has them: null for nobody. */
  readonly tickets = new Map<string, string | null>()
  /** Everybody who had a ticket, and since when. */
  readonly holders = new Map<string, { step: number; who: string | null }[]>()
  /** Contacts that were once absent, blocked or on the list. */
  readonly once = {
    absent: new Set<string>(),
    blocked: new Set<string>(),
    member: new Set<string>(),
  }
  readonly effects: Effect[] = []
  readonly requests: Request[] = []
  readonly #roll: Dice
  readonly #world: World

  constructor(roll: Dice, world: World) {
    this.#roll = roll
    this.#world = world
  }

  healNetwork() {
    this.faults = none
  }

  setHolder(ticket: string, who: string | null) {
    this.tickets.set(ticket, who)
    const before = this.holders.get(ticket) ?? []
    this.holders.set(ticket, [...before, { step: this.#world.step, who }])
  }

  setContact(id: string, how: 'there' | 'blocked' | 'absent') {
    if (how === 'absent') {
      this.contacts.delete(id)
      this.members.delete(id)
    } else this.contacts.set(id, how)
    if (how !== 'there') this.once[how].add(id)
  }

  /** What a process has heard and not recorded is forgotten. */
  onEnd(process: Process) {
    for (const request of this.requests)
      if (request.process === process && !request.isRecorded && request.kind !== 'never-sent')
        request.kind = 'ambiguous'
  }

  /** A process has written results. */
  onResults(process: Process) {
    for (const request of this.requests)
      if (request.process === process && request.kind !== 'pending') request.isRecorded = true
  }

  /** Takes a request. It leaves a little later, if its process still lives, and can arrive whatever becomes of that. */
  take(process: Process, sent: Send) {
    const { syncedAt } = process
    this.#world.laterOf(process, below(this.#roll, 5), () => {
      const { path } = sent
      const ids = sent.method === 'GET' ? [] : idsOf(sent)
      const run = process.own?.folder
      const left = { kind: 'pending', isRecorded: false } as const
      const request: Request = { run, process, syncedAt, path, ids, ...left }
      this.#send(request, sent)
    })
  }

  #send(request: Request, sent: Send) {
    const { faults } = this
    const roll = this.#roll
    const end = (kind: Request['kind'], delay: number, answer: () => Answered) =>
      this.#world.tellLater(request.process, sent.id, delay, () => {
        request.kind = kind
        const heard = answer()
        if ('status' in heard) {
          request.status = heard.status
          if (kind === 'answered' && heard.status >= 400) request.kind = 'refused'
        }
        return heard
      })
    const lost = (): Answered => ({ code: 'ECONNRESET', sent: true })
    if (roll() < faults.neverSent)
      return end('never-sent', below(roll, 30), () => ({ code: 'ECONNREFUSED', sent: false }))
    this.#world.note(request.process, `LEAVES ${sent.path} ${sent.body}`)
    this.#world.witness?.onSend(request.process, request)
    if (sent.method !== 'GET') this.requests.push(request)
    if (roll() < faults.refused) {
      const status = [400, 429, 401, 403][below(roll, 4)] ?? 400
      return end('refused', below(roll, 40), () =>
        answered(status, { code: refusals[status], message: 'refused' }),
      )
    }
    if (roll() < faults.lost) {
      const fate = roll()
      const isLate = fate < faults.late
      if (isLate || roll() < 0.5)
        this.#world.later(below(roll, isLate ? 60_000 : 30), () => this.#apply(request, sent))
      return end('ambiguous', below(roll, 1000), lost)
    }
    let answer: Answered = lost()
    this.#world.later(below(roll, 30), () => {
      answer = this.#apply(request, sent)
      const isServerError = roll() < faults.serverError
      const isOdd = !isServerError && roll() < faults.odd
      const kind = isServerError || isOdd ? 'ambiguous' : 'answered'
      if (isServerError) answer = answered(503, { code: 50001, message: 'error' })
      if (isOdd) answer = answered(200, { data: { deletedCount: -1 } })
      end(kind, below(roll, 30), () => answer)
    })
  }

  /** What the service does with a request, and says. */
  #apply({ run, process }: Request, { method, path, body }: Send): Answered {
    this.#world.note(process, `ARRIVES ${method} ${path} ${body}`)
    const [, noun, id = '', verb] = path.replace('/v1', '').split(/[/?]/)
    const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, string>
    const log = (kind: Effect['kind'], of: string, more: Pick<Effect, 'from' | 'to'> = {}) =>
      this.effects.push({ step: this.#world.step, run, kind, id: of, ...more })
    if (noun === 'tickets') return this.#ticket(id, method === 'GET', sent['newAssigneeId'], log)
    if (verb === 'merge') {
      const target = sent['targetContactId'] ?? ''
      if (!this.contacts.has(id)) return answered(404, { code: 40401, message: 'no such contact' })
      this.setContact(id, 'absent')
      log('merged', id, { to: target })
      return answered(200, { data: { mergedContactId: id, contact: { id: target } } })
    }
    const ids = (JSON.parse(body) as { contactIds: string[] }).contactIds
    return noun === 'lists' ? this.#add(ids, log) : this.#delete(ids, log)
  }

  #ticket(id: string, isRead: boolean, wanted: string | undefined, log: Log): Answered {
    const assigneeId = this.tickets.get(id)
    if (assigneeId === undefined) return answered(400, { code: 40001, message: 'no such ticket' })
    const ticket = { id, chatId: id, status: 'active', startedAt: '2026-01-01T00:00:00.000Z' }
    if (isRead)
      return answered(200, {
        data: { ticket: { ...ticket, ...(assigneeId !== null && { assigneeId }) }, messages: [] },
      })
    if (assigneeId === null || wanted === undefined || assigneeId === wanted)
      return answered(400, { code: 40001, message: 'not allowed' })
    this.setHolder(id, wanted)
    log('assigned', id, { from: assigneeId, to: wanted })
    const change = { previousAssigneeId: assigneeId, newAssigneeId: wanted }
    return answered(200, { data: { ticketId: id, chatId: id, ...change } })
  }

  #add(ids: readonly string[], log: Log): Answered {
    const present = ids.filter((each) => this.contacts.has(each))
    const added = present.filter((each) => !this.members.has(each))
    for (const each of present) this.once.member.add(each)
    for (const each of added) {
      this.members.add(each)
      log('added', each)
    }
    const counts = { added: added.length, skipped: present.length - added.length }
    return answered(200, { data: { ...counts, failed: ids.length - present.length } })
  }

  #delete(ids: readonly string[], log: Log): Answered {
    const there = ids.filter((each) => this.contacts.get(each) === 'there')
    // In the other letter case, as a service may.
    const absent = ids.filter((each) => !this.contacts.has(each)).map((each) => each.toUpperCase())
    const blockedIds = ids.filter((each) => this.contacts.get(each) === 'blocked')
    for (const each of there) {
      this.setContact(each, 'absent')
      log('deleted', each)
    }
    return answered(200, {
      data: { deletedCount: there.length, notFoundIds: absent, blockedIds },
    })
  }
}

type Log = (kind: Effect['kind'], id: string, more?: Pick<Effect, 'from' | 'to'>) => void

function idsOf({ path, body }: Send): string[] {
  const { contactIds } = JSON.parse(body) as { contactIds?: string[] }
  return contactIds ?? [path.split('/')[3] ?? '']
}
