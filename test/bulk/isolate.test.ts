/** Which contacts of a batch do not exist: the calls, what they prove, and what they do not. */
import { describe, expect, it } from 'vitest'
import { isolate, type SendHalf } from '../../src/bulk/operations/isolate.ts'
import { figure } from '../figures/figure.ts'
import { idsOf } from '../ids/inputs.ts'

/** A service that knows which ids do not exist; `calls`: what it was asked. */
function service(missing: ReadonlySet<string>, calls: (readonly string[])[] = []): SendHalf {
  return (part) => {
    calls.push(part)
    const failed = part.filter((id) => missing.has(id)).length
    return Promise.resolve({ added: 0, skipped: part.length - failed, failed })
  }
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('halving', () => {
  it('finds every set of missing ids, in input order, and proves it', async () => {
    for (let count = 2; count <= 8; count += 1) {
      const ids = idsOf(count)
      for (let bits = 1; bits < 2 ** count - 1; bits += 1) {
        const missing = ids.filter((_, i) => (bits & (1 << i)) !== 0)
        const calls: (readonly string[])[] = []
        const found = await isolate(ids, missing.length, service(new Set(missing), calls))
        expect(found).toEqual({ missing, proven: true, calls: calls.length })
        // Each claim was made by a call that held nothing else; the last call is over all others.
        const whole = calls.filter((part) => part.every((id) => missing.includes(id))).flat()
        expect(new Set(whole)).toEqual(new Set(missing))
        expect(calls.at(-1)).toEqual(ids.filter((id) => !missing.includes(id)))
      }
    }
  })

  it.each([
    [1, 9],
    [5, 30],
  ])('%i of 100 with at most %i more calls', async (bad, most) => {
    const ids = idsOf(100)
    const next = random(bad)
    let sum = 0
    const episodes = 1000
    for (let episode = 0; episode < episodes; episode += 1) {
      const missing = new Set<string>()
      while (missing.size < bad) missing.add(ids[Math.floor(next() * 100)] ?? '')
      const found = await isolate(ids, bad, service(missing))
      expect(found.proven).toBe(true)
      expect(new Set(found.missing)).toEqual(missing)
      expect(found.calls).toBeLessThanOrEqual(most)
      sum += found.calls
    }
    figure(`calls to find ${bad} of 100`, sum / episodes)
  })

  it('an error of the service ends it', async () => {
    const failing: SendHalf = () => Promise.reject(new Error('unavailable'))
    await expect(isolate(idsOf(4), 1, failing)).rejects.toThrow('unavailable')
  })
})
