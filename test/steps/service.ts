/** The service of a world: contacts, a list and tickets; what was really done, and by whom; and a network that loses answers. */
import type { Exchange, WireRequest } from '../../src/host.ts'
import type { Process, World } from './world.ts'

/** A change that was made, or of a merge a request for one that may have been taken. */
interface Effect {
  kind: 'deleted' | 'added' | 'merged' | 'assigned' | 'merge sent'
  id: string
  process: Process
}

/** A request for a change that left. */
interface Departure extends WireRequest {
  process: Process
}

type Answer = readonly [status: number, document: unknown]
const refusal = (status: number, code = 40001): Answer => [status, { code, message: 'no' }]
const lost: Exchange = { kind: 'failed', sent: true, error: new Error('reset') }

export class Service {
  readonly contacts = new Map<string, 'there' | 'blocked'>()
  readonly #members = new Set<string>()
  /** Contacts that were absent, on the list, or had chats, at some time. */
  readonly wereAbsent = new Set<string>()
  readonly wereMembers = new Set<string>()
  readonly wereBlocked = new Set<string>()
  readonly #tickets = new Map<string, string | null>()
  /** All who ever had a ticket. */
  readonly holders = new Map<string, (string | null)[]>()
  readonly effects: Effect[] = []
  /** How likely each trouble of a request is. */
  faults = { neverSent: 0, refused: 0, lost: 0, broken: 0 }
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  setHolder(ticket: string, who: string | null) {
    this.#tickets.set(ticket, who)
    this.holders.set(ticket, [...(this.holders.get(ticket) ?? []), who])
  }

  remove(contact: string) {
    this.contacts.delete(contact)
    this.#members.delete(contact)
    this.wereAbsent.add(contact)
  }

  /** Takes a request that left, or says that it did not. Returns whether it left. */
  take(
    process: Process,
    request: WireRequest,
    end: (delay: number, exchange: Exchange) => void,
  ): boolean {
    const { dice } = this.#world
    const { faults } = this
    if (dice.isLucky(faults.neverSent)) {
      const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      end(dice.below(20), { kind: 'failed', sent: false, error })
      return false
    }
    const departure = { ...request, process }
    const isChange = request.method !== 'GET'
    if (dice.isLucky(faults.refused)) {
      const [status, code] = dice.pick([[400], [404], [429], [401], [403, 40361], [403, 40301]])
      end(dice.below(40), responseOf(refusal(status ?? 400, code)))
    } else if (dice.isLucky(faults.lost)) {
      // It arrives or not, perhaps when its process has long given up.
      const delay = dice.below(dice.pick([30, 90_000]))
      if (isChange) this.#logMerge(departure)
      if (isChange && dice.isLucky(0.6))
        this.#world.later(delay, undefined, () => this.#apply(departure))
      end(dice.below(1000), lost)
    } else
      this.#world.later(dice.below(30), undefined, () => {
        const answer = isChange ? this.#apply(departure) : this.#read(departure)
        const isBroken = dice.isLucky(faults.broken)
        if (isChange && (isBroken || answer[0] === 200)) this.#logMerge(departure)
        const odd: Answer = dice.pick([
          refusal(503),
          [200, { data: { deletedCount: 7, notFoundIds: [], blockedIds: [] } }],
          [200, { data: { added: 9, skipped: 9, failed: 9 } }],
        ])
        end(dice.below(30), responseOf(isBroken ? odd : answer))
      })
    return true
  }

  #logMerge({ path, process }: Departure) {
    const [, , , id = '', what] = path.split('/')
    if (what === 'merge') this.effects.push({ kind: 'merge sent', id, process })
  }

  #read({ path }: Departure): Answer {
    const id = path.split('/')[3] ?? ''
    const ticket = { id, chatId: id, status: 'active', assigneeId: this.#tickets.get(id) }
    return [200, { data: { ticket, messages: [] } }]
  }

  #apply({ path, body, process }: Departure): Answer {
    const [, , noun, id = '', what] = path.split('/')
    const sent = JSON.parse(body.toString()) as {
      contactIds?: string[]
      targetContactId?: string
      newAssigneeId?: string
    }
    const log = (kind: Effect['kind'], of: string) => this.effects.push({ kind, id: of, process })
    const { contactIds = [], targetContactId: target = '', newAssigneeId: wanted = '' } = sent
    if (noun === 'tickets') {
      const from = this.#tickets.get(id)
      if (from == null || from === wanted) return refusal(400)
      this.setHolder(id, wanted)
      log('assigned', id)
      const change = { previousAssigneeId: from, newAssigneeId: wanted }
      return [200, { data: { ticketId: id, chatId: id, ...change } }]
    }
    if (what === 'merge') {
      if (!this.contacts.has(id)) return refusal(404)
      this.remove(id)
      log('merged', id)
      return [200, { data: { mergedContactId: id, contact: { id: target } } }]
    }
    const present = contactIds.filter((each) => this.contacts.has(each))
    const absent = contactIds.filter((each) => !this.contacts.has(each))
    if (noun === 'lists') {
      const added = present.filter((each) => !this.#members.has(each))
      for (const each of added) {
        this.#members.add(each)
        this.wereMembers.add(each)
        log('added', each)
      }
      const skipped = present.length - added.length
      return [200, { data: { added: added.length, skipped, failed: absent.length } }]
    }
    const blocked = present.filter((each) => this.contacts.get(each) === 'blocked')
    const deleted = present.filter((each) => !blocked.includes(each))
    for (const each of deleted) {
      this.remove(each)
      log('deleted', each)
    }
    const named = { notFoundIds: absent, blockedIds: blocked }
    return [200, { data: { deletedCount: deleted.length, ...named } }]
  }
}

const responseOf = ([status, document]: Answer): Exchange => ({
  kind: 'response',
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(document)),
})
