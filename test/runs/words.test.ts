/** The summary of a run: what its outcomes and its stop say of status and exit code. */
import { expect, it } from 'vitest'
import { exitCodes } from '../../src/errors.ts'
import type { Batch, Outcome, Run } from '../../src/runs/model.ts'
import { outcomes } from '../../src/runs/model.ts'
import { stateOf } from '../../src/runs/record.ts'
import { receiptsOf, summaryOf } from '../../src/runs/words.ts'
import { table } from '../support/table.ts'

/** All words for how something ended, by what each scale is for. A new one has to be needed. */
it('16 words say how something ended', () => {
  const scales = {
    'an attempt: what it proves of its request': 'answered refused not-sent no-answer',
    'an id: what happened to it': outcomes.join(' '),
    'a run: who has to act': 'working unfinished ended',
    'a process: what its caller does next': Object.keys(exitCodes).join(' '),
  }
  expect(scales).toMatchObject({
    'an id: what happened to it': 'done not-found blocked kept refused no-answer not-sent',
    'a process: what its caller does next':
      'done failed usage partial denied unfinished interrupted',
  })
  expect(new Set(Object.values(scales).flatMap((words) => words.split(' '))).size).toBe(16)
})

const input = { read: 3, unique: 2, duplicates: 0, leftOut: 0, withoutId: 0 }
const run = {
  id: 'delete-20260301-101500-3f9a',
  name: 'delete-20260301-101500-3f9a',
  job: {
    operation: 'contacts.delete',
    baseUrl: 'http://127.0.0.1',
    profile: null,
    input,
    accepted: [],
  },
  begun: 0,
} as unknown as Run

const jobs: Readonly<Record<string, object>> = {
  withoutId: { input: { ...input, withoutId: 1 } },
  leftOut: { input: { ...input, leftOut: 1 } },
  accepted: { accepted: ['not-found', 'kept'] },
  merge: { operation: 'contacts.merge' },
  'merge, killed': { operation: 'contacts.merge' },
  'merge, closed': { operation: 'contacts.merge' },
}

/** A run with an id of each outcome. `more`: its stop, what it accepts, its end, its input. */
function recordOf(words: string, more = ''): Run {
  const counts = Object.fromEntries(words.split(' ').map((word) => [word, 1]))
  const stop = /\w+$/.exec(more)?.[0] ?? ''
  const isStop = stop === 'closed' || Object.hasOwn(exitCodes, stop)
  const columns = {
    stop: isStop ? (stop as Run['stop']) : null,
    message: isStop && stop !== 'closed' ? 'no' : null,
    ended: more.endsWith('killed') || more === 'working' ? null : 1,
    job: { ...run.job, ...jobs[more] },
  }
  return { ...run, ...columns, ...stateOf(columns, counts, more === 'working') }
}

it.each(
  table(`
  done                 |               | ended      | -  | 0
  done not-found       |               | ended      | -  | 3
  done not-found       | accepted      | ended      | -  | 0
  blocked              | accepted      | ended      | -  | 3
  not-found            |               | ended      | -  | 3
  done refused         |               | ended      | -  | 3
  refused              |               | ended      | -  | 1
  kept refused         |               | ended      | -  | 1
  kept                 | accepted      | ended      | -  | 0
  refused no-answer    | merge         | unfinished | -  | 3
  no-answer            | merge         | unfinished | -  | 3
  done no-answer       | merge         | unfinished | -  | 3
  no-answer            | merge, killed | unfinished | interrupted | 3
  done                 | killed        | ended      | -  | 0
  done                 | withoutId     | ended      | -  | 3
  done                 | leftOut       | ended      | -  | 0
  done no-answer       |               | unfinished | -  | 7
  done no-answer       | unfinished    | unfinished | unfinished | 7
  refused not-sent     | failed        | unfinished | failed | 1
  not-sent             | denied        | unfinished | denied | 4
  not-sent             | killed        | unfinished | interrupted | 7
  not-sent             | interrupted   | unfinished | interrupted | 7
  no-answer not-sent   | merge         | unfinished | -  | 7
  done not-sent        | working       | working    | -  | 7
  no-answer            | merge, closed | ended      | closed | 3
  no-answer            | closed        | ended      | closed | 3
  done not-sent        | closed        | ended      | closed | 3`),
)('%s %s: %s', (words = '', more, status, stop, exitCode) => {
  const found = recordOf(words, more)
  const summary = summaryOf({ ...found, batches: [] })
  const told = [summary.status, summary.stop ?? '-', String(summary.exitCode)]
  expect(told).toEqual([status, stop, exitCode])
  const canResume = summary.due > 0 && status !== 'working'
  expect(summary.resume).toBe(canResume ? `runs resume ${run.id}` : null)
})

