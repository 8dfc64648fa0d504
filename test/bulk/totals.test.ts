/** Outcomes summed up: the figures, the status and the exit code of a run. */
import { describe, expect, it } from 'vitest'
import { unsent } from '../../src/bulk/record/batch-state.ts'
import { outcomes, type Outcome } from '../../src/bulk/operations/outcome.ts'
import { outcomesOf } from '../../src/bulk/operations/operations.ts'
import type { Batch } from '../../src/bulk/operations/operation.ts'
import { type BulkOperation } from '../../src/bulk/record/events.ts'
import {
  countBatch,
  emptyTotals,
  failureCause,
  summarize,
  type RunEnding,
  type Totals,
} from '../../src/bulk/outcomes/totals.ts'
import { idOf } from '../ids/inputs.ts'
import { after, ambiguous, answered, deletion, failed, neverSent, refused, type Happening } from './states.ts'

const [a, b, c] = [0xa, 0xb, 0xc].map(idOf) as [string, string, string]

function batchOf(operation: BulkOperation): Batch {
  const isPair = operation === 'contacts.merge' || operation === 'tickets.assign'
  return isPair ? { operation, ids: [a], other: b } : { operation, ids: [a, b, c] }
}

/** `batches`: what each went through. */
function totals(operation: BulkOperation, ...batches: Happening[][]): Totals {
  const sum = emptyTotals(batches.length)
  for (const state of batches.map((happened) => after(...happened)))
    countBatch(sum, state, outcomesOf(batchOf(operation), state))
  return sum
}

const done: Happening[] = [deletion(3, [], [])]
const mixed: Happening[] = [deletion(1, [a], [b])]
const absent: Happening[] = [deletion(0, [a, b, c], [])]
const gone: Happening[] = [ambiguous, deletion(2, [a], [])]
const goneWhole: Happening[] = [ambiguous, deletion(0, [a, b, c], [])]
const goneAfterErrors: Happening[] = [failed(500), failed(503), deletion(0, [a, b, c], [])]
const nonsense: Happening[] = [deletion(7, [], [])]

type Case = [name: string, batches: Happening[][], ending: RunEnding, status: string, exitCode: number]

describe('the exit code of a delete', () => {
  const cases: Case[] = [
    ['all deleted', [done], {}, 'complete', 0],
    ['nothing at all', [], {}, 'complete', 0],
    ['a dry run', [[]], { dryRun: true }, 'dry-run', 0],
    ['a dry run, whatever was found', [mixed], { dryRun: true }, 'dry-run', 0],
    ['not found and blocked', [mixed], {}, 'partial', 3],
    ['not found is ignored, blocked is not', [mixed], { accept: ['not-found'] }, 'partial', 3],
    ['blocked is ignored, not found is not', [mixed], { accept: ['blocked'] }, 'partial', 3],
    ['both are ignored', [mixed], { accept: ['not-found', 'blocked'] as const }, 'complete', 0],
    ['an error', [done, [refused(400)]], {}, 'partial', 3],
    ['an unknown', [done, [ambiguous]], {}, 'partial', 7],
    ['503 with no end', [[failed(503), failed(503)]], {}, 'partial', 7],
    ['an answer that does not add up', [nonsense], {}, 'partial', 7],
    ['unavailable', [[refused(429)]], {}, 'partial', 7],
    ['never sent', [[neverSent]], {}, 'partial', 7],
    ['too long a wait', [done, []], { stop: 'retry-after' }, 'stopped', 7],
    ['401', [[refused(401)], []], { stop: 'auth' }, 'stopped', 4],
    ['403', [[refused(403)], []], { stop: 'forbidden' }, 'stopped', 5],
    ['a wrong list', [[refused(404)], []], { stop: 'refused' }, 'stopped', 6],
    ['a deadline', [done, []], { stop: 'deadline' }, 'stopped', 8],
    ['too many failures', [[refused(400)], []], { stop: 'max-failures' }, 'stopped', 8],
    ['the reader went away', [done, []], { stop: 'stdout-closed' }, 'stopped', 8],
    ['a full disk', [done, []], { stop: 'journal' }, 'stopped', 10],
    ['a full disk at the very end', [done], { stop: 'journal' }, 'stopped', 10],
    ['Ctrl-C', [done, []], { stop: 'signal', signal: 'SIGINT' }, 'interrupted', 130],
    ['a signal without a name', [done, []], { stop: 'signal' }, 'interrupted', 130],
    ['SIGTERM', [done], { stop: 'signal', signal: 'SIGTERM' }, 'interrupted', 143],
    ['SIGHUP', [done], { stop: 'signal', signal: 'SIGHUP' }, 'interrupted', 129],
    // When several apply: a signal, then 7, 10, 4, 5, 6, 8, 3.
    ['a signal before unknown', [[ambiguous]], { stop: 'signal', signal: 'SIGINT' }, 'interrupted', 130],
    ['unknown before a full disk', [[ambiguous]], { stop: 'journal' }, 'stopped', 7],
    ['a full disk before 401', [[refused(401)]], { stop: 'journal' }, 'stopped', 10],
    ['401 before 403', [[refused(401)], [refused(403)]], { stop: 'forbidden' }, 'stopped', 4],
    ['403 before a refusal', [[refused(403)]], { stop: 'refused' }, 'stopped', 5],
    ['unknown before a deadline', [[ambiguous]], { stop: 'deadline' }, 'stopped', 7],
    ['a deadline before an error', [[refused(400)]], { stop: 'deadline' }, 'stopped', 8],
  ]
  it.each(cases)('%s', (_, batches, ending, status, exitCode) => {
    expect(summarize('contacts.delete', totals('contacts.delete', ...batches), ending)).toMatchObject({
      status,
      exitCode,
    })
  })
})

