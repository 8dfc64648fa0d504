/** The service of a world: contacts, a list and tickets; what was really done, and for which run; and a network that loses answers. */
import type { Exchange, SignedRequest } from '../../src/host.ts'
import type { Process, World } from './world.ts'

/** A change that was made. */
export interface Effect {
  kind: 'deleted' | 'added' | 'merged' | 'assigned'
  id: string
  process: Process
}

/** A request for a change that left. `isOpen`: it was neither refused nor turned away, so that it may have been applied. */
export interface Departure {
  path: string
  body: string
  process: Process
  isOpen: boolean
}

type Answer = readonly [status: number, document: unknown]

export class Service {
  readonly contacts = new Map<string, 'there' | 'blocked'>()
  readonly members = new Set<string>()
  /** Contacts that were on the list at some time. */
  readonly wereMembers = new Set<string>()
  /** Contacts that were absent, and that had chats, at some time. */
  readonly wereAbsent = new Set<string>()
  readonly wereBlocked = new Set<string>()
  readonly tickets = new Map<string, string | null>()
  /** All who ever had a ticket. */
  readonly holders = new Map<string, (string | null)[]>()
  readonly effects: Effect[] = []
  readonly departures: Departure[] = []
  /** How likely each trouble of a request is. */
  faults = { neverSent: 0, refused: 0, lost: 0, broken: 0 }
  /** Called with each request for a change, in the moment in which it leaves. */
  onDeparture: (departure: Departure) => void = () => undefined
  /** Returns the id of the run that has a name or id now. */
  idOfRun: (name: string) => string | undefined = () => undefined
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  setHolder(ticket: string, who: string | null) {
    this.tickets.set(ticket, who)
    this.holders.set(ticket, [...(this.holders.get(ticket) ?? []), who])
  }

  remove(contact: string) {
    this.contacts.delete(contact)
    this.members.delete(contact)
    this.wereAbsent.add(contact)
  }

  /** Takes a request in the moment in which it leaves. `end` tells its process how it ended. */
  take(
    process: Process,
    { method, path, body }: SignedRequest,
    end: (delay: number, exchange: Exchange) => void,
  ) {
    const { dice } = this.#world
    const { faults } = this
    if (dice.isLucky(faults.neverSent)) {
      const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      return end(dice.below(20), { kind: 'failed', sent: false, error })
    }
    const departure = { path, body: body.toString(), process, isOpen: method !== 'GET' }
    if (departure.isOpen) {
      this.departures.push(departure)
      this.onDeparture(departure)
    }
    if (dice.isLucky(faults.refused)) {
      const status = dice.pick([400, 404, 429, 401, 403])
      departure.isOpen = false
      return end(
        dice.below(40),
        answer([status, { code: status === 403 ? 40361 : 40001, message: 'no' }]),
      )
    }
    const lost: Exchange = { kind: 'failed', sent: true, error: new Error('reset') }
    if (dice.isLucky(faults.lost)) {
      // It arrives or not, perhaps when its process has long given up.
      if (method !== 'GET' && dice.isLucky(0.6))
        this.#world.later(dice.below(dice.pick([30, 90_000])), undefined, () =>
          this.#apply(departure),
        )
      return end(dice.below(1000), lost)
    }
    this.#world.later(dice.below(30), undefined, () => {
      const [status, document] = method === 'GET' ? this.#read(path) : this.#apply(departure)
      if (status >= 400) departure.isOpen = false
      const isBroken = dice.isLucky(faults.broken)
      if (isBroken && method !== 'GET') departure.isOpen = true
      const odd: Answer = dice.pick([
        [503, { code: 50001, message: 'no' }],
        [200, { data: { deletedCount: 7, notFoundIds: [], blockedIds: [] } }],
        [200, { data: { added: 9, skipped: 9, failed: 9 } }],
      ])
      end(dice.below(30), answer(isBroken ? odd : [status, document]))
    })
  }

  #read(path: string): Answer {
    const id = path.split('/')[3] ?? ''
    const assigneeId = this.tickets.get(id)
    if (assigneeId === undefined) return [404, { code: 40401, message: 'no such ticket' }]
    return [
      200,
      { data: { ticket: { id, chatId: id, status: 'active', assigneeId }, messages: [] } },
    ]
  }

  #apply({ path, body, process }: Departure): Answer {
    const [, , noun, id = ''] = path.split('/')
    const sent = JSON.parse(body) as {
      contactIds?: string[]
      targetContactId?: string
      newAssigneeId?: string
    }
    const log = (kind: Effect['kind'], of: string) => this.effects.push({ kind, id: of, process })
    const { contactIds = [], targetContactId: target = '', newAssigneeId: wanted = '' } = sent
    if (noun === 'tickets') {
      const from = this.tickets.get(id)
      if (from == null || from === wanted) return [400, { code: 40001, message: 'not allowed' }]
      this.setHolder(id, wanted)
      log('assigned', id)
      const change = { previousAssigneeId: from, newAssigneeId: wanted }
      return [200, { data: { ticketId: id, chatId: id, ...change } }]
    }
    if (path.endsWith('/merge')) {
      if (!this.contacts.has(id)) return [404, { code: 40401, message: 'no such contact' }]
      this.remove(id)
      log('merged', id)
      return [200, { data: { mergedContactId: id, contact: { id: target } } }]
    }
    const present = contactIds.filter((each) => this.contacts.has(each))
    if (noun === 'lists') {
      const added = present.filter((each) => !this.members.has(each))
      for (const each of added) {
        this.members.add(each)
        this.wereMembers.add(each)
        log('added', each)
      }
      const skipped = present.length - added.length
      const failed = contactIds.length - present.length
      return [200, { data: { added: added.length, skipped, failed } }]
    }
    const deleted = present.filter((each) => this.contacts.get(each) === 'there')
    for (const each of deleted) {
      this.remove(each)
      log('deleted', each)
    }
    const notFoundIds = contactIds.filter(
      (each) => !deleted.includes(each) && !present.includes(each),
    )
    const blockedIds = present.filter((each) => !deleted.includes(each))
    return [200, { data: { deletedCount: deleted.length, notFoundIds, blockedIds } }]
  }
}

const answer = ([status, document]: Answer): Exchange => ({
  kind: 'response',
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(document)),
})
