import { describe, expect, test } from 'vitest'
import { startBar, type Progress } from '../../src/output/progress.ts'
import type { Messages } from '../../src/output/stderr.ts'
import type { Host } from '../../src/host.ts'
import { Clock } from './clock.ts'
import { Dice } from '../dice.ts'
import { Collector } from '../svc.ts'
import { show } from './screen.ts'

/** Progress in a world whose time passes when a test says so. */
function meter(columns = 80) {
  const clock = new Clock(1_000_000, new Dice(1))
  const stderr = Object.assign(new Collector(), { isTTY: true })
  const host: Pick<Host, 'stderr' | 'columns' | 'after' | 'every' | 'now' | 'monotonic'> = {
    ...{ stderr, columns: () => columns, now: clock.now, monotonic: clock.now },
    after: (ms, callback) => clock.after(ms, callback),
    every: (ms, callback) => clock.every(ms, callback),
  }
  const pass = async (ms: number): Promise<void> => {
    let isOver = false
    clock.after(ms, () => (isOver = true))
    await clock.run(() => isOver)
  }
  return { host, stderr, pass }
}

function setUp(columns = 80) {
  const { host, stderr, pass } = meter(columns)
  /** How far it is; tests change it. */
  const far = { done: 0 }
  let log: ((line: string) => void) | undefined
  const divertTo: Messages['divertTo'] = (write) => void (log = write)
  const begin = (total: number): Progress =>
    startBar({
      host,
      messages: { divertTo },
      total,
      label: 'deleting',
      done: () => far.done,
    })
  return { begin, far, pass, host, stderr, log: (line: string) => log?.(line) }
}

describe('as a bar', () => {
  type Act = (set: ReturnType<typeof setUp>) => unknown

  /** The screen while the bar is drawn, and after it. */
  async function drawn(columns: number, act: Act): Promise<{ during: string[]; left: string[] }> {
    const set = setUp(columns)
    const { begin, pass, stderr } = set
    const progress = begin(1234)
    await act(set)
    await pass(251)
    const during = await show(stderr.text, { columns })
    progress.stop()
    const after = await show(`before\r\n${stderr.text}after`, { columns })
    const isFull = (line: string): boolean => line !== ''
    return { during: during.lines.filter(isFull), left: after.lines.filter(isFull) }
  }

  test.each([
    [100, 'deleting  50% ━━━━━━━━━━────────── 617 of 1,234 · 62/s · 10s left'],
    [12, 'deleting  …'],
    [20, 'deleting  50% ━━━━…'],
    [60, 'deleting  50% ━━━━━━━━━━────────── 617 of 1,234 · 62/s · 1…'],
  ])('on a terminal of %d, in one line, and nothing is left: %s', async (columns, line) => {
    const drawing = drawn(columns, async ({ far, pass }) => {
      await pass(9_749)
      far.done = 617
    })
    expect(await drawing).toEqual({ during: [line], left: ['before', 'after'] })
  })

  test('notes stand above it and stay, long ones too', async () => {
    const { left } = await drawn(60, async ({ log, pass }) => {
      await pass(1)
      log('note: first')
      log('x'.repeat(90))
    })
    expect(left).toEqual(['before', 'note: first', 'x'.repeat(60), 'x'.repeat(30), 'after'])
  })
})
