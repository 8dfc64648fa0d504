/** Which contacts of a batch do not exist: the calls, what they prove, and what they do not. */
import { describe, expect, it } from 'vitest'
import { applyEvent, unsent } from '../../src/bulk/record/batch-state.ts'
import { outcomesOf } from '../../src/bulk/operations/operations.ts'
import type { Batch } from '../../src/bulk/operations/operation.ts'
import { isolate, type SendHalf } from '../../src/bulk/operations/isolate.ts'
import { figure, howMany } from '../figures/figure.ts'
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

/** Contacts of which some never existed, and of which some are deleted before each call. */
class Directory {
  readonly never: ReadonlySet<string>
  private readonly ids: readonly string[]
  private readonly gone: Set<string>
  private readonly next: () => number
  private readonly rate: number

  constructor(ids: readonly string[], next: () => number) {
    this.ids = ids
    this.next = next
    const share = 0.02 + next() * 0.3
    this.never = new Set(ids.filter(() => next() < share))
    this.gone = new Set(this.never)
    this.rate = next() * 0.02
  }

  has(id: string): boolean {
    return !this.gone.has(id)
  }

  add = (part: readonly string[]): Promise<{ added: number; skipped: number; failed: number }> => {
    for (const id of this.ids) if (this.next() < this.rate) this.gone.add(id)
    const failed = part.filter((id) => this.gone.has(id)).length
    return Promise.resolve({ added: 0, skipped: part.length - failed, failed })
  }
}

type Isolate = typeof isolate

interface Episodes {
  isolated: number
  proven: number
  wrong: number
}

/** Batches that are added and isolated while contacts are deleted, isolated anew while something is not known. */
async function episodes(count: number, isolate: Isolate): Promise<Episodes> {
  const found = { isolated: 0, proven: 0, wrong: 0 }
  for (let seed = 1; seed <= count; seed += 1) {
    const next = random(seed)
    const ids = idsOf(2 + Math.floor(next() * 99))
    const directory = new Directory(ids, next)
    const batch: Batch = { operation: 'lists.add-contacts', ids, isolate: true }
    const answer = await directory.add(ids)
    const place = { b: 1, at: 0 }
    let state = applyEvent(unsent, { t: 'res', a: 1, k: 'answered', s: 200, d: answer, ...place })
    for (let round = 0; round < 3 && outcomesOf(batch, state).outcomes.includes('undetermined'); round += 1) {
      const { missing, proven, calls } = await isolate(ids, answer.failed, directory.add)
      state = applyEvent(state, { t: 'isolated', missing: [...missing], proven, calls, ...place })
      found.isolated += 1
      found.proven += proven ? 1 : 0
      const told = outcomesOf(batch, state).outcomes
      const isFalse = ids.some(
        (id, i) => (told[i] === 'ok' && !directory.has(id)) || (told[i] === 'missing' && directory.has(id)),
      )
      if (isFalse) found.wrong += 1
    }
  }
  return found
}

describe('contacts that are deleted between two calls', () => {
  const count = howMany('ISOLATE', 500)

  it(`in ${count} random episodes none that does not exist is claimed to be ok`, async () => {
    const { isolated, proven, wrong } = await episodes(count, isolate)
    figure('episodes of isolating', isolated)
    figure('false claims of isolating', wrong)
    expect(wrong).toBe(0)
    expect(isolated).toBeGreaterThan(count)
    expect(proven).toBeGreaterThan(count / 10)
  })

  it('without the last call some would be', async () => {
    const careless: Isolate = async (ids, failed, send) => ({ ...(await isolate(ids, failed, send)), proven: true })
    expect((await episodes(count, careless)).wrong).toBeGreaterThan(0)
  })
})
