/** The data of the sandbox and what it takes. If red, its ids are others every day, or it takes what the service would not. */
import { expect, test } from 'vitest'
import { ask, rw } from '../support/sandbox-client.ts'
import { startSandbox } from '../support/watched-sandbox.ts'

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

test.each([
  ['application/json', 201],
  ['Application/JSON; charset=utf-8', 201],
  ['application/jsonx', 400],
  ['text/plain', 400],
  [undefined, 400],
])('a body of the type %s: %i', async (type, status) => {
  const { baseUrl } = await startSandbox()
  const what = { path: '/v1/lists', body: { name: 'x' }, headers: { 'content-type': type } }
  expect((await ask(baseUrl, rw, what)).status).toBe(status)
})
