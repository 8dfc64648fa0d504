/**
 * Claims after a story of attempts, and the next step of a later session. Each row is a journal in words with its claims. The
 * simulator judges the same rules in worlds.
 */
import { describe, expect, it } from 'vitest'
import type { BulkOperation } from '../../src/api/operations.ts'
import { Items } from '../../src/bulk/record/items.ts'
import type { JournalLine } from '../../src/bulk/record/journal.ts'
import { totalsOf, summarize, type RunEnding } from '../../src/bulk/outcomes/totals.ts'
import { RunState } from '../../src/bulk/record/state.ts'
import { idOf } from '../input/inputs.ts'

const [a, b, foreign] = [idOf(0xa1), idOf(0xb1), idOf(999)]
const ids = [idOf(1), idOf(2), idOf(3).toUpperCase(), idOf(4)]
const list = { list: { id: idOf(77) } }
const employee = { to: { id: b } }

const answers: Readonly<Record<string, unknown>> = {
  deleted: { deletedCount: 4, notFoundIds: [], blockedIds: [] },
  half: {
    deletedCount: 1,
    notFoundIds: [ids[1]?.toUpperCase(), ids[2]?.toLowerCase()],
    blockedIds: [ids[3]?.toUpperCase()],
  },
  short: { deletedCount: 1, notFoundIds: [], blockedIds: [] },
  foreign: { deletedCount: 3, notFoundIds: [foreign], blockedIds: [] },
  twice: { deletedCount: 2, notFoundIds: [a, a], blockedIds: [] },
  overlap: { deletedCount: 2, notFoundIds: [ids[0]], blockedIds: [ids[0]] },
  added: { added: 3, skipped: 1, failed: 0 },
  one: { added: 2, skipped: 1, failed: 1 },
  all: { added: 0, skipped: 0, failed: 4 },
  'part ok': { added: 0, skipped: 2, failed: 0 },
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
 * The journal of a story: `try`, `try 1-2` (a part), an answer by its name, `lost`, `500`, `302`, a refusal by its status, `unsent`, `gave up`,
 * `reads <who>`, `session`, `take-over`, `reopen <outcome>`, `stops`, `damage`.
 */
function linesOf(story: string): (JournalLine | undefined)[] {
  let n = 1
  let a = 0
  return story.split('; ').flatMap((word): (JournalLine | undefined)[] => {
    const head = { n, at: 1, b: 1 } as const
    const [, first, last] = /^try (\d)-(\d)$/.exec(word) ?? []
    if (word === 'try' || first !== undefined) {
      a += 1
      const part =
        first === undefined ? {} : { p: [Number(first), Number(last)] as [number, number] }
      return [{ t: 'try', ...head, a, ...part }]
    }
    if (word === 'damage') return [undefined]
    if (word === 'stops') return [{ t: 'end', n, at: 1, stop: 'refused' }]
    if (word === 'session' || word === 'take-over' || word.startsWith('reopen ')) {
      n += 1
      const takeOver = word === 'take-over' ? { takeOver: true as const } : {}
      const reopen = word.startsWith('reopen ') ? { reopen: [word.slice(7)] } : {}
      return [{ t: 'session', n, at: 1, ...takeOver, ...reopen }]
    }
    if (word.startsWith('reads ')) {
      const who = { wanted: b, former: foreign, somebody: idOf(555), nobody: null }[word.slice(6)]
      if (word === 'reads nothing') return [{ t: 'read', ...head, m: 'timeout' }]
      if (word === 'reads refused') return [{ t: 'read', ...head, m: 'no such ticket', s: 404 }]
      return [{ t: 'read', ...head, id: who ?? null }]
    }
    const res = { t: 'res', ...head, a } as const
    if (word === 'lost') return [{ ...res, k: 'ambiguous', m: 'reset' }]
    if (word === 'unsent') return [{ ...res, k: 'never-sent', m: 'refused' }]
    if (word === 'gave up') return [{ ...res, k: 'never-sent' }]
    if (/^[35]\d\d$/.test(word)) return [{ ...res, k: 'ambiguous', s: Number(word), m: 'no' }]
    if (/^4\d\d$/.test(word)) return [{ ...res, k: 'refused', s: Number(word), m: 'no' }]
    if (!(word in answers)) throw new Error(`no such word: ${word}`)
    return [{ ...res, k: 'answered', s: 200, d: answers[word] }]
  })
}

const parties = {
  'contacts.delete': {},
  'lists.add-contacts': list,
  'contacts.merge': {},
  'tickets.assign': employee,
} satisfies Partial<Record<BulkOperation, Readonly<Record<string, { id: string }>>>>

/** An operation that has stories. */
type Told = keyof typeof parties

function stateOf(operation: Told, story: string, from?: string): RunState {
  const items = {
    'contacts.delete': Items.ofIds(ids, () => 0),
    'lists.add-contacts': Items.ofIds(ids, () => 0),
    'contacts.merge': Items.ofPairs([{ id: a, other: b, line: 2 }]),
    'tickets.assign': Items.ofPairs([{ id: a, other: b, line: 2, ...(from && { from }) }]),
  }[operation]
  const state = new RunState({ operation, parameters: parties[operation], items, batchSize: 100 })
  for (const line of story === '' ? [] : linesOf(story)) state.replay(line)
  return state
}

/** Outcomes in short, each once with its count, and `left` when a later session has work. */
function claimOf(state: RunState): string {
  const counts = new Map<string, number>()
  for (const outcome of state.judge(1).outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const words = [...counts].map(([outcome, count]) =>
    count === 1 ? outcome : `${count} ${outcome}`,
  )
  return [...words, ...(state.isLeft(1) ? ['left'] : [])].join(', ')
}

type Story = readonly [story: string, claim: string]

const stories: Readonly<Record<Told, readonly Story[]>> = {
  'contacts.delete': [
    ['', '4 not-attempted, left'],
    ['try', '4 unknown, left'],
    ['try; deleted', '4 deleted'],
    ['try; half', 'deleted, 2 not-found, blocked'],
    ['try; lost; try; half', 'deleted, 2 gone, blocked'],
    ['try; 500; try; half', 'deleted, 2 gone, blocked'],
    ['try; session; try; half', 'deleted, 2 gone, blocked'],
    ['take-over; try; half', 'deleted, 2 gone, blocked'],
    ['damage; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; take-over', 'deleted, 2 not-found, blocked'],
    ['try; half; damage', 'deleted, 2 not-found, blocked'],
    ['try; short', '4 unknown'],
    ['try; foreign', '4 unknown'],
    ['try; twice', '4 unknown'],
    ['try; overlap', '4 unknown'],
    ['try; short; reopen unknown', '4 unknown, left'],
    ['try; 302', '4 unknown'],
    ['try; 400', '4 error'],
    ['try; 400; stops', '4 error, left'],
    ['try; 400; reopen error', '4 error, left'],
    ['try; 401', '4 error, left'],
    ['try; 403', '4 error, left'],
    ['try; 429', '4 error, left'],
    ['try; unsent', '4 error, left'],
    ['try; gave up', '4 not-attempted, left'],
    ['try; lost; try; 400', '4 unknown, left'],
    ['try; half; try; half', 'deleted, 2 gone, blocked'],
    ['try; half; half', 'deleted, 2 not-found, blocked'],
  ],
  'lists.add-contacts': [
    ['try; added', '4 ok'],
    ['try; all', '4 missing'],
    ['try; long', '4 unknown'],
    ['try; one', '4 undetermined, left'],
    ['try; one; try 1-2; part ok', '2 ok, 2 undetermined, left'],
    ['try; one; try 1-2; part none', '2 missing, 2 undetermined, left'],
    ['try; one; try 1-2; part ok; try 3-4; part one', '2 ok, 2 undetermined, left'],
    [
      'try; one; try 1-2; part ok; try 3-4; part one; try 3-3; id ok; try 4-4; id none',
      '3 ok, missing',
    ],
    ['try; one; try 1-2; lost', '4 undetermined, left'],
    ['try; one; try 1-2; 400', '4 undetermined, left'],
    ['try; one; try 1-2; 400; take-over', '4 undetermined, left'],
    ['try; one; try 1-2; long', '4 undetermined, left'],
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
    ['try; 429', 'error, left'],
    ['try; unsent', 'error, left'],
    ['take-over', 'unknown, left'],
    ['take-over; try; merged', 'done'],
    ['take-over; try; 400', 'unknown'],
    ['try; unsent; take-over', 'unknown'],
    ['damage', 'unknown'],
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
    ['reads former; try; lost; reads former; try; 400; reads former', 'unknown'],
    ['take-over; reads former; try; 400; reads former', 'unknown'],
    ['take-over; reads former', 'unknown, left'],
    ['reads nothing; try; assigned', 'done'],
    ['reads refused', 'not-attempted, left'],
  ],
}

describe.each(Object.entries(stories))('%s', (operation, rows) => {
  it.each(rows)('%s: %s', (story, claim) => {
    expect(claimOf(stateOf(operation as Told, story))).toBe(claim)
  })
})

describe('an assign on a condition', () => {
  it.each([
    ['reads former', 'not-attempted, left'],
    ['reads somebody', 'error'],
    ['reads somebody; session', 'error'],
    ['reads nobody', 'error'],
    ['reads wanted', 'done'],
    ['reads refused', 'error'],
    ['reads nothing', 'not-attempted, left'],
    ['reads former; try; lost; reads somebody', 'unknown'],
  ])('%s: %s', (story, claim) => {
    expect(claimOf(stateOf('tickets.assign', story, foreign))).toBe(claim)
  })

  it('is never sent while the condition does not hold', () => {
    const next = (story: string) => stateOf('tickets.assign', story, foreign).next(1)?.kind
    expect(['', 'reads former', 'reads somebody', 'reads nothing'].map(next)).toEqual([
      'read',
      'send',
      undefined,
      undefined,
    ])
  })
})

describe('counts of an add', () => {
  it.each([
    ['try; added', { added: 3, skipped: 1, addedOrSkipped: 0 }],
    ['try; lost; try; added', { added: 3, skipped: 0, addedOrSkipped: 1 }],
    ['take-over; try; added', { added: 3, skipped: 0, addedOrSkipped: 1 }],
    [
      'try; one; try 1-2; part ok; try 3-4; part one; try 3-3; id ok; try 4-4; id none',
      { added: 2, skipped: 1, addedOrSkipped: 0 },
    ],
    // More are missing than the first answer said.
    ['try; one; try 1-2; part none; try 3-4; part ok', { added: 0, skipped: 0, addedOrSkipped: 2 }],
    ['try; one; try 1-2; part ok', { added: 0, skipped: 0, addedOrSkipped: 2 }],
  ])('%s', (story, counts) => {
    expect(stateOf('lists.add-contacts', story).judge(1).counts).toEqual(counts)
  })
})

describe('lines of sessions', () => {
  it('of one that was taken over do not count any more', () => {
    const state = stateOf('contacts.delete', 'try; take-over')
    const late = {
      t: 'res',
      n: 1,
      at: 1,
      b: 1,
      a: 1,
      k: 'answered',
      s: 200,
      d: answers['half'],
    } as const
    state.replay(late)
    expect(claimOf(state)).toBe('4 unknown, left')
  })

  it('of one whose first line was lost count as those of a take-over', () => {
    const state = stateOf('contacts.delete', '')
    state.replay({ t: 'begin', n: 1, at: 1, schema: 'svc.run/5', header: '', items: '' })
    state.replay({ t: 'try', n: 2, at: 1, b: 1, a: 1 })
    state.replay({ t: 'res', n: 2, at: 1, b: 1, a: 1, k: 'answered', s: 200, d: answers['half'] })
    expect(claimOf(state)).toBe('deleted, 2 gone, blocked')
  })

  it('a damaged line may have been an attempt of any of the next 32 batches', () => {
    const all = Array.from({ length: 40 }, (_, n) => idOf(n + 1))
    const state = new RunState({
      operation: 'contacts.delete',
      parameters: {},
      items: Items.ofIds(all, () => 0),
      batchSize: 1,
    })
    state.replay(undefined)
    for (const [n, id] of all.entries()) {
      const d = { deletedCount: 0, notFoundIds: [id], blockedIds: [] }
      state.replay({ t: 'try', n: 1, at: 1, b: n + 1, a: 1 })
      state.replay({ t: 'res', n: 1, at: 1, b: n + 1, a: 1, k: 'answered', s: 200, d })
    }
    const outcomes = all.map((_, n) => state.judge(n + 1).outcomes[0])
    expect(outcomes).toEqual([...Array(32).fill('gone'), ...Array(8).fill('not-found')])
  })

  it('a gap in the attempts is an attempt whose answer was lost', () => {
    const state = stateOf('contacts.delete', 'try; 500')
    const clean = stateOf('contacts.delete', '')
    for (const each of [state, clean]) {
      each.replay({ t: 'try', n: 1, at: 1, b: 1, a: 3 })
      each.replay({ t: 'res', n: 1, at: 1, b: 1, a: 3, k: 'answered', s: 200, d: answers['half'] })
      expect(claimOf(each)).toBe('deleted, 2 gone, blocked')
    }
  })
})

describe('exit codes', () => {
  const codeOf = (operation: Told, story: string, ending: RunEnding = {}): number =>
    summarize(operation, totalsOf(stateOf(operation, story)), ending).exitCode

  it.each<[Told, string, RunEnding, number]>([
    ['contacts.delete', 'try; deleted', {}, 0],
    ['contacts.delete', 'try; half', {}, 3],
    ['contacts.delete', 'try; half', { accept: ['not-found', 'blocked'] }, 0],
    ['contacts.delete', 'try; lost', {}, 7],
    ['contacts.delete', 'try; lost', { isNamed: true }, 7],
    ['contacts.delete', 'try; short', {}, 7],
    ['contacts.delete', 'try; short', { isNamed: true }, 3],
    ['contacts.delete', 'try; 401', { stop: 'auth' }, 4],
    ['contacts.delete', 'try; 401', { stop: 'auth', isUnwritten: true }, 10],
    ['contacts.delete', 'try; 403', { stop: 'forbidden' }, 5],
    ['contacts.delete', 'try; 400', { stop: 'refused' }, 6],
    ['contacts.delete', 'try; unsent', {}, 7],
    ['contacts.delete', 'try; 429', {}, 7],
    ['contacts.delete', '', { stop: 'failures' }, 7],
    ['contacts.delete', '', { stop: 'signal', signal: 'SIGTERM' }, 143],
    ['contacts.delete', 'try; 500; session; try; 500; session; try; 500', { isNamed: true }, 7],
    [
      'contacts.delete',
      'try; 500; session; try; 500; session; try; 500; stops',
      { isNamed: true },
      3,
    ],
    [
      'contacts.delete',
      'try; 500; session; try; 502; session; try; 500; stops',
      { isNamed: true },
      7,
    ],
    ['lists.add-contacts', 'try; one', {}, 7],
    ['lists.add-contacts', 'try; all', {}, 3],
    ['contacts.merge', 'try; lost', {}, 7],
    ['contacts.merge', 'try; lost', { isNamed: true }, 3],
    ['tickets.assign', 'reads former; try; lost; reads somebody', {}, 7],
    ['tickets.assign', 'reads former; try; lost; reads somebody', { isNamed: true }, 3],
    ['tickets.assign', 'reads former; try; assigned', { isPart: true }, 3],
  ])('%s after %s, %o: %i', (operation, story, ending, code) => {
    expect(codeOf(operation, story, ending)).toBe(code)
  })

  it('of nothing but gone are 3 where nothing says that any was ever there', () => {
    const gone = { deletedCount: 0, notFoundIds: ids, blockedIds: [] }
    const judged = (loss: string): number => {
      const state = stateOf('contacts.delete', `try; ${loss}; try`)
      state.replay({ t: 'res', n: 1, at: 1, b: 1, a: 2, k: 'answered', s: 200, d: gone })
      return summarize('contacts.delete', totalsOf(state), {}).exitCode
    }
    expect([judged('500'), judged('lost')]).toEqual([3, 0])
  })
})
