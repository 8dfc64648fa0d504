/** What may be claimed of a batch in every state, and what may be done next. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyEvent,
  canLandUntil,
  isAmbiguous,
  isBeginning,
  reopen,
  reopenRefused,
  requestCanLand,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from '../../src/bulk/batch-state.ts'
import {
  assignStep,
  hasUselessAnswer,
  needsIsolating,
  nextAction,
  outcomes,
  outcomesOf,
  type Batch,
  type BatchOutcome,
  type Outcome,
} from '../../src/bulk/claims.ts'
import type { BatchEvent } from '../../src/bulk/events.ts'
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
} from './states.ts'

const [a, b, c] = [0xa, 0xb, 0xc].map(idOf) as [string, string, string]
const ids = [a, b.toUpperCase(), c]
const deleting: Batch = { operation: 'contacts.delete', ids }
const adding: Batch = { operation: 'lists.add-contacts', ids }
const isolating: Batch = { ...adding, isolate: true }
const merging: Batch = { operation: 'contacts.merge', ids: [a], other: b }

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
    expect(after(givenUp)).toEqual({ ...unsent, attempts: 1, triedAt: 1000 })
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

  const silences: [name: string, state: BatchState, isSilent: boolean][] = [
    ['nothing was lost', after(refused(400), deletion(3, [], [])), false],
    ['answered with 500', after(failed(500)), false],
    ['answered with 503', after(failed(503), failed(599), refused(429)), false],
    ['answered with 503, then a reset', after(failed(503), ambiguous), true],
    ['a reset, then 503', after(ambiguous, failed(503)), true],
    ['408', after(failed(408)), true],
    ['a redirect', after(failed(302)), true],
    ['a 200 of another shape', after(failed(200)), true],
    ['a crash, later tried again', after('crash', failed(500)), true],
    ['taken over', taint(unsent, 1), true],
    ['an accepted answer, opened again', reopen(after(deletion(7, [], []))), true],
    ['answered with 500, opened again', reopen(after(failed(500))), false],
    ['a crash, opened again', reopen(after('crash')), true],
  ]
  it.each(silences)('whether something was lost in silence: %s', (_, state, isSilent) => {
    expect(state.lostSilently).toBe(isSilent)
  })
})

describe('delete', () => {
  const cases: [name: string, state: BatchState, expected: Outcome[]][] = [
    ['nothing sent', unsent, three('not-attempted')],
    ['given up by svc', after(givenUp), three('not-attempted')],
    ['never sent', after(neverSent), three('error')],
    ['refused', after(refused(400)), three('error')],
    ['ambiguous', after(ambiguous), three('unknown')],
    ['503', after(failed(503)), three('unknown')],
    ['a crash', after('crash'), three('unknown')],
    ['ambiguous, then refused', after(ambiguous, refused(400)), three('unknown')],
    ['ambiguous, then never sent', after(ambiguous, neverSent), three('unknown')],
    ['all deleted', after(deletion(3, [], [])), three('deleted')],
    [
      'one of each, in another letter case',
      after(deletion(1, [a.toUpperCase()], [b])),
      ['not-found', 'blocked', 'deleted'],
    ],
    ['after a lost answer', after(ambiguous, deletion(1, [a], [b])), ['gone', 'blocked', 'deleted']],
    ['after a 503', after(failed(503), deletion(1, [a], [b])), ['gone', 'blocked', 'deleted']],
    ['after a crash and a refusal', after('crash', refused(429), deletion(0, [a, b, c], [])), three('gone')],
    ['after a refusal', after(refused(429), neverSent, deletion(0, [a, b, c], [])), three('not-found')],
  ]
  it.each(cases)('%s', (_, state, expected) => {
    expect(outcomesOf(deleting, state)).toEqual({ outcomes: expected, problem: undefined })
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
  const isolated = (state: BatchState, missing: readonly string[], proven: boolean): BatchState =>
    applyEvent(state, { t: 'isolated', b: 1, at: 0, missing: [...missing], proven, calls: 3 })
  const some = after(addition(1, 1, 1))
  const notConfirmed = 'which of these contacts exist was not confirmed'
  const cases: [
    name: string,
    state: BatchState,
    expected: Outcome | Outcome[],
    added?: object | undefined,
    problem?: string,
  ][] = [
    ['nothing sent', unsent, 'not-attempted'],
    ['refused', after(refused(404)), 'error'],
    ['ambiguous', after(ambiguous), 'unknown'],
    ['ambiguous, then refused', after(failed(503), refused(404)), 'unknown'],
    ['all there', after(addition(2, 1, 0)), 'ok', { added: 2, skipped: 1, addedOrSkipped: 0, failed: 0 }],
    ['none exists', after(addition(0, 0, 3)), 'missing', { added: 0, skipped: 0, addedOrSkipped: 0, failed: 3 }],
    ['some do not exist', some, 'undetermined', { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 }],
    [
      'after a lost answer',
      after(ambiguous, addition(1, 2, 0)),
      'ok',
      { added: 1, skipped: 0, addedOrSkipped: 2, failed: 0 },
    ],
    [
      'isolated, in another letter case',
      isolated(some, [b], true),
      ['ok', 'missing', 'ok'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
    ],
    [
      'isolated: one was deleted since it was added',
      isolated(some, [a, b], true),
      ['missing', 'missing', 'ok'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
    ],
    [
      'isolated, not proven',
      isolated(some, [b], false),
      ['undetermined', 'missing', 'undetermined'],
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
      notConfirmed,
    ],
    [
      'isolated after a lost answer',
      isolated(after('crash', addition(1, 1, 1)), [b], true),
      ['ok', 'missing', 'ok'],
      { added: 1, skipped: 0, addedOrSkipped: 1, failed: 1 },
    ],
    [
      'sums',
      after(addition(1, 1, 0)),
      'unknown',
      undefined,
      'the answer does not add up: added 1 + skipped 1 + failed 0 is 2, 3 were sent',
    ],
    ['shape', after(answered({ added: 3 })), 'unknown', undefined, 'the answer has another shape'],
  ]
  it.each(cases)('%s', (_, state, expected, added, problem) => {
    const told = outcomesOf(adding, state)
    expect(told.outcomes).toEqual(typeof expected === 'string' ? three(expected) : expected)
    expect(told.added).toEqual(added)
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
      [some, 'isolate'],
      [isolated(some, [b], false), 'isolate'],
      [isolated(some, [], false), 'isolate'],
      [isolated(some, [b], true), 'finished'],
      [after(addition(3, 0, 0)), 'finished'],
      [after(addition(0, 0, 3)), 'finished'],
      [after(addition(1, 0, 0)), 'finished'],
      [isolated(isolated(some, [], false), [b], true), 'finished'],
    ]
    for (const [state, action] of actions) {
      expect(nextAction(isolating, state)).toBe(action)
      expect(nextAction(adding, state)).toBe('finished')
      expect(needsIsolating(outcomesOf(isolating, state))).toBe(action === 'isolate')
    }
  })

  it('isolating makes nothing ambiguous', () => {
    expect(isolated(some, [b], false)).toEqual({ ...some, isolation: { missing: [b], proven: false } })
  })

  it('opened again, what isolating found is forgotten, and who was added counts as lost', () => {
    const again = reopen(isolated(some, [b], true))
    expect(outcomesOf(isolating, again).outcomes).toEqual(three('unknown'))
    expect(nextAction(isolating, again)).toBe('send')
    const { added, outcomes: told } = outcomesOf(isolating, followed(again, addition(0, 2, 1)))
    expect(told).toEqual(three('undetermined'))
    expect(added).toEqual({ added: 0, skipped: 0, addedOrSkipped: 2, failed: 1 })
  })
})

describe('merge', () => {
  const cases: [name: string, state: BatchState, outcome: Outcome, action: string, problem?: string][] = [
    ['nothing sent', unsent, 'not-attempted', 'send'],
    ['names the source', after(answered({ mergedContactId: a.toUpperCase(), contact: {} })), 'done', 'finished'],
    ['names the target', after(answered({ mergedContactId: b, contact: {} })), 'done', 'finished'],
    [
      'names another',
      after(answered({ mergedContactId: c, contact: {} })),
      'unknown',
      'finished',
      'the answer names another contact',
    ],
    ['another shape', after(answered({})), 'unknown', 'finished', 'the answer has another shape'],
    ['no object', after(answered(null)), 'unknown', 'finished', 'the answer has another shape'],
    ['refused', after(refused(400)), 'error', 'finished'],
    ['503', after(failed(503)), 'unknown', 'list-only'],
    ['ambiguous', after(ambiguous), 'unknown', 'list-only'],
    ['a crash', after('crash'), 'unknown', 'list-only'],
    ['refused, then ambiguous, then refused', after(refused(429), ambiguous, refused(404)), 'unknown', 'list-only'],
    ['ambiguous, then 401', after(ambiguous, refused(401)), 'unknown', 'list-only'],
    ['taken over, never tried', taint(unsent, 0), 'unknown', 'send'],
    ['taken over, then never sent', followed(taint(unsent, 0), neverSent), 'unknown', 'send'],
    ['taken over, then 401', followed(taint(unsent, 0), refused(401)), 'unknown', 'send'],
    [
      'taken over, then 404: the request before may be why',
      followed(taint(unsent, 0), refused(404)),
      'unknown',
      'list-only',
    ],
    ['refused, then taken over', taint(after(refused(404)), 0), 'unknown', 'list-only'],
    ['tried, then taken over', taint(after('crash'), 0), 'unknown', 'list-only'],
    ['taken over, then ambiguous', followed(taint(unsent, 0), ambiguous), 'unknown', 'list-only'],
    ['ambiguous, opened again', reopen(after(ambiguous)), 'unknown', 'send'],
    ['ambiguous, opened again, given up', followed(reopen(after(ambiguous)), givenUp), 'unknown', 'send'],
    ['ambiguous, opened again, 401', followed(reopen(after(ambiguous)), refused(401)), 'unknown', 'send'],
    ['ambiguous, opened again, refused', followed(reopen(after(ambiguous)), refused(404)), 'unknown', 'list-only'],
    ['ambiguous, opened again, lost again', followed(reopen(after(ambiguous)), ambiguous), 'unknown', 'list-only'],
    ['ambiguous, opened again, a crash', followed(reopen(after(ambiguous)), 'crash'), 'unknown', 'list-only'],
    ['a crash, opened again', reopen(after('crash')), 'unknown', 'send'],
    ['refused, opened again', reopen(after(refused(404))), 'error', 'send'],
  ]
  it.each(cases)('%s', (_, state, outcome, action, problem) => {
    expect(outcomesOf(merging, state)).toEqual({ outcomes: [outcome], problem })
    expect(nextAction(merging, state)).toBe(action)
  })

  it('how long a request can still be carried out', () => {
    expect(requestCanLand).toBe(360_000)
    expect(canLandUntil(unsent)).toBeUndefined()
    expect(canLandUntil(after(refused(404)))).toBeUndefined()
    expect(canLandUntil(after(answered({})))).toBeUndefined()
    // An attempt begins at each full second and ends half a second later.
    expect(canLandUntil(after('crash'))).toBe(361_000)
    expect(canLandUntil(after(refused(401), ambiguous))).toBe(362_500)
    expect(canLandUntil(after(ambiguous, refused(401)))).toBe(361_500)
    expect(canLandUntil(after('crash', refused(401)))).toBe(361_000)
    expect(canLandUntil(after(ambiguous, 'crash'))).toBe(362_000)
    expect(canLandUntil(after(ambiguous, answered({ mergedContactId: a })))).toBe(361_500)
    expect(canLandUntil(taint(unsent, 5000))).toBe(365_000)
    expect(canLandUntil(taint(after(ambiguous), 5000))).toBe(365_000)
    expect(canLandUntil(taint(after(ambiguous), 500))).toBe(361_500)
    expect(canLandUntil(reopen(after(ambiguous)))).toBe(361_500)
    expect(canLandUntil(reopen(after('crash')))).toBe(361_000)
    expect(canLandUntil(reopen(after(answered({}))))).toBe(361_500)
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
  const lost = after(saw(old), ambiguous)
  const someoneElse =
    'the ticket has another assignee now; this change may have been made before that, or may still be made'
  const tainted = taint(unsent, 0)

  type Case = [name: string, state: BatchState, step: string, outcome: Outcome, action: string, problem?: string]
  const cases: Case[] = [
    ['nothing yet', unsent, 'read', 'not-attempted', 'send'],
    ['already the wanted one', after(saw(wanted.toUpperCase())), 'finished', 'done', 'finished'],
    ['the old one', after(saw(old)), 'send', 'not-attempted', 'send'],
    ['nobody', after(saw(null)), 'send', 'not-attempted', 'send'],
    ['unreadable: sent all the same', after(unread), 'send', 'not-attempted', 'send'],
    [
      '--if-assignee forbids it',
      after(declined),
      'finished',
      'error',
      'finished',
      'the ticket has another assignee than --if-assignee says',
    ],
    ['answered', after(saw(old), good), 'finished', 'done', 'finished'],
    [
      'answered, another assignee',
      after(saw(old), otherAssignee),
      'finished',
      'unknown',
      'finished',
      'the answer names another assignee',
    ],
    [
      'answered, another ticket',
      after(saw(old), answered({ ticketId: old, newAssigneeId: wanted })),
      'finished',
      'unknown',
      'finished',
      'the answer names another ticket',
    ],
    [
      'answered, another shape',
      after(saw(old), answered({})),
      'finished',
      'unknown',
      'finished',
      'the answer has another shape',
    ],
    ['refused', after(saw(old), refused(400)), 'finished', 'error', 'finished'],
    ['refused for now', after(saw(old), refused(429)), 'finished', 'error', 'send'],
    ['refused for now, in a new session', resumeBatch(after(saw(old), refused(429))), 'read', 'error', 'send'],
    [
      'refused for now, read by a new session',
      followed(resumeBatch(after(saw(old), refused(429))), saw(other)),
      'send',
      'error',
      'send',
    ],
    ['never sent', after(saw(old), neverSent), 'finished', 'error', 'send'],
    ['given up', after(saw(old), givenUp), 'finished', 'not-attempted', 'send'],
    ['given up, in a new session', resumeBatch(after(saw(old), givenUp)), 'read', 'not-attempted', 'send'],
    ['lost', lost, 'read', 'unknown', 'read-first'],
    ['503', after(saw(old), failed(503)), 'read', 'unknown', 'read-first'],
    ['crashed', after(saw(old), 'crash'), 'read', 'unknown', 'read-first'],
    ['crashed, the old one', after(saw(old), 'crash', saw(old)), 'finished', 'unknown', 'read-first'],
    [
      'crashed, the old one in a new session',
      followed(resumeBatch(after(saw(old), 'crash')), saw(old)),
      'send',
      'unknown',
      'read-first',
    ],
    ['lost, the new one', followed(lost, saw(wanted)), 'finished', 'done', 'finished'],
    ['lost, the new one, in a new session', resumeBatch(followed(lost, saw(wanted))), 'read', 'unknown', 'read-first'],
    ['lost, the old one', followed(lost, saw(old)), 'send', 'unknown', 'read-first'],
    ['lost, the old one in capitals', followed(lost, saw(old.toUpperCase())), 'send', 'unknown', 'read-first'],
    ['lost, still nobody', after(saw(null), ambiguous, saw(null)), 'send', 'unknown', 'read-first'],
    ['lost, someone else', followed(lost, saw(other)), 'finished', 'unknown', 'read-first', someoneElse],
    ['lost, taken from everybody', followed(lost, saw(null)), 'finished', 'unknown', 'read-first', someoneElse],
    ['lost, unreadable', followed(lost, unread), 'finished', 'unknown', 'read-first'],
    ['lost, nobody knows who it was', after(unread, ambiguous, saw(other)), 'finished', 'unknown', 'read-first'],
    [
      'lost, nobody knows who it was, but it is the new one',
      after(unread, ambiguous, saw(wanted)),
      'finished',
      'done',
      'finished',
    ],
    ['lost, nobody ever knows', after(unread, ambiguous, unread), 'finished', 'unknown', 'read-first'],
    ['lost, the old one, refused', followed(lost, saw(old), refused(400)), 'read', 'unknown', 'read-first'],
    [
      'lost, the old one, refused, still the old one',
      followed(lost, saw(old), refused(400), saw(old)),
      'finished',
      'unknown',
      'read-first',
    ],
    [
      'lost, the old one, refused, the new one',
      followed(lost, saw(old), refused(400), saw(wanted)),
      'finished',
      'done',
      'finished',
    ],
    [
      'lost, the old one, refused, and the old one in a new session',
      followed(resumeBatch(followed(lost, saw(old), refused(401))), saw(old)),
      'send',
      'unknown',
      'read-first',
    ],
    ['lost twice, the old one', followed(lost, saw(old), ambiguous, saw(old)), 'send', 'unknown', 'read-first'],
    [
      'lost three times',
      followed(lost, saw(old), ambiguous, saw(old), ambiguous, saw(old)),
      'finished',
      'unknown',
      'read-first',
    ],
    [
      'lost three times, in a new session',
      followed(resumeBatch(followed(lost, saw(old), ambiguous, saw(old), ambiguous)), saw(old)),
      'finished',
      'unknown',
      'read-first',
    ],
    [
      'lost three times, opened again',
      followed(reopen(followed(lost, saw(old), ambiguous, saw(old), ambiguous)), saw(old)),
      'send',
      'unknown',
      'read-first',
    ],
    ['taken over, never tried', tainted, 'read', 'unknown', 'read-first'],
    ['taken over: the reading counts as before', followed(tainted, saw(other)), 'send', 'unknown', 'read-first'],
    ['taken over, the new one', followed(tainted, saw(wanted)), 'finished', 'done', 'finished'],
    ['taken over, unreadable', followed(tainted, unread), 'send', 'unknown', 'read-first'],
    ['taken over, refused', followed(tainted, saw(old), refused(400)), 'finished', 'unknown', 'read-first'],
    [
      'taken over after a reading',
      followed(taint(after(saw(old)), 0), saw(other)),
      'finished',
      'unknown',
      'read-first',
      someoneElse,
    ],
    ['taken over, --if-assignee forbids it', followed(tainted, declined), 'finished', 'unknown', 'read-first'],
    ['opened again', reopen(lost), 'read', 'unknown', 'read-first'],
    ['opened again, the old one', followed(reopen(lost), saw(old)), 'send', 'unknown', 'read-first'],
    [
      'opened again, someone else',
      followed(reopen(lost), saw(other)),
      'finished',
      'unknown',
      'read-first',
      someoneElse,
    ],
    ['opened again, unreadable', followed(reopen(lost), unread), 'finished', 'unknown', 'read-first'],
    [
      'opened again, nobody knew who it was',
      followed(reopen(after(unread, ambiguous)), saw(other)),
      'send',
      'unknown',
      'read-first',
    ],
    [
      'opened again, unreadable as ever',
      followed(reopen(after(unread, ambiguous)), unread),
      'send',
      'unknown',
      'read-first',
    ],
    [
      'an answer that made no sense, opened again',
      reopen(after(saw(old), otherAssignee)),
      'read',
      'unknown',
      'read-first',
    ],
    ['--if-assignee forbade it, opened again', reopen(after(declined)), 'read', 'not-attempted', 'send'],
    ['refused, opened again', reopen(after(saw(old), refused(400))), 'read', 'error', 'send'],
    [
      'refused, opened again, someone else',
      followed(reopen(after(saw(old), refused(400))), saw(other)),
      'send',
      'error',
      'send',
    ],
  ]
  it.each(cases)('%s', (_, state, step, outcome, action, problem) => {
    expect(assignStep(state, wanted)).toBe(step)
    expect(outcomesOf(assigning, state)).toEqual({ outcomes: [outcome], problem })
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

  it('what is read is the state before an attempt as long as none may have changed it', () => {
    expect([unsent, after(refused(400)), after(givenUp), tainted, reopen(lost)].map(isBeginning)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect([lost, after('crash'), after(good)].map(isBeginning)).toEqual([false, false, false])
    // Each reading of something that was never sent is taken for the beginning, the last one counts.
    expect(after(saw(old), saw(other)).before).toEqual({ id: other })
    expect(after(saw(old), unread).before).toBeUndefined()
    expect(followed(lost, saw(other)).before).toEqual({ id: old })
    expect(followed(lost, unread).reading).toEqual({ ok: false, id: null, message: 'forbidden' })
  })
})

describe('what resuming does with a batch that may be sent again', () => {
  const cases: [name: string, state: BatchState, action: string][] = [
    ['nothing sent', unsent, 'send'],
    ['given up', after(givenUp), 'send'],
    ['never sent', after(neverSent), 'send'],
    ['answered', after(deletion(1, [], [])), 'finished'],
    ['answered after a loss', after(ambiguous, deletion(1, [], [])), 'finished'],
    ['answered, not adding up', after(deletion(7, [], [])), 'finished'],
    ['a refusal after an answer', after(deletion(3, [], []), refused(429)), 'finished'],
    ['400', after(refused(400)), 'finished'],
    ['404', after(refused(404)), 'finished'],
    ['401', after(refused(401)), 'send'],
    ['403', after(refused(403)), 'send'],
    ['429', after(refused(429)), 'send'],
    ['400, given up', after(refused(400), givenUp), 'finished'],
    ['503', after(failed(503)), 'send'],
    ['ambiguous', after(ambiguous), 'send'],
    ['crashed', after('crash'), 'send'],
    ['ambiguous, then 401', after(ambiguous, refused(401)), 'send'],
    ['ambiguous, then 400', after(ambiguous, refused(400)), 'send'],
    ['ambiguous, then never sent', after(ambiguous, neverSent), 'send'],
    ['taken over', taint(unsent, 0), 'send'],
    ['400, taken over', taint(after(refused(400)), 0), 'send'],
    ['400, which stopped the run', reopenRefused(after(refused(400))), 'send'],
    ['400, which stopped the run, given up', followed(reopenRefused(after(refused(400))), givenUp), 'send'],
    [
      '400, which stopped the run, and once more',
      followed(reopenRefused(after(refused(400))), refused(400)),
      'finished',
    ],
    ['400, opened again', reopen(after(refused(400))), 'send'],
    ['400, opened again, and once more', followed(reopen(after(refused(400))), refused(400)), 'finished'],
    ['400, resumed', resumeBatch(after(refused(400))), 'send'],
  ]
  it.each(cases)('%s', (_, state, action) => {
    expect(nextAction(deleting, state)).toBe(action)
    expect(nextAction({ ...deleting, operation: 'lists.add-contacts' }, state)).toBe(action)
  })
})

describe('a take-over, and lines that were cut off', () => {
  it('what has no accepted answer is unknown, tried or not', () => {
    for (const batch of [deleting, adding, merging]) {
      const none = batch.ids.map(() => 'unknown')
      for (const state of [unsent, after(givenUp), after(neverSent), after(refused(400)), after('crash')]) {
        expect(outcomesOf(batch, taint(state, 0)).outcomes).toEqual(none)
      }
    }
  })

  it('an accepted answer stays', () => {
    for (const state of [after(deletion(0, [a, b, c], [])), after(deletion(7, [], []))]) {
      expect(taint(state, 9)).toBe(state)
    }
  })

  it('what comes later is told as after a lost answer', () => {
    const tainted = taint(unsent, 0)
    expect(outcomesOf(deleting, followed(tainted, deletion(1, [a], [b]))).outcomes).toEqual([
      'gone',
      'blocked',
      'deleted',
    ])
    expect(outcomesOf(adding, followed(tainted, addition(1, 2, 0))).added).toEqual({
      added: 1,
      skipped: 0,
      addedOrSkipped: 2,
      failed: 0,
    })
    expect(outcomesOf(deleting, followed(tainted, refused(404))).outcomes).toEqual(three('unknown'))
  })
})

describe('opened again', () => {
  it('what was certainly not carried out stays so until it is sent', () => {
    for (const open of [reopen, reopenRefused]) {
      const state = open(after(refused(404)))
      expect(outcomesOf(deleting, state).outcomes).toEqual(three('error'))
      expect(outcomesOf(deleting, followed(state, deletion(0, [a, b, c], []))).outcomes).toEqual(three('not-found'))
    }
    expect(outcomesOf(deleting, reopen(unsent)).outcomes).toEqual(three('not-attempted'))
    expect(outcomesOf(deleting, reopen(after(neverSent))).outcomes).toEqual(three('error'))
  })

  it('what was ambiguous stays so, and an answer becomes a lost one', () => {
    for (const state of [after(ambiguous), after('crash'), after(deletion(7, [], []))]) {
      const again = reopen(state)
      expect(outcomesOf(deleting, again).outcomes).toEqual(three('unknown'))
      expect(outcomesOf(deleting, followed(again, refused(404))).outcomes).toEqual(three('unknown'))
      expect(outcomesOf(deleting, followed(again, deletion(0, [a, b, c], []))).outcomes).toEqual(three('gone'))
      expect(again.attempts).toBe(state.attempts)
    }
  })

  it('only what was refused is made sendable again after a stop', () => {
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
