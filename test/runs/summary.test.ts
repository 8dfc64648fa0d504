/** The summary of a run: what its outcomes say of status and exit code. */
import { expect, it } from 'vitest'
import type { Outcome } from '../../src/runs/engine.ts'
import type { RunRecord } from '../../src/runs/record.ts'
import { exitCodeOf, statusOf, summaryOf, type Ending } from '../../src/runs/summary.ts'
import { table } from '../support/table.ts'

const input = { read: 3, unique: 2, duplicates: 0, leftOut: 0, undecided: 0 }
const run = {
  id: 'delete-20260301-101500-3f9a',
  once: null,
  job: { operation: 'contacts.delete', baseUrl: 'http://127.0.0.1', profile: null, input },
  accepted: [],
  begun: 0,
  ended: 1,
  stop: null,
  closed: null,
  counts: {},
  due: 0,
  isWorking: false,
} as unknown as RunRecord

const jobs: Readonly<Record<string, object>> = {
  undecided: { input: { ...input, undecided: 1 } },
  leftOut: { input: { ...input, leftOut: 1 } },
  undo: { input: { ...input, leftOut: 1 }, undoes: run.id },
}

/** A run with one id of each outcome; a `!` behind it: it is due. */
function recordOf(words: string, more = ''): RunRecord {
  const all = words.split(' ')
  const counts = Object.fromEntries(all.map((word) => [word.replace('!', ''), 1]))
  const due = all.filter((word) => word.endsWith('!')).length
  const accepted: Outcome[] = more === 'accepted' ? ['not-found', 'kept'] : []
  const [ended, closed] = [more === 'killed' ? null : 1, more === 'closed' ? 1 : null]
  return { ...run, counts, due, accepted, ended, closed, job: { ...run.job, ...jobs[more] } }
}

it.each(
  table(`
  done                    |           | complete    | -   | 0
  done not-found          |           | finished    | -   | 3
  done not-found          | accepted  | complete    | -   | 0
  gone                    | accepted  | finished    | -   | 3
  not-found               |           | finished    | -   | 3
  done error              |           | finished    | -   | 3
  error                   |           | finished    | -   | 1
  error kept              |           | finished    | -   | 1
  error unknown           |           | finished    | -   | 3
  kept                    | accepted  | complete    | -   | 0
  unknown                 |           | finished    | -   | 3
  done                    | undecided | finished    | -   | 3
  done                    | leftOut   | complete    | -   | 0
  done                    | undo      | finished    | -   | 3
  unknown! done           |           | stopped     | due | 7
  not-attempted!          | killed    | interrupted | -   | 7
  unknown                 | closed    | closed      | -   | 3
  done not-attempted      | closed    | closed      | -   | 3
  error not-attempted     | closed    | closed      | -   | 1`),
)('%s %s: %s', (words = '', more, status, reason, exitCode) => {
  const summary = summaryOf(recordOf(words, more), [])
  const told = [summary.status, summary.stopReason ?? '-', String(summary.exitCode)]
  expect(told).toEqual([status, reason, exitCode])
  expect(summary.resume).toBe(summary.due > 0 ? `svc runs resume ${run.id}` : null)
})

it.each<[Ending, string, number, string]>([
  [{ signal: 'SIGTERM', hasFailed: true }, 'done', 143, 'complete'],
  [{ hasFailed: true, stop: 'failures' }, 'unknown!', 1, 'stopped'],
  [{ stop: 'not-allowed' }, 'not-attempted!', 4, 'stopped'],
  [{ stop: 'wait' }, 'not-attempted!', 7, 'stopped'],
  [{ stop: 'failures' }, 'unknown', 3, 'finished'],
  [{ stop: 'signal', signal: 'SIGINT' }, 'unknown!', 130, 'interrupted'],
])('a command that ended with %o', (ending, words, code, status) => {
  const record = recordOf(words)
  expect([exitCodeOf(record, ending), statusOf(record, ending)]).toEqual([code, status])
})

it('a run that another command works on has no line to resume it', () => {
  const record = { ...recordOf('unknown!'), isWorking: true }
  expect(summaryOf(record, [])).toMatchObject({ status: 'working', resume: null, due: 1 })
})

it('counts errors by their words, and a forgotten run has nothing due', () => {
  const batch = { n: 0, items: [], isDue: true, at: 1, status: 401, message: 'no' }
  const outcomes: Outcome[] = ['not-attempted', 'not-attempted']
  const ending: Ending = { stop: 'not-allowed', isForgotten: true }
  expect(summaryOf(recordOf('not-attempted!'), [{ ...batch, outcomes }], ending)).toMatchObject({
    errors: [{ outcome: 'not-attempted', httpStatus: 401, message: 'no', count: 2 }],
    due: 0,
    resume: null,
    status: 'stopped',
    stopReason: 'not-allowed',
  })
})
