/**
 * Claims after a story of attempts, and the next step of a later session: each row is a run file in words, with its claims
 * (docs/run-file.md, "What is known of a batch"). The simulator judges the same rules in worlds.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BulkOperation } from '../../src/api/operations.ts'
import { RunLog, type RecordedRun } from '../../src/runs/fold.ts'
import { decodeLine } from '../../src/runs/lines.ts'
import type { RunState } from '../../src/runs/state.ts'
import { changeOf } from '../../src/runs/telling/question.ts'
import { summaryOfRun } from '../../src/runs/summary.ts'
import { endingOnRecord, finalMark, type RunEnding } from '../../src/runs/totals.ts'
import { idOf } from '../input/inputs.ts'
import { table } from '../table.ts'
import { headOf, idLinesOf } from './recorded-run.ts'
import { sessionOf, textOf, type FileLine } from './run-files.ts'

const [a, b, foreign] = [idOf(0xa1), idOf(0xb1), idOf(999)]
const ids = [idOf(1), idOf(2), idOf(3).toUpperCase(), idOf(4)]

const answers: Readonly<Record<string, unknown>> = {
  deleted: { deletedCount: 4, notFoundIds: [], blockedIds: [] },
  half: {
    deletedCount: 1,
    notFoundIds: [ids[1]?.toUpperCase(), ids[2]?.toLowerCase()],
    blockedIds: [ids[3]?.toUpperCase()],
  },
  'half one': { deletedCount: 0, notFoundIds: [ids[0]], blockedIds: [] },
  fourth: { deletedCount: 0, notFoundIds: [ids[3]], blockedIds: [] },
  'half two': { deletedCount: 0, notFoundIds: ids.slice(0, 2), blockedIds: [] },
  absent: { deletedCount: 0, notFoundIds: ids, blockedIds: [] },
  short: { deletedCount: 1, notFoundIds: [], blockedIds: [] },
  foreign: { deletedCount: 3, notFoundIds: [foreign], blockedIds: [] },
  twice: { deletedCount: 2, notFoundIds: [a, a], blockedIds: [] },
  overlap: { deletedCount: 2, notFoundIds: [ids[0]], blockedIds: [ids[0]] },
  added: { added: 3, skipped: 1, failed: 0 },
  one: { added: 2, skipped: 1, failed: 1 },
  all: { added: 0, skipped: 0, failed: 4 },
  'part ok': { added: 0, skipped: 2, failed: 0 },
  'part added': { added: 1, skipped: 1, failed: 0 },
  'part one': { added: 0, skipped: 1, failed: 1 },
  'part none': { added: 0, skipped: 0, failed: 2 },
  'id ok': { added: 0, skipped: 1, failed: 0 },
  'id none': { added: 0, skipped: 0, failed: 1 },
  long: { added: 4, skipped: 1, failed: 0 },
  merged: { mergedContactId: b, contact: { id: b } },
  other: { mergedContactId: foreign, contact: { id: foreign } },
  assigned: { ticketId: a, chatId: null, previousAssigneeId: foreign, newAssigneeId: b },
  misassigned: { ticketId: a, chatId: null, previousAssigneeId: null, newAssigneeId: foreign },
}

/**
 * The lines of a story in one file: `try`, `try 1-2` (a part), an answer by its name, `lost`, `500`, `302`, a refusal by its status, `unsent`, `unreachable`,
 * `gave up`, `reads <who>`, `ends`, `stops`, `session` (the process before is certainly dead), `take-over` (it may be alive),
 * `reopen <outcome>`, `damage` (a line is lost), `lost session` (a session without its first line). `of 2` in front of a word is about the
 * second batch.
 */
class Story {
  readonly log = new RunLog('x')
  #session = 'aaaaaaaa'
  #i = 0
  #written = 0
  readonly #attempts = new Map<number, number>()

  constructor(head: FileLine, idLines: readonly FileLine[]) {
    for (const line of [sessionOf(), head, ...idLines]) this.add(line)
  }

