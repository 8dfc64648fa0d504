/** The sessions of a run, and the lines that count, by the order of the lines (docs/run-file.md, "Reading"). */
import { describe, expect, it } from 'vitest'
import { RunLog } from '../../src/runs/fold.ts'
import { decodeLine } from '../../src/runs/lines.ts'
import { table } from '../table.ts'
import { headOf, idLinesOf, someIds } from './recorded-run.ts'
import { sessionOf, textOf, type FileLine } from './run-files.ts'

const ids = someIds(4)
const head = headOf(ids, 2)
const [one, two] = idLinesOf(ids, 2) as [FileLine, FileLine]
const session = (letter: string): string => letter.repeat(8)

/** Lines by their first word. A `mark` leaves a trace where it counts; `head 5` says that there are five ids. */
const lineOf: Readonly<Record<string, (word: string, more: string) => FileLine>> = {
  over: (s, after) => sessionOf(s === 'none' ? null : session(s), Number(after)),
  mark: (path) => ({ t: 'file', path, draft: `${path}.part`, sha256: '0'.repeat(64) }),
  head: (unique) =>
    unique === ''
      ? head
      : { ...head, input: { ...(head['input'] as object), unique: Number(unique) } },
  ids: (batch) => (batch === '1' ? one : two),
  try: () => ({ t: 'try', b: 1, a: 1 }),
  end: () => ({ t: 'end', baseUrl: 'https://a', summary: { run: 'x', exitCode: 0, left: 0 } }),
  free: () => ({ t: 'free' }),
  pruned: () => ({ t: 'pruned' }),
}

/** The head of a run, written by session `a`. */
const begun = 'a0 over none 0; a1 head; a2 ids 1; a3 ids 2'

/** The log of lines in words: `b1 mark x` is the line with the number 1 of session `b`. */
function logOf(lines: string): RunLog {
  const log = new RunLog('x')
  for (const words of lines.split('; ').filter((each) => each !== '')) {
    const [place = '', kind = '', word = '', more = ''] = words.split(' ')
    const line = lineOf[kind]?.(word, more)
    const members = { s: session(place.slice(0, 1)), i: Number(place.slice(1)), ...line, at: 1 }
    const decoded = decodeLine(Buffer.from(textOf(members).trimEnd()))
    if (decoded === undefined) throw new Error(`not a line: ${words}`)
    log.apply(decoded)
  }
  return log
}

/** The session in force, the marks that count, and in how many places lines were lost. */
function toldBy(lines: string) {
  const { sessions, recorded } = logOf(lines)
  const marks = [...(recorded?.files.keys() ?? [])].join(' ')
  return [sessions.inForce?.s.slice(0, 1) ?? 'none', marks, String(recorded?.losses)]
}

const cases = table(`
  its session is in force                                                              | a4 mark 1                                                   | a    | 1    | 0
  until its \`free\`                                                                   | a4 free                                                     | none |      | 0
  a session over it is in force, and what comes late from the one before does not count | a4 mark 1; b0 over a 5; a5 mark late; b1 mark 2             | b    | 1 2  | 0
  of two sessions over one the first is valid, and lines of the other do not count     | b0 over a 4; c0 over a 4; c1 mark c; b1 mark b              | b    | b    | 0
  a claim that was too slow does not end the session that was faster                   | b0 over a 4; c0 over a 4; c1 free                           | b    |      | 0
  a second session that follows nobody is not valid                                    | b0 over none 0; b1 mark b; a4 mark a                        | a    | a    | 0
  a session over one that was followed already is not valid                            | b0 over a 4; c0 over b 1; f0 over b 1; f1 mark f; c1 mark c | c    | c    | 0
  a session follows one that is free                                                   | a4 free; b0 over a 5; b1 mark b                             | b    | b    | 0
  what was freed late by a session that was followed frees nobody                      | b0 over a 4; a4 free                                        | b    |      | 0
  a line that is missing within a session is damage                                    | a5 mark 1                                                   | a    | 1    | 1
  two gaps are two places                                                              | a5 mark 1; a7 mark 2                                        | a    | 1 2  | 2
  a line that stands twice is damage                                                   | a4 mark 1; a4 mark 1                                        | a    | 1    | 1
  fewer lines than the next session has counted are damage                             | b0 over a 5                                                 | b    |      | 1
  more lines than the next session has counted are none: they came while it claimed    | a4 mark 1; b0 over a 4                                      | b    | 1    | 0
  a session over one of which there is no line is damage                               | c0 over b 3                                                 | c    |      | 1
  late lines of a session of which there was none do not count                         | c0 over b 3; b3 mark late                                   | c    |      | 1
  lines of a session without its first line count, and are damage                      | b1 mark b; b2 mark b2                                       | b    | b b2 | 1
  the session that follows one without its first line is valid                         | b1 mark b; c0 over b 2; c1 mark c                           | c    | b c  | 2
  late lines of the session before one without its first line do not count             | b1 mark b; a4 mark late                                     | b    | b    | 1
  the first line of a session that is found with a place of its own is damage          | b1 over a 4                                                 | b    |      | 1
`)

