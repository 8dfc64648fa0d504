import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answerToKeep,
  applyEvent,
  assignStep,
  countBatch,
  emptyTotals,
  failureCause,
  foldEvents,
  nextAction,
  resEvent,
  resultOf,
  settle,
  settleAdd,
  settleAssign,
  settleDelete,
  settleMerge,
  summarise,
  unsent,
  type AttemptResult,
  type BatchEvent,
  type BatchState,
  type BulkOperation,
  type Ending,
  type Outcome,
} from '../../src/bulk/reconcile.ts'
import { idOf } from '../ids/inputs.ts'

const [a, b, c] = [0xa, 0xb, 0xc].map(idOf) as [string, string, string]
const ids = [a, b.toUpperCase(), c]

let attempt = 0
/** Events of attempts that ended so, one after the other; `crash`: no result. */
function after(...results: (AttemptResult | 'crash')[]): BatchState {
  attempt = 0
  return foldEvents(results.flatMap(attemptEvents))
}

function attemptEvents(result: AttemptResult | 'crash'): BatchEvent[] {
  attempt += 1
  const begun = { t: 'try', b: 1, a: attempt, at: 0 } as const
  return result === 'crash' ? [begun] : [begun, resEvent('contacts.delete', { b: 1, a: attempt, at: 0 }, result)]
}

const answered = (data: unknown): AttemptResult => ({ kind: 'answered', status: 200, data })
const refused = (status: number): AttemptResult => ({ kind: 'refused', status })
const ambiguous: AttemptResult = { kind: 'ambiguous', message: 'reset' }
const neverSent: AttemptResult = { kind: 'never-sent', message: 'connection refused' }
const givenUp: AttemptResult = { kind: 'never-sent', message: 'stopped', stopped: true }
const deletion = (deletedCount: unknown, notFoundIds: unknown, blockedIds: unknown): AttemptResult =>
  answered({ deletedCount, notFoundIds, blockedIds })
const addition = (added: unknown, skipped: unknown, failed: unknown): AttemptResult =>
  answered({ added, skipped, failed })

describe('the state of a batch', () => {
  it('once ambiguous, always ambiguous', () => {
    expect(after(ambiguous, refused(429), neverSent)).toMatchObject({
      attempts: 3,
      everAmbiguous: true,
      ambiguousAttempts: 1,
      open: false,
    })
    expect(after('crash', refused(400))).toMatchObject({ everAmbiguous: true, ambiguousAttempts: 1, open: false })
    expect(after(refused(429), 'crash')).toMatchObject({ everAmbiguous: false, open: true })
    expect(after('crash', 'crash', ambiguous)).toMatchObject({ ambiguousAttempts: 3 })
  })

  it('what svc gave up itself is not how the last attempt ended', () => {
    expect(after(refused(429), givenUp).last).toMatchObject({ kind: 'refused', status: 429 })
    expect(after(givenUp).last).toBeUndefined()
  })

  it('a result is the same after the journal', () => {
    const results: AttemptResult[] = [
      neverSent,
      givenUp,
      { kind: 'refused', status: 403, code: 40_361, message: 'API key scope is not sufficient' },
      { kind: 'ambiguous', status: 500, code: 50_001, message: 'Internal server error' },
      answered({ deletedCount: 1, notFoundIds: [], blockedIds: [] }),
    ]
    for (const result of results) {
      const event = resEvent('contacts.delete', { b: 1, a: 1, at: 0 }, result)
      expect(resultOf(JSON.parse(JSON.stringify(event)) as typeof event)).toEqual(result)
    }
  })

  it('of a merge, no personal data goes into the journal', () => {
    const data = { mergedContactId: a, contact: { id: b, firstName: 'Ann', identities: { phone: ['1'] } } }
    expect(answerToKeep('contacts.merge', data)).toEqual({ mergedContactId: a, contact: { id: b } })
    expect(answerToKeep('contacts.delete', data)).toBe(data)
    expect(answerToKeep('contacts.merge', null)).toBe(null)
  })
})