describe('gone', () => {
  const cases: Case[] = [
    ['after a reset is accepted', [goneWhole], {}, 'complete', 0],
    ['among others that were deleted', [gone], {}, 'complete', 0],
    [
      'after 5xx alone, and nothing was deleted: nobody knows whether they ever were there',
      [goneAfterErrors],
      {},
      'partial',
      3,
    ],
    ['after 5xx alone, ignoring not-found', [goneAfterErrors], { accept: ['not-found'] }, 'partial', 3],
    ['after 5xx alone, but another batch was deleted', [goneAfterErrors, done], {}, 'complete', 0],
    ['after 5xx alone, another one after a reset', [goneAfterErrors, goneWhole], {}, 'complete', 0],
    [
      'after 5xx alone, another one deleted in part',
      [goneAfterErrors, [deletion(2, [], [a])]],
      { accept: ['blocked'] },
      'complete',
      0,
    ],
    [
      'after 5xx alone, a reset where nothing is gone',
      [goneAfterErrors, [ambiguous, deletion(0, [], [a, b, c])]],
      { accept: ['blocked'] },
      'partial',
      3,
    ],
    ['after 5xx and a take-over', [[failed(500), 'taken over', deletion(0, [a, b, c], [])]], {}, 'complete', 0],
    ['after 5xx, opened again', [[failed(500), 'opened again', deletion(0, [a, b, c], [])]], {}, 'partial', 3],
    [
      'after an answer that made no sense, opened again',
      [[...nonsense, 'opened again', deletion(0, [a, b, c], [])]],
      {},
      'complete',
      0,
    ],
    ['beside what was never there', [goneWhole, absent], {}, 'partial', 3],
  ]
  it.each(cases)('%s', (_, batches, ending, status, exitCode) => {
    expect(summarize('contacts.delete', totals('contacts.delete', ...batches), ending)).toMatchObject({
      status,
      exitCode,
    })
  })
})

describe('under a --once name', () => {
  const lost: Happening[] = [ambiguous]
  const once: RunEnding = { once: true, left: 0 }
  const cases: Case[] = [
    ['an unknown merge that a repetition only lists', [lost], once, 'partial', 3],
    ['beside one that is done', [lost, [answered({ mergedContactId: a })]], once, 'partial', 3],
    ['something else is left', [lost, []], { once: true, left: 1 }, 'partial', 7],
    ['nobody says what is left', [lost], { once: true }, 'partial', 7],
    ['without a name', [lost], { left: 0 }, 'partial', 7],
    ['a wait that was too long, with nothing left', [lost], { ...once, stop: 'retry-after' }, 'stopped', 3],
    ['a full disk', [lost], { ...once, stop: 'journal' }, 'stopped', 10],
    ['a signal', [lost], { ...once, stop: 'signal', signal: 'SIGTERM' }, 'interrupted', 143],
    ['a deadline', [lost], { ...once, stop: 'deadline' }, 'stopped', 8],
    ['all done', [[answered({ mergedContactId: a })]], once, 'complete', 0],
  ]
  it.each(cases)('%s', (_, batches, ending, status, exitCode) => {
    expect(summarize('contacts.merge', totals('contacts.merge', ...batches), ending)).toMatchObject({
      status,
      exitCode,
    })
  })
})

describe('how a run was stopped decides when nothing weighs more', () => {
  it('not at all: not-attempted ids are not done', () => {
    expect(summarize('tickets.assign', totals('tickets.assign', []), { stop: null })).toEqual({
      result: { done: 0, error: 0, unknown: 0, notAttempted: 1 },
      status: 'partial',
      exitCode: 3,
    })
  })

  it('two that are not done do not make up for each other', () => {
    const open = ['missing', 'undetermined', 'error', 'unknown', 'not-attempted'] as const
    for (const one of open) {
      for (const other of open) {
        const sum = emptyTotals(1)
        sum.outcomes[one] += 1
        sum.outcomes[other] += 1
        expect(summarize('contacts.delete', sum, { once: true, left: 0 }).exitCode).toBe(3)
      }
    }
  })

  it('each outcome by itself', () => {
    const codes: Partial<Record<Outcome, number>> = { unknown: 7, done: 0, deleted: 0, ok: 0 }
    for (const outcome of outcomes) {
      const one = emptyTotals(1)
      one.outcomes[outcome] = 1
      const code = codes[outcome] ?? 3
      expect([outcome, summarize('contacts.delete', one, {}).exitCode]).toEqual([outcome, code])
      const isIgnored = outcome === 'not-found' || outcome === 'blocked'
      const ending = { accept: ['not-found', 'blocked'] as const }
      expect(summarize('contacts.delete', one, ending).exitCode).toBe(isIgnored ? 0 : code)
    }
  })
})

describe('the cause of an error', () => {
  const error = { outcomes: ['error'] } as const
  it('is that of its last attempt', () => {
    expect(failureCause(after(refused(401)), { outcomes: ['done'] })).toBeUndefined()
    expect(failureCause(after(refused(401)), { outcomes: [] })).toBeUndefined()
    expect(failureCause({ ...after(refused(401)), declined: true }, error)).toBe('refused')
    const causes = [400, 401, 403, 404, 429].map((status) => failureCause(after(refused(status)), error))
    expect(causes).toEqual(['refused', 'auth', 'forbidden', 'refused', 'unavailable'])
    expect(failureCause(after(refused(401), neverSent), error)).toBe('unavailable')
    expect(failureCause(unsent, error)).toBe('refused')
  })
})