  add(line: FileLine): void {
    const text = textOf({ s: this.#session, i: this.#i, at: 1, ...line }).trimEnd()
    const decoded = decodeLine(Buffer.from(text))
    if (decoded === undefined) throw new Error(`not a line: ${text}`)
    this.log.apply(decoded)
    this.#i += 1
    this.#written += 1
  }

  /** Another session follows the last one, of which it counted all lines. */
  #follow(more: object): void {
    const [over, after] = [this.#session, this.#written]
    this.#begin()
    this.add(sessionOf(over, after, more))
  }

  #begin(): void {
    const letter = this.#session.charCodeAt(0) - 'a'.charCodeAt(0) + 11
    this.#session = letter.toString(16).repeat(8)
    this.#i = 0
    this.#written = 0
  }

  /** A line that the next session has seen, and that is gone now. */
  #lose(): void {
    this.#i += 1
    this.#written += 1
  }

  tell(word: string): void {
    const [, batch, rest = word] = /^of (\d) (.*)$/.exec(word) ?? []
    const b = Number(batch ?? 1)
    if (rest === 'damage') this.#lose()
    else if (rest === 'lost session') {
      this.#begin()
      this.#i = 1
    } else if (rest === 'session') this.#follow({})
    else if (rest === 'session of another key') this.#follow({ key: 'another' })
    else if (rest === 'take-over') this.#follow({ unsure: true })
    else if (rest.startsWith('reopen ')) this.#follow({ reopen: [rest.slice(7)] })
    else if (rest === 'ends') this.add(endOf({}))
    else if (rest === 'stops') this.add(endOf({ stop: 'refused' }))
    else this.#work(rest, b)
  }

  #work(word: string, b: number): void {
    const [, first, last] = /^try (\d)-(\d)$/.exec(word) ?? []
    const part = first === undefined ? {} : { p: [Number(first), Number(last)] }
    const before = this.#attempts.get(b) ?? 0
    if (word === 'try' || first !== undefined) {
      this.#attempts.set(b, before + 1)
      this.add({ t: 'try', b, a: before + 1, ...part })
    } else if (word.startsWith('reads ')) this.add({ t: 'read', b, ...readingOf(word.slice(6)) })
    else this.add({ t: 'res', b, a: before, ...resultOf(word) })
  }
}

const endOf = (more: object): FileLine => ({
  t: 'end',
  baseUrl: 'https://api.example.com',
  summary: { run: 'x', exitCode: 0, left: 0 },
  ...more,
})

const readers: Readonly<Record<string, object>> = {
  wanted: { id: b },
  former: { id: foreign },
  somebody: { id: idOf(555) },
  nobody: { id: null },
  nothing: { m: 'timeout' },
  refused: { m: 'no such ticket', st: 404 },
}

function readingOf(who: string): object {
  const reading = readers[who]
  if (reading === undefined) throw new Error(`nobody reads ${who}`)
  return reading
}

function resultOf(word: string): object {
  if (word === 'lost') return { k: 'ambiguous', m: 'reset' }
  if (word === 'unsent') return { k: 'never-sent', m: 'refused' }
  if (word === 'unreachable') return { k: 'never-sent', m: 'no such host', d: finalMark }
  if (word === 'gave up') return { k: 'never-sent' }
  if (/^[35]\d\d$/.test(word)) return { k: 'ambiguous', st: Number(word), m: 'no' }
  if (/^4\d\d$/.test(word)) return { k: 'refused', st: Number(word), m: 'no' }
  if (!(word in answers)) throw new Error(`no such word: ${word}`)
  return { k: 'answered', st: 200, d: answers[word] }
}

const parameters = {
  'contacts.delete': {},
  'lists.add-contacts': { list: { id: idOf(77) } },
  'contacts.merge': {},
  'tickets.assign': { to: { id: b } },
} satisfies Record<BulkOperation, object>

