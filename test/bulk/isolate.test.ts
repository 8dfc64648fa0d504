/** Which contacts of a batch do not exist. Surface, section 4: `--isolate`. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isolate } from '../../src/bulk/isolate.ts'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'
import { idsOf } from '../ids/inputs.ts'

/** A service that knows which ids exist; counts its calls. */
function service(missing: ReadonlySet<string>) {
  return (ids: readonly string[]) => {
    const failed = ids.filter((id) => missing.has(id)).length
    return Promise.resolve({ added: 0, skipped: ids.length - failed, failed })
  }
}

describe('halving', () => {
  it('finds every set of missing ids, in input order', async () => {
    for (let count = 2; count <= 8; count += 1) {
      const ids = idsOf(count)
      for (let bits = 1; bits < 2 ** count - 1; bits += 1) {
        const missing = ids.filter((_, i) => (bits & (1 << i)) !== 0)
        expect((await isolate(ids, missing.length, service(new Set(missing)))).missing).toEqual(missing)
      }
    }
  })

  it.each([
    [1, 7],
    [5, 28],
  ])('%i of 100 with at most %i more calls', async (bad, most) => {
    const ids = idsOf(100)
    for (let shift = 0; shift < 100; shift += 1) {
      const missing = new Set(Array.from({ length: bad }, (_, i) => ids[(shift + i * 37) % 100] ?? ''))
      const { missing: found, calls } = await isolate(ids, bad, service(missing))
      expect(new Set(found)).toEqual(missing)
      expect(calls).toBeLessThanOrEqual(most)
    }
  })

  it('gives nothing away when contacts come or go meanwhile', async () => {
    const ids = idsOf(4)
    // One was missing; two others were deleted since.
    const { missing } = await isolate(ids, 1, service(new Set(ids.slice(0, 2))))
    expect(missing).toEqual([])
  })
})

describe('the command', () => {
  it('finds the bad ones among 10,000, every one right, and says how many requests that took', async () => {
    const world = await createBulkWorld({ contacts: 10_000 })
    const contacts = [...world.free, ...world.busy].toSorted()
    const bad = new Set<string>()
    const ids = contacts.slice(0, 10_000 - 37).flatMap((id, i) => {
      if (i % 270 !== 5) return [id]
      const [absent = ''] = world.absent(1)
      bad.add(absent)
      return [absent, id]
    })
    const path = join(world.folder, 'out.ndjson')
    const { code, summary, stderr } = await world.bulk(
      `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate --concurrency 8 --receipts ${path}`,
    )
    expect(ids).toHaveLength(10_000)
    expect(bad.size).toBe(37)
    expect(code).toBe(3)
    const receipts = receiptsOf(path)
    expect(receipts.map(({ id }) => id)).toEqual(ids)
    for (const { id, outcome } of receipts) expect([id, outcome]).toEqual([id, bad.has(id) ? 'missing' : 'ok'])
    const calls = world.sandbox.record.of('lists.add-contacts').length - 100
    expect(summary).toMatchObject({ missingIds: [...bad], isolate: { calls }, result: { added: 9963, failed: 37 } })
    expect(calls).toBeLessThanOrEqual(37 * 7)
    expect(stderr).toContain(`${calls} more requests`)
  })

  it('a batch of which nobody exists needs no further request', async () => {
    const world = await createBulkWorld({ contacts: 10 })
    const { summary } = await world.bulk(
      `lists add-contacts ${world.sandbox.examples.emptyList} ${world.absent(3).join(' ')} --isolate`,
    )
    expect(summary).toMatchObject({ isolate: { calls: 0 }, result: { failed: 3 } })
    expect(summary.missingIds).toHaveLength(3)
  })

  it('counts that contradict each other leave the batch undetermined', async () => {
    const world = await createBulkWorld({ contacts: 50 })
    world.sandbox.setFaults('lists.add-contacts:2=wrong-sums')
    const ids = [...world.free.slice(0, 6), ...world.absent(2)]
    const { code, summary } = await world.bulk(
      `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate`,
    )
    expect({ code, missing: summary.missingIds, resume: summary.resume }).toEqual({
      code: 3,
      missing: [],
      resume: null,
    })
  })
})
