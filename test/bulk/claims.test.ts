/** What may be claimed of a batch in every state, and what may be done next. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestCanLand } from '../../src/api/limits.ts'
import {
  applyEvent,
  canLandUntil,
  isBeginning,
  reopen,
  taint,
  unsent,
  type BatchState,
} from '../../src/bulk/record/batch-state.ts'
import { nextAction, outcomesOf } from '../../src/bulk/operations/operations.ts'
import { type BatchOutcome, outcomes, type Outcome } from '../../src/bulk/operations/outcome.ts'
import type { Batch } from '../../src/bulk/operations/operation.ts'
import type { BatchEvent } from '../../src/bulk/record/events.ts'
import { idOf } from '../ids/inputs.ts'
import {
  addition,
  after,
  ambiguous,
  answered,
  deletion,
  failed,
  givenUp,
  refused,
  followed,
  type Ended,
  type Happening,
} from './states.ts'

const [a, b, c] = [0xa, 0xb, 0xc].map(idOf) as [string, string, string]
const ids = [a, b.toUpperCase(), c]
const deleting: Batch = { operation: 'contacts.delete', ids }
const adding: Batch = { operation: 'lists.add-contacts', ids }
const isolating: Batch = { ...adding, isolate: true }
const merging: Batch = { operation: 'contacts.merge', ids: [a], other: b }

/** An accepted answer that no claim believes. */
function hasUselessAnswer(state: BatchState, told: BatchOutcome): boolean {
  return state.answer !== undefined && told.outcomes.includes('unknown')
}

function three(outcome: Outcome): Outcome[] {
  return [outcome, outcome, outcome]
}

describe('the state of a batch', () => {
  it('a batch is never fewer attempts than it had', () => {
    const late = applyEvent({ ...unsent, attempts: 3 }, { t: 'res', b: 1, a: 2, at: 0, k: 'refused', s: 400 })
    expect(late.attempts).toBe(3)
    const line = { t: 'res', b: 1, a: 2, at: 0, k: 'answered' } as const
    expect(applyEvent(unsent, line)).toMatchObject({ attempts: 2, answer: { status: 0 } })
  })

  const silences: [name: string, happened: Happening[], isSilent: boolean][] = [
    ['nothing was lost', [refused(400), deletion(3, [], [])], false],
    ['answered with 500', [failed(500)], false],
    ['answered with 503', [failed(503), failed(599), refused(429)], false],
    ['answered with 503, then a reset', [failed(503), ambiguous], true],
    ['a reset, then 503', [ambiguous, failed(503)], true],
    ['408', [failed(408)], true],
    ['a redirect', [failed(302)], true],
    ['a 200 of another shape', [failed(200)], true],
    ['a crash, later tried again', ['crash', failed(500)], true],
    ['taken over', ['taken over'], true],
    ['an accepted answer, opened again', [deletion(7, [], []), 'opened again'], true],
    ['answered with 500, opened again', [failed(500), 'opened again'], false],
    ['a crash, opened again', ['crash', 'opened again'], true],
  ]
  it.each(silences)('whether something was lost in silence: %s', (_, happened, isSilent) => {
    expect(after(...happened).lostSilently).toBe(isSilent)
  })
})

