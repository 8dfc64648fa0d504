import { expect, test } from 'vitest'
import { startSandbox } from './watched.ts'
import { ask, rw } from './client.ts'

const post = (sandbox: { baseUrl: string }, path: string, body: unknown) =>
  ask(sandbox.baseUrl, rw, { path, body })

test('the data has the same ids on every day, and the old ticket is always old', async () => {
  const later = Date.now() + 400 * 24 * 60 * 60 * 1000
  const [today, then] = [await startSandbox(), await startSandbox({ now: () => later })]
  expect(then.examples).toEqual(today.examples)
  const ages = [...then.store.tickets.all()].map((ticket) => ({
    old: ticket.id === then.examples.tickets.old,
    days: (later - Date.parse(ticket.startedAt)) / (24 * 60 * 60 * 1000),
  }))
  for (const { old, days } of ages) expect(old ? days > 31 : days > 0 && days < 29).toBe(true)
})

test('a request that waits when it closes is not carried out', async () => {
  const sandbox = await startSandbox({ latency: 5000 })
  const waiting = post(sandbox, '/v1/lists', { name: 'late' }).catch((error: Error) => error)
  while (sandbox.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await sandbox.close()
  expect(await waiting).toBeInstanceOf(Error)
  expect(sandbox.record.createdIds()).toEqual([])
  await expect.poll(() => sandbox.record.entries[0]?.status).toBe('dropped')
})
