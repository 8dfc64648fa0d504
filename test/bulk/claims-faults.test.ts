/** What is claimed under the sandbox's faults is what the sandbox did: each batch over real HTTP, with nothing between but the rules. */
import { describe, expect, it } from 'vitest'
import { applyEvent, unsent, type BatchState } from '../../src/bulk/batch-state.ts'
import { assignStep, nextAction, outcomesOf, type Batch, type BatchOutcome } from '../../src/bulk/claims.ts'
import { parseEvent, readEvent, resEvent, type BatchEvent } from '../../src/bulk/events.ts'
import { isolate } from '../../src/bulk/isolate.ts'
import { classify, type AttemptResult, type Exchange } from '../../src/http/attempt.ts'
import { ask, type Ask } from '../sandbox/client.ts'
import { createBulkWorld } from './bulk-world.ts'
import { reading } from './model/rules.ts'

const world = await createBulkWorld()
const { free, busy, sandbox } = world
const key = sandbox.keys.find(({ name }) => name === 'read-write') ?? { apiKey: '', apiSecret: '' }
const mostAttempts = 4
let used = 0
const fresh = (count: number): string[] => free.slice(used, (used += count))

interface ConversationInput extends BatchOutcome {
  readonly state: BatchState
}

/** One batch: its request, and its state as the journal would give it back. */
class Sender {
  state = unsent
  private readonly batch: Batch
  private readonly request: Ask

  constructor(batch: Batch, request: Ask) {
    this.batch = batch
    this.request = request
  }

  get told(): ConversationInput {
    return { ...outcomesOf(this.batch, this.state), state: this.state }
  }

  apply(event: BatchEvent): void {
    const read = parseEvent(JSON.parse(JSON.stringify(event)))
    if (read === undefined || !('a' in read || read.t === 'read')) throw new Error('not an event of a batch')
    this.state = applyEvent(this.state, read)
  }

  async attempt(): Promise<AttemptResult> {
    const place = { b: 1, a: this.state.attempts + 1, at: 0 }
    this.apply({ t: 'try', ...place })
    const result = classify(await exchange(this.request), reading(this.batch.operation))
    this.apply(resEvent(this.batch.operation, place, result))
    return result
  }

  async send(attempts = mostAttempts): Promise<ConversationInput> {
    while (this.state.attempts < attempts && nextAction(this.batch, this.state) === 'send') await this.attempt()
    return this.told
  }
}

async function exchange(request: Ask): Promise<Exchange> {
  try {
    const { status, headers, body } = await ask(sandbox.baseUrl, key, request)
    return { kind: 'response', status, headers, body }
  } catch (error) {
    return { kind: 'failed', sent: true, error: error instanceof Error ? error : new Error('failed') }
  }
}

/** Runs something under faults of the sandbox. */
async function under<T>(faults: string, work: () => Promise<T>): Promise<T> {
  sandbox.setFaults(faults)
  try {
    return await work()
  } finally {
    sandbox.setFaults()
  }
}

/** Faults after which the service has done the work. */
const lostAnswers = [
  'drop-after-apply',
  'drop-mid',
  'drop-mid(at=0)',
  '500(apply)',
  '502(apply)',
  '503(apply)',
  '503(apply, retry-after=0)',
  '408(apply)',
  'truncated-json',
  'garbage-after',
  'invalid-json',
  'invalid-utf8',
  'empty',
  'null',
  'missing-data',
  'wrong-shape',
  'number-ids',
  'reset(apply)',
  'gzip',
  'content-length(+5)',
]
const lostRequests = ['drop-before', '500', '502', '503', '503(retry-after=0)', '408', 'reset']

