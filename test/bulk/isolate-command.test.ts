/** `lists add-contacts --isolate` against the sandbox. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the command', () => {
  it('finds the bad ones among 3,000, every one right, and says how many requests that took', async () => {
    const world = await createBulkWorld({ contacts: 3_000 })
    const contacts = [...world.free, ...world.busy].toSorted()
    const bad = new Set<string>()
    const ids = contacts.slice(0, 3_000 - 12).flatMap((id, i) => {
      if (i % 270 !== 5) return [id]
      const [absent = ''] = world.absent(1)
      bad.add(absent)
      return [absent, id]
    })
    const path = join(world.folder, 'out.ndjson')
    const { code, summary, stderr } = await world.bulk(
      `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate --concurrency 8 --receipts ${path}`,
    )
    expect(ids).toHaveLength(3_000)
    expect(bad.size).toBe(12)
    expect(code).toBe(3)
    const receipts = receiptsOf(path)
    expect(receipts.map(({ id }) => id)).toEqual(ids)
    for (const { id, outcome } of receipts)
      expect([id, outcome]).toEqual([id, bad.has(id) ? 'missing' : 'ok'])
    const calls = world.sandbox.record.of('lists.add-contacts').length - 30
    expect(summary).toMatchObject({
      missingIds: [...bad],
      isolate: { calls },
      result: { added: 2988, failed: 12 },
    })
    expect(calls).toBeLessThanOrEqual(12 * 9)
    expect(stderr).toContain(`${calls} more requests`)
  })

  it.each([
    ['wrong-sums', 'was not confirmed'],
    ['503', 'HTTP 503'],
    ['403', 'API key scope is not sufficient'],
  ])(
    '%s leaves the batch undetermined, exit 7 and why; resuming isolates it anew',
    async (fault, why) => {
      const world = await createBulkWorld({ contacts: 50 })
      world.sandbox.setFaults(`lists.add-contacts:2=${fault}`)
      const ids = [...world.free.slice(0, 6), ...world.absent(2)]
      const state = world.state()
      const { code, summary, stderr } = await world.bulk(
        `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate --retries 0 ${state}`,
      )
      world.sandbox.setFaults()
      expect({ code, missing: summary.missingIds }).toEqual({ code: 7, missing: [] })
      expect(summary.resume).toContain(`svc runs resume ${summary.run}`)
      expect(stderr).toContain(why)
      expect(stderr).toContain('which of 8 contacts exist is not known yet')
      const again = await world.bulk(`runs resume ${summary.run} ${state}`)
      expect(again).toMatchObject({ code: 3, summary: { missingIds: ids.slice(6), resume: null } })
      expect(again.summary.result).toEqual(summary.result)
    },
  )

  it('a process that stood still meanwhile reads its lock before it asks on: another one may have the run', async () => {
    let additions = 0
    const world = await createBulkWorld({
      contacts: 50,
      onRequest({ method }) {
        if (method === 'POST') additions += 1
        if (additions !== 2) return
        const names = readdirSync(world.folder, { recursive: true, encoding: 'utf8' })
        const lock = join(world.folder, names.find((name) => /runs\/[^/]+\/lock$/.test(name)) ?? '')
        const mark = JSON.parse(readFileSync(lock, 'utf8')) as { token: string }
        const successor = { ...mark, token: 'ab', pid: 1, start: null }
        writeFileSync(`${lock}.${mark.token}`, JSON.stringify(successor))
        const now = Date.now()
        vi.spyOn(Date, 'now').mockReturnValue(now + 21_000)
      },
    })
    const ids = [...world.free.slice(0, 6), ...world.absent(2)]
    const { code, stderr } = await world.svc(
      `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate --yes ${world.state()}`,
    )
    expect({ code, stderr }).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('was taken over by process 1') as string,
    })
    expect(world.sandbox.record.of('lists.add-contacts')).toHaveLength(2)
  })

  it('contacts that were deleted since the batch was answered are found by a new count', async () => {
    const world = await createBulkWorld({ contacts: 50 })
    world.sandbox.setFaults('lists.add-contacts:2=503')
    const ids = [...world.free.slice(0, 6), ...world.absent(2)]
    const state = world.state()
    const first = await world.bulk(
      `lists add-contacts ${world.sandbox.examples.emptyList} --file ${world.file('ids', ids)} --isolate --retries 0 --once job ${state}`,
    )
    world.sandbox.setFaults()
    expect([first.code, first.summary.missingIds]).toEqual([7, []])
    const [gone = ''] = ids
    await world.bulk(`contacts delete ${gone} --yes ${world.state()}`)
    const again = await world.bulk(`runs resume job ${state}`)
    expect(again).toMatchObject({
      code: 3,
      summary: { missingIds: [gone, ...ids.slice(6)], resume: null, retry: false },
    })
    expect(again.summary.result).toEqual(first.summary.result)
  })
})
