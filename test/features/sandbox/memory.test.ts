/** The sandbox keeps a bounded amount, whatever a client sends. */
import { describe, expect, test } from 'vitest'
import { hasChanged, startSandbox } from '../../sandbox/watched.ts'
import { ask, rw } from '../../sandbox/client.ts'

describe('the record', () => {
  test('keeps the last requests, and says how many it has let go', async () => {
    const sandbox = await startSandbox({ record: 3 })
    for (let n = 1; n <= 5; n += 1) await ask(sandbox.baseUrl, rw, { path: `/v1/lists?page=${n}` })
    expect(sandbox.record.entries.map(({ n, path }) => [n, path])).toEqual([
      [3, '/v1/lists?page=3'],
      [4, '/v1/lists?page=4'],
      [5, '/v1/lists?page=5'],
    ])
    expect(sandbox.record.dropped).toBe(2)
  })

  test('has no bodies', async () => {
    const sandbox = await startSandbox({ faults: 'lists.update=500,apply=yes' })
    const list = `/v1/lists/${sandbox.examples.list}`
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists', body: { name: 'kept' } })
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists', body: { name: 'wrong' }, signature: '0' })
    await ask(sandbox.baseUrl, rw, { path: list, method: 'PATCH', body: { name: 'applied' } })
    const { entries } = sandbox.record
    expect(entries.map(({ status }) => status)).toEqual([201, 401, 500])
    expect(entries.map(hasChanged)).toEqual([true, false, true])
    expect(JSON.stringify(entries)).not.toContain('name')
  })
})