describe('delete', () => {
  const cases: [name: string, state: BatchState, outcomes: Outcome[]][] = [
    ['nothing sent', unsent, ['not-attempted', 'not-attempted', 'not-attempted']],
    ['given up by svc', after(givenUp), ['not-attempted', 'not-attempted', 'not-attempted']],
    ['never sent', after(neverSent), ['error', 'error', 'error']],
    ['refused', after(refused(400)), ['error', 'error', 'error']],
    ['ambiguous', after(ambiguous), ['unknown', 'unknown', 'unknown']],
    ['a crash', after('crash'), ['unknown', 'unknown', 'unknown']],
    ['ambiguous, then refused', after(ambiguous, refused(400)), ['unknown', 'unknown', 'unknown']],
    ['all deleted', after(deletion(3, [], [])), ['deleted', 'deleted', 'deleted']],
    [
      'one of each, in another letter case',
      after(deletion(1, [a.toUpperCase()], [b])),
      ['not-found', 'blocked', 'deleted'],
    ],
    ['after a lost answer', after(ambiguous, deletion(1, [a], [b])), ['gone', 'blocked', 'deleted']],
    ['after a crash and a refusal', after('crash', refused(429), deletion(0, [a, b, c], [])), ['gone', 'gone', 'gone']],
    [
      'after a refusal',
      after(refused(429), neverSent, deletion(0, [a, b, c], [])),
      ['not-found', 'not-found', 'not-found'],
    ],
  ]
  it.each(cases)('%s', (_, state, outcomes) => {
    const settled = settleDelete(ids, state)
    expect(settled.outcomes).toEqual(outcomes)
    expect(settled.problem).toBeUndefined()
  })

  const lies: [name: string, result: AttemptResult, problem: string][] = [
    [
      'too few',
      deletion(1, [a], []),
      'does not add up: deletedCount 1 + notFoundIds 1 + blockedIds 0 is 2, 3 were sent',
    ],
    ['too many', deletion(3, [a], []), 'does not add up'],
    ['negative', deletion(-1, [a, b, c], []), 'another shape'],
    ['a fraction', deletion(1.5, [a], []), 'another shape'],
    ['no array', deletion(3, null, []), 'another shape'],
    ['numbers for ids', deletion(2, [7], []), 'another shape'],
    ['nothing', answered(null), 'another shape'],
    ['an array', answered([]), 'another shape'],
    ['a foreign id', deletion(2, [idOf(99)], []), 'notFoundIds names an id that was not sent'],
    ['an id twice', deletion(1, [], [a, a.toUpperCase()]), 'blockedIds names an id twice'],
    ['an id in both', deletion(1, [a], [a.toUpperCase()]), 'in notFoundIds and in blockedIds'],
  ]
  it.each(lies)('an answer that cannot be true is unknown: %s', (_, result, problem) => {
    const settled = settleDelete(ids, after(result))
    expect(settled.outcomes).toEqual(['unknown', 'unknown', 'unknown'])
    expect(settled.problem).toContain(problem)
  })

  it('any answer: one outcome for each id, and what is claimed adds up to the answer', () => {
    const share = fc.constantFrom('deleted', 'not-found', 'blocked')
    fc.assert(
      fc.property(fc.array(share, { maxLength: 100 }), fc.boolean(), (shares, isLost) => {
        const sent = shares.map((_, index) => idOf(index))
        const of = (kind: string): string[] => sent.filter((_, index) => shares[index] === kind)
        const result = deletion(of('deleted').length, of('not-found').reverse(), of('blocked'))
        const { outcomes } = settleDelete(sent, isLost ? after(ambiguous, result) : after(result))
        expect(outcomes).toEqual(shares.map((kind) => (kind === 'not-found' && isLost ? 'gone' : kind)))
      }),
    )
  })
})