it('errors are counted by their words', () => {
  const batch = { n: 0, items: [], lost: false, at: 1, status: 401, message: 'no' }
  const of: Outcome[] = ['not-sent', 'not-sent']
  const batches = [
    { ...batch, outcomes: of },
    { ...batch, outcomes: ['done'] as const },
    { ...batch, at: null, outcomes: of },
    { n: 1, items: [], lost: true, at: 1, outcomes: ['no-answer'] as const },
    { n: 2, items: [], lost: true, at: 1, outcomes: ['not-found'] as const },
  ]
  const { errors } = summaryOf({ ...recordOf('not-sent'), batches })
  const unsaid = { httpStatus: null, code: null, message: 'no answer is recorded', count: 1 }
  expect(errors).toEqual([
    { outcome: 'not-sent', httpStatus: 401, code: null, message: 'no', count: 2 },
    { outcome: 'no-answer', ...unsaid },
    { outcome: 'not-found', ...unsaid, message: `there is no such contact; ${lost}` },
  ])
})

const lost = 'an earlier request got no answer, and may have been carried out'

/** Of one id: its outcome, line, HTTP status and message, when its attempt was, and its receipt. */
it.each(
  table(`
  done       | 4 |     |         | 0 | 4 done "" 1970-01-01T00:00:00.000Z
  done       | 0 |     |         | 0 | null done "" 1970-01-01T00:00:00.000Z
  blocked    | 4 |     |         | 0 | 4 blocked "not deleted, because it has chats" 1970-01-01T00:00:00.000Z
  refused    | 4 | 400 | bad     | 0 | 4 refused "bad (HTTP 400)" 1970-01-01T00:00:00.000Z
  no-answer  | 4 | 500 | lost    | 0 | 4 no-answer "lost (HTTP 500)" 1970-01-01T00:00:00.000Z
  kept       | 4 |     | nobody  | 0 | 4 kept "nobody" 1970-01-01T00:00:00.000Z
  not-sent   | 4 |     |         |   | 4 not-sent "not sent, or the service took no requests" null`),
)('the receipt of %s, line %s, %s %s', (word, line, status, message, at, told) => {
  const batch: Batch = {
    n: 0,
    items: [{ id: 'a', line: Number(line) }],
    outcomes: [word as Outcome],
    lost: false,
    at: at ? Number(at) : null,
    status: status ? Number(status) : null,
    message: message || null,
  }
  const run = { ...recordOf('done'), batches: [batch] }
  const [receipt] = receiptsOf({}, run, [word as Outcome])
  const { row, outcome, reason, at: when } = receipt ?? {}
  expect(`${row} ${outcome} "${reason}" ${when}`).toBe(told)
  const unsure = receiptsOf({}, { ...run, batches: [{ ...batch, lost: true }] })
  const isUnsure = ['not-found', 'kept', 'refused'].includes(word)
  expect([...unsure].map((each) => each.reason)).toEqual([isUnsure ? `${reason}; ${lost}` : reason])
  const others = outcomes.filter((each) => each !== word)
  expect([...receiptsOf({}, run, others)]).toEqual([])
})
