/** What the first and the second signal end, and when. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Signals } from '../../src/cli/signals.ts'
import type { Signal } from '../../src/host.ts'
import { realHost } from '../support/real-host.ts'

function world(): { signals: Signals; deliver: (signal: Signal) => void; raised: Signal[] } {
  const raised: Signal[] = []
  let deliver: (signal: Signal) => void = () => undefined
  const signals = new Signals({
    ...realHost,
    onSignal: (callback) => {
      deliver = callback
      return () => (deliver = () => undefined)
    },
    raise: (signal) => raised.push(signal),
  })
  signals.listen()
  return { signals, deliver: (signal) => deliver(signal), raised }
}

const never = (): Promise<never> => new Promise(() => undefined)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first signal: aborts at once what changes nothing', () => {
  const { signals, deliver } = world()
  deliver('SIGINT')
  const { cancelled, aborted, caught } = signals
  expect([cancelled.aborted, aborted.aborted, caught]).toEqual([true, true, 'SIGINT'])
})

test.each([
  ['SIGINT', 10_000],
  ['SIGTERM', 5_000],
  ['SIGHUP', 5_000],
] as const)('%s gives a critical section %i ms', (signal, grace) => {
  const { signals, deliver } = world()
  void signals.letFinish(never)
  deliver(signal)
  expect([signals.cancelled.aborted, signals.aborted.aborted]).toEqual([true, false])
  vi.advanceTimersByTime(grace - 1)
  expect(signals.aborted.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signals.aborted.aborted).toBe(true)
})

test('the first signal: a critical section that has ended, well or not, is not waited for', async () => {
  const { signals, deliver } = world()
  expect(await signals.letFinish(() => Promise.resolve(1))).toBe(1)
  await expect(signals.letFinish(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  deliver('SIGTERM')
  expect(signals.aborted.aborted).toBe(true)
})

test('the second signal aborts a critical section; the first is the one that counts', () => {
  const { signals, deliver, raised } = world()
  void signals.letFinish(never)
  deliver('SIGTERM')
  deliver('SIGINT')
  expect(signals.aborted.aborted).toBe(true)
  expect([signals.endProcess(3), raised]).toEqual([143, ['SIGTERM']])
})

test('an aborted command has half a second for its last words', async () => {
  const { signals, deliver } = world()
  const ended = signals.untilAborted(never()).catch((error: unknown) => error)
  const said = signals.untilAborted(vi.advanceTimersByTimeAsync(400).then(() => 'the summary'))
  deliver('SIGINT')
  expect(await said).toBe('the summary')
  await vi.advanceTimersByTimeAsync(100)
  expect(await ended).toMatchObject({ category: 'interrupted' })
})

test('without a signal the exit code stays, and nothing is raised', () => {
  const { signals, deliver, raised } = world()
  signals.close()
  deliver('SIGINT')
  expect([signals.endProcess(3), signals.caught, raised]).toEqual([3, undefined, []])
})
