/** `lists add-contacts` finds the contacts that do not exist by adding halves of their batches again. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

it('finds the bad ones among 1,000, every one right', async () => {
  const world = await createBulkWorld({ contacts: 1_000 })
  const contacts = [...world.free, ...world.busy].toSorted()
  const bad = new Set<string>()
  const ids = contacts.slice(0, 1_000 - 4).flatMap((id, i) => {
    if (i % 270 !== 5) return [id]
    const [absent = ''] = world.absent(1)
    bad.add(absent)
    return [absent, id]
  })
  const path = join(world.folder, 'out.ndjson')
  const { code, summary } = await world.bulk(
    `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --concurrency 8 --receipts ${path}`,
  )
  expect([ids.length, bad.size, code]).toEqual([1_000, 4, 3])
  const receipts = receiptsOf(path)
  expect(receipts.map(({ id }) => id)).toEqual(ids)
  for (const { id, outcome } of receipts)
    expect([id, outcome]).toEqual([id, bad.has(id) ? 'missing' : 'ok'])
  expect(summary).toMatchObject({
    batches: { retried: 0 },
    missingIds: [...bad],
    result: { missing: 4 },
  })
  expect(world.sandbox.record.of('lists.add-contacts').length - 10).toBeLessThanOrEqual(4 * 14)
})

it.each([
  // An answer without sense is not asked for again.
  ['wrong-sums', 3],
  ['503', 7],
  ['403', 5],
] as const)(
  '%s of a half leaves its contacts undetermined (exit %i); a resume goes on there',
  async (fault, expected) => {
    const world = await createBulkWorld({ contacts: 50 })
    const ids = [...world.free.slice(0, 6), ...world.absent(2)]
    const state = world.state()
    const line = `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --retries 0 ${state}`
    const { code, summary } = await world.bulk(line, { faults: `lists.add-contacts:2=${fault}` })
    expect(code).toBe(expected)
    const again = await world.bulk(
      `runs resume ${summary.run} --outcome undetermined --yes ${state}`,
    )
    expect(again).toMatchObject({ code: 3, summary: { missingIds: ids.slice(6), resume: null } })
  },
)

it('contacts that were deleted since the batch was answered are found by their halves', async () => {
  const world = await createBulkWorld({ contacts: 50 })
  const ids = [...world.free.slice(0, 6), ...world.absent(2)]
  const state = world.state()
  const line = `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --retries 0 --once job ${state}`
  const first = await world.bulk(line, { faults: 'lists.add-contacts:2=503' })
  expect([first.code, first.summary.missingIds]).toEqual([7, []])
  const [gone = ''] = ids
  await world.bulk(`contacts delete ${gone} --yes ${world.state()}`)
  const again = await world.bulk(`runs resume job ${state}`)
  expect(again).toMatchObject({ code: 3, summary: { resume: null, retry: false } })
  expect(again.summary.missingIds).toEqual([gone, ...ids.slice(6)])
})
