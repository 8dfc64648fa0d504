/** What may be claimed of a batch in every state, and what may be done next. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestCanLand } from '../../src/api/limits.ts'
import {
  applyEvent,
  canLandUntil,
  isAmbiguous,
  isBeginning,
  reopen,
  reopenRefused,
  taint,
  unsent,
  type BatchState,
} from '../../src/bulk/record/batch-state.ts'
import { assignStep } from '../../src/bulk/operations/assign.ts'
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
  neverSent,
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
  it('once ambiguous, always ambiguous', () => {
    expect(after(ambiguous, refused(429), neverSent)).toMatchObject({
      attempts: 3,
      everAmbiguous: true,
      ambiguousAttempts: 1,
      open: false,
    })
    expect(after('crash', refused(400))).toMatchObject({ everAmbiguous: true, ambiguousAttempts: 1, open: false })
    expect(after(refused(429), 'crash')).toMatchObject({ everAmbiguous: false, ambiguousAttempts: 0, open: true })
    expect(after('crash', 'crash', ambiguous)).toMatchObject({ ambiguousAttempts: 3 })
    expect(isAmbiguous(after('crash'))).toBe(true)
    expect(isAmbiguous(after(ambiguous, deletion(3, [], [])))).toBe(false)
    expect(isAmbiguous(after(refused(400)))).toBe(false)
  })

  it('what svc gave up itself is not how the last attempt ended', () => {
    expect(after(refused(429), givenUp).last).toMatchObject({ kind: 'refused', status: 429 })
    expect(after(givenUp)).toEqual({ ...unsent, attempts: 1, triedAt: 1000, isReopened: false, reading: undefined })
  })

  it('keeps what the service said', () => {
    const last = after({ k: 'ambiguous', s: 500, m: 'Internal server error' }).last
    expect(last).toEqual({ kind: 'ambiguous', status: 500, code: undefined, message: 'Internal server error' })
    expect(after(deletion(3, [], [])).answer).toEqual({
      status: 200,
      data: { deletedCount: 3, notFoundIds: [], blockedIds: [] },
      at: 1500,
    })
  })

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
  const cases: [name: string, happened: Happening[], expected: Outcome[]][] = [
    ['nothing sent', [], three('not-attempted')],
    ['given up by svc', [givenUp], three('not-attempted')],
    ['never sent', [neverSent], three('error')],
    ['refused', [refused(400)], three('error')],
    ['ambiguous', [ambiguous], three('unknown')],
    ['503', [failed(503)], three('unknown')],
    ['a crash', ['crash'], three('unknown')],
    ['ambiguous, then refused', [ambiguous, refused(400)], three('unknown')],
    ['ambiguous, then never sent', [ambiguous, neverSent], three('unknown')],
    ['all deleted', [deletion(3, [], [])], three('deleted')],
    ['one of each, in another letter case', [deletion(1, [a.toUpperCase()], [b])], ['not-found', 'blocked', 'deleted']],
    ['after a lost answer', [ambiguous, deletion(1, [a], [b])], ['gone', 'blocked', 'deleted']],
    ['after a 503', [failed(503), deletion(1, [a], [b])], ['gone', 'blocked', 'deleted']],
    ['after a crash and a refusal', ['crash', refused(429), deletion(0, [a, b, c], [])], three('gone')],
    ['after a refusal', [refused(429), neverSent, deletion(0, [a, b, c], [])], three('not-found')],
  ]
  it.each(cases)('%s', (_, happened, expected) => {
    expect(outcomesOf(deleting, after(...happened))).toEqual({ outcomes: expected, problem: undefined })
  })

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
  const notConfirmed = 'which of these contacts exist was not confirmed'
  const cases: [
    name: string,
    happened: Happening[],
    expected: Outcome | Outcome[],
    added?: object | undefined,
    problem?: string,
  ][] = [
    ['nothing sent', [], 'not-attempted'],
    ['refused', [refused(404)], 'error'],
    ['ambiguous', [ambiguous], 'unknown'],
    ['ambiguous, then refused', [failed(503), refused(404)], 'unknown'],
    ['all there', [addition(2, 1, 0)], 'ok', { added: 2, skipped: 1, addedOrSkipped: 0, failed: 0 }],
    ['none exists', [addition(0, 0, 3)], 'missing', { added: 0, skipped: 0, addedOrSkipped: 0, failed: 3 }],
    ['some do not exist', [some], 'undetermined', { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 }],
    [
      'after a lost answer',
      [ambiguous, addition(1, 2, 0)],
      'ok',
      { added: 1, skipped: 0, addedOrSkipped: 2, failed: 0 },
    ],
    [
      'isolated, in another letter case',
      [some, isolated([b], true)],
      ['ok', 'missing', 'ok'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
    ],
    [
      'isolated: one was deleted since it was added',
      [some, isolated([a, b], true)],
      ['missing', 'missing', 'ok'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
    ],
    [
      'isolated, not proven',
      [some, isolated([b], false)],
      ['undetermined', 'missing', 'undetermined'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
      notConfirmed,
    ],
    [
      'isolated after a lost answer',
      ['crash', addition(1, 1, 1), isolated([b], true)],
      ['ok', 'missing', 'ok'],
      { added: 1, skipped: 0, addedOrSkipped: 1, failed: 1 },
    ],
    [
      'sums',
      [addition(1, 1, 0)],
      'unknown',
      undefined,
      'the answer does not add up: added 1 + skipped 1 + failed 0 is 2, 3 were sent',
    ],
    ['shape', [answered({ added: 3 })], 'unknown', undefined, 'the answer has another shape'],
  ]
  it.each(cases)('%s', (_, happened, expected, added, problem) => {
    const state = after(...happened)
    const told = outcomesOf(adding, state)
    expect(told.outcomes).toEqual(typeof expected === 'string' ? three(expected) : expected)
    expect(told.counts).toEqual(added)
    expect(told.problem).toBe(problem)
    expect(hasUselessAnswer(state, told)).toBe(state.answer !== undefined && added === undefined)
  })

  it('an answer needs all three, each a count', () => {
    const good = { added: 1, skipped: 1, failed: 1 }
    for (const name of ['added', 'skipped', 'failed']) {
      for (const value of [undefined, null, '1', -1, 0.5, Number.NaN, 1e20]) {
        const told = outcomesOf(adding, after(answered({ ...good, [name]: value })))
        expect(told).toEqual({ outcomes: three('unknown'), problem: 'the answer has another shape' })
      }
    }
    for (const data of [null, [], 'x', 7]) {
      expect(outcomesOf(adding, after(answered(data))).problem).toBe('the answer has another shape')
    }
  })

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

  it('isolating makes nothing ambiguous', () => {
    expect(after(some, isolated([b], false))).toEqual({ ...after(some), isolation: { missing: [b], proven: false } })
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
  const cases: [name: string, happened: Happening[], outcome: Outcome, action: string, problem?: string][] = [
    ['nothing sent', [], 'not-attempted', 'send'],
    ['names the source', [answered({ mergedContactId: a.toUpperCase(), contact: {} })], 'done', 'finished'],
    ['names the target', [answered({ mergedContactId: b, contact: {} })], 'done', 'finished'],
    [
      'names another',
      [answered({ mergedContactId: c, contact: {} })],
      'unknown',
      'finished',
      'the answer names another contact',
    ],
    ['another shape', [answered({})], 'unknown', 'finished', 'the answer has another shape'],
    ['no object', [answered(null)], 'unknown', 'finished', 'the answer has another shape'],
    ['refused', [refused(400)], 'error', 'finished'],
    ['503', [failed(503)], 'unknown', 'list-only'],
    ['ambiguous', [ambiguous], 'unknown', 'list-only'],
    ['a crash', ['crash'], 'unknown', 'list-only'],
    ['refused, then ambiguous, then refused', [refused(429), ambiguous, refused(404)], 'unknown', 'list-only'],
    ['ambiguous, then 401', [ambiguous, refused(401)], 'unknown', 'list-only'],
    ['taken over, never tried', ['taken over'], 'unknown', 'send'],
    ['taken over, then never sent', ['taken over', neverSent], 'unknown', 'send'],
    ['taken over, then 401', ['taken over', refused(401)], 'unknown', 'send'],
    ['taken over, then 404: the request before may be why', ['taken over', refused(404)], 'unknown', 'list-only'],
    ['refused, then taken over', [refused(404), 'taken over'], 'unknown', 'list-only'],
    ['tried, then taken over', ['crash', 'taken over'], 'unknown', 'list-only'],
    ['taken over, then ambiguous', ['taken over', ambiguous], 'unknown', 'list-only'],
    ['ambiguous, opened again', [ambiguous, 'opened again'], 'unknown', 'send'],
    ['ambiguous, opened again, given up', [ambiguous, 'opened again', givenUp], 'unknown', 'send'],
    ['ambiguous, opened again, 401', [ambiguous, 'opened again', refused(401)], 'unknown', 'send'],
    ['ambiguous, opened again, refused', [ambiguous, 'opened again', refused(404)], 'unknown', 'list-only'],
    ['ambiguous, opened again, lost again', [ambiguous, 'opened again', ambiguous], 'unknown', 'list-only'],
    ['ambiguous, opened again, a crash', [ambiguous, 'opened again', 'crash'], 'unknown', 'list-only'],
    ['a crash, opened again', ['crash', 'opened again'], 'unknown', 'send'],
    ['refused, opened again', [refused(404), 'opened again'], 'error', 'send'],
  ]
  it.each(cases)('%s', (_, happened, outcome, action, problem) => {
    const state = after(...happened)
    expect(outcomesOf(merging, state)).toEqual({ outcomes: [outcome], problem })
    expect(nextAction(merging, state)).toBe(action)
  })

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
  const declined: BatchEvent = { t: 'read', b: 1, at: 0, ok: true, id: other, declined: true }
  const good = answered({
    ticketId: ticket.toUpperCase(),
    chatId: null,
    previousAssigneeId: old,
    newAssigneeId: wanted,
  })
  const otherAssignee = answered({ ticketId: ticket, newAssigneeId: other })
  const lost = [saw(old), ambiguous]
  const happenings: Readonly<Record<string, Happening>> = {
    'saw old': saw(old),
    'saw OLD': saw(old.toUpperCase()),
    'saw wanted': saw(wanted),
    'saw WANTED': saw(wanted.toUpperCase()),
    'saw other': saw(other),
    'saw nobody': saw(null),
    unreadable: unread,
    declined,
    answered: good,
    'another assignee': otherAssignee,
    'another ticket': answered({ ticketId: old, newAssigneeId: wanted }),
    'another shape': answered({}),
    lost: ambiguous,
    503: failed(503),
    ...Object.fromEntries([400, 401, 429].map((status) => [status, refused(status)])),
    'never sent': neverSent,
    'given up': givenUp,
    crash: 'crash',
    resumed: 'resumed',
    'taken over': 'taken over',
    'opened again': 'opened again',
  }
  const problems: Readonly<Record<string, string>> = {
    moved:
      'the ticket was seen with another assignee; this change may have been made before that, or may still be made',
    declined: 'the ticket has another assignee now, so it was left alone',
    assignee: 'the answer names another assignee',
    ticket: 'the answer names another ticket',
    shape: 'the answer has another shape',
  }
  /** What happened, the next step, the outcome, what resuming does, and the problem that is told. */
  const table = `
    nothing                                                             | read     | not-attempted | send       |
    saw WANTED                                                          | finished | done          | finished   |
    saw old                                                             | send     | not-attempted | send       |
    saw nobody                                                          | send     | not-attempted | send       |
    unreadable                                                          | send     | not-attempted | send       |
    declined                                                            | finished | error         | finished   | declined
    saw old, answered                                                   | finished | done          | finished   |
    saw old, another assignee                                           | finished | unknown       | finished   | assignee
    saw old, another ticket                                             | finished | unknown       | finished   | ticket
    saw old, another shape                                              | finished | unknown       | finished   | shape
    saw old, 400                                                        | finished | error         | finished   |
    saw old, 429                                                        | finished | error         | send       |
    saw old, 429, resumed                                               | read     | error         | send       |
    saw old, 429, resumed, saw other                                    | send     | error         | send       |
    saw old, never sent                                                 | finished | error         | send       |
    saw old, given up                                                   | finished | not-attempted | send       |
    saw old, given up, resumed                                          | read     | not-attempted | send       |
    saw old, lost                                                       | read     | unknown       | read-first |
    saw old, 503                                                        | read     | unknown       | read-first |
    saw old, crash                                                      | read     | unknown       | read-first |
    saw old, crash, saw old                                             | finished | unknown       | read-first |
    saw old, crash, resumed, saw old                                    | send     | unknown       | read-first |
    saw old, lost, saw wanted                                           | finished | done          | finished   |
    saw old, lost, saw wanted, resumed                                  | read     | unknown       | read-first | moved
    saw old, lost, saw old                                              | send     | unknown       | read-first |
    saw old, lost, saw OLD                                              | send     | unknown       | read-first |
    saw nobody, lost, saw nobody                                        | send     | unknown       | read-first |
    saw nobody, lost, saw other                                         | finished | unknown       | read-first | moved
    saw old, lost, saw other                                            | finished | unknown       | read-first | moved
    saw old, lost, saw nobody                                           | finished | unknown       | read-first | moved
    saw old, lost, saw other, resumed, saw old                          | finished | unknown       | read-first | moved
    saw old, lost, saw old, crash, resumed, saw other, resumed, saw old | finished | unknown       | read-first | moved
    saw old, lost, saw other, resumed, saw wanted                       | finished | done          | finished   |
    saw old, lost, saw other, opened again, saw old                     | send     | unknown       | read-first |
    saw old, lost, unreadable                                           | finished | unknown       | read-first |
    unreadable, lost, saw other                                         | finished | unknown       | read-first |
    unreadable, lost, saw wanted                                        | finished | done          | finished   |
    unreadable, lost, unreadable                                        | finished | unknown       | read-first |
    saw old, lost, saw old, 400                                         | read     | unknown       | read-first |
    saw old, lost, saw old, 400, saw old                                | finished | unknown       | read-first |
    saw old, lost, saw old, 400, saw wanted                             | finished | done          | finished   |
    saw old, lost, saw old, 401, resumed, saw old                       | send     | unknown       | read-first |
    saw old, lost, saw old, lost, saw old                               | send     | unknown       | read-first |
    saw old, lost, saw old, lost, saw old, lost, saw old                | finished | unknown       | read-first |
    saw old, lost, saw old, lost, saw old, lost, resumed, saw old       | finished | unknown       | read-first |
    saw old, lost, saw old, lost, saw old, lost, opened again, saw old  | send     | unknown       | read-first |
    taken over                                                          | read     | unknown       | read-first |
    taken over, saw other                                               | send     | unknown       | read-first |
    taken over, saw wanted                                              | finished | done          | finished   |
    taken over, unreadable                                              | send     | unknown       | read-first |
    taken over, saw old, 400                                            | finished | unknown       | read-first |
    saw old, taken over, saw other                                      | finished | unknown       | read-first | moved
    taken over, declined                                                | finished | unknown       | read-first |
    saw old, lost, opened again                                         | read     | unknown       | read-first |
    saw old, lost, opened again, saw old                                | send     | unknown       | read-first |
    saw old, lost, opened again, saw other                              | finished | unknown       | read-first | moved
    saw old, lost, opened again, unreadable                             | finished | unknown       | read-first |
    unreadable, lost, opened again, saw other                           | send     | unknown       | read-first |
    unreadable, lost, opened again, unreadable                          | send     | unknown       | read-first |
    saw old, another assignee, opened again                             | read     | unknown       | read-first |
    declined, opened again                                              | read     | not-attempted | send       |
    saw old, 400, opened again                                          | read     | error         | send       |
    saw old, 400, opened again, saw other                               | send     | error         | send       |
  `
  const cases = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  it.each(cases)('%s', (words = '', step, outcome, action, problem = '') => {
    const happened = (words === 'nothing' ? [] : words.split(', ')).map((word) => {
      const found = happenings[word]
      if (found === undefined) throw new Error(`nothing is called ${word}`)
      return found
    })
    const state = after(...happened)
    expect(assignStep(state, wanted)).toBe(step)
    expect(outcomesOf(assigning, state)).toEqual({ outcomes: [outcome], problem: problems[problem] })
    expect(nextAction(assigning, state)).toBe(action)
  })

  it('an answer needs both ids', () => {
    const data = { ticketId: ticket, newAssigneeId: wanted }
    expect(outcomesOf(assigning, after(answered(data))).outcomes).toEqual(['done'])
    for (const name of ['ticketId', 'newAssigneeId']) {
      for (const value of [undefined, null, 7, {}]) {
        const told = outcomesOf(assigning, after(answered({ ...data, [name]: value })))
        expect(told).toEqual({ outcomes: ['unknown'], problem: 'the answer has another shape' })
      }
    }
    expect(outcomesOf(assigning, after(answered(null))).problem).toBe('the answer has another shape')
  })

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

/** The rest is judged on every path of the model. */
describe('a batch whose refusal stopped the run', () => {
  const cases: [name: string, happened: Happening[], action: string][] = [
    ['is sent again', [refused(400), 'stopped the run'], 'send'],
    ['is sent again after what svc gave up', [refused(400), 'stopped the run', givenUp], 'send'],
    ['is not sent a third time', [refused(400), 'stopped the run', refused(400)], 'finished'],
    ['is sent again by a resume', [refused(400), 'resumed'], 'send'],
    ['is not, when it was given up only', [refused(400), givenUp], 'finished'],
  ]
  it.each(cases)('%s', (_, happened, action) => {
    for (const batch of [deleting, adding]) expect(nextAction(batch, after(...happened))).toBe(action)
  })

  it('and nothing but what was refused', () => {
    for (const state of [unsent, after(neverSent), after(ambiguous), after(deletion(3, [], []))]) {
      expect(reopenRefused(state)).toBe(state)
    }
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