describe('add', () => {
  const cases: [
    name: string,
    state: BatchState,
    outcome: Outcome | Outcome[],
    added?: object | undefined,
    problem?: string,
  ][] = [
    ['nothing sent', unsent, 'not-attempted'],
    ['refused', after(refused(404)), 'error'],
    ['ambiguous', after(ambiguous), 'unknown'],
    ['all there', after(addition(2, 1, 0)), 'ok', { added: 2, skipped: 1, addedOrSkipped: 0, failed: 0 }],
    ['none exists', after(addition(0, 0, 3)), 'missing', { added: 0, skipped: 0, addedOrSkipped: 0, failed: 3 }],
    [
      'some do not exist',
      after(addition(1, 1, 1)),
      'undetermined',
      { added: 1, skipped: 1, addedOrSkipped: 0, failed: 1 },
    ],
    [
      'after a lost answer',
      after(ambiguous, addition(1, 2, 0)),
      'ok',
      { added: 1, skipped: 0, addedOrSkipped: 2, failed: 0 },
    ],
    ['isolated', { ...after(addition(1, 1, 1)), missing: [b] }, ['ok', 'missing', 'ok'], { failed: 1 }],
    [
      'isolated, but others',
      { ...after(addition(1, 1, 1)), missing: [a, b] },
      'undetermined',
      { failed: 1 },
      'isolating found 2',
    ],
    [
      'isolated, a foreign id',
      { ...after(addition(1, 1, 1)), missing: [idOf(99)] },
      'undetermined',
      { failed: 1 },
      'not sent',
    ],
    [
      'sums',
      after(addition(1, 1, 0)),
      'unknown',
      undefined,
      'does not add up: added 1 + skipped 1 + failed 0 is 2, 3 were sent',
    ],
    ['shape', after(answered({ added: 3 })), 'unknown', undefined, 'another shape'],
  ]
  it.each(cases)('%s', (_, state, outcome, added, problem) => {
    const settled = settleAdd(ids, state)
    expect(settled.outcomes).toEqual(typeof outcome === 'string' ? [outcome, outcome, outcome] : outcome)
    const { added: counts = {} } = settled
    expect(counts).toMatchObject(added ?? {})
    expect(settled.added === undefined).toBe(added === undefined)
    expect(settled.problem ?? '').toContain(problem ?? '')
    expect(settled.problem === undefined).toBe(problem === undefined)
  })
})

describe('merge', () => {
  const pair = { id: a, other: b }
  const cases: [name: string, state: BatchState, outcome: Outcome][] = [
    ['nothing sent', unsent, 'not-attempted'],
    ['names the source', after(answered({ mergedContactId: a.toUpperCase(), contact: {} })), 'done'],
    ['names the target', after(answered({ mergedContactId: b, contact: {} })), 'done'],
    ['names another', after(answered({ mergedContactId: c, contact: {} })), 'unknown'],
    ['another shape', after(answered({})), 'unknown'],
    ['refused', after(refused(400)), 'error'],
    ['ambiguous', after(ambiguous), 'unknown'],
    ['refused, then ambiguous, then refused', after(refused(429), ambiguous, refused(404)), 'unknown'],
  ]
  it.each(cases)('%s', (_, state, outcome) => {
    expect(settleMerge(pair, state).outcomes).toEqual([outcome])
    expect(settle('contacts.merge', [a], state, [b]).outcomes).toEqual([outcome])
  })
})

