import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { nodeHost, type Host } from '../../src/host.ts'
import { createProgress, type Progress } from '../../src/output/progress.ts'
import { show } from './screen.ts'

function setUp(columns = 80): {
  stderr: Writable
  text: () => string
  clock: { now: number }
  host: { now(): number; monotonic(): number; columns(): number } & Pick<Host, 'every'>
  event: (event: unknown) => void
} {
  let written = ''
  const stderr = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, callback) {
        written += chunk.toString()
        callback()
      },
    }),
    { isTTY: true, columns },
  )
  const clock = { now: 1_000_000 }
  return {
    stderr,
    text: () => written,
    clock,
    event: (event) => {
      written += `${JSON.stringify(event)}\n`
    },
    host: { now: () => clock.now, monotonic: () => clock.now, columns: () => columns, every: nodeHost(process).every },
  }
}

describe('on a terminal that cannot draw, and in a log', () => {
  test.each([
    ['lines', 'ten', ['10%: 100 of 1,000, 10/s, 1m 30s left', '20%: 200 of 1,000, 10/s, 1m 20s left']],
    ['plain', 'thirty', ['30%: 300 of 1,000, 10/s, 1m 10s left']],
  ] as const)('%s: a line every %s seconds', async (mode, _seconds, lines) => {
    const set = setUp()
    const { text, clock } = set
    const progress = await createProgress(mode, { ...set, total: 1000, label: 'deleting', color: 0 })
    for (let done = 10; done <= (mode === 'plain' ? 350 : 250); done += 10) {
      clock.now += 1000
      progress.update({ done, failed: 3 })
    }
    progress.log('a note')
    progress.stop()
    expect(text()).toBe(`${lines.map((line) => `deleting ${line}, 3 failed\n`).join('')}a note\n`)
  })
})

test('a bar takes away what Enter left of it', async () => {
  const set = setUp()
  const { stderr, text } = set
  const progress = await createProgress('bar', { ...set, total: 10, label: 'deleting', color: 0 })
  progress.update({ done: 5 })
  stderr.write('\r\n')
  // It draws itself again on the line below.
  await new Promise((resolve) => setTimeout(resolve, 300))
  progress.stop()
  expect(text().endsWith('\u001b[J')).toBe(true)
  const { lines } = await show(`before\r\n${text()}after`, { columns: 80 })
  expect(lines.filter((line) => line !== '')).toEqual(['before', 'after'])
})

describe('as events', () => {
  test('at most four a second, and the last state', async () => {
    const set = setUp()
    const { text, clock } = set
    const progress = await createProgress('json', { ...set, total: 1000, label: 'deleting', color: 0 })
    for (let done = 1; done <= 1000; done += 1) {
      clock.now += 2
      progress.update({ done, failed: 3, retried: 1, counts: { deleted: done - 3 } })
    }
    progress.stop()
    progress.stop()
    progress.update({ done: 1000 })
    const events = text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events.length).toBeGreaterThan(5)
    expect(events.length).toBeLessThan(11)
    expect(events[0]).toMatchObject({ type: 'progress', done: 1, total: 1000 })
    expect(events.at(-1)).toEqual({
      type: 'progress',
      done: 1000,
      total: 1000,
      failed: 3,
      retried: 1,
      rate: 500,
      etaMs: 0,
      counts: { deleted: 997 },
    })
    expect(events[2]).toMatchObject({ rate: 500, etaMs: expect.any(Number) as number })
  })

  test('with nothing done there is still one event', async () => {
    const set = setUp()
    const { text } = set
    const progress = await createProgress('json', { ...set, total: 5, label: 'x', color: 0 })
    progress.stop()
    expect(JSON.parse(text())).toMatchObject({ type: 'progress', done: 0, total: 5, etaMs: null })
  })
})

describe('as a bar', () => {
  /** What a screen shows while the bar is drawn, what is left after it, and how much was written. */
  async function drawn(
    columns: number,
    color: 0 | 2,
    act: (progress: Progress, clock: { now: number }) => void,
  ): Promise<{ during: string[]; left: string[]; size: number }> {
    const set = setUp(columns)
    const { text, clock } = set
    const progress = await createProgress('bar', { ...set, total: 1234, label: 'deleting', color })
    act(progress, clock)
    // The bar draws by itself four times a second.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const during = await show(text(), { columns })
    progress.stop()
    const after = await show(`before\r\n${text()}after`, { columns })
    const isFull = (line: string): boolean => line !== ''
    return { during: during.lines.filter(isFull), left: after.lines.filter(isFull), size: text().length }
  }

  test('says how far it is, how fast, how long, and what failed, and leaves nothing behind', async () => {
    const { during, left } = await drawn(100, 0, (progress, clock) => {
      clock.now += 10_000
      progress.update({ done: 617, failed: 2, counts: { blocked: 5, gone: 0 } })
    })
    expect(during).toEqual([
      'deleting  50% ━━━━━━━━━━━━━━━─────────────── 617 of 1,234 · 62/s · 10s left · 5 blocked · 2 failed',
    ])
    expect(left).toEqual(['before', 'after'])
  })

  test.each([
    [12, 'deleting  …'],
    [20, 'deleting   8% ─────'],
    [40, 'deleting   8% ────────── waiting 1m 01s'],
    [50, 'deleting   8% ───── 100 of 1,234 · waiting 1m 01s'],
    [60, 'deleting   8% ─────── 100 of 1,234 · 100/s · waiting 1m 01s'],
  ])('in colour on a terminal of %d says that it waits, in one line', async (columns, line) => {
    const { during, left } = await drawn(columns, 2, (progress, clock) => {
      clock.now += 1000
      progress.update({ done: 100, waitingUntil: clock.now + 61_000 })
    })
    expect(during).toEqual([line])
    expect(left).toEqual(['before', 'after'])
  })

  test('notes stand above it and stay, long ones too', async () => {
    const { left } = await drawn(60, 0, (progress) => {
      progress.log('note: first')
      progress.log('x'.repeat(90))
      progress.log('note: \u001b[2J')
    })
    expect(left).toEqual(['before', 'note: first', 'x'.repeat(60), 'x'.repeat(30), 'note: \\u{1b}[2J', 'after'])
  })

  test('a thousand updates write next to nothing', async () => {
    const { size } = await drawn(80, 0, (progress) => {
      for (let done = 0; done < 1000; done += 1) progress.update({ done })
    })
    expect(size).toBeLessThan(1000)
  })
})

test('none writes nothing but lines', async () => {
  const set = setUp()
  const { text } = set
  const progress = await createProgress('none', { ...set, total: 1, label: 'x', color: 0 })
  progress.update({ done: 1 })
  progress.log('a line')
  progress.stop()
  expect(text()).toBe('a line\n')
})
