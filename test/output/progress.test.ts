import { expect, test } from 'vitest'
import { startProgress } from '../../src/output/progress.ts'
import type { Messages } from '../../src/output/messages.ts'
import type { Timer } from '../../src/host.ts'
import { Collector } from '../support/streams.ts'
import { show } from '../support/screen.ts'
import { hostWith } from '../support/real-host.ts'

/** Progress on a terminal, in a world whose time passes when a test says so. */
function setUp(columns: number) {
  let now = 1_000_000
  let events: { at: number; go: () => void }[] = []
  const stderr = Object.assign(new Collector(), { isTTY: true })
  const after = (ms: number, go: () => void): Timer => {
    const event = { at: now + ms, go }
    events.push(event)
    return { cancel: () => void (events = events.filter((each) => each !== event)) }
  }
  const every = (ms: number, go: () => void): Timer => {
    let timer: Timer
    const again = () => {
      timer = after(ms, again)
      go()
    }
    timer = after(ms, again)
    return { cancel: () => timer.cancel() }
  }
  const clock = () => now
  const time = { after, every, now: clock, monotonic: clock }
  const host = hostWith({ stderr, columns: () => columns, ...time })
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const [next] = events.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      now = next?.at ?? end
      if (next === undefined) return
      events = events.filter((each) => each !== next)
      next.go()
    }
  }
  const work = { done: 0 }
  let log: ((line: string) => void) | undefined
  const divertTo: Messages['divertTo'] = (write) => void (log = write)
  const end = startProgress(
    { host, messages: { divertTo } },
    { total: 439, label: 'deleting', done: () => work.done, sent: () => 400 },
  )
  return { end, work, pass, stderr, log: (line: string) => log?.(line) }
}

/** The screen while the bar is drawn, and after it. */
async function drawn(columns: number, act: (set: ReturnType<typeof setUp>) => unknown) {
  const set = setUp(columns)
  await act(set)
  // It is drawn each 250 ms.
  await set.pass(251)
  const during = await show(set.stderr.text, { columns })
  set.end()
  const after = await show(`before\r\n${set.stderr.text}after`, { columns })
  const isFull = (line: string): boolean => line !== ''
  return { during: during.lines.filter(isFull), left: after.lines.filter(isFull) }
}

test.each([
  [100, 'deleting ━━━━━━━━━━────────── 220 of 439, 400 sent'],
  [12, 'deleting ━━'],
  [40, 'deleting ━━━━━━━━━━────────── 220 of 43'],
])('on a terminal of %d, in one line, and nothing is left: %s', async (columns, line) => {
  const drawing = drawn(columns, async ({ work, pass }) => {
    await pass(9_749)
    work.done = 220
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
