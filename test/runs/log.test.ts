/** Which lines of a run count: docs/run-file.md, 5 to 8. */
import { describe, expect, it } from 'vitest'
import type { Line, NewLine } from '../../src/runs/lines.ts'
import { head, logOf, session, stamped } from './lines.ts'

const attempt: NewLine = { t: 'try', b: [0, 2], a: 1 }
const end: NewLine = { t: 'end', exit: 0, due: 0 }
const begin = stamped('a', 0, [session(), ...head('contacts.delete', 2)])
const other = (from: number, ...lines: NewLine[]) => stamped('b', from, [session(), ...lines])

/** Lines, whether the run is damaged after them, and the attempts of its first request that count. */
const cases: Record<string, [lines: Line[], isDamaged: boolean, attempts: number | undefined]> = {
  'the next numbers of the session in force': [[...begin, ...stamped('a', 3, [attempt])], false, 1],
  'a session with the next number takes over': [[...begin, ...other(3, attempt)], false, 1],
  'a session with a smaller number came too late': [[...begin, ...other(2, attempt)], false, 0],
  'a late line of a session that was in force is nothing': [
    [...begin, ...other(3), ...stamped('a', 3, [attempt])],
    false,
    0,
  ],
  'a line of a session that came too late is nothing': [
    [...begin, ...other(2), ...stamped('b', 3, [attempt])],
    false,
    0,
  ],
  'a missing line of the session in force is damage': [
    [...begin, ...stamped('a', 4, [attempt])],
    true,
    1,
  ],
  'a session with a larger number is damage': [[...begin, ...other(5, attempt)], true, 1],
  'a session without its first line is damage': [
    [...begin, ...stamped('b', 3, [attempt])],
    true,
    1,
  ],
  'the same line twice is damage': [
    [...begin, ...stamped('a', 3, [attempt]), ...stamped('a', 3, [attempt])],
    true,
    1,
  ],
  'two lines that changed places are damage': [
    [...begin, ...stamped('a', 4, [end]), ...stamped('a', 3, [attempt])],
    true,
    1,
  ],
  'a head that stands there twice is damage': [
    [...begin, ...stamped('a', 3, head('contacts.delete', 2))],
    true,
    0,
  ],
  'an older copy behind it is damage': [[...begin, ...begin], true, 0],
  'an attempt without a head is damage': [stamped('a', 0, [session(), attempt]), true, undefined],
  'a head without its first line is damage': [begin.slice(1), true, 0],
  'half a head is no run': [begin.slice(0, 2), false, undefined],
  'a head behind half a head counts': [
    [...begin.slice(0, 2), ...other(2, ...head('contacts.delete', 2), attempt)],
    false,
    1,
  ],
}

describe('which lines count', () => {
  it.each(Object.entries(cases))('%s', (_, [lines, isDamaged, attempts]) => {
    const log = logOf(lines)
    expect([log.isDamaged, log.queue?.requests[0]?.attempts]).toEqual([isDamaged, attempts])
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
    expect([log.isDamaged, log.isFinished, log.queue?.due()]).toEqual([true, false, []])
  })
})
