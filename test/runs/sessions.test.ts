/** The sessions of a run, and the lines that count, by the order of the lines (docs/run-file.md, "Reading"). */
import { describe, expect, it } from 'vitest'
import { RunLog } from '../../src/runs/fold.ts'
import { decodeLine } from '../../src/runs/lines.ts'
import { headOf, idLinesOf, someIds } from './recorded-run.ts'
import { sessionOf, textOf, type FileLine } from './run-files.ts'

const ids = someIds(4)
const head = headOf(ids, 2)
const idLines = idLinesOf(ids, 2)
const [a, b, c, z] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'ffffffff'] as const

/** A line with its session and its place there. */
type Placed = readonly [s: string, i: number, line: FileLine]

/** A line that leaves a trace where it counts. */
const mark = (path: string): FileLine => ({
  t: 'file',
  path,
  draft: `${path}.part`,
  sha256: '0'.repeat(64),
})
const free: FileLine = { t: 'free' }

/** The head of a run, written by session `a`: its lines 0 to 3. */
const begun: readonly Placed[] = [
  [a, 0, sessionOf()],
  [a, 1, head],
  ...idLines.map((line, n): Placed => [a, 2 + n, line]),
]

function logOf(lines: readonly Placed[]): RunLog {
  const log = new RunLog('x')
  for (const [s, i, line] of lines) {
    const decoded = decodeLine(Buffer.from(textOf({ s, i, ...line, at: 1 }).trimEnd()))
    if (decoded === undefined) throw new Error(`not a line: ${JSON.stringify(line)}`)
    log.take(decoded)
  }
  return log
}

/** The session in force, the marks that count, and in how many places lines were lost. */
function toldBy(lines: readonly Placed[]) {
  const { sessions, recorded } = logOf(lines)
  return {
    inForce: sessions.inForce?.s,
    marks: [...(recorded?.files.keys() ?? [])].join(' '),
    losses: recorded?.losses,
  }
}

const over = (s: string | null, after: number, more: object = {}): FileLine =>
  sessionOf(s, after, more)

describe('behind the head of a run', () => {
  it.each<[string, readonly Placed[], ReturnType<typeof toldBy>]>([
    ['its session is in force', [[a, 4, mark('1')]], { inForce: a, marks: '1', losses: 0 }],
    ['until its `free`', [[a, 4, free]], { inForce: undefined, marks: '', losses: 0 }],
    [
      'a session over it is in force, and what comes late from the one before does not count',
      [
        [a, 4, mark('1')],
        [b, 0, over(a, 5)],
        [a, 5, mark('late')],
        [b, 1, mark('2')],
      ],
      { inForce: b, marks: '1 2', losses: 0 },
    ],
    [
      'of two sessions over one the first is valid, and lines of the other do not count',
      [
        [b, 0, over(a, 4)],
        [c, 0, over(a, 4)],
        [c, 1, mark('c')],
        [b, 1, mark('b')],
      ],
      { inForce: b, marks: 'b', losses: 0 },
    ],
    [
      'a claim that was too slow does not end the session that was faster',
      [
        [b, 0, over(a, 4)],
        [c, 0, over(a, 4)],
        [c, 1, free],
      ],
      { inForce: b, marks: '', losses: 0 },
    ],
    [
      'a second session that follows nobody is not valid',
      [
        [b, 0, over(null, 0)],
        [b, 1, mark('b')],
        [a, 4, mark('a')],
      ],
      { inForce: a, marks: 'a', losses: 0 },
    ],
    [
      'a session over one that was followed already is not valid',
      [
        [b, 0, over(a, 4)],
        [c, 0, over(b, 1)],
        [z, 0, over(b, 1)],
        [z, 1, mark('z')],
        [c, 1, mark('c')],
      ],
      { inForce: c, marks: 'c', losses: 0 },
    ],
    [
      'a session follows one that is free',
      [
        [a, 4, free],
        [b, 0, over(a, 5)],
        [b, 1, mark('b')],
      ],
      { inForce: b, marks: 'b', losses: 0 },
    ],
    [
      'what was freed late by a session that was followed frees nobody',
      [
        [b, 0, over(a, 4)],
        [a, 4, free],
      ],
      { inForce: b, marks: '', losses: 0 },
    ],
    [
      'a line that is missing within a session is damage',
      [[a, 5, mark('1')]],
      { inForce: a, marks: '1', losses: 1 },
    ],
    [
      'two gaps are two places',
      [
        [a, 5, mark('1')],
        [a, 7, mark('2')],
      ],
      { inForce: a, marks: '1 2', losses: 2 },
    ],
    [
      'a line that stands twice is damage',
      [
        [a, 4, mark('1')],
        [a, 4, mark('1')],
      ],
      { inForce: a, marks: '1', losses: 1 },
    ],
    [
      'fewer lines than the next session has counted are damage',
      [[b, 0, over(a, 5)]],
      { inForce: b, marks: '', losses: 1 },
    ],
    [
      'more lines than the next session has counted are none: they came while it claimed',
      [
        [a, 4, mark('1')],
        [b, 0, over(a, 4)],
      ],
      { inForce: b, marks: '1', losses: 0 },
    ],
    [
      'a session over one of which there is no line is damage',
      [[c, 0, over(b, 3)]],
      { inForce: c, marks: '', losses: 1 },
    ],
    [
      'late lines of a session of which there was none do not count',
      [
        [c, 0, over(b, 3)],
        [b, 3, mark('late')],
      ],
      { inForce: c, marks: '', losses: 1 },
    ],
    [
      'lines of a session without its first line count, and are damage',
      [
        [b, 1, mark('b')],
        [b, 2, mark('b2')],
      ],
      { inForce: b, marks: 'b b2', losses: 1 },
    ],
    [
      'the session that follows one without its first line is valid',
      [
        [b, 1, mark('b')],
        [c, 0, over(b, 2)],
        [c, 1, mark('c')],
      ],
      { inForce: c, marks: 'b c', losses: 2 },
    ],
    [
      'lines of the session before that come late behind one without its first line do not count',
      [
        [b, 1, mark('b')],
        [a, 4, mark('late')],
      ],
      { inForce: b, marks: 'b', losses: 1 },
    ],
    [
      'the first line of a session that is found with a place of its own is damage',
      [[b, 1, over(a, 4)]],
      { inForce: b, marks: '', losses: 1 },
    ],
  ])('%s', (_, lines, told) => {
    expect(toldBy([...begun, ...lines])).toEqual(told)
  })

  it('a session without its first line may be alive, and nobody can say where', () => {
    const { sessions } = logOf([...begun, [b, 1, mark('b')]])
    expect(sessions.inForce).toEqual({ s: b, line: undefined })
    expect(sessions.claim).toEqual({ over: b, after: 1 })
  })

  it('a claim follows the last valid session, and counts its lines, its `session` line too', () => {
    const claims = ([] as readonly Placed[][]).concat([
      [],
      [...begun],
      [...begun, [a, 4, free]],
      [...begun, [b, 0, over(a, 4)], [c, 0, over(a, 4)], [c, 1, free]],
    ])
    expect(claims.map((lines) => logOf(lines).sessions.claim)).toEqual([
      { over: null, after: 0 },
      { over: a, after: 4 },
      { over: a, after: 5 },
      { over: b, after: 1 },
    ])
  })
})