describe('assign', () => {
  const [ticket, old, wanted, other] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
  const pair = { id: ticket, other: wanted }
  const saw = (id: string | null): BatchEvent => ({ t: 'read', b: 1, at: 0, ok: true, id })
  const failed: BatchEvent = { t: 'read', b: 1, at: 0, ok: false, m: 'forbidden' }
  const declined: BatchEvent = { t: 'read', b: 1, at: 0, ok: true, id: other, declined: true }
  const good = answered({
    ticketId: ticket.toUpperCase(),
    chatId: null,
    previousAssigneeId: old,
    newAssigneeId: wanted,
  })

  function told(...events: (BatchEvent | AttemptResult | 'crash')[]): BatchState {
    attempt = 0
    return foldEvents(
      events.flatMap((event) => (typeof event === 'object' && 't' in event ? [event] : attemptEvents(event))),
    )
  }

  const cases: [name: string, state: BatchState, step: string, outcome: Outcome, action: string][] = [
    ['nothing yet', unsent, 'read', 'not-attempted', 'send'],
    ['already the wanted one', told(saw(wanted.toUpperCase())), 'settled', 'done', 'send'],
    ['the old one', told(saw(old)), 'send', 'not-attempted', 'send'],
    ['nobody', told(saw(null)), 'send', 'not-attempted', 'send'],
    ['unreadable: sent all the same', told(failed), 'send', 'not-attempted', 'send'],
    ['--if-assignee forbids it', told(declined), 'settled', 'error', 'finished'],
    ['answered', told(saw(old), good), 'settled', 'done', 'finished'],
    [
      'answered, another assignee',
      told(saw(old), answered({ ticketId: ticket, newAssigneeId: other })),
      'settled',
      'unknown',
      'finished',
    ],
    [
      'answered, another ticket',
      told(saw(old), answered({ ticketId: old, newAssigneeId: wanted })),
      'settled',
      'unknown',
      'finished',
    ],
    ['answered, another shape', told(saw(old), answered({})), 'settled', 'unknown', 'finished'],
    ['refused', told(saw(old), refused(400)), 'settled', 'error', 'finished'],
    ['refused for now', told(saw(old), refused(429)), 'settled', 'error', 'send'],
    ['never sent', told(saw(old), neverSent), 'settled', 'error', 'send'],
    ['lost', told(saw(old), ambiguous), 'read', 'unknown', 'read-first'],
    ['crashed', told(saw(old), 'crash'), 'read', 'unknown', 'read-first'],
    ['lost, the new one', told(saw(old), ambiguous, saw(wanted)), 'settled', 'done', 'finished'],
    ['lost, the old one', told(saw(old), ambiguous, saw(old)), 'send', 'unknown', 'read-first'],
    ['lost, still nobody', told(saw(null), ambiguous, saw(null)), 'send', 'unknown', 'read-first'],
    ['lost, someone else', told(saw(old), ambiguous, saw(other)), 'settled', 'error', 'finished'],
    ['lost, taken from everybody', told(saw(old), ambiguous, saw(null)), 'settled', 'error', 'finished'],
    ['lost, unreadable', told(saw(old), ambiguous, failed), 'settled', 'unknown', 'read-first'],
    ['lost, nobody knows who it was', told(failed, ambiguous, saw(other)), 'settled', 'unknown', 'read-first'],
    [
      'lost, nobody knows who it was, but it is the new one',
      told(failed, ambiguous, saw(wanted)),
      'settled',
      'done',
      'read-first',
    ],
    ['lost, the old one, refused', told(saw(old), ambiguous, saw(old), refused(400)), 'read', 'unknown', 'read-first'],
    [
      'lost three times',
      told(saw(old), ambiguous, saw(old), ambiguous, saw(old), ambiguous, saw(old)),
      'settled',
      'unknown',
      'read-first',
    ],
  ]
  it.each(cases)('%s', (_, state, step, outcome, action) => {
    expect(assignStep(state, wanted)).toBe(step)
    expect(settleAssign(pair, state).outcomes).toEqual([outcome])
    expect(nextAction('tickets.assign', state)).toBe(action)
    // Who knows the wanted assignee also knows that a reading settled it.
    expect(nextAction('tickets.assign', state, wanted)).toBe(outcome === 'done' ? 'finished' : action)
  })
})

describe('what resuming does', () => {
  const cases: [name: string, state: BatchState, remove: string, merge: string][] = [
    ['nothing sent', unsent, 'send', 'send'],
    ['given up', after(givenUp), 'send', 'send'],
    ['never sent', after(neverSent), 'send', 'send'],
    ['answered', after(deletion(1, [], [])), 'finished', 'finished'],
    ['answered after a loss', after(ambiguous, deletion(1, [], [])), 'finished', 'finished'],
    ['answered, not adding up', after(deletion(7, [], [])), 'finished', 'finished'],
    ['400', after(refused(400)), 'finished', 'finished'],
    ['404', after(refused(404)), 'finished', 'finished'],
    ['401', after(refused(401)), 'send', 'send'],
    ['403', after(refused(403)), 'send', 'send'],
    ['429', after(refused(429)), 'send', 'send'],
    ['503 with Retry-After', after(refused(503)), 'send', 'send'],
    ['ambiguous', after(ambiguous), 'send', 'list-only'],
    ['crashed', after('crash'), 'send', 'list-only'],
    ['ambiguous, then 401', after(ambiguous, refused(401)), 'send', 'list-only'],
    ['ambiguous, then 400', after(ambiguous, refused(400)), 'send', 'list-only'],
    ['ambiguous, then never sent', after(ambiguous, neverSent), 'send', 'list-only'],
  ]
  it.each(cases)('%s', (_, state, remove, merge) => {
    expect(nextAction('contacts.delete', state)).toBe(remove)
    expect(nextAction('lists.add-contacts', state)).toBe(remove)
    expect(nextAction('contacts.merge', state)).toBe(merge)
  })
})

