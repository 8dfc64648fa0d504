/** A journal read back: what was written, what a crash or a power loss left at its end, and what is damage and stops all. */
import {
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import {
  decodeEvent,
  readBegin,
  readEnd,
  readJournal,
  type Replay,
} from '../../src/bulk/record/replay.ts'
import { SvcError } from '../../src/errors.ts'
import { atRandom, figure, howMany } from '../figures/figure.ts'
import { refusal } from '../input/inputs.ts'
import {
  host,
  ended,
  events,
  makeRun,
  refused,
  stateFolders,
  tried,
  uptime,
  writeEvents,
} from './recorded.ts'

/** What a refusal says. */
const saying = (words: string): string => expect.stringContaining(words) as string
const anyDamage: unknown = expect.stringMatching(/^line \d+ of the journal of run r is damaged: /)

const folders = stateFolders()
const made = await makeRun(folders.next())
const path = join(made.dir, 'journal.ndjson')
const [beginning = ''] = readFileSync(path, 'utf8').split('\n')
const begin = eventOf(Buffer.from(beginning))
await writeEvents(made, events)
/** As a session writes it, with what each try says of what was on disk. */
const whole = readFileSync(path)

type Read = Replay & { readonly events: readonly JournalEvent[] }

async function read(content: string | Buffer): Promise<Read> {
  writeFileSync(path, content)
  const found: JournalEvent[] = []
  const replay = await readJournal(host, made.dir, 'r', (event) => found.push(event))
  return { ...replay, events: found }
}

/** The same, or the words of a refusal with exit 10. */
async function readOrRefusal(content: string | Buffer): Promise<Read | string> {
  try {
    return await read(content)
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 10) return error.message
    throw error
  }
}

interface Line {
  readonly offset: number
  /** Of its line end. */
  readonly end: number
  readonly event: JournalEvent
}

function eventOf(line: Buffer): JournalEvent {
  const decoded = decodeEvent(line)
  if (decoded.problem !== undefined) throw new Error(decoded.problem)
  return decoded.event
}

function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = []
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(0x0a, offset)
    lines.push({ offset, end, event: eventOf(bytes.subarray(offset, end)) })
    offset = end + 1
  }
  return lines
}

const lines = linesOf(whole)
/** The events as they are read back: a try has its `d`. */
const written = lines.map(({ event }) => event)

describe('what was written', () => {
  it('is read', async () => {
    const { events: found, ...replay } = await read(whole)
    expect(found).toEqual(written)
    expect(found[0]).toEqual(begin)
    expect(found.slice(1)).toMatchObject(events)
    expect(replay).toEqual({ length: whole.length, torn: 0, damagedLines: 0 })
  })

  it('is read whole when it is longer than what is read at once', async () => {
    const big: JournalEvent = {
      t: 'res',
      b: 1,
      a: 1,
      at: 0,
      k: 'ambiguous',
      m: 'é'.repeat(200_000),
    }
    const found = await read([begin, tried(1), big, ended].map(encodeEvent).join(''))
    expect(found.events).toEqual([begin, tried(1), big, ended])
  })
})

describe('a line', () => {
  it('with an event of a newer svc is none', () => {
    const text = JSON.stringify({ t: 'new', at: 1 })
    const line = encodeEvent(JSON.parse(text) as JournalEvent)
    expect(decodeEvent(Buffer.from(line.slice(0, -1)))).toEqual({
      problem: expect.stringContaining('this version') as string,
    })
  })
})

/** Within a line one byte is like another: all around its end, and some in between. `npm run figures -- journal` has all, and each in several ways. */
const step = howMany('CUT_STEP', 5)
const isTried = (at: number): boolean =>
  at % step === 0 || lines.some(({ end }) => Math.abs(end - at) <= 1)

describe('a journal that was cut', () => {
  it('at every byte: its whole lines are read, and the rest is a torn tail', async () => {
    for (let length = 0; length <= whole.length; length += 1) {
      if (!isTried(length)) continue
      const count = lines.filter(({ end }) => end < length).length
      const good = count === 0 ? 0 : (lines[count - 1]?.end ?? 0) + 1
      expect(await read(whole.subarray(0, length))).toEqual({
        events: written.slice(0, count),
        length: good,
        torn: length - good,
        damagedLines: 0,
      })
    }
    figure('cuts of the journal', Math.ceil((whole.length + 1) / step))
  })
})

