/** The summary of a run: what its outcomes say of status and exit code. */
import { expect, it } from 'vitest'
import type { Head, NewLine } from '../../src/runs/lines.ts'
import type { RunRecord } from '../../src/runs/record.ts'
import { summaryOf, type Ending } from '../../src/runs/summary.ts'
import { table } from '../support/table.ts'
import { beginningOf, linesOf, stateAfter, stateOf } from '../support/records.ts'

const recordOf = (state: ReturnType<typeof stateAfter>, isHeld = false) =>
  ({ run: 'r', state, isHeld }) as RunRecord

/** Accepted outcomes, and inputs of which a part is left out. */
const heads: Record<string, Partial<Head>> = {
  accepted: { accept: ['not-found', 'kept'] },
  undecided: { input: { read: 3, unique: 2, duplicates: 0, leftOut: 0, undecided: 1 } },
  leftOut: { input: { read: 3, unique: 2, duplicates: 0, leftOut: 1, undecided: 0 } },
}
heads['undoAll'] = { undoes: 'assign-20260301-101500-3f9a' }
heads['undo'] = { ...heads['leftOut'], undoes: 'assign-20260301-101500-3f9a' }

it.each(
  table(`
  try done end                            |           | complete    | -           | 0
  try done                                |           | complete    | -           | 0
  try gone,done end                       |           | complete    | -           | 0
  try done,not-found end                  |           | partial     | -           | 3
  try done,not-found end                  | accepted  | complete    | -           | 0
  try not-found end                       |           | partial     | -           | 3
  try done,error end                      |           | partial     | -           | 3
  try error end                           |           | partial     | -           | 1
  try error,unknown end                   |           | partial     | -           | 3
  try@0-1 error@0-1 kept@1-2 end          |           | partial     | -           | 1
  kept end                                |           | partial     | -           | 3
  kept end                                | accepted  | complete    | -           | 0
  try unknown end                         |           | partial     | -           | 3
  try done end                            | undecided | partial     | -           | 3
  try done end                            | leftOut   | complete    | -           | 0
  try done end                            | undo      | partial     | -           | 3
  try done end                            | undoAll   | complete    | -           | 0
  try error end                           | undo      | partial     | -           | 1
  try unknown! end                        |           | stopped     | due         | 7
                                          |           | interrupted | -           | 7
  try unknown! closed                     |           | closed      | -           | 3
  try@0-1 done@0-1 closed                 |           | closed      | -           | 3
  try@0-1 error@0-1 closed                |           | closed      | -           | 1`),
)('%s %s: %s', (words = '', head = '', status, reason, exitCode) => {
  const summary = summaryOf(recordOf(stateOf('contacts.delete', words, heads[head])))
  const told = [summary.status, summary.stopReason ?? '-', String(summary.exitCode)]
  expect(told).toEqual([status, reason, exitCode])
  expect([summary.resume === null, summary.due]).toEqual(
    summary.exitCode === 7 ? [false, 2] : [true, 0],
  )
})

it('a recorded run is damaged before it is held, and held before anything else; a command at work is neither', () => {
  const state = stateOf('contacts.delete', 'try unknown!')
  const held = recordOf(state, true)
  expect(summaryOf(held)).toMatchObject({ status: 'working', resume: null })
  const ending: Ending = { stop: 'wait', errors: [], hasFailed: false }
  expect(summaryOf(held, ending)).toMatchObject({ status: 'stopped', resume: 'svc runs resume r' })
  state.damage = 'line 3 is damaged'
  expect([summaryOf(held).status, summaryOf(held, ending).status]).toEqual(['damaged', 'partial'])
})

it.each<[string | null, Partial<Head>]>([
  [null, {}],
  ['64f0', { target: { id: '64f0' } }],
  ['VIP (64f0)', { target: { id: '64f0', name: 'VIP' } }],
])('the target is told as %s', (target, head) => {
  expect(summaryOf(recordOf(stateOf('lists.add-contacts', '', head))).target).toBe(target)
})

it('only an add counts what was added', () => {
  const added = (name: Head['operation']) => summaryOf(recordOf(stateOf(name, 'try done'))).added
  expect([added('contacts.delete'), added('lists.add-contacts')]).toEqual([null, 0])
})

/** A command knows why it stopped, and its own exit code. What a later one computes follows from the outcomes. */
it.each<[Partial<Ending>, string, string | null, number, string]>([
  [{ stop: 'failures' }, 'stopped', 'failures', 7, 'try unknown!'],
  [{ stop: 'failures', hasFailed: true }, 'stopped', 'failures', 1, 'try unknown!'],
  [{ stop: 'not-allowed' }, 'stopped', 'not-allowed', 4, 'try unknown!'],
  [{ stop: 'wait' }, 'stopped', 'wait', 7, 'try unknown!'],
  [{ stop: 'record', hasFailed: true }, 'stopped', 'record', 1, 'try unknown!'],
  [{ stop: 'signal', signal: 'SIGINT' }, 'interrupted', null, 130, 'try unknown!'],
  [{ stop: 'signal', signal: 'SIGINT' }, 'complete', null, 130, 'try done'],
  [{}, 'stopped', 'due', 7, 'try unknown!'],
])('%o: %s', (known, status, stopReason, exitCode, words) => {
  const state = stateOf('contacts.delete', words)
  const ending: Ending = { stop: undefined, errors: [], hasFailed: false, ...known }
  expect(summaryOf(recordOf(state), ending)).toMatchObject({ status, stopReason, exitCode })
  const end = {
    ...(ending.stop && { stop: ending.stop }),
    t: 'end',
    outcomes: {},
    due: state.due,
  } as const
  state.apply({ ...end, at: 9 })
  const computed = state.due > 0 ? 7 : 0
  expect(summaryOf(recordOf(state))).toMatchObject({ status, stopReason, exitCode: computed })
})

it('has no count of those that were added after a lost answer', () => {
  const state = stateOf('lists.add-contacts', 'try unknown! try done')
  expect(summaryOf(recordOf(state)).added).toBeNull()
})

it('has at most a hundred ways in which ids failed, each with its count', () => {
  const refused = Array.from({ length: 103 }, (_, at): NewLine => {
    const m = `no ${Math.max(2, at)}`
    return { t: 'res', b: [at, at + 1], o: 'error', st: 400, code: 7, m }
  })
  const lines = [
    ...beginningOf('contacts.delete', { count: 104 }),
    ...refused,
    ...linesOf('try@103-104'),
  ]
  const { errors } = summaryOf(recordOf(stateAfter(lines)))
  const first = { outcome: 'error', httpStatus: 400, code: 7, message: 'no 2', count: 3 }
  expect([errors.length, errors[0], errors[1]?.count]).toEqual([100, first, 1])
  const [killed] = summaryOf(recordOf(stateOf('contacts.delete', 'try'))).errors
  expect(killed).toMatchObject({ outcome: 'unknown', message: 'no answer was recorded', count: 2 })
})