describe('the summary', () => {
  function totals(operation: BulkOperation, ...states: BatchState[]) {
    const sum = emptyTotals(states.length)
    for (const state of states) countBatch(sum, state, settle(operation, ids, state))
    return sum
  }
  const done = after(deletion(3, [], []))
  const mixed = after(deletion(1, [a], [b]))
  const gone = after(ambiguous, deletion(2, [a], []))

  const cases: [name: string, states: BatchState[], ending: Ending, status: string, exitCode: number][] = [
    ['all deleted', [done], {}, 'complete', 0],
    ['gone is accepted', [gone], {}, 'complete', 0],
    ['nothing at all', [], {}, 'complete', 0],
    ['a dry run', [unsent], { dryRun: true }, 'dry-run', 0],
    ['not found and blocked', [mixed], {}, 'partial', 3],
    ['not found is ignored, blocked is not', [mixed], { ignoreNotFound: true }, 'partial', 3],
    ['blocked is ignored, not found is not', [mixed], { ignoreBlocked: true }, 'partial', 3],
    ['both are ignored', [mixed], { ignoreNotFound: true, ignoreBlocked: true }, 'complete', 0],
    ['an error', [done, after(refused(400))], {}, 'partial', 3],
    ['an unknown', [done, after(ambiguous)], {}, 'partial', 7],
    ['an answer that does not add up', [after(deletion(7, [], []))], {}, 'partial', 7],
    ['unavailable', [after(refused(429))], {}, 'partial', 7],
    ['never sent', [after(neverSent)], {}, 'partial', 7],
    ['too long a wait', [done, unsent], { stop: 'retry-after' }, 'stopped', 7],
    ['401', [after(refused(401)), unsent], { stop: 'auth' }, 'stopped', 4],
    ['403', [after(refused(403)), unsent], { stop: 'forbidden' }, 'stopped', 5],
    ['a wrong list', [after(refused(404)), unsent], { stop: 'refused' }, 'stopped', 6],
    ['a deadline', [done, unsent], { stop: 'deadline' }, 'stopped', 8],
    ['too many failures', [after(refused(400)), unsent], { stop: 'max-failures' }, 'stopped', 8],
    ['the reader went away', [done, unsent], { stop: 'stdout-closed' }, 'stopped', 8],
    ['a full disk', [done, unsent], { stop: 'journal' }, 'stopped', 10],
    ['Ctrl-C', [done, unsent], { stop: 'signal', signal: 'SIGINT' }, 'interrupted', 130],
    ['SIGTERM', [done], { stop: 'signal', signal: 'SIGTERM' }, 'interrupted', 143],
    ['SIGHUP', [done], { stop: 'signal', signal: 'SIGHUP' }, 'interrupted', 129],
    // "When several apply: a signal, then 7, 10, 4, 5, 6, 8, 3."
    ['a signal before unknown', [after(ambiguous)], { stop: 'signal', signal: 'SIGINT' }, 'interrupted', 130],
    ['unknown before a full disk', [after(ambiguous)], { stop: 'journal' }, 'stopped', 7],
    ['a full disk before 401', [after(refused(401))], { stop: 'journal' }, 'stopped', 10],
    ['401 before 403', [after(refused(401)), after(refused(403))], { stop: 'forbidden' }, 'stopped', 4],
    ['403 before a refusal', [after(refused(403))], { stop: 'refused' }, 'stopped', 5],
    ['unknown before a deadline', [after(ambiguous)], { stop: 'deadline' }, 'stopped', 7],
    ['a deadline before an error', [after(refused(400))], { stop: 'deadline' }, 'stopped', 8],
  ]
  it.each(cases)('%s', (_, states, ending, status, exitCode) => {
    expect(summarise('contacts.delete', totals('contacts.delete', ...states), ending)).toMatchObject({
      status,
      exitCode,
    })
  })

  it('the figures of delete', () => {
    const sum = totals('contacts.delete', done, mixed, gone, after(ambiguous), after(refused(400)), unsent)
    expect(summarise('contacts.delete', sum, {}).result).toEqual({
      deleted: 6,
      gone: 1,
      notFound: 1,
      blocked: 1,
      error: 3,
      unknown: 3,
      notAttempted: 3,
    })
    expect(sum.batches).toEqual({ total: 6, done: 3, failed: 2, retried: 1 })
  })

  it('the figures of add', () => {
    const sum = totals('lists.add-contacts', after(addition(2, 1, 0)), after(ambiguous, addition(1, 1, 1)), unsent)
    expect(summarise('lists.add-contacts', sum, {})).toEqual({
      result: { added: 3, skipped: 1, addedOrSkipped: 1, failed: 1, error: 0, unknown: 0, notAttempted: 3 },
      status: 'partial',
      exitCode: 3,
    })
  })

  it('a batch that is settled anew is taken out first', () => {
    const sum = totals('contacts.delete', after(ambiguous))
    countBatch(sum, after(ambiguous), settleDelete(ids, after(ambiguous)), -1)
    expect(sum).toEqual(emptyTotals(1))
  })
})

