import { describe, expect, test } from 'vitest'
import {
  createProgress,
  type Progress,
  type ProgressMode,
  type ProgressState,
} from '../../src/output/progress.ts'
import type { Messages } from '../../src/output/stderr.ts'
import { meter } from './meters.ts'
import { show } from './screen.ts'

function setUp(columns = 80) {
  const { host, stderr, pass } = meter(columns)
  /** How far it is; tests change it. */
  const far: { state: ProgressState } = { state: { done: 0 } }
  let log: ((line: string) => void) | undefined
  const progress = (line: unknown): void => void stderr.write(`${JSON.stringify(line)}\n`)
  const divertTo: Messages['divertTo'] = (write) => void (log = write)
  const begin = (mode: ProgressMode, total: number): Progress =>
    createProgress(mode, {
      host,
      messages: { format: 'text', progress, divertTo },
      total,
      label: 'deleting',
      state: () => far.state,
    })
  return { begin, far, pass, host, stderr, log: (line: string) => log?.(line) }
}

test('in a log, a line every 30 seconds', async () => {
  const { begin, far, pass, stderr } = setUp()
  const progress = begin('plain', 1000)
  for (let done = 10; done <= 350; done += 10) {
    far.state = { done, failed: 3 }
    await pass(1001)
  }
  progress.stop()
  expect(stderr.text).toBe('deleting 30%: 300 of 1,000, 3 failed, 2m left, 10/s\n')
})

describe('as lines of JSON', () => {
  test('four a second, and the last state', async () => {
    const { begin, far, pass, stderr } = setUp()
    const progress = begin('json', 1000)
    for (let done = 10; done <= 1000; done += 10) {
      far.state = { done, failed: 3, retried: 1, counts: { deleted: done - 3 } }
      await pass(20)
    }
    progress.stop()
    progress.stop()
    await pass(1000)
    const lines = stderr.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toHaveLength(9)
    expect(lines[0]).toMatchObject({
      type: 'progress',
      done: 130,
      total: 1000,
      rate: expect.any(Number) as number,
    })
    const counts = { deleted: 997 }
    expect(lines.at(-1)).toEqual({
      ...{
        type: 'progress',
        done: 1000,
        total: 1000,
        failed: 3,
        retried: 1,
        rate: 500,
        etaMs: 0,
        counts,
      },
    })
  })

  test('says until when everybody waits', () => {
    const { begin, far, host, stderr } = setUp()
    const waitingUntil = host.now() + 1000
    far.state = { done: 1, waitingUntil }
    begin('json', 5).stop()
    const until = new Date(waitingUntil).toISOString()
    expect(JSON.parse(stderr.text)).toMatchObject({ done: 1, waitingUntil: until })
  })
})

describe('as a bar', () => {
  type Act = (set: ReturnType<typeof setUp>) => unknown

  /** The screen while the bar is drawn, and after it. */
  async function drawn(columns: number, act: Act): Promise<{ during: string[]; left: string[] }> {
    const set = setUp(columns)
    const { begin, pass, stderr } = set
    const progress = begin('bar', 1234)
    await act(set)
    await pass(251)
    const during = await show(stderr.text, { columns })
    progress.stop()
    const after = await show(`before\r\n${stderr.text}after`, { columns })
    const isFull = (line: string): boolean => line !== ''
    return { during: during.lines.filter(isFull), left: after.lines.filter(isFull) }
  }

  test.each<[number, string, Act]>([
    [
      100,
      'deleting  50% ━━━━━━━━━━────────── 617 of 1,234 · 2 failed · 10s left · 62/s · 5 blocked',
      async ({ far, pass }) => {
        await pass(9_749)
        far.state = { done: 617, failed: 2, counts: { blocked: 5, gone: 0 } }
      },
    ],
    ...(
      [
        [12, 'deleting  …'],
        [20, 'deleting   8% ━───…'],
        [50, 'deleting   8% ━─────────────────── waiting 2m · …'],
        [60, 'deleting   8% ━─────────────────── waiting 2m · 100 of 1,2…'],
      ] as const
    ).map(([columns, line]): [number, string, Act] => [
      columns,
      line,
      async ({ far, pass, host }) => {
        await pass(750)
        far.state = { done: 100, waitingUntil: host.now() + 61_250 }
      },
    ]),
  ])('on a terminal of %d, in one line, and nothing is left: %s', async (columns, line, act) => {
    expect(await drawn(columns, act)).toEqual({ during: [line], left: ['before', 'after'] })
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