describe('delete', () => {
  function removal(ids: readonly string[], timeout?: number): Sender {
    const request = { path: '/v1/contacts/bulk-delete', body: { contactIds: ids } }
    return new Sender({ operation: 'contacts.delete', ids }, timeout === undefined ? request : { ...request, timeout })
  }

  it.each(lostAnswers)('%s: absent after a lost answer is gone, not deleted', async (fault) => {
    const ids = [...fresh(3), ...world.absent(1), ...busy.slice(0, 1)]
    const { outcomes, state } = await under(`contacts.delete:1=${fault}`, () => removal(ids).send())
    expect(outcomes).toEqual(['gone', 'gone', 'gone', 'gone', 'blocked'])
    expect(state).toMatchObject({ attempts: 2, lostSilently: !fault.startsWith('50') })
  })

  it.each(lostRequests)('%s: what a later attempt deleted is deleted', async (fault) => {
    const { outcomes } = await under(`contacts.delete:1=${fault}`, () => removal(fresh(3)).send())
    expect(outcomes).toEqual(['deleted', 'deleted', 'deleted'])
  })

  it('half of the work done: one half gone, the other deleted', async () => {
    const { outcomes } = await under('contacts.delete:1=apply-half', () => removal(fresh(4)).send())
    expect(outcomes).toEqual(['gone', 'gone', 'deleted', 'deleted'])
  })

  it('429 is no lost answer: not-found stays not-found', async () => {
    const ids = [...fresh(1), ...world.absent(1)]
    const { outcomes } = await under('contacts.delete:1=429(retry-after=0)', () => removal(ids).send())
    expect(outcomes).toEqual(['deleted', 'not-found'])
  })

  it.each(['wrong-sums', 'foreign-ids'])('%s: an answer that does not add up is not believed', async (fault) => {
    const ids = [...fresh(3), ...world.absent(2)]
    const { outcomes, problem } = await under(`contacts.delete:1+=${fault}`, () => removal(ids).send())
    expect(outcomes).toEqual(ids.map(() => 'unknown'))
    expect(problem).toMatch(/does not add up|was not sent/)
  })

  it.each(['upper-case', 'lower-case'])('%s: letter case of the answer does not matter', async (fault) => {
    const ids = [...fresh(2), ...world.absent(1), ...busy.slice(0, 1)]
    const sent = ids.map((id, i) => (i % 2 === 0 ? id.toUpperCase() : id))
    const { outcomes } = await under(`contacts.delete:1=${fault}`, () => removal(sent).send())
    expect(outcomes).toEqual(['deleted', 'deleted', 'not-found', 'blocked'])
  })

  it('an answer that never comes is ambiguous once its time is over', async () => {
    const { outcomes } = await under('contacts.delete:1=hang-after-apply', () => removal(fresh(1), 200).send())
    expect(outcomes).toEqual(['gone'])
  })

  it('every attempt lost: unknown', async () => {
    const { outcomes, state } = await under('contacts.delete:1+=drop-after-apply', () => removal(fresh(1)).send())
    expect({ outcomes, attempts: state.attempts }).toEqual({ outcomes: ['unknown'], attempts: mostAttempts })
  })

  it('without another attempt, a 503 after the work is unknown, not an error', async () => {
    const { outcomes } = await under('contacts.delete:1=503(apply, retry-after=0)', () => removal(fresh(1)).send(1))
    expect(outcomes).toEqual(['unknown'])
  })
})

describe('add', () => {
  const list = sandbox.examples.emptyList
  const present = free.slice(-12)

  function request(ids: readonly string[]): Ask {
    return { path: `/v1/lists/${list}/contacts`, body: { contactIds: ids } }
  }

  function addition(ids: readonly string[]): Sender {
    return new Sender({ operation: 'lists.add-contacts', ids, isolate: true }, request(ids))
  }

  it('skipped of a batch whose answer was lost may have been added by it', async () => {
    expect((await addition(present.slice(0, 2)).send()).added).toMatchObject({ added: 2, skipped: 0 })
    const ids = [...present.slice(0, 10), ...world.absent(1)]
    const { added } = await under('lists.add-contacts:1=drop-after-apply', () => addition(ids).send())
    expect(added).toEqual({ added: 0, skipped: 0, addedOrSkipped: 10, failed: 1 })
  })

  it('without a lost answer added and skipped are told apart', async () => {
    const { added, outcomes } = await addition(present).send()
    expect(added).toEqual({ added: 2, skipped: 10, addedOrSkipped: 0, failed: 0 })
    expect(new Set(outcomes)).toEqual(new Set(['ok']))
  })

  it('some do not exist: the batch is undetermined until it is isolated', async () => {
    const ids = [...present.slice(0, 4), ...world.absent(1), ...present.slice(4, 8)]
    const sender = addition(ids)
    const { outcomes, added } = await sender.send()
    expect(new Set(outcomes)).toEqual(new Set(['undetermined']))
    const found = await isolate(ids, added?.failed ?? 0, async (part) => {
      const { json } = await ask(sandbox.baseUrl, key, request(part))
      return json.data
    })
    sender.state = applyEvent(sender.state, { t: 'isolated', b: 1, at: 0, ...found, missing: [...found.missing] })
    expect(sender.told.outcomes).toEqual(ids.map((_, i) => (i === 4 ? 'missing' : 'ok')))
    expect(sender.told.added).toEqual(added)
  })
})

const tickets = [...sandbox.store.allTickets()]
  .filter(({ status, current, assigneeId }) => status === 'active' && current === true && assigneeId !== null)
  .map(({ id }) => String(id))
const able = (await ask(sandbox.baseUrl, key, { path: '/v1/employees' })).json.data
  .filter(({ status, channels }) => status === 'active' && channels.length === 5)
  .map(({ id }) => id)