describe('each figure and each name counts', () => {
  it('an answer to add needs all three, each a count', () => {
    const good = { added: 1, skipped: 1, failed: 1 }
    expect(settleAdd(ids, after(addition(1, 1, 1))).outcomes).toEqual(['undetermined', 'undetermined', 'undetermined'])
    for (const name of ['added', 'skipped', 'failed']) {
      for (const value of [undefined, null, '1', -1, 0.5, NaN]) {
        const settled = settleAdd(ids, after(answered({ ...good, [name]: value })))
        expect(settled).toMatchObject({
          problem: 'the answer has another shape',
          outcomes: ['unknown', 'unknown', 'unknown'],
        })
      }
    }
    for (const data of [null, [], 'x', 7]) {
      expect(settleAdd(ids, after(answered(data))).problem).toBe('the answer has another shape')
      expect(settleDelete(ids, after(answered(data))).problem).toBe('the answer has another shape')
    }
    expect(settleAdd(ids, after(addition(1, 0, 1))).problem).toBe(
      'the answer does not add up: added 1 + skipped 0 + failed 1 is 2, 3 were sent',
    )
  })

  it('an answer to assign needs both ids', () => {
    const pair = { id: a, other: b }
    const good = { ticketId: a, newAssigneeId: b }
    expect(settleAssign(pair, after(answered(good))).outcomes).toEqual(['done'])
    for (const name of ['ticketId', 'newAssigneeId']) {
      for (const value of [undefined, null, 7, {}]) {
        const settled = settleAssign(pair, after(answered({ ...good, [name]: value })))
        expect(settled).toEqual({ outcomes: ['unknown'], problem: 'the answer has another shape' })
      }
    }
    expect(settleAssign(pair, after(answered({ ...good, ticketId: c }))).problem).toBe(
      'the answer names another ticket',
    )
  })

  it('isolating is remembered, and a batch is never fewer attempts than it had', () => {
    expect(applyEvent(unsent, { t: 'isolated', b: 1, at: 0, missing: [a] })).toEqual({ ...unsent, missing: [a] })
    const late = applyEvent({ ...unsent, attempts: 3 }, { t: 'res', b: 1, a: 2, at: 0, k: 'refused', s: 400 })
    expect(late.attempts).toBe(3)
  })

  it('what stands in the journal comes back', () => {
    const results: AttemptResult[] = [
      { kind: 'never-sent', message: 'm', code: 7, stopped: true },
      { kind: 'refused', status: 400, code: 7, message: 'm' },
      { kind: 'ambiguous', status: 500, code: 7, message: 'm' },
      { kind: 'answered', status: 200, data: { deletedCount: 1 } },
    ]
    for (const result of results) {
      const event = resEvent('contacts.delete', { b: 2, a: 3, at: 4 }, result)
      expect(event).toMatchObject({ t: 'res', b: 2, a: 3, at: 4, k: result.kind })
      expect(resultOf(event)).toEqual(result)
    }
  })

  it('merge and assign are one pair each', () => {
    for (const operation of ['contacts.merge', 'tickets.assign'] as const) {
      for (const [batch, others] of [
        [[], [b]],
        [[a], []],
        [[a], undefined],
        [[a, b], [b]],
      ] as const) {
        expect(() => settle(operation, batch, unsent, others)).toThrow(`a batch of ${operation} is one pair`)
      }
    }
    // Each is settled by its own rules.
    const merged = after(answered({ mergedContactId: a }))
    expect(settle('contacts.merge', [a], merged, [b]).outcomes).toEqual(['done'])
    expect(settle('tickets.assign', [a], merged, [b]).outcomes).toEqual(['unknown'])
  })

  it('the cause of an error is that of its last attempt', () => {
    const error = { outcomes: ['error'] } as const
    expect(failureCause(after(refused(401)), { outcomes: ['done'] })).toBeUndefined()
    expect(failureCause({ ...after(refused(401)), declined: true }, error)).toBe('refused')
    const causes = [400, 401, 403, 404, 429, 503].map((status) => failureCause(after(refused(status)), error))
    expect(causes).toEqual(['refused', 'auth', 'forbidden', 'refused', 'unavailable', 'unavailable'])
    expect(failureCause(after(neverSent), error)).toBe('unavailable')
    expect(failureCause(after(ambiguous), error)).toBe('refused')
    expect(failureCause(unsent, error)).toBe('refused')
  })

  it('how a run was stopped decides when nothing weighs more', () => {
    const totals = emptyTotals(1)
    countBatch(totals, unsent, { outcomes: ['not-attempted'] })
    const exits = (
      ['auth', 'forbidden', 'refused', 'deadline', 'max-failures', 'stdout-closed', 'journal', 'retry-after'] as const
    ).map((stop) => summarise('tickets.assign', totals, { stop }).exitCode)
    expect(exits).toEqual([4, 5, 6, 8, 8, 8, 10, 7])
    expect(summarise('tickets.assign', totals, { stop: null })).toEqual({
      result: { done: 0, error: 0, unknown: 0, notAttempted: 1 },
      status: 'partial',
      exitCode: 3,
    })
    for (const outcome of ['not-found', 'blocked', 'missing', 'undetermined', 'error', 'not-attempted'] as const) {
      const one = emptyTotals(1)
      one.outcomes[outcome] = 1
      const ending = { ignoreNotFound: true, ignoreBlocked: true }
      expect(summarise('contacts.delete', one, {}).exitCode).toBe(3)
      expect(summarise('contacts.delete', one, ending).exitCode).toBe(
        outcome === 'not-found' || outcome === 'blocked' ? 0 : 3,
      )
    }
  })

  it('a batch without ids counts as nothing', () => {
    const totals = emptyTotals(1)
    countBatch(totals, unsent, { outcomes: [] })
    expect(totals).toEqual(emptyTotals(1))
  })

  it('a refusal after an answer does not open the batch again', () => {
    const state = after(deletion(3, [], []), refused(429))
    expect(nextAction('contacts.delete', state)).toBe('finished')
  })

  it('a ticket that was read as theirs, or cannot be read, is not sent again', () => {
    const begun = after(ambiguous)
    const read = (id: string, ok = true): BatchState => applyEvent(begun, { t: 'read', b: 1, at: 0, ok, id })
    const before = { before: { id: c } }
    expect(assignStep({ ...read(b), ...before }, b)).toBe('settled')
    expect(assignStep({ ...read(c, false), ...before }, b)).toBe('settled')
    expect(assignStep({ ...read(c), ...before }, b)).toBe('send')
    expect(nextAction('tickets.assign', { ...read(a), ...before })).toBe('finished')
    expect(nextAction('tickets.assign', { ...read(c), ...before })).toBe('read-first')
    expect(nextAction('tickets.assign', { ...begun, ...before })).toBe('read-first')
  })
})