/** The state of a head: whether a run began, and whether something may have been sent without one. */
type Began = 'began' | 'never began' | 'damaged'

function beganIn(lines: readonly Placed[]): Began {
  const { recorded, isHeadDamaged } = logOf(lines)
  if (recorded !== undefined) return 'began'
  return isHeadDamaged ? 'damaged' : 'never began'
}

describe('a head', () => {
  const session: Placed = [a, 0, sessionOf()]
  const [one, two] = idLines as [FileLine, FileLine]
  const attempt: FileLine = { t: 'try', b: 1, a: 1 }
  it.each<[string, readonly Placed[], Began]>([
    ['that is whole has begun a run', begun, 'began'],
    ['of which nothing is there has not', [], 'never began'],
    ['that was declined has not', [session, [a, 1, free]], 'never began'],
    ['that a kill cut off has not', [session, [a, 1, head], [a, 2, one]], 'never began'],
    [
      'that was written anew by the next session has',
      [
        session,
        [a, 1, head],
        [a, 2, one],
        [b, 0, over(a, 3)],
        [b, 1, head],
        [b, 2, one],
        [b, 3, two],
      ],
      'began',
    ],
    [
      'of a run that was removed meanwhile has not',
      [session, [a, 1, { t: 'pruned' }]],
      'never began',
    ],
    [
      'that lacks its `run` line, with an attempt behind it, is damaged',
      [session, [a, 2, one], [a, 3, two], [a, 4, attempt]],
      'damaged',
    ],
    [
      'that lacks the ids of a batch, with an attempt behind it, is damaged',
      [session, [a, 1, head], [a, 2, one], [a, 4, attempt]],
      'damaged',
    ],
    [
      'that lacks the ids of a batch, with the end of its session behind it, is damaged',
      [session, [a, 1, head], [a, 3, two], [a, 4, free]],
      'damaged',
    ],
    [
      'with an `end` alone behind it is damaged',
      [
        session,
        [a, 1, { t: 'end', baseUrl: 'https://a', summary: { run: 'x', exitCode: 0, left: 0 } }],
      ],
      'damaged',
    ],
    [
      'of which the next session counted more lines is damaged',
      [session, [b, 0, over(a, 4)]],
      'damaged',
    ],
    ['of a session of which no line is left is damaged', [[b, 0, over(a, 4)]], 'damaged'],
    [
      'is whole again once a `run` line begins all anew',
      [
        [b, 0, over(a, 4)],
        [b, 1, head],
        [b, 2, one],
        [b, 3, two],
      ],
      'began',
    ],
    [
      'that begins anew behind damage, and that a kill cut off, has not',
      [
        [b, 0, over(a, 4)],
        [b, 1, head],
        [b, 2, one],
      ],
      'never began',
    ],
    [
      'with ids of another order is not whole',
      [session, [a, 1, head], [a, 2, two], [a, 3, one], [a, 4, attempt]],
      'damaged',
    ],
    [
      'with fewer ids than it says is not whole',
      [
        session,
        [a, 1, { ...head, input: { ...(head['input'] as object), unique: 5 } }],
        [a, 2, one],
        [a, 3, two],
        [a, 4, attempt],
      ],
      'damaged',
    ],
    [
      'of a session that is not valid is none',
      [session, [a, 1, free], [b, 0, sessionOf()], [b, 1, head], [b, 2, one], [b, 3, two]],
      'never began',
    ],
  ])('%s: it %s', (_, lines, began) => {
    expect(beganIn(lines)).toBe(began)
  })

  it('forgets the damage before its `run` line', () => {
    const told = toldBy([
      [b, 0, over(a, 4)],
      ...begun.slice(1).map(([, i, line]): Placed => [b, i, line]),
    ])
    expect(told).toEqual({ inForce: b, marks: '', losses: 0 })
  })
})