describe('a journal of which a byte was changed', () => {
  /** What must come out when the line at `damaged` is unreadable; without its line end, the one behind it is whole still. */
  function expected(damaged: number): string | { count: number; length: number } {
    const offset = lines[damaged]?.offset ?? 0
    const behind = lines.slice(damaged + 1).map(({ event }) => event)
    const isKnown = behind.some((event) => event.t === 'try' && (event.d ?? 0) > offset)
    return isKnown
      ? `line ${damaged + 1} of the journal of run r is damaged`
      : { count: damaged, length: offset }
  }

  it('anywhere: damage when a later line says that it was on disk, else torn tail, and never another event', async () => {
    const outcomes = { damage: 0, torn: 0 }
    for (let at = 0; at < whole.length; at += 1) {
      if (!isTried(at)) continue
      const damaged = lines.findIndex(({ end }) => at <= end)
      const flips = [0x01, 0x20, 0x80, (whole[at] ?? 0) ^ 0x0a].filter((flip) => flip !== 0)
      for (const flip of step === 1 ? flips : [flips[at % flips.length] ?? 1]) {
        const changed = Buffer.from(whole)
        changed[at] = (changed[at] ?? 0) ^ flip
        const found = await readOrRefusal(changed)
        const wanted = expected(damaged)
        outcomes[typeof wanted === 'string' ? 'damage' : 'torn'] += 1
        expect({ at, flip, found }).toMatchObject({
          at,
          flip,
          found:
            typeof wanted === 'string'
              ? saying(wanted)
              : {
                  events: written.slice(0, wanted.count),
                  length: wanted.length,
                  torn: whole.length - wanted.length,
                },
        })
        figure('changed bytes of the journal noticed', 1)
      }
    }
    expect(Math.min(outcomes.damage, outcomes.torn)).toBeGreaterThan(20)
  })
})

describe('torn tail or damage', () => {
  const bad = `${'x'.repeat(40)}\n`
  const head = encodeEvent(begin) + encodeEvent(tried(1)) + encodeEvent(refused(1))
  const known = (d: number): string => encodeEvent({ ...tried(2), d })

  it.each([
    ['a try that found nothing on disk yet', known(0)],
    ['a try that says that all before it was on disk', known(head.length)],
    ['a try that is damaged itself', known(head.length + 1).replace('"t"', '"T"')],
  ])('%s: torn tail', async (_, behind) => {
    expect(await read(head + bad + behind)).toMatchObject({
      length: head.length,
      torn: bad.length + behind.length,
      damagedLines: 2,
    })
  })

  it.each([
    ['a try that says that a byte of it was on disk', known(head.length + 1)],
    [
      'one further behind',
      encodeEvent(ended) + bad + encodeEvent({ ...tried(7, 9), d: head.length + bad.length }),
    ],
  ])('%s: damage', async (_, behind) => {
    expect(await refusal(read(head + bad + behind))).toMatchObject({
      category: 'local',
      message: 'line 4 of the journal of run r is damaged: its checksum is wrong',
      details: {
        run: 'r',
        hint: `${path}\nnothing was sent; the outcomes up to that line can be read by hand`,
      },
    })
  })

  it('a try that a changed line feed has joined to the line before: damage, though no line is good', async () => {
    const before = encodeEvent(refused(1)).replace('\n', '\x0b')
    const journal = encodeEvent(begin) + encodeEvent(tried(1)) + before + known(head.length)
    expect((await refusal(read(journal))).message).toBe(
      'line 3 of the journal of run r is damaged: its checksum is wrong',
    )
  })

  it('a page of zeros, as a power loss leaves it, before a line that was written later', async () => {
    const zeros = Buffer.alloc(200)
    const behind = Buffer.from(`\n${known(head.length)}`)
    expect(await read(Buffer.concat([Buffer.from(head), zeros, behind]))).toMatchObject({
      length: head.length,
      damagedLines: 2,
    })
  })

  it('a line that does not end', async () => {
    writeFileSync(path, head)
    truncateSync(path, head.length + (16 << 20))
    const replay = await readJournal(host, made.dir, 'r', () => undefined)
    expect(replay).toMatchObject({ length: head.length, torn: 16 << 20 })
  })
})

describe('lines that are out of place', () => {
  const on = (...list: readonly JournalEvent[]): string => {
    let text = encodeEvent(begin)
    // Each try says that everything before it was on disk.
    for (const event of list)
      text += encodeEvent(event.t === 'try' ? { ...event, d: text.length } : event)
    return text + encodeEvent({ ...tried(99), d: text.length })
  }

  it.each([
    [
      'an attempt ends that was not begun',
      [tried(1), refused(1, 2)],
      3,
      'it ends attempt 2 of batch 1',
    ],
    ['one ends twice', [tried(1), refused(1), refused(1)], 4, 'it ends attempt 1 of batch 1'],
    ['one of another batch ends', [tried(1), refused(2)], 3, 'it ends attempt 1 of batch 2'],
    ['one is begun twice', [tried(1), tried(1)], 3, 'attempt 1 of batch 1 follows attempt 1'],
    ['one is missing', [tried(1), tried(1, 3)], 3, 'attempt 3 of batch 1 follows attempt 1'],
    ['a run begins in its middle', [tried(1), begin], 3, 'no run begins here'],
  ])('%s', async (_, list, line, why) => {
    const message = `line ${line} of the journal of run r is damaged: ${why}`
    expect((await refusal(read(on(...list)))).message).toContain(message)
  })

  it('are in order when two processes wrote at the same moment: after a take-over', async () => {
    const list: readonly JournalEvent[] = [
      tried(1),
      { t: 'resume', at: 1, ...uptime, takeOver: true },
      tried(1, 2),
      tried(1, 2),
      refused(1, 1),
      refused(1, 2),
      refused(1, 2),
    ]
    expect((await read(on(...list))).events).toHaveLength(1 + list.length + 1)
  })
})

