import { describe, expect, it } from 'vitest'
import { Pace } from '../../src/http/pace.ts'

/** A world of virtual time, in which a wait ends when the clock is there, or later by what `late` says. */
function world(late = (): number => 0) {
  let time = 1000
  const pace = new Pace({
    monotonic: () => time,
    sleep: (ms) => {
      time += ms + late()
      return Promise.resolve()
    },
  })
  return {
    pace,
    now: () => time,
    pass: (ms: number) => void (time += ms),
    signal: new AbortController().signal,
  }
}

/** Milliseconds that the next n turns take. */
async function turns({ pace, now, signal }: ReturnType<typeof world>, n: number): Promise<number> {
  const started = now()
  for (let i = 0; i < n; i += 1) await pace.turn(signal)
  return now() - started
}

/** A turn every 100 ms for `seconds`. */
async function tenASecond(it: ReturnType<typeof world>, seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 10; i += 1) {
    await it.pace.turn(it.signal)
    it.pass(100)
  }
}

describe('the pace of all requests together', () => {
  it('is unhindered until the service says 429', async () => {
    expect(await turns(world(), 10_000)).toBe(0)
  })

  it('the pace grows by a tenth a second', async () => {
    const it = world()
    await tenASecond(it, 10)
    it.pace.slowDown()
    it.pass(10_000)
    await turns(it, 1)
    // 7 × 1.1^10 = 18.2 a second.
    const each = (await turns(it, 10)) / 10
    expect(each).toBeGreaterThan(1000 / 18.2 - 2)
    expect(each).toBeLessThan(1000 / 18.2 + 2)
  })

  it('is then 0.7 of the measured rate, however many requests in flight were refused', async () => {
    for (const refusals of [1, 20]) {
      const it = world()
      await tenASecond(it, 10)
      for (let i = 0; i < refusals; i += 1) it.pace.slowDown()
      // 10 a second were measured, so 7 a second are allowed: the first after a seventh of a second.
      expect(await turns(it, 1)).toBeCloseTo(1000 / 7, -1)
    }
  })

  it('a second refusal later lowers it again, and never to a standstill', async () => {
    const it = world()
    await tenASecond(it, 10)
    it.pace.slowDown()
    it.pass(1500)
    it.pace.slowDown()
    const afterTwo = await turns(it, 1)
    expect(afterTwo).toBeGreaterThan(1000 / 7)
    for (let i = 0; i < 50; i += 1) {
      it.pass(1001)
      it.pace.slowDown()
    }
    expect(await turns(it, 1)).toBeLessThanOrEqual(5000)
  })

  it('everybody waits for a Retry-After, and nothing grows meanwhile', async () => {
    const it = world()
    await tenASecond(it, 10)
    it.pace.slowDown()
    it.pace.hold(60_000)
    it.pace.hold(1_000)
    expect(it.pace.holdLeft()).toBe(60_000)
    expect(await turns(it, 1)).toBeGreaterThanOrEqual(60_000)
    expect(it.pace.holdLeft()).toBe(0)
    expect((await turns(it, 5)) / 5).toBeGreaterThan(100)
  })

  describe('a limit', () => {
    /** When each of n turns began, in a world whose timers are late by what `late` says. */
    async function begun(rate: number, n: number, late: () => number): Promise<number[]> {
      const { pace, now, signal } = world(late)
      pace.limit(rate)
      const times: number[] = []
      for (let i = 0; i < n; i += 1) {
        await pace.turn(signal)
        times.push(now())
      }
      return times
    }

    it.each([
      ['10 a second', 10],
      ['1 in two seconds', 0.5],
      ['2.5 a second', 2.5],
      ['500 a second', 500],
    ])(
      '%s: never more in a second, and not much fewer over many, with late timers too',
      async (_, rate) => {
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

    it.each([500, 60_000])('a pause of %d ms is not made up for', async (pause) => {
      const it = world()
      it.pace.limit(10)
      await turns(it, 5)
      it.pass(pause)
      expect(await turns(it, 5)).toBeGreaterThanOrEqual(390)
    })

    it('holds beside what the service says: the lower of the two', async () => {
      const it = world()
      it.pace.limit(10)
      await tenASecond(it, 10)
      it.pace.slowDown()
      expect(await turns(it, 1)).toBeCloseTo(1000 / 7, -1)
      it.pass(60_000)
      expect(await turns(it, 11)).toBeGreaterThanOrEqual(1000)
    })

    it('a request is asked before it waits', async () => {
      const it = world()
      it.pace.hold(2000)
      const refusing = it.pace.turn(it.signal, () => {
        throw new Error('over')
      })
      await expect(refusing).rejects.toThrow('over')
    })
  })

  it('a wait ends when the signal comes', async () => {
    const stop = new AbortController()
    const pace = new Pace({
      monotonic: () => 0,
      sleep: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    })
    pace.hold(1000)
    const turn = pace.turn(stop.signal)
    stop.abort()
    await expect(turn).rejects.toThrow('stopped')
  })
})
