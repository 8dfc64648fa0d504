/**
 * What may be claimed of a batch, and what resuming does with it, after a story of its attempts: each row a story, as the journal has it,
 * and what follows. The simulator judges the same rules in worlds; what a row says is what a person may rely on.
 */
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { lostRequestLands, type BulkOperation } from '../../src/api/operations.ts'
import { shapes } from '../../src/api/schemas.ts'
import { assignStep } from '../../src/bulk/operations/assign.ts'
import { chainOf } from '../../src/bulk/operations/merge-order.ts'
import type { Batch } from '../../src/bulk/operations/operation.ts'
import { nextAction, operationOf, outcomesOf } from '../../src/bulk/operations/operations.ts'
import { RunState } from '../../src/bulk/outcomes/state.ts'
import { countBatch, emptyTotals, summarize } from '../../src/bulk/outcomes/totals.ts'
import {
  applyEvent,
  isBeginning,
  landingOf,
  look,
  reopen,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from '../../src/bulk/record/batch-state.ts'
import { cutBatches } from '../../src/bulk/record/batches.ts'
import { parseEvent, readEvent, resEvent } from '../../src/bulk/record/events.ts'
import { landingFrom, timeToLand } from '../../src/bulk/record/landing.ts'
import { pairItems } from '../../src/bulk/record/items.ts'
import { classify, parseAnswer, type ReadAnswer } from '../../src/http/attempt.ts'
import type { Exchange } from '../../src/world.ts'
import { idOf } from '../input/inputs.ts'

// One of the ids is written in capitals in the file.
const [a, b, foreign] = [idOf(0xa1), idOf(0xb1).toUpperCase(), idOf(999)] as const
const deletion = (
  deletedCount: number,
  notFoundIds: readonly string[] = [],
  blockedIds: readonly string[] = [],
) => ({
  ...{ deletedCount, notFoundIds, blockedIds },
})
const addition = (added: number, skipped: number, failed: number) => ({ added, skipped, failed })
const assignment = (newAssigneeId: string) => ({
  ticketId: a,
  chatId: null,
  previousAssigneeId: b,
  newAssigneeId,
})
const merging = (mergedContactId: string) => ({ mergedContactId, contact: { id: b } })

/** Answers of the service by their names in the stories. */
const answers = {
  'contacts.delete': {
    ...{ both: deletion(2), first: deletion(1, [b.toLowerCase()]), neither: deletion(0, [a, b]) },
    ...{ blocked: deletion(1, [], [b]), short: deletion(1), foreign: deletion(1, [foreign]) },
    ...{ overlap: deletion(0, [b], [b]), twice: deletion(0, [b, b]) },
  },
  'lists.add-contacts': {
    ...{
      both: addition(2, 0, 0),
      again: addition(0, 2, 0),
      one: addition(1, 0, 1),
      oneAgain: addition(0, 1, 1),
    },
    ...{ neither: addition(0, 0, 2), long: addition(2, 1, 0) },
  },
  'contacts.merge': { done: merging(a), foreign: merging(foreign) },
  'tickets.assign': { done: assignment(b), foreign: assignment(foreign) },
} satisfies Readonly<Partial<Record<BulkOperation, Readonly<Record<string, unknown>>>>>

/** An operation that has stories here. */
type Told = keyof typeof answers

const batches: Readonly<Record<Told, Batch>> = {
  'contacts.delete': { operation: 'contacts.delete', ids: [a, b] },
  'lists.add-contacts': { operation: 'lists.add-contacts', ids: [a, b], isolate: true },
  'contacts.merge': { operation: 'contacts.merge', ids: [a], other: b },
  'tickets.assign': { operation: 'tickets.assign', ids: [a], other: b },
}

function response(status: number, body: string, headers = {}): Exchange {
  return { kind: 'response', status, headers, body: Buffer.from(body) }
}

function failure(sent: boolean, code: string): Exchange {
  return { kind: 'failed', sent, error: Object.assign(new Error(code), { code }) }
}

/** What comes of a request: `lost`, `never` and `given-up` before it left, a status (`503+`: with Retry-After), `shape`, or an answer. */
function exchangeOf(word: string, operation: Told): Exchange {
  if (word === 'lost') return failure(true, 'ECONNRESET')
  if (word === 'never' || word === 'given-up')
    return failure(false, word === 'never' ? 'ECONNREFUSED' : 'SVC_ABORTED')
  const retryAfter = word.endsWith('+') ? { 'retry-after': '1' } : {}
  if (/^\d/.test(word))
    return response(Number.parseInt(word, 10), '{"code":1,"message":"no"}', retryAfter)
  const known: Readonly<Record<string, unknown>> = answers[operation]
  if (word !== 'shape' && !(word in known)) throw new Error(`${operation} has no answer ${word}`)
  return response(
    200,
    JSON.stringify({ data: word === 'shape' ? { is: 'something else' } : known[word] }),
  )
}

function reading(operation: Told): ReadAnswer {
  return (given) => {
    const parsed = parseAnswer(given)
    if (!parsed.ok) return parsed
    const body = v.safeParse(v.object({ data: shapes[operation].result }), parsed.document)
    return body.success
      ? { ok: true, data: body.output.data }
      : { ok: false, problem: 'another shape' }
  }
}

/** People who have a ticket. */
const people: Readonly<Record<string, string>> = { old: idOf(7), wanted: b, other: idOf(8) }

/** The state after a story. Its steps are a second apart; "later" is as long as a lost request can be applied. */
function stateAfter(operation: Told, story: string): BatchState {
  let state = unsent
  let up = 0
  for (const word of story.split(' ').filter(Boolean)) {
    up += 1000
    const place = { b: 1, at: 0, on: 'this boot', up }
    const write = (event: object): void => {
      const read = parseEvent(JSON.parse(JSON.stringify(event)))
      if (read?.t !== 'try' && read?.t !== 'res' && read?.t !== 'read' && read?.t !== 'isolated')
        throw new Error(`no event of a batch: ${word}`)
      state = applyEvent(state, read)
    }
    if (word === 'resume') state = resumeBatch(state)
    else if (word === 'retry') state = reopen(state)
    else if (word === 'taken-over') state = taint(state, landingFrom(place, false))
    else if (word === 'later') up += lostRequestLands.usual
    else if (word === 'unreadable') write(readEvent(place, { problem: 'no', isRefused: false }))
    else if (word === 'denied') write(readEvent(place, { problem: 'no', isRefused: true }))
    else if (word in people) write(readEvent(place, { id: people[word] ?? null }))
    else if (word === 'proven' || word === 'unproven')
      write({
        t: 'isolated',
        ...place,
        missing: word === 'proven' ? [b] : [],
        proven: word === 'proven',
        calls: 2,
      })
    else {
      const attempt = { ...place, a: state.attempts + 1 }
      write({ t: 'try', ...attempt })
      if (word === 'killed') continue
      const result = classify(exchangeOf(word, operation), reading(operation))
      write(resEvent(operationOf(operation).keptFields, attempt, result))
    }
  }
  return state
}

/** The moment of the last attempt that can land, in seconds. */
function lostAt(state: BatchState): string {
  const [end] = landingOf(state)?.ends ?? []
  return end === undefined ? '-' : String((end.up - lostRequestLands.usual) / 1000)
}

function undoableFrom(state: BatchState): string {
  if (state.answer === undefined) return '-'
  return landingOf(state) === undefined ? 'now' : lostAt(state)
}

/** What is claimed, and what a resume does; then, by operation, the exit code, the counts, the times. */
function told(operation: Told, story: string): string {
  const batch = batches[operation]
  const state = stateAfter(operation, story)
  const outcome = outcomesOf(batch, state)
  const claim = `${[...new Set(outcome.outcomes)].join('+')}, ${nextAction(batch, state)}`
  const totals = emptyTotals(1)
  countBatch(totals, state, outcome)
  const { result, exitCode } = summarize(operation, totals, { left: 0 })
  expect(Object.values(result).reduce((sum, count) => sum + count, 0)).toBe([...batch.ids].length)
  const counts = Object.entries(outcome.counts ?? {}).flatMap(([name, count]) =>
    count > 0 ? ` ${name}=${count}` : [],
  )
  return {
    'contacts.delete': `${claim}, exit ${exitCode}`,
    'lists.add-contacts': `${claim}${counts.join('')}`,
    'contacts.merge': `${claim}, lands ${lostAt(state)}`,
    'tickets.assign': `${claim}, ${assignStep(state, b)}, undo ${undoableFrom(state)}`,
  }[operation]
}

const rows: readonly (readonly [operation: Told, story: string, follows: string])[] = [
  ['contacts.delete', 'both', 'deleted, finished, exit 0'],
  ['contacts.delete', 'first', 'deleted+not-found, finished, exit 3'],
  ['contacts.delete', 'blocked', 'deleted+blocked, finished, exit 3'],
  ['contacts.delete', 'lost', 'unknown, send, exit 7'],
  ['contacts.delete', 'lost neither', 'gone, finished, exit 0'],
  ['contacts.delete', 'lost 500 neither', 'gone, finished, exit 0'],
  ['contacts.delete', '500 neither', 'gone, finished, exit 3'],
  ['contacts.delete', '503+ neither', 'gone, finished, exit 3'],
  ['contacts.delete', '408 neither', 'gone, finished, exit 0'],
  ['contacts.delete', '302', 'unknown, send, exit 7'],
  ['contacts.delete', 'shape', 'unknown, send, exit 7'],
  ['contacts.delete', 'killed', 'unknown, send, exit 7'],
  ['contacts.delete', 'killed neither', 'gone, finished, exit 0'],
  ['contacts.delete', 'given-up', 'not-attempted, send, exit 3'],
  ['contacts.delete', 'never', 'error, send, exit 7'],
  ['contacts.delete', '400', 'error, finished, exit 3'],
  ['contacts.delete', '401', 'error, send, exit 4'],
  ['contacts.delete', '404', 'error, finished, exit 3'],
  ['contacts.delete', '429', 'error, send, exit 7'],
  ['contacts.delete', 'lost 400', 'unknown, send, exit 7'],
  ['contacts.delete', '400 resume', 'error, send, exit 3'],
  ['contacts.delete', 'short', 'unknown, finished, exit 7'],
  ['contacts.delete', 'foreign', 'unknown, finished, exit 7'],
  ['contacts.delete', 'overlap', 'unknown, finished, exit 7'],
  ['contacts.delete', 'twice', 'unknown, finished, exit 7'],
  ['contacts.delete', 'neither retry neither', 'gone, finished, exit 0'],
  ['contacts.delete', 'short retry neither', 'gone, finished, exit 0'],
  ['contacts.delete', 'both taken-over', 'deleted, finished, exit 0'],
  ['contacts.delete', 'taken-over neither', 'gone, finished, exit 0'],
  ['contacts.delete', '401 taken-over neither', 'gone, finished, exit 0'],
  ['lists.add-contacts', 'again', 'ok, finished skipped=2'],
  ['lists.add-contacts', 'one', 'undetermined, isolate added=1 failed=1'],
  ['lists.add-contacts', 'neither', 'missing, finished failed=2'],
  ['lists.add-contacts', 'long', 'unknown, finished'],
  ['lists.add-contacts', 'lost again', 'ok, finished addedOrSkipped=2'],
  ['lists.add-contacts', 'one proven', 'ok+missing, finished added=1 failed=1'],
  ['lists.add-contacts', 'one unproven', 'undetermined, isolate added=1 failed=1'],
  ['lists.add-contacts', 'one proven retry', 'unknown, send'],
  ['lists.add-contacts', 'both retry again', 'ok, finished addedOrSkipped=2'],
  ['lists.add-contacts', 'lost 400', 'unknown, send'],
  ['contacts.merge', 'done', 'done, finished, lands -'],
  ['contacts.merge', 'lost', 'unknown, list-only, lands 1'],
  ['contacts.merge', '503+', 'unknown, list-only, lands 1'],
  ['contacts.merge', '503', 'unknown, list-only, lands 1'],
  ['contacts.merge', 'killed', 'unknown, list-only, lands 1'],
  ['contacts.merge', '400', 'error, finished, lands -'],
  ['contacts.merge', '401', 'error, send, lands -'],
  ['contacts.merge', 'lost 400', 'unknown, list-only, lands 1'],
  ['contacts.merge', 'foreign', 'unknown, finished, lands -'],
  ['contacts.merge', 'foreign retry', 'unknown, send, lands 1'],
  ['contacts.merge', 'taken-over', 'unknown, send, lands 1'],
  ['contacts.merge', 'taken-over 400', 'unknown, list-only, lands 1'],
  ['contacts.merge', 'taken-over 401', 'unknown, send, lands 1'],
  ['contacts.merge', 'lost taken-over', 'unknown, list-only, lands 2'],
  ['contacts.merge', 'lost retry', 'unknown, send, lands 1'],
  ['contacts.merge', 'lost retry lost', 'unknown, list-only, lands 3'],
  ['contacts.merge', 'lost retry 400', 'unknown, list-only, lands 1'],
  ['tickets.assign', 'old', 'not-attempted, send, send, undo -'],
  ['tickets.assign', 'wanted', 'done, finished, finished, undo -'],
  ['tickets.assign', 'unreadable', 'not-attempted, send, send, undo -'],
  ['tickets.assign', 'old done', 'done, finished, finished, undo now'],
  ['tickets.assign', 'old lost', 'unknown, read-first, read, undo -'],
  ['tickets.assign', 'old lost old', 'unknown, read-first, send, undo -'],
  ['tickets.assign', 'old lost wanted', 'done, finished, finished, undo -'],
  ['tickets.assign', 'old lost other', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost other resume old', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost other retry other', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost unreadable', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost later unreadable', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost denied', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost later denied', 'unknown, finished, finished, undo -'],
  ['tickets.assign', 'old lost old lost old lost old', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost old 400 old', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'old lost old 400 wanted', 'done, finished, finished, undo -'],
  ['tickets.assign', 'old lost old done', 'done, finished, finished, undo 2'],
  ['tickets.assign', 'old lost old resume', 'unknown, read-first, read, undo -'],
  ['tickets.assign', 'old 400', 'error, finished, finished, undo -'],
  ['tickets.assign', 'old 400 retry', 'error, send, read, undo -'],
  ['tickets.assign', 'old 401', 'error, send, finished, undo -'],
  ['tickets.assign', 'old killed resume old', 'unknown, read-first, send, undo -'],
  ['tickets.assign', 'old foreign', 'unknown, finished, finished, undo now'],
  ['tickets.assign', 'unreadable lost old', 'unknown, read-first, finished, undo -'],
  ['tickets.assign', 'taken-over old', 'unknown, read-first, send, undo -'],
  ['tickets.assign', 'taken-over old 400', 'unknown, read-first, read, undo -'],
  ['tickets.assign', 'taken-over unreadable', 'unknown, read-first, send, undo -'],
  ['tickets.assign', 'taken-over denied 401 denied', 'unknown, read-first, finished, undo -'],
  [
    'tickets.assign',
    'taken-over unreadable never unreadable',
    'unknown, read-first, finished, undo -',
  ],
  ['tickets.assign', 'taken-over later old 400 old', 'unknown, finished, finished, undo -'],
  ['tickets.assign', 'old done retry old', 'unknown, read-first, send, undo -'],
  ['tickets.assign', 'old 503+', 'unknown, read-first, read, undo -'],
]

it.each(rows)('%s: %s', (operation, story, follows) => {
  expect(told(operation, story)).toBe(follows)
})

describe('however the requests of a ticket end, and whatever came before, it is left alone after a few', () => {
  const ends = {
    read: ['old', 'wanted', 'other', 'unreadable', 'denied'],
    send: ['done', 'foreign', 'lost', 'never', '400', '401', '429', '503+'],
  } as const
  /** The most requests that a session makes after a story. */
  const longest = (story: string, step: 'read' | 'send' | 'finished', made = 0): number => {
    if (step === 'finished') return made
    if (made >= 12) throw new Error(`no end: ${story}`)
    const further = ends[step].map((end) => `${story} ${end}`.trim())
    return Math.max(
      ...further.map((longer) =>
        longest(longer, assignStep(stateAfter('tickets.assign', longer), b), made + 1),
      ),
    )
  }

  it.each([
    ['', 7],
    ['taken-over', 7],
    ['old 401 resume', 7],
    ['old killed taken-over resume', 5],
    ['unreadable lost taken-over resume', 1],
    ['old lost old 400 retry', 7],
    ['old done retry', 7],
  ])('%s', (before, most) => {
    const state = stateAfter('tickets.assign', before)
    const first = isBeginning(state) ? 'read' : assignStep(state, b)
    expect(longest(before, first)).toBe(most)
  })
})

it('merges are sent in the order of the file, but for those that must come before others', () => {
  const orderOf = (...pairs: readonly string[]): readonly number[] =>
    chainOf(
      pairs.map((pair, i) => {
        const [id = 0, other = 0] = pair.split(' ').map(Number)
        return { id: idOf(id), other: idOf(other), line: i + 1 }
      }),
    ).order
  expect(orderOf('1 9', '2 9', '3 8')).toEqual([1, 2, 3])
  expect(orderOf('3 9', '1 3', '2 3', '4 9')).toEqual([2, 3, 1, 4])
  expect(orderOf('5 4', '3 2', '4 3', '2 1')).toEqual([1, 3, 2, 4])
})

it('what a lost try may have been about: the next merges, as many as the concurrency, and none that was refused or waits for one', () => {
  const chained = [1, 2, 4, 5, 6, 7, 8].map((n, i) => ({
    id: idOf(n),
    other: idOf(n + 1 + (n > 2 ? 10 : 0)),
    line: i + 1,
  }))
  const state = new RunState({
    operation: 'contacts.merge',
    parameters: {},
    items: pairItems(chained),
    batches: cutBatches(chained.length, 1),
    chain: chainOf(chained),
    concurrency: 2,
  })
  const end = (b: number, res: { k: 'refused' | 'answered'; s: number; d?: unknown }): void => {
    state.replay({ t: 'try', b, a: 1, at: 0, on: 'this boot', up: 0 })
    state.replay({ t: 'res', b, a: 1, at: 0, ...res })
  }
  // The second one waits for the first: neither will be sent.
  end(1, { k: 'refused', s: 400 })
  end(3, { k: 'answered', s: 200, d: { mergedContactId: idOf(4) } })
  end(4, { k: 'refused', s: 404 })
  expect(state.nextOpen()).toEqual([5, 6])
  // It may be tried again in the same session.
  end(5, { k: 'refused', s: 429 })
  expect(state.nextOpen()).toEqual([5, 6, 7])
})

/** A run of two batches of one item each, and the service that refuses one of them. */
function twoBatches(operation: BulkOperation, status: number) {
  const state = new RunState({
    operation,
    parameters: {},
    items: pairItems([1, 3].map((n, i) => ({ id: idOf(n), other: idOf(n + 1), line: i + 1 }))),
    batches: cutBatches(2, 1),
    chain: undefined,
    concurrency: 1,
  })
  const refuse = (b: number): void => {
    state.apply({ t: 'try', b, a: 1, at: 0, on: 'this boot', up: 0 })
    state.apply({ t: 'res', b, a: 1, at: 0, k: 'refused', s: status })
  }
  return { state, refuse }
}

it.each([
  [false, 'error'],
  [true, 'unknown'],
])(
  'a session that is a take-over (%s) knows of attempts that nobody recorded: refused is %s',
  (takeOver, outcome) => {
    const { state, refuse } = twoBatches('contacts.merge', 404)
    // One that was begun before, and one that had not begun.
    refuse(1)
    state.resume({ t: 'resume', at: 1, on: 'this boot', up: 1, ...(takeOver && { takeOver }) })
    refuse(2)
    expect([1, 2].map((batch) => state.outcome(batch).outcomes)).toEqual([[outcome], [outcome]])
  },
)

describe('how long a lost attempt can land, in minutes of uptime', () => {
  const minute = 60_000
  const at = (minutes: number, on = 'here') => ({ on, up: minutes * minute })
  const lost = (minutes: number, more: { early?: true } = {}, before = unsent): BatchState => {
    const place = { b: 1, a: before.attempts + 1, at: 0 }
    const tried = applyEvent(before, { t: 'try', ...place, ...at(minutes), ...more })
    return applyEvent(tried, { t: 'res', ...place, k: 'ambiguous' })
  }
  const left = (state: BatchState, minutes: number, on = 'here'): number =>
    timeToLand(landingOf(state), at(minutes, on)) / minute

  it.each<readonly [string, BatchState, (readonly [minutes: number, on: string, left: number])[]]>([
    ['never sent', unsent, [[0, 'here', 0]]],
    [
      '11 minutes from the attempt',
      lost(5),
      [
        [5, 'here', 11],
        [15, 'here', 1],
        [16, 'here', 0],
      ],
    ],
    [
      '24 hours before anything was accepted',
      lost(5, { early: true }),
      [
        [16, 'here', 1429],
        [1445, 'here', 0],
      ],
    ],
    ['the longer of two', lost(9, {}, lost(5, { early: true })), [[20, 'here', 1425]]],
    ['not yet looked at elsewhere', lost(5), [[900, 'there', 11]]],
    [
      'elsewhere from the first look',
      look(look(lost(5), at(100, 'there')), at(105, 'there')),
      [
        [105, 'there', 6],
        [111, 'there', 0],
        [15, 'here', 1],
      ],
    ],
    [
      'a later attempt forgets looks',
      lost(50, {}, look(lost(5), at(100, 'there'))),
      [
        [200, 'there', 11],
        [55, 'here', 6],
      ],
    ],
    ['an uptime before the attempt is that of another boot', lost(50), [[3, 'here', 11]]],
    [
      'a try without its end, looked at elsewhere',
      look(applyEvent(unsent, { t: 'try', b: 1, a: 1, at: 0, ...at(5) }), at(7, 'there')),
      [[12, 'there', 6]],
    ],
    ['taken over', taint(lost(5), landingFrom(at(9), false)), [[10, 'here', 10]]],
  ])('%s', (_, state, rows) => {
    expect(rows.map(([minutes, on]) => left(state, minutes, on))).toEqual(
      rows.map(([, , each]) => each),
    )
  })
})

it('attempts are counted by the highest number that is on record, whatever is missing of the others', () => {
  const attempt = (a: number) => ({ t: 'try', b: 1, a, at: 0, on: 'this boot', up: 0 }) as const
  const refusal = (a: number) => ({ t: 'res', b: 1, a, at: 0, k: 'refused', s: 404 }) as const
  // Another process was quicker, and had made its second attempt when the answer to the first one came.
  const late = [attempt(1), attempt(2), refusal(1)].reduce(applyEvent, unsent)
  expect(late.attempts).toBe(2)
  // The line of an attempt was lost.
  expect(applyEvent(unsent, refusal(3)).attempts).toBe(3)
})

describe('a session that refusals have stopped has those batches sent again that were refused last', () => {
  const begin = () => twoBatches('contacts.delete', 403)

  it('not those of a session before it', () => {
    const { state, refuse } = begin()
    refuse(1)
    state.endSession(false)
    refuse(2)
    state.endSession(true)
    expect([1, 2].map((batch) => state.of(batch).sendAfter)).toEqual([undefined, 1])
  })

  it('not those before others were opened again', () => {
    const { state, refuse } = begin()
    refuse(1)
    state.reopen({ t: 'reopen', at: 1, outcomes: ['gone'] })
    refuse(2)
    state.endSession(true)
    expect([1, 2].map((batch) => state.of(batch).sendAfter)).toEqual([undefined, 1])
  })
})