describe('assign', () => {
  let next = 0

  /** A ticket that no other test touches, and two employees who do not have it. */
  function change(): Assignment {
    next += 1
    const ticket = tickets[next] ?? ''
    const [to = '', other = ''] = able.filter((id) => id !== sandbox.store.assigneeOf(ticket))
    return new Assignment(ticket, to, other)
  }

  class Assignment {
    readonly ticket: string
    readonly to: string
    readonly other: string
    private readonly sender: Sender

    constructor(ticket: string, to: string, other: string) {
      this.ticket = ticket
      this.to = to
      this.other = other
      this.sender = new Sender({ operation: 'tickets.assign', ids: [ticket], other: to }, this.request(to))
    }

    request(newAssigneeId: string): Ask {
      return { method: 'PATCH', path: `/v1/tickets/${this.ticket}/assignee`, body: { newAssigneeId } }
    }

    async read(): Promise<void> {
      const { status, json } = await ask(sandbox.baseUrl, key, { path: `/v1/tickets/${this.ticket}/history` })
      const problem = { problem: `HTTP ${status}` }
      const { ticket } = status === 200 ? json.data : { ticket: undefined }
      this.sender.apply(readEvent({ b: 1, at: 0 }, ticket === undefined ? problem : { id: ticket.assigneeId }))
    }

    /** `meanwhile`: done by someone else after each attempt. */
    async run(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<ConversationInput> {
      for (;;) {
        const step = assignStep(this.sender.state, this.to)
        if (step === 'finished') return this.sender.told
        if (step === 'read') await this.read()
        else {
          await this.sender.attempt()
          await meanwhile()
        }
      }
    }

    get assignee(): string | null | undefined {
      return sandbox.store.assigneeOf(this.ticket)
    }
  }

  it('reads first, and changes', async () => {
    const it = change()
    expect(await it.run()).toMatchObject({ outcomes: ['done'], state: { attempts: 1 } })
    expect(it.assignee).toBe(it.to)
  })

  it('a ticket that has the employee already is done without a write', async () => {
    const it = change()
    await ask(sandbox.baseUrl, key, it.request(it.to))
    expect(await it.run()).toMatchObject({ outcomes: ['done'], state: { attempts: 0 } })
  })

  it.each(['drop-after-apply', 'reset(apply)', '500(apply)', '503(apply, retry-after=0)', 'truncated-json'])(
    '%s: a reading afterwards shows that it was done, once',
    async (fault) => {
      const told = await under(`tickets.assign:1=${fault}`, () => change().run())
      expect(told).toMatchObject({ outcomes: ['done'], state: { attempts: 1 } })
    },
  )

  it.each(['drop-before', 'reset', '500', '503(retry-after=0)'])(
    '%s: the old assignee still stands, so it is sent again',
    async (fault) => {
      const told = await under(`tickets.assign:1=${fault}`, () => change().run())
      expect(told).toMatchObject({ outcomes: ['done'], state: { attempts: 2 } })
    },
  )

  it('three lost attempts in all, then unknown', async () => {
    const told = await under('tickets.assign:1+=drop-before', () => change().run())
    expect(told).toMatchObject({ outcomes: ['unknown'], state: { attempts: 3 } })
  })

  it('refused after a lost attempt: not sent a third time, and unknown', async () => {
    const told = await under('tickets.assign:1=drop-before, tickets.assign:2+=400', () => change().run())
    expect(told).toMatchObject({ outcomes: ['unknown'], state: { attempts: 2 } })
  })

  it('someone else changed it meanwhile: unknown, and never overwritten', async () => {
    const it = change()
    const told = await under('tickets.assign:1=drop-after-apply', () =>
      it.run(() => ask(sandbox.baseUrl, key, it.request(it.other))),
    )
    expect(told).toMatchObject({ outcomes: ['unknown'], state: { attempts: 1 } })
    expect(told.problem).toContain('seen with another assignee')
    expect(it.assignee).toBe(it.other)
  })

  it('a reading that fails beforehand does not keep it from being sent', async () => {
    const told = await under('tickets.history:1=403(code=40352)', () => change().run())
    expect(told).toMatchObject({ outcomes: ['done'], state: { attempts: 1 } })
  })

  it('a reading that fails afterwards tells nothing', async () => {
    const told = await under('tickets.assign:1=drop-after-apply, tickets.history:2=500', () => change().run())
    expect(told).toMatchObject({ outcomes: ['unknown'], state: { attempts: 1 } })
  })
})

describe('merge', () => {
  it.each([
    'drop-after-apply',
    'drop-before',
    '500',
    '503(retry-after=0)',
    '503(apply, retry-after=0)',
    'reset',
    '408',
  ])('%s: is never sent again', async (fault) => {
    const [source = '', other = ''] = fresh(2)
    const request = { path: `/v1/contacts/${source}/merge`, body: { targetContactId: other } }
    const batch: Batch = { operation: 'contacts.merge', ids: [source], other }
    const sender = new Sender(batch, request)
    const told = await under(`contacts.merge:1=${fault}`, () => sender.send())
    expect(told).toMatchObject({ outcomes: ['unknown'], state: { attempts: 1 } })
    expect(nextAction(batch, sender.state)).toBe('list-only')
  })

  it('is done, or refused', async () => {
    const [source = '', other = ''] = fresh(2)
    const request = { path: `/v1/contacts/${source}/merge`, body: { targetContactId: other } }
    const batch: Batch = { operation: 'contacts.merge', ids: [source], other }
    expect((await new Sender(batch, request).send()).outcomes).toEqual(['done'])
    expect((await new Sender(batch, request).send()).outcomes).toEqual(['error'])
  })
})
