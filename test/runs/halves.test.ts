/** `lists add-contacts` finds the contacts that do not exist by adding halves of their batches again. */
import { expect, it } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

const world = await createBulkWorld({ contacts: 1_000 })
const { free, bulk, absent } = world

/** A command that adds these contacts to a list. */
const adding = (ids: readonly string[]): string =>
  `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)}`

it('finds the bad ones among 1,000, every one right', async () => {
  const contacts = [...free, ...world.busy].toSorted()
  const bad = absent(4)
  const ids = contacts
    .slice(0, 1_000 - 4)
    .flatMap((id, i) => (i % 270 === 5 ? [bad[Math.floor(i / 270)] ?? '', id] : [id]))
  const path = world.output()
  const { code, summary } = await bulk(`${adding(ids)} --concurrency 8 --receipts ${path}`)
  expect([ids.length, code]).toEqual([1_000, 3])
  const outcomeOf = (id: string) => (bad.includes(id) ? 'missing' : 'ok')
  expect(receiptsOf(path).map(({ id, outcome }) => [id, outcome])).toEqual(
    ids.map((id) => [id, outcomeOf(id)]),
  )
  expect(summary).toMatchObject({
    batches: { retried: 0 },
    missingIds: bad,
    result: { missing: 4 },
  })
  expect(world.sandbox.record.of('lists.add-contacts').length - 10).toBeLessThanOrEqual(4 * 14)
})

it.each([
  // An answer without sense is not asked for again.
  ['2=wrong-sums', 3, 4],
  ['2=503', 7, 8],
  ['2=403', 4, 8],
  ['3=wrong-sums', 3, 4],
  ['3=503', 7, 4],
  ['3=403', 4, 4],
  ['3=401', 4, 4],
  ['3=429,retry-after=3600', 7, 4],
] as const)(
  'lists.add-contacts:%s, of a half, leaves its contacts undetermined (exit %i); a resume goes on there',
  async (fault, expected, open) => {
    const [state, bad] = [world.state(), absent(2)]
    const line = `${adding([...free.slice(0, 6), ...bad])} --wait 0s ${state}`
    const { code, summary } = await bulk(line, { faults: `lists.add-contacts:${fault}` })
    expect([code, summary.result['undetermined']]).toEqual([expected, open])
    expect(summary.batches).toMatchObject({ done: 0, failed: 1 })
    expect(summary.errors).toMatchObject([{ outcome: 'undetermined', count: open }])
    const again = await bulk(`runs resume ${summary.run} --outcome undetermined --yes ${state}`)
    expect(again).toMatchObject({ code: 3, summary: { missingIds: bad, resume: null } })
  },
)

it.each([
  ['403', 'forbidden', 4],
  ['401', 'auth', 4],
  ['429,retry-after=3600', 'retry-after', 7],
] as const)(
  '%s of a second half stops the run (%s), and what is left is counted by ids',
  async (fault, reason, code) => {
    const ids = [...free.slice(0, 99), ...absent(1), ...free.slice(99, 149)]
    const line = `${adding(ids)} --concurrency 1 --yes ${world.state()}`
    const stopped = await bulk(line, { faults: `lists.add-contacts:3=${fault}` })
    expect(stopped).toMatchObject({
      code,
      summary: { stopReason: reason, left: 100, result: { undetermined: 50, notAttempted: 50 } },
    })
    const again = await bulk(line)
    expect(again.stderr).toContain('50 of 150 contacts done, 100 left')
    expect(again).toMatchObject({ code: 3, summary: { result: { missing: 1 }, resume: null } })
  },
)

it('contacts that were deleted since the batch was answered are found by their halves', async () => {
  const [[gone = ''], state, bad] = [free.slice(-1), world.state(), absent(2)]
  const line = `${adding([gone, ...free.slice(0, 5), ...bad])} --wait 0s --once job ${state}`
  const first = await bulk(line, { faults: 'lists.add-contacts:2=503' })
  expect([first.code, first.summary.missingIds]).toEqual([7, []])
  await bulk(`contacts delete ${gone} --yes ${world.state()}`)
  const again = await bulk(`runs resume job ${state}`)
  expect(again).toMatchObject({ code: 3, summary: { resume: null, retry: false } })
  expect(again.summary.missingIds).toEqual([gone, ...bad])
})