it('any bytes are read or refused, and never a crash', async () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      ...[begin, ...events].map(encodeEvent),
      '\n',
      '{}\n',
      '{"c":"00000000"}\n',
      `{"t":"try","c":"`,
    ),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), async (parts) => {
      const found = await readOrRefusal(parts.join(''))
      expect(typeof found === 'string' ? found : found.length + found.torn).toEqual(
        typeof found === 'string' ? anyDamage : Buffer.byteLength(parts.join('')),
      )
    }),
    { numRuns: atRandom(200) },
  )
})

describe('what is no journal', () => {
  it('a link or a folder in its place, or nothing', async () => {
    const other = await makeRun(folders.next())
    const place = join(other.dir, 'journal.ndjson')
    const reading = () => readJournal(host, other.dir, 'r', () => undefined)
    renameSync(place, `${place}.real`)
    expect((await refusal(reading())).exitCode).toBe(10)
    symlinkSync(`${place}.real`, place)
    expect((await refusal(reading())).message).toContain('symbolic link')
    renameSync(place, `${place}.link`)
    mkdirSync(place)
    expect((await refusal(reading())).message).toContain('not a file')
  })

  it('a pipe, which nobody waits for', async () => {
    const other = await makeRun(folders.next())
    const place = join(other.dir, 'journal.ndjson')
    renameSync(place, `${place}.real`)
    if (spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', place]).status !== 0)
      throw new Error('no FIFO could be made')
    for (const reading of [readBegin, readEnd])
      expect((await refusal(() => reading(host, other.dir, 'r'))).message).toContain('not a file')
  })
})

describe('the first line', () => {
  it('tells that a run began', async () => {
    writeFileSync(path, whole)
    expect(readBegin(host, made.dir, 'r')).toEqual(begin)
  })

  it.each([
    ['nothing', ''],
    ['a part of it', beginning.slice(0, 100)],
    ['all of it but its line end', beginning],
  ])('of which there is %s is that of no run', async (_, content) => {
    writeFileSync(path, content)
    expect(readBegin(host, made.dir, 'r')).toBeUndefined()
  })

  it('that is damaged, or another, is damage', async () => {
    for (const [content, why] of [
      [`${beginning.replace('begin', 'begun')}\n`, 'its checksum is wrong'],
      ['\n', 'it is too short'],
      [encodeEvent(tried(1)), 'no run begins with it'],
      ['x'.repeat(5000), 'it does not end'],
    ] as const) {
      writeFileSync(path, content)
      expect((await refusal(() => readBegin(host, made.dir, 'r'))).message).toBe(
        `line 1 of the journal of run r is damaged: ${why}`,
      )
    }
  })
})

describe('the last line', () => {
  it.each([
    ['an end', encodeEvent(ended), true],
    ['an end behind others', `${encodeEvent(tried(1))}${encodeEvent(ended)}`, true],
    ['an end behind a very long line', `${'x'.repeat(9000)}\n${encodeEvent(ended)}`, true],
    [
      'an end before files, and what undos did',
      [
        ended,
        { t: 'file', at: 1, kind: 'receipts', path: '/r.csv', sha256: '0'.repeat(64) },
        { t: 'look', at: 1, ...uptime },
        { t: 'undone', at: 1, run: 'r', b: [1] },
        { t: 'drafts', at: 1, paths: [] },
      ]
        .map((event) => encodeEvent(event as JournalEvent))
        .join(''),
      true,
    ],
    ['an end that was being written', encodeEvent(ended).slice(0, -1), false],
    ['something behind the end', `${encodeEvent(ended)}{`, false],
    [
      'another session behind the end',
      `${encodeEvent(ended)}${encodeEvent({ t: 'resume', at: 1, ...uptime })}`,
      false,
    ],
    ['a line that is damaged', `${encodeEvent(tried(1))}x\n`, false],
    ['a try', encodeEvent(tried(1)), false],
    ['nothing', '', false],
  ])('%s', async (_, content, isEnd) => {
    writeFileSync(path, content)
    expect(readEnd(host, made.dir, 'r')).toEqual(isEnd ? ended : undefined)
  })
})