describe('behind the head of a run', () => {
  it.each(cases)('%s', (_, lines, ...told) => {
    expect(toldBy(`${begun}; ${lines ?? ''}`)).toEqual(told)
  })

  it('a session without its first line may be alive, and nobody can say where', () => {
    const { sessions } = logOf(`${begun}; b1 mark b`)
    expect(sessions.inForce).toEqual({ s: session('b'), line: undefined })
    expect(sessions.claim).toEqual({ over: session('b'), after: 1 })
  })

  it.each([
    ['', null, 0],
    [begun, session('a'), 4],
    [`${begun}; a4 free`, session('a'), 5],
    [`${begun}; b0 over a 4; c0 over a 4; c1 free`, session('b'), 1],
  ])(
    'a claim follows the last valid session, and counts its lines, its `session` line too: %s',
    (lines, over, after) => {
      expect(logOf(lines).sessions.claim).toEqual({ over, after })
    },
  )
})

/** Whether a run began, and whether something may have been sent without one. */
function beganIn(lines: string): string {
  const { recorded, isHeadDamaged } = logOf(lines)
  if (recorded !== undefined) return 'began'
  return isHeadDamaged ? 'damaged' : 'never began'
}

const heads = table(`
  that is whole has begun a run                                                    | ${begun}                                                                    | began
  of which nothing is there has not                                                |                                                                             | never began
  that was declined has not                                                        | a0 over none 0; a1 free                                                     | never began
  that a kill cut off has not                                                      | a0 over none 0; a1 head; a2 ids 1                                           | never began
  that was written anew by the next session has                                    | a0 over none 0; a1 head; a2 ids 1; b0 over a 3; b1 head; b2 ids 1; b3 ids 2 | began
  of a run that was removed meanwhile has not                                      | a0 over none 0; a1 pruned                                                   | never began
  that lacks its \`run\` line, with an attempt behind it, is damaged               | a0 over none 0; a2 ids 1; a3 ids 2; a4 try                                  | damaged
  that lacks the ids of a batch, with an attempt behind it, is damaged             | a0 over none 0; a1 head; a2 ids 1; a4 try                                   | damaged
  that lacks the ids of a batch, with the end of its session behind it, is damaged | a0 over none 0; a1 head; a3 ids 2; a4 free                                  | damaged
  with an \`end\` alone behind it is damaged                                       | a0 over none 0; a1 end                                                      | damaged
  of which the next session counted more lines is damaged                          | a0 over none 0; b0 over a 4                                                 | damaged
  of a session of which no line is left is damaged                                 | b0 over a 4                                                                 | damaged
  is whole again once a \`run\` line begins all anew                               | b0 over a 4; b1 head; b2 ids 1; b3 ids 2                                    | began
  that begins anew behind damage, and that a kill cut off, has not                 | b0 over a 4; b1 head; b2 ids 1                                              | never began
  with ids of another order is not whole                                           | a0 over none 0; a1 head; a2 ids 2; a3 ids 1; a4 try                         | damaged
  with fewer ids than it says is not whole                                         | a0 over none 0; a1 head 5; a2 ids 1; a3 ids 2; a4 try                       | damaged
  of a session that is not valid is none                                           | a0 over none 0; a1 free; b0 over none 0; b1 head; b2 ids 1; b3 ids 2        | never began
`)

describe('a head', () => {
  it.each(heads)('%s: %s: it %s', (_, lines, began) => {
    expect(beganIn(lines ?? '')).toBe(began)
  })

  it('forgets the damage before its `run` line', () => {
    const anew = begun.replaceAll(/a(?=\d)/g, 'b').replace('over none 0', 'over a 4')
    expect(toldBy(anew)).toEqual(['b', '', '0'])
  })
})