describe('delete', () => {
  const lies: [name: string, result: Ended, problem: string][] = [
    [
      'too few',
      deletion(1, [a], []),
      'the answer does not add up: deletedCount 1 + notFoundIds 1 + blockedIds 0 is 2, 3 were sent',
    ],
    [
      'too many',
      deletion(3, [a], []),
      'the answer does not add up: deletedCount 3 + notFoundIds 1 + blockedIds 0 is 4, 3 were sent',
    ],
    ['negative', deletion(-1, [a, b, c], []), 'the answer has another shape'],
    ['a fraction', deletion(1.5, [a], []), 'the answer has another shape'],
    ['not a safe number', deletion(1e20, [a], []), 'the answer has another shape'],
    ['no array of those not found', deletion(3, null, []), 'the answer has another shape'],
    ['no array of those blocked', deletion(3, [], {}), 'the answer has another shape'],
    ['numbers for ids', deletion(2, [7], []), 'the answer has another shape'],
    ['numbers for blocked ids', deletion(2, [], [7]), 'the answer has another shape'],
    ['nothing', answered(null), 'the answer has another shape'],
    ['an array', answered([]), 'the answer has another shape'],
    ['a text', answered('3'), 'the answer has another shape'],
    ['a foreign id', deletion(2, [idOf(99)], []), 'notFoundIds names an id that was not sent'],
    ['a foreign blocked id', deletion(2, [], [idOf(99)]), 'blockedIds names an id that was not sent'],
    ['an id twice', deletion(1, [], [a, a.toUpperCase()]), 'blockedIds names an id twice'],
    ['an id in both', deletion(1, [a], [a.toUpperCase()]), 'an id is in notFoundIds and in blockedIds'],
  ]
  it.each(lies)('an answer that cannot be true is unknown: %s', (_, result, problem) => {
    const state = after(result)
    const told = outcomesOf(deleting, state)
    expect(told).toEqual({ outcomes: three('unknown'), problem })
    expect(hasUselessAnswer(state, told)).toBe(true)
    expect(nextAction(deleting, state)).toBe('finished')
    expect(nextAction(deleting, reopen(state))).toBe('send')
  })

  it('any answer: one outcome for each id, and what is claimed adds up to the answer', () => {
    const share = fc.constantFrom('deleted', 'not-found', 'blocked')
    fc.assert(
      fc.property(fc.array(share, { maxLength: 100 }), fc.boolean(), (shares, isLost) => {
        const sent = shares.map((_, index) => idOf(index))
        const of = (kind: string): string[] => sent.filter((_, index) => shares[index] === kind)
        const result = deletion(of('deleted').length, of('not-found').reverse(), of('blocked'))
        const state = isLost ? after(ambiguous, result) : after(result)
        const told = outcomesOf({ ...deleting, ids: sent }, state).outcomes
        expect(told).toEqual(shares.map((kind) => (kind === 'not-found' && isLost ? 'gone' : kind)))
      }),
    )
  })
})

describe('add', () => {
  const isolated = (missing: string[], proven: boolean): BatchEvent => ({
    t: 'isolated',
    b: 1,
    at: 0,
    missing,
    proven,
    calls: 3,
  })
  const some = addition(1, 1, 1)

  it('ids that are undetermined can be isolated, as long as they are', () => {
    const actions: [state: BatchState, action: string][] = [
      [after(some), 'isolate'],
      [after(some, isolated([b], false)), 'isolate'],
      [after(some, isolated([], false)), 'isolate'],
      [after(some, isolated([b], true)), 'finished'],
      [after(addition(3, 0, 0)), 'finished'],
      [after(addition(0, 0, 3)), 'finished'],
      [after(addition(1, 0, 0)), 'finished'],
      [after(some, isolated([], false), isolated([b], true)), 'finished'],
    ]
    for (const [state, action] of actions) {
      expect(nextAction(isolating, state)).toBe(action)
      expect(nextAction(adding, state)).toBe('finished')
      expect(outcomesOf(isolating, state).outcomes.includes('undetermined')).toBe(action === 'isolate')
    }
  })

  it('opened again, what isolating found is forgotten, and who was added counts as lost', () => {
    const again = after(some, isolated([b], true), 'opened again')
    expect(outcomesOf(isolating, again).outcomes).toEqual(three('unknown'))
    expect(nextAction(isolating, again)).toBe('send')
    const { counts, outcomes: told } = outcomesOf(isolating, followed(again, addition(0, 2, 1)))
    expect(told).toEqual(three('undetermined'))
    expect(counts).toEqual({ added: 0, skipped: 0, addedOrSkipped: 2, failed: 1 })
  })
})