/** The run of a story. `from`: the assignee that its ticket must have. `batches`: of so many ids. */
function recordedOf(
  operation: BulkOperation,
  story: string,
  { from, size = 4 }: { readonly from?: string | undefined; readonly size?: number } = {},
): RecordedRun {
  const isOfPairs = operation === 'contacts.merge' || operation === 'tickets.assign'
  const pair = from === undefined ? [a, 2, b] : [a, 2, b, from]
  const lines = isOfPairs ? [{ t: 'ids', b: 1, ids: [pair] }] : idLinesOf(ids, size)
  const head = headOf(isOfPairs ? [a] : ids, size, {
    operation,
    parameters: parameters[operation],
    kind: isOfPairs ? 'pairs' : 'ids',
  })
  const told = new Story(head, lines)
  for (const word of story === '' ? [] : story.split('; ')) told.tell(word)
  const { recorded } = told.log
  if (recorded === undefined) throw new Error('no run began')
  return recorded
}

const stateOf = (operation: BulkOperation, story: string, from?: string): RunState =>
  recordedOf(operation, story, { from }).state

/** Outcomes in short, each once with its count, and `left` when a later session has work. */
function claimOf(state: RunState): string {
  const counts = new Map<string, number>()
  for (const outcome of state.judge(1).outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const words = [...counts].map(([outcome, count]) =>
    count === 1 ? outcome : `${count} ${outcome}`,
  )
  return [...words, ...(state.isLeft(1) ? ['left'] : [])].join(', ')
}

type Row = readonly [story: string, claim: string]

/** Of a second half, in which one is missing, what is added one by one. */
const found = 'part one; try 3-3; id ok; try 4-4; id none'

const stories: Readonly<Record<BulkOperation, readonly Row[]>> = {
  'contacts.delete': [
    ['', '4 not-attempted, left'],
    ['try', '4 unknown, left'],
    ['try; deleted', '4 deleted'],
    ['try; half', 'deleted, 2 not-found, blocked'],
    ['try; lost; try; half', 'deleted, 2 gone, blocked'],
    ['try; 500; try; half', 'deleted, 2 gone, blocked'],
    ['try; session; try; half', 'deleted, 2 gone, blocked'],
    ['take-over; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; take-over', 'deleted, 2 not-found, blocked'],
    ['try; half; damage; session', 'deleted, 2 not-found, blocked'],
    ['try; short', '4 unknown'],
    ['try; foreign', '4 unknown'],
    ['try; twice', '4 unknown'],
    ['try; overlap', '4 unknown'],
    ['try; short; reopen unknown', '4 unknown, left'],
    ['try; 302', '4 unknown'],
    ['damage; try; half', 'deleted, 2 gone, blocked'],
    ['lost session; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; lost session', 'deleted, 2 not-found, blocked'],
    ['try; 422', '4 error'],
    ['try; 422; damage', '4 error'],
    // The lost line is told of by the next one that is there.
    ['try; 422; damage; session', '4 unknown, left'],
    ['try; 422; take-over', '4 unknown, left'],
    ['try; 422; ends; session', '4 error'],
    ['try; 422; session', '4 error'],
    // A first batch that is refused so may say that the list is wrong.
    ['try; 400', '4 error, left'],
    ['try; 404', '4 error, left'],
    ['try; 422; stops', '4 error, left'],
    ['try; 422; reopen error', '4 error, left'],
    ['try; 401', '4 error, left'],
    ['try; 403', '4 error, left'],
    ['try; 429', '4 error, left'],
    ['try; unsent', '4 error, left'],
    ['try; gave up', '4 not-attempted, left'],
    // What was refused before is not an id that was never sent.
    ['try; 422; reopen error; try; gave up', '4 error, left'],
    ['try; 401; session; try; gave up', '4 error, left'],
    ['try; 500; session; try; gave up', '4 unknown, left'],
    ['try; lost; try; 422', '4 unknown'],
    ['try; lost; try; 400', '4 unknown, left'],
    ['try; half; try', '4 unknown, left'],
    ['try; half; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; reopen blocked; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; half', 'deleted, 2 not-found, blocked'],
    ['try; half; deleted', 'deleted, 2 not-found, blocked'],
  ],
  'lists.add-contacts': [
    ['try; added', '4 ok'],
    ['try; all', '4 missing'],
    ['try; long', '4 unknown'],
    ['try; one', '4 undetermined, left'],
    ['try; one; try 1-2; part ok', '2 ok, 2 undetermined, left'],
    ['try; one; try 1-2; part none', '2 missing, 2 undetermined, left'],
    ['try; one; try 1-2; part ok; try 3-4; part one', '2 ok, 2 undetermined, left'],
    [`try; one; try 1-2; part ok; try 3-4; ${found}`, '3 ok, missing'],
    ['try; one; try 1-2; part ok; try 3-4; 422', '2 ok, 2 undetermined, left'],
    ['try; one; try 1-2; lost', '4 undetermined, left'],
    ['try; one; try 1-2; 400', '4 undetermined, left'],
    ['try; one; try 1-2; 400; take-over', '4 undetermined, left'],
    ['try; one; try 1-2; 400; stops', '4 undetermined, left'],
    ['try; one; try 1-2; 400; session; try 1-2; part none', '2 missing, 2 undetermined, left'],
    ['try; one; try 1-2; long', '4 undetermined, left'],
    // An answer without sense and a redirect are not asked for again.
    ['try; one; try 1-2; long; session; try 3-4; part ok', '2 undetermined, 2 ok'],
    ['try; one; try 1-2; 302; session; try 3-4; part none', '2 undetermined, 2 missing'],
    [
      'try; one; try 1-2; part ok; try 1-2; lost; try 3-4; part none',
      '2 undetermined, 2 missing, left',
    ],
    // A part is not its batch.
    ['try; one; try 1-4; added', '4 undetermined, left'],
    ['try; one; try 1-2; part ok; reopen undetermined', '4 unknown, left'],
    ['try; lost; try; added', '4 ok'],
  ],
  'contacts.merge': [
    ['', 'not-attempted, left'],
    ['try', 'unknown'],
    ['try; merged', 'done'],
    ['try; other', 'unknown'],
    ['try; lost', 'unknown'],
    ['try; lost; reopen unknown', 'unknown'],
    ['try; 400', 'error'],
    ['try; 400; reopen error', 'error, left'],
    ['try; 400; reopen error; try; gave up', 'error, left'],
    ['try; 400; reopen error; try; gave up; session; try; merged', 'done'],
    ['try; 429', 'error, left'],
    ['try; unsent', 'error, left'],
    ['take-over', 'unknown, left'],
    ['take-over; try; merged', 'done'],
    ['take-over; try; 400', 'unknown'],
    ['try; 400; take-over', 'unknown'],
    ['try; unsent; take-over', 'unknown'],
    ['damage; session', 'unknown'],
    ['lost session; session', 'unknown'],
    ['try; merged; try', 'unknown'],
  ],
  'tickets.assign': [
    ['', 'not-attempted, left'],
    ['reads former', 'not-attempted, left'],
    ['reads wanted', 'done'],
    ['reads former; try; assigned', 'done'],
    ['reads former; try; misassigned', 'unknown, left'],
    ['reads former; try; lost', 'unknown, left'],
    ['reads former; try; lost; reads wanted', 'done'],
    ['reads former; try; lost; reads former', 'unknown, left'],
    ['reads former; try; lost; reads somebody', 'unknown'],
    ['reads former; try; lost; reads nobody', 'unknown'],
    ['reads former; try; lost; reads nothing', 'unknown, left'],
    ['reads former; try; lost; reads refused', 'unknown'],
    [
      'reads former; try; lost; reads former; try; lost; reads former; try; lost; reads former',
      'unknown',
    ],
    ['reads former; try; lost; reads somebody; reopen unknown', 'unknown, left'],
    ['reads former; try; 400', 'error'],
    ['reads former; try; 429; session; reads former; try; gave up', 'error, left'],
    ['reads former; try; lost; reads former; try; 400; reads former', 'unknown'],
    ['take-over; reads former; try; 400; reads former', 'unknown'],
    ['take-over', 'unknown, left'],
    ['take-over; reads former', 'unknown, left'],
    ['take-over; reads former; try; assigned', 'done'],
    ['take-over; reads somebody', 'unknown, left'],
    ['damage; session; reads former', 'unknown'],
    ['damage; session; reads former; reopen unknown; reads former', 'unknown, left'],
    ['reads former; damage; session; reads former', 'unknown, left'],
    ['reads nothing; try; assigned', 'done'],
    ['reads refused', 'not-attempted, left'],
  ],
}

describe.each(Object.entries(stories))('%s', (operation, rows) => {
  it.each(rows)('%s: %s', (story, claim) => {
    expect(claimOf(stateOf(operation as BulkOperation, story))).toBe(claim)
  })
})

describe('an assign on a condition', () => {
  it.each([
    ['reads former', 'not-attempted, left'],
    ['reads somebody', 'kept'],
    ['reads somebody; session', 'kept'],
    ['reads nobody', 'kept'],
    ['reads wanted', 'done'],
    ['reads refused', 'error'],
    ['reads nothing', 'not-attempted, left'],
    ['reads former; try; lost; reads somebody', 'unknown'],
  ])('%s: %s', (story, claim) => {
    expect(claimOf(stateOf('tickets.assign', story, foreign))).toBe(claim)
  })

  it('is never sent while the condition does not hold', () => {
    const next = (story: string) => stateOf('tickets.assign', story, foreign).next(1)?.kind
    const kinds = ['', 'reads former', 'reads somebody', 'reads nothing'].map(next)
    expect(kinds).toEqual(['read', 'send', undefined, undefined])
  })
})

it.each<[BulkOperation, string, object | undefined]>([
  ['contacts.delete', '', { kind: 'send' }],
  ['contacts.delete', 'try; 500', undefined],
  ['contacts.merge', '', { kind: 'send' }],
  ['lists.add-contacts', '', { kind: 'send' }],
  ['lists.add-contacts', 'try; one', { kind: 'send', part: [1, 2] }],
  ['lists.add-contacts', 'try; one; try 1-2', undefined],
  ['lists.add-contacts', 'try; one; try 1-2; part ok', { kind: 'send', part: [3, 4] }],
  ['lists.add-contacts', 'try; one; try 1-2; part one', { kind: 'send', part: [1, 1] }],
  // A later session goes on with parts that got no answer.
  ['lists.add-contacts', 'try; one; try 1-2; 422', undefined],
  ['lists.add-contacts', 'try; one; try 1-2; 422; session', { kind: 'send', part: [1, 2] }],
  ['lists.add-contacts', 'try; one; try 1-2; part ok; try 3-4; lost', undefined],
  ['tickets.assign', '', { kind: 'read' }],
  ['tickets.assign', 'reads former', { kind: 'send' }],
  ['tickets.assign', 'reads nothing', { kind: 'send' }],
  ['tickets.assign', 'reads wanted', undefined],
  ['tickets.assign', 'reads former; try; lost', { kind: 'read' }],
  ['tickets.assign', 'reads former; try; lost; reads former', { kind: 'send' }],
  ['tickets.assign', 'reads nothing; try; lost; reads former', undefined],
  ['tickets.assign', 'reads former; try; 400', undefined],
  ['tickets.assign', 'reads former; try; assigned', undefined],
])('the next step of the same session: %s: %s', (operation, story, step) => {
  expect(stateOf(operation, story).next(1)).toEqual(step)
})

it.each([
  ['try; added', { added: 3, skipped: 1, addedOrSkipped: 0 }],
  ['try; lost; try; added', { added: 3, skipped: 0, addedOrSkipped: 1 }],
  ['take-over; try; added', { added: 3, skipped: 0, addedOrSkipped: 1 }],
  [`try; one; try 1-2; part ok; try 3-4; ${found}`, { added: 2, skipped: 1, addedOrSkipped: 0 }],
  // More are missing than the first answer said.
  ['try; one; try 1-2; part none; try 3-4; part ok', { added: 0, skipped: 0, addedOrSkipped: 2 }],
  ['try; one; try 1-2; part ok', { added: 0, skipped: 0, addedOrSkipped: 2 }],
  // All that are missing are found, and of others it is not known.
  ['try; one; try 1-2; part one; try 1-1; id none', { added: 0, skipped: 0, addedOrSkipped: 0 }],
  // Somebody took a contact off the list, which its part has added again.
  [`try; one; try 1-2; part added; try 3-4; ${found}`, { added: 0, skipped: 0, addedOrSkipped: 3 }],
  [
    `try; one; try 1-2; lost; try 1-2; part ok; try 3-4; ${found}`,
    { added: 0, skipped: 0, addedOrSkipped: 3 },
  ],
])('counts of an add: %s', (story, counts) => {
  expect(stateOf('lists.add-contacts', story).judge(1).counts).toEqual(counts)
})

it('of a batch with one contact left, the question names none: the first need not be it', () => {
  const story = 'try; one; try 1-2; part ok; try 3-4; part one; try 3-3; id ok'
  const state = stateOf('lists.add-contacts', story)
  const asked = { state, left: [1], count: state.countLeft([1]), job: {} }
  expect(changeOf(asked)).toMatch(/^Add 1 contact to /)
})

describe('lines that were lost', () => {
  it('make every batch unsure that has no answer before them, however far away it is', () => {
    const story = 'of 1 try; of 1 half one; of 2 try; of 2 422; damage; of 4 try; of 4 fourth'
    const { state } = recordedOf('contacts.delete', story, { size: 1 })
    const outcomes = [1, 2, 3, 4].map((batch) => state.judge(batch).outcomes[0])
    expect(outcomes).toEqual(['not-found', 'unknown', 'unknown', 'gone'])
  })

  it('are told of in a note, with the number of places', () => {
    const { damage } = recordedOf('contacts.delete', 'damage; try; damage; half')
    expect(damage).toContain('lines are missing in 2 places in the record of run x')
  })

  it('take a refusal from before the last session with them', () => {
    const story = 'try; 422; damage; reopen not-found; try'
    expect(claimOf(recordedOf('contacts.delete', story).state)).toBe('4 unknown, left')
  })

  it('a gap in the attempts is an attempt whose answer was lost', () => {
    const story = new Story(headOf(ids, 4), idLinesOf(ids, 4))
    story.add({ t: 'try', b: 1, a: 3 })
    story.add({ t: 'res', b: 1, a: 3, k: 'answered', st: 200, d: answers['half'] })
    expect(story.log.recorded && claimOf(story.log.recorded.state)).toBe('deleted, 2 gone, blocked')
  })
})

it.each([
  [
    'of 1 try; of 1 404',
    'of the first batch may be about the list',
    ['error', 'error', 'not-attempted', 'not-attempted'],
    [1, 2],
  ],
  [
    'of 1 try; of 1 half two; of 2 try; of 2 404',
    'behind an answer is about its ids',
    ['not-found', 'not-found', 'error', 'error'],
    [],
  ],
  [
    'of 1 try; of 1 422',
    'with another status is about its ids',
    ['error', 'error', 'not-attempted', 'not-attempted'],
    [2],
  ],
])('a 400 or 404 to a batch of an add or a delete: %s: %s', (story, _, outcomes, left) => {
  const { state } = recordedOf('contacts.delete', story, { size: 2 })
  expect([1, 2].flatMap((batch) => state.judge(batch).outcomes)).toEqual(outcomes)
  expect(state.listLeft()).toEqual(left)
})

/** A summary in a line: status and exit code, batches done, failed and tried again, what is left, and the figures that are not zero. */
function summaryIn(recorded: RecordedRun, ending: RunEnding): string {
  const { document } = summaryOfRun(recorded, { ending })
  const { status, exitCode, retry, batches, left, result, errors } = document
  const { done, failed, retried, total } = batches
  const figures = Object.entries(result).filter(([, count]) => count > 0)
  const words = [
    `${status} ${exitCode}${retry ? ' again' : ''}`,
    `${done} done, ${failed} failed, ${retried} retried of ${total}`,
    `${left} left`,
    figures.map(([name, count]) => `${name} ${count}`).join(', '),
    ...errors.map(({ outcome, message, attempts }) => `${outcome} after ${attempts}: ${message}`),
  ]
  return words.join('; ')
}

it('the last session is known, and whether it and the one before are free', () => {
  const none = new RunLog('y').sessions
  expect([none.isFree, none.wasFreeBefore, none.isLast('aaaaaaaa')]).toEqual([false, true, false])
  expect(none.claim).toEqual({ over: null, after: 0 })
  const told = new Story(headOf(ids, 4), idLinesOf(ids, 4))
  const { sessions } = told.log
  const now = () => {
    const { isFree, wasFreeBefore, inForce, claim } = sessions
    return [isFree, wasFreeBefore, inForce?.s, claim.after]
  }
  expect(now()).toEqual([false, true, 'aaaaaaaa', 3])
  expect([sessions.isLast('aaaaaaaa'), sessions.isLast('bbbbbbbb')]).toEqual([true, false])
  told.tell('session')
  expect(now()).toEqual([false, false, 'bbbbbbbb', 1])
  told.add({ t: 'free' })
  expect(now()).toEqual([true, false, undefined, 2])
  told.tell('session')
  expect(now()).toEqual([false, true, 'cccccccc', 1])
})

it('the exit code of a command that sent nothing is that of the last `free`', () => {
  const told = new Story(headOf(ids, 4), idLinesOf(ids, 4))
  told.add({ t: 'free', exit: 2 })
  told.tell('session')
  expect(told.log.unsentExit).toBe(2)
  told.add({ t: 'free' })
  expect(told.log.unsentExit).toBeUndefined()
})

it('a late claim and late lines of a known session are passed over, other lines are not', () => {
  const told = new Story(headOf(ids, 4), idLinesOf(ids, 4))
  told.tell('session')
  const lineOf = (s: string, line: FileLine) => {
    const decoded = decodeLine(Buffer.from(textOf({ s, i: 0, at: 1, ...line }).trimEnd()))
    if (decoded === undefined) throw new Error('not a line')
    return told.log.sessions.passOver(decoded)
  }
  const isPassedOver: readonly (readonly [s: string, line: FileLine, isPassedOver: boolean])[] = [
    ['cccccccc', sessionOf('aaaaaaaa', 3), true],
    ['cccccccc', { t: 'free' }, true],
    ['aaaaaaaa', { t: 'free' }, true],
    ['dddddddd', sessionOf('bbbbbbbb', 1), false],
    ['dddddddd', { t: 'free' }, false],
  ]
  for (const [s, line, expected] of isPassedOver)
    expect([s, lineOf(s, line)]).toEqual([s, expected])
})

it.each([
  ['', 'left'],
  ['try; deleted', 'settled'],
  ['try; half', 'settled'],
  ['try; 422', 'settled'],
  ['try; lost', 'left'],
  ['try; 302', 'unknown'],
])('after "%s" a run is %s, and was stopped only if something is left', (story, how) => {
  const { state } = recordedOf('contacts.delete', story)
  expect(state.isSettled()).toBe(how === 'settled')
  const ending = { stop: 'failures' } as const
  expect(endingOnRecord(state, ending)).toEqual(how === 'left' ? ending : {})
})

it.each([
  ['try; lost', 'interrupted', null],
  ['try; deleted', 'complete', null],
  ['try; deleted; stops', 'complete', null],
  ['try; lost; stops', 'stopped', 'refused'],
  ['try; lost; ends', 'partial', null],
])('after "%s" its record says that it is %s', (story, status, stopReason) => {
  const { document } = summaryOfRun(recordedOf('contacts.delete', story))
  expect([document.status, document.stopReason]).toEqual([status, stopReason])
})

describe('a summary', () => {
  const rows = table(readFileSync(new URL('summaries.txt', import.meta.url), 'utf8'))
  it.each(rows)('of %s after %s, %s', (operation = '', story = '', stopped = '', summary = '') => {
    const ending = stopped === '' ? {} : (JSON.parse(stopped) as RunEnding)
    expect(summaryIn(recordedOf(operation as BulkOperation, story), ending)).toBe(summary)
  })

  it('knows its keys, when it was first tried, how it ended, and what is missing', () => {
    const told = new Story(headOf(ids, 4), idLinesOf(ids, 4))
    const begun = told.log.recorded
    const nothing = { firstTryAt: undefined, endedAt: undefined, damage: undefined }
    expect(begun).toMatchObject(nothing)
    expect(told.log.isHeadDamaged).toBe(false)
    const [first] = [...(begun?.keys ?? [])]
    told.tell('session of another key')
    expect([...(begun?.keys ?? [])]).toEqual([first, 'another'])
    told.tell('try')
    begun?.finish('refused', 700)
    expect(begun).toMatchObject({ end: { stop: 'refused' }, endedAt: 700 })
    // A result that could not be written is known all the same.
    begun?.applyUnwritten({ t: 'res', b: 1, a: 1, k: 'refused', st: 422, m: 'no' }, 800)
    expect([begun?.end, begun?.state.stateOf(1).at]).toEqual([undefined, 800])
    expect(begun && claimOf(begun.state)).toBe('4 error')
    begun?.finish(undefined, 900)
    expect(begun?.endedAt).toBe(900)
    // An end behind which nothing was sent says nothing about when the work was done.
    begun?.finish(undefined, 950)
    expect(begun?.endedAt).toBe(900)
  })

  it('has the facts of its lines: time of work, the last end, keys, files', () => {
    const told = new Story(headOf(ids, 4), idLinesOf(ids, 4))
    told.add({ t: 'try', b: 1, a: 1, at: 2000 })
    told.add({ t: 'res', b: 1, a: 1, k: 'answered', st: 200, d: answers['half'], at: 2500 })
    told.add({ t: 'file', path: '/a.csv', draft: '/a.part', sha256: 'a'.repeat(64), at: 2500 })
    // A clock that is set back takes no time away.
    told.add({ ...endOf({}), at: 2300 })
    told.tell('session')
    told.add({ t: 'file', path: '/a.csv', draft: '/b.part', sha256: 'b'.repeat(64), at: 10_000 })
    told.add({ t: 'undone', by: 'undo-x', at: 10_100 })
    // Its summary was made before it was written.
    told.add({ ...endOf({}), at: 10_200 })
    const { recorded, isPruned } = told.log
    const times = { firstTryAt: 2000, lastAt: 10_200, workEndedAt: 2300, endedAt: 2300 }
    expect(recorded).toMatchObject({ ...times, undone: 'undo-x', durationMs: 10_099 })
    expect(isPruned).toBe(false)
    expect([...(recorded?.files.get('/a.csv') ?? [])]).toHaveLength(2)
    expect([...(recorded?.drafts ?? [])]).toEqual(['/a.part', '/b.part'])
    told.tell('try')
    told.add({ t: 'pruned' })
    expect(recorded).toMatchObject({ endedAt: undefined, firstTryAt: 2000 })
    expect(told.log.isPruned).toBe(true)
  })
})
