/** The pace of requests. If red, there are more than SVC_RATE per second, or a wait that the service asked for is cut short. */
import { describe, expect, it } from 'vitest'
import type { Host } from '../../src/host.ts'
import { Pace } from '../../src/http/pace.ts'
import { hostWith } from '../support/real-host.ts'

/** A world of virtual time, in which a wait ends when the clock is there, or later by what `late` says. */
function world(late = (): number => 0) {
  let time = 1000
  const pace = new Pace(
    hostWith({
      monotonic: () => time,
      sleep: (ms) => {
        time += ms + late()
        return Promise.resolve()
      },
    }),
  )
  return {
    pace,
    now: () => time,
    signal: new AbortController().signal,
  }
}

describe('the pace of all requests together', () => {
  it('is unhindered but for the longest wait that the service asked for', async () => {
    const { pace, now, signal } = world()
    await pace.waitForTurn(signal)
    expect(now()).toBe(1000)
    pace.hold(60_000)
    pace.hold(1_000)
    for (let i = 0; i < 5; i += 1) await pace.waitForTurn(signal)
    expect(now()).toBe(61_000)
  })

  describe('a limit', () => {
    /** When each of n turns began, in a world whose timers are late by what `late` says. */
    async function begun(rate: number, n: number, late: () => number): Promise<number[]> {
      const { pace, now, signal } = world(late)
      pace.limit(rate)
      const times: number[] = []
      for (let i = 0; i < n; i += 1) {
        await pace.waitForTurn(signal)
        times.push(now())
      }
      return times
    }

    const rates = [0.5, 2.5, 20]
    it.each(rates)(
      '%d a second: never more, and not much fewer, with late timers too',
      async (rate) => {
        let turn = 0
        const lateness = [0, 1.2, 0.4, 9, 2, 0.1]
        const times = await begun(rate, 3000, () => lateness[(turn += 1) % lateness.length] ?? 0)
        const seconds = times.slice(Math.ceil(rate)).map((time, i) => time - (times[i] ?? 0))
        expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1000 - 1e-6)
        const [first = 0, last = 0] = [times[0], times.at(-1)]
        expect(2999_000 / (last - first)).toBeGreaterThan(rate * 0.95)
        expect(2999_000 / (last - first)).toBeLessThanOrEqual(rate * 1.001)
      },
    )
  })

  it('a wait ends when the signal comes', async () => {
    const stop = new AbortController()
    const sleep: Host['sleep'] = (_ms, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('stopped')))
      })
    const pace = new Pace(hostWith({ monotonic: () => 0, sleep }))
    pace.hold(1000)
    const turn = pace.waitForTurn(stop.signal)
    stop.abort()
    await expect(turn).rejects.toThrow('stopped')
  })
})