describe('merge', () => {
  it('how long a request can still be carried out', () => {
    expect(requestCanLand).toBe(360_000)
    expect(canLandUntil(unsent)).toBeUndefined()
    expect(canLandUntil(after(refused(404)))).toBeUndefined()
    expect(canLandUntil(after(answered({})))).toBeUndefined()
    // An attempt begins at each full second and ends half a second later: it is signed when it begins.
    expect(canLandUntil(after('crash'))).toBe(361_000)
    expect(canLandUntil(after(refused(401), ambiguous))).toBe(362_000)
    expect(canLandUntil(after(ambiguous, refused(401)))).toBe(361_000)
    expect(canLandUntil(after('crash', refused(401)))).toBe(361_000)
    expect(canLandUntil(after(ambiguous, 'crash'))).toBe(362_000)
    expect(canLandUntil(after(ambiguous, answered({ mergedContactId: a })))).toBe(361_000)
    expect(canLandUntil(taint(unsent, { at: 5000 }))).toBe(365_000)
    expect(canLandUntil(taint(after(ambiguous), { at: 5000 }))).toBe(365_000)
    expect(canLandUntil(taint(after(ambiguous), { at: 500 }))).toBe(361_000)
    expect(canLandUntil(reopen(after(ambiguous)))).toBe(361_000)
    expect(canLandUntil(reopen(after('crash')))).toBe(361_000)
    expect(canLandUntil(reopen(after(answered({}))))).toBe(361_000)
  })

  it.each([
    ['the time that its signature names', { signed: 9000 }, 9000],
    ['the later of that and the service’s', { signed: 9000, service: 12_000 }, 12_000],
    ['not this machine’s clock', { signed: 400, service: 500 }, 500],
  ])('an attempt counts from %s', (_, times, from) => {
    const tried = applyEvent(unsent, { t: 'try', b: 1, a: 1, at: 1_000_000, ...times })
    expect(canLandUntil(tried)).toBe(from + requestCanLand)
    const lost = applyEvent(tried, { t: 'res', b: 1, a: 1, at: 2_000_000, k: 'ambiguous' })
    expect(canLandUntil(lost)).toBe(from + requestCanLand)
    expect(canLandUntil(taint(unsent, { at: 1_000_000, service: 5000 }))).toBe(5000 + requestCanLand)
  })

  it('a clock that was set back does not shorten it', () => {
    const lost = (at: number): BatchEvent => ({ t: 'res', b: 1, a: 1, at, k: 'ambiguous' })
    expect(canLandUntil(applyEvent(applyEvent(unsent, lost(9000)), lost(2000)))).toBe(369_000)
  })
})

describe('assign', () => {
  const [ticket, old, wanted, other] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
  const assigning: Batch = { operation: 'tickets.assign', ids: [ticket], other: wanted }
  const saw = (id: string | null): BatchEvent => ({ t: 'read', b: 1, at: 0, ok: true, id })
  const unread: BatchEvent = { t: 'read', b: 1, at: 0, ok: false, m: 'forbidden' }
  const good = answered({
    ticketId: ticket.toUpperCase(),
    chatId: null,
    previousAssigneeId: old,
    newAssigneeId: wanted,
  })
  const lost = [saw(old), ambiguous]

  it('is read for good once no lost attempt can be carried out any more', () => {
    const at = (ms: number, id = other): BatchEvent => ({ t: 'read', b: 1, at: ms, ok: true, id })
    const state = after(saw(old), ambiguous)
    const until = canLandUntil(state) ?? 0
    expect(nextAction(assigning, followed(state, at(until - 1)))).toBe('read-first')
    expect(nextAction(assigning, followed(state, at(until)))).toBe('finished')
    // The old assignee: it is sent again.
    expect(nextAction(assigning, followed(state, at(until, old)))).toBe('read-first')
  })

  it('what is read is the state before an attempt as long as none may have changed it', () => {
    expect(
      [unsent, after(refused(400)), after(givenUp), after('taken over'), after(...lost, 'opened again')].map(
        isBeginning,
      ),
    ).toEqual([true, true, true, true, true])
    expect([after(...lost), after('crash'), after(good)].map(isBeginning)).toEqual([false, false, false])
    // Each reading of something that was never sent is taken for the beginning, the last one counts.
    expect(after(saw(old), saw(other)).before).toEqual({ id: other })
    expect(after(saw(old), unread).before).toBeUndefined()
    expect(after(...lost, saw(other)).before).toEqual({ id: old })
    expect(after(...lost, unread).reading).toMatchObject({ ok: false, id: null })
  })
})

describe('each batch and each outcome', () => {
  it('merge and assign are one pair each', () => {
    const states = [unsent, after(answered({}))]
    for (const operation of ['contacts.merge', 'tickets.assign'] as const) {
      for (const [sent, other] of [
        [[], b],
        [[a], undefined],
        [[a, b], b],
      ] as const) {
        const wrong = states.map((state) => (): BatchOutcome => outcomesOf({ operation, ids: sent, other }, state))
        expect(wrong[1]).toThrow(`a batch of ${operation} is one pair`)
      }
    }
    // Each is resolved by its own rules.
    const merged = after(answered({ mergedContactId: a }))
    expect(outcomesOf(merging, merged).outcomes).toEqual(['done'])
    expect(outcomesOf({ ...merging, operation: 'tickets.assign' }, merged).outcomes).toEqual(['unknown'])
  })

  it('has one byte', () => {
    expect(new Set(outcomes).size).toBe(outcomes.length)
    expect(outcomes[0]).toBe('not-attempted')
  })

  it('only an answer that made no sense is useless', () => {
    for (const state of [after(ambiguous), after(refused(400)), after(deletion(3, [], [])), unsent]) {
      expect(hasUselessAnswer(state, outcomesOf(deleting, state))).toBe(false)
    }
  })
})
