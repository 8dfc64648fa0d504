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
  ['2=wrong-sums', 3, 4],
  ['2=503', 7, 8],
  ['2=403', 5, 8],
  ['3=wrong-sums', 3, 4],
  ['3=503', 7, 4],
  ['3=403', 5, 4],
  ['3=401', 4, 4],
  ['3=429,retry-after=3600', 7, 4],
] as const)(
  'lists.add-contacts:%s, of a half, leaves its contacts undetermined (exit %i); a resume goes on there',
  async (fault, expected, open) => {
    const world = await createBulkWorld({ contacts: 50 })
    const ids = [...world.free.slice(0, 6), ...world.absent(2)]
    const state = world.state()
    const line = `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --retries 0 ${state}`
    const { code, summary } = await world.bulk(line, { faults: `lists.add-contacts:${fault}` })
    expect([code, summary.result['undetermined']]).toEqual([expected, open])
    expect(summary.batches).toMatchObject({ done: 0, failed: 1 })
    expect(summary.errors).toMatchObject([{ outcome: 'undetermined', count: open }])
    const again = await world.bulk(
      `runs resume ${summary.run} --outcome undetermined --yes ${state}`,
    )
    expect(again).toMatchObject({ code: 3, summary: { missingIds: ids.slice(6), resume: null } })
  },
)

it.each([
  ['403', 'forbidden', 5],
  ['401', 'auth', 4],
  ['429,retry-after=3600', 'retry-after', 7],
] as const)(
  '%s of a second half stops the run (%s), and what is left is counted by ids',
  async (fault, reason, code) => {
    const world = await createBulkWorld({ contacts: 300 })
    const ids = [...world.free.slice(0, 99), ...world.absent(1), ...world.free.slice(99, 149)]
    const state = world.state()
    const line = `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --concurrency 1 --yes ${state}`
    const stopped = await world.bulk(line, { faults: `lists.add-contacts:3=${fault}` })
    expect(stopped).toMatchObject({
      code,
      summary: { stopReason: reason, left: 100, result: { undetermined: 50, notAttempted: 50 } },
    })
    const again = await world.bulk(line)
    expect(again.stderr).toContain('50 of 150 contacts done, 100 left')
    expect(again).toMatchObject({ code: 3, summary: { result: { missing: 1 }, resume: null } })
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
