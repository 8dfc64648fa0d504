import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { nodeHost, type Host } from '../../src/host.ts'
import { createProgress, type Progress, type ProgressState } from '../../src/output/progress.ts'
import { show } from './screen.ts'

function setUp(columns = 80): {
  stderr: Writable
  text: () => string
  clock: { now: number }
  host: { now(): number; monotonic(): number; columns(): number } & Pick<Host, 'every'>
  take: (line: unknown) => void
  /** How far it is; tests change it. */
  far: { state: ProgressState }
  state: () => ProgressState
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
  const far = { state: { done: 0 } }
  return {
    stderr,
    far,
    state: () => far.state,
    text: () => written,
    clock,
    take: (line) => {
      written += `${JSON.stringify(line)}\n`
    },
    host: { now: () => clock.now, monotonic: () => clock.now, columns: () => columns, every: nodeHost(process).every },
  }
}

/** A host whose time stands until `pass` lets a second go by. */
function virtual(set: ReturnType<typeof setUp>) {
  const timers: { ms: number; next: number; work: () => void }[] = []
  const { clock } = set
  const every: Host['every'] = (ms, work) => {
    const timer = { ms, next: clock.now + ms, work }
    timers.push(timer)
    return { cancel: () => void timers.splice(timers.indexOf(timer), 1) }
  }
  const pass = (ms: number): void => {
    clock.now += ms
    for (const timer of [...timers]) {
      if (clock.now < timer.next) continue
      timer.next += timer.ms
      timer.work()
    }
  }
  return { ...set, host: { ...set.host, every }, pass }
}

describe('on a terminal that cannot draw, and in a log', () => {
  test.each([
    ['lines', 'ten', ['10%: 100 of 1,000, 10/s, 1m 30s left', '20%: 200 of 1,000, 10/s, 1m 20s left']],
    ['plain', 'thirty', ['30%: 300 of 1,000, 10/s, 1m 10s left']],
  ] as const)('%s: a line every %s seconds', async (mode, _seconds, lines) => {
    const set = virtual(setUp())
    const { text, far, pass } = set
    const progress = await createProgress(mode, { ...set, total: 1000, label: 'deleting', color: 0 })
    for (let done = 10; done <= (mode === 'plain' ? 350 : 250); done += 10) {
      far.state = { done, failed: 3 }
      pass(1000)
    }
    progress.log('a note')
    progress.stop()
    expect(text()).toBe(`${lines.map((line) => `deleting ${line}, 3 failed\n`).join('')}a note\n`)
  })
})

test('a bar takes away what Enter left of it', async () => {
  const set = setUp()
  const { stderr, text, far } = set
  const progress = await createProgress('bar', { ...set, total: 10, label: 'deleting', color: 0 })
  far.state = { done: 5 }
  stderr.write('\r\n')
  // It draws itself again on the line below.
  await new Promise((resolve) => setTimeout(resolve, 300))
  progress.stop()
  expect(text().endsWith('\u001b[J')).toBe(true)
  const { lines } = await show(`before\r\n${text()}after`, { columns: 80 })
  expect(lines.filter((line) => line !== '')).toEqual(['before', 'after'])
})

describe('as lines of JSON', () => {
  test('four a second, and the last state', async () => {
    const set = virtual(setUp())
    const { text, far, pass } = set
    const progress = await createProgress('json', { ...set, total: 1000, label: 'deleting', color: 0 })
    for (let done = 1; done <= 1000; done += 1) {
      far.state = { done, failed: 3, retried: 1, counts: { deleted: done - 3 } }
      pass(2)
    }
    progress.stop()
    progress.stop()
    pass(1000)
    const lines = text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toHaveLength(9)
    expect(lines[0]).toMatchObject({ type: 'progress', done: 125, total: 1000 })
    expect(lines.at(-1)).toEqual({
      type: 'progress',
      done: 1000,
      total: 1000,
      failed: 3,
      retried: 1,
      rate: 500,
      etaMs: 0,
      counts: { deleted: 997 },
    })
    expect(lines[2]).toMatchObject({ rate: 500, etaMs: expect.any(Number) as number })
  })

  test('with nothing done there is still one line', async () => {
    const set = setUp()
    const { text } = set
    const progress = await createProgress('json', { ...set, total: 5, label: 'x', color: 0 })
    progress.stop()
    expect(JSON.parse(text())).toMatchObject({ type: 'progress', done: 0, total: 5, etaMs: null })
  })
})

describe('as a bar', () => {
  /** What a screen shows while the bar is drawn, and what is left after it. */
  async function drawn(
    columns: number,
    color: 0 | 2,
    act: (set: ReturnType<typeof setUp>, progress: Progress) => void,
  ): Promise<{ during: string[]; left: string[] }> {
    const set = setUp(columns)
    const { text } = set
    const progress = await createProgress('bar', { ...set, total: 1234, label: 'deleting', color })
    act(set, progress)
    // The bar draws by itself four times a second.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const during = await show(text(), { columns })
    progress.stop()
    const after = await show(`before\r\n${text()}after`, { columns })
    const isFull = (line: string): boolean => line !== ''
    return { during: during.lines.filter(isFull), left: after.lines.filter(isFull) }
  }

  test('says how far it is, how fast, how long, and what failed, and leaves nothing behind', async () => {
    const { during, left } = await drawn(100, 0, ({ far, clock }) => {
      clock.now += 10_000
      far.state = { done: 617, failed: 2, counts: { blocked: 5, gone: 0 } }
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
    const { during, left } = await drawn(columns, 2, ({ far, clock }) => {
      clock.now += 1000
      far.state = { done: 100, waitingUntil: clock.now + 61_000 }
    })
    expect(during).toEqual([line])
    expect(left).toEqual(['before', 'after'])
  })

  test('notes stand above it and stay, long ones too', async () => {
    const { left } = await drawn(60, 0, (_, progress) => {
      progress.log('note: first')
      progress.log('x'.repeat(90))
      progress.log('note: \u001b[2J')
    })
    expect(left).toEqual(['before', 'note: first', 'x'.repeat(60), 'x'.repeat(30), 'note: \\u{1b}[2J', 'after'])
  })
})

test('none writes nothing but lines', async () => {
  const set = setUp()
  const { text } = set
  const progress = await createProgress('none', { ...set, total: 1, label: 'x', color: 0 })
  progress.log('a line')
  progress.stop()
  expect(text()).toBe('a line\n')
})
