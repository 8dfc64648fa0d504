/** Which lines of a run count: docs/run-file.md, 5 to 8. */
import { describe, expect, it } from 'vitest'
import type { Line, NewLine } from '../../src/runs/lines.ts'
import { table } from '../table.ts'
import { head, logOf, session, stamped } from './lines.ts'

const attempt: NewLine = { t: 'try', b: [0, 2], a: 1 }
const end: NewLine = { t: 'end', exit: 0, due: 0 }
const begin = stamped('a', 0, [session(), ...head('contacts.delete', 2)])
const other = (from: number, ...lines: NewLine[]) => stamped('b', from, [session(), ...lines])

/** Lines by a word; the number behind it is that of the first of them. */
const parts: Readonly<Record<string, (from: number) => Line[]>> = {
  begin: () => begin,
  tail: () => begin.slice(1),
  half: () => begin.slice(0, 2),
  try: (from) => stamped('a', from, [attempt]),
  end: (from) => stamped('a', from, [end]),
  other: (from) => other(from, attempt),
  session: (from) => other(from),
  stray: (from) => stamped('b', from, [attempt]),
  head: () => stamped('a', 3, head('contacts.delete', 2)),
  rest: () => other(2, ...head('contacts.delete', 2), attempt),
  bare: (from) => stamped('a', from, [session(), attempt]),
}

describe('which lines count', () => {
  /** Lines, whether the run is damaged after them, and the attempts of its first request that count. */
  it.each(
    table(`
      the next numbers of the session in force                 | begin try3          | whole   | 1
      a session with the next number takes over                | begin other3        | whole   | 1
      a session with a smaller number came too late            | begin other2        | whole   | 0
      a late line of a session that was in force is nothing    | begin session3 try3 | whole   | 0
      a line of a session that came too late is nothing        | begin session2 stray3 | whole | 0
      a missing line of the session in force is damage         | begin try4          | damaged | 1
      a session with a larger number is damage                 | begin other5        | damaged | 1
      a session without its first line is damage               | begin stray3        | damaged | 1
      the same line twice is damage                            | begin try3 try3     | damaged | 1
      two lines that changed places are damage                 | begin end4 try3     | damaged | 1
      a head that stands there twice is damage                 | begin head          | damaged | 0
      an older copy behind it is damage                        | begin begin         | damaged | 0
      an attempt without a head is damage                      | bare0               | damaged |
      a head without its first line is damage                  | tail                | damaged | 0
      half a head is no run                                    | half                | whole   |
      a head behind half a head counts                         | half rest           | whole   | 1`),
  )('%s', (_, words = '', state, attempts) => {
    const lines = words.split(' ').flatMap((word) => {
      const [, name = '', from] = /^([a-z]+)(\d?)$/.exec(word) ?? []
      return parts[name]?.(Number(from)) ?? []
    })
    const log = logOf(lines)
    expect([log.isDamaged, String(log.queue?.requests[0]?.attempts ?? '')]).toEqual([
      state === 'damaged',
      attempts,
    ])
  })
})

describe('a run is finished', () => {
  const answered: NewLine = {
    t: 'res',
    b: [0, 2],
    a: 1,
    k: 'answered',
    st: 200,
    d: { deletedCount: 2, notFoundIds: [], blockedIds: [] },
  }
  const finished: Record<string, [lines: NewLine[], isFinished: boolean]> = {
    'when nothing is due and its result was printed': [[attempt, answered, end], true],
    'not before its result was printed': [[attempt, answered], false],
    'not while something is due': [[attempt, end], false],
    'when it was undone': [[{ t: 'end', undone: true }], true],
    'when a newer run of its job began': [[{ t: 'end', superseded: true }], true],
    'not when it goes on after its end': [[attempt, answered, end, session()], false],
  }
  it.each(Object.entries(finished))('%s', (_, [lines, isFinished]) => {
    expect(logOf([...begin, ...stamped('a', 3, lines)]).isFinished).toBe(isFinished)
  })

  it('never after damage: what is behind it may be a part', () => {
    const log = logOf([...begin, ...stamped('a', 4, [attempt, answered, end])])
    expect([log.isDamaged, log.isFinished, log.queue?.dueRequests()]).toEqual([true, false, []])
  })
})
