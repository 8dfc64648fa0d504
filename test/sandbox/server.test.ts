/** The data of the sandbox. If red, its ids are others every day. */
import { expect, test } from 'vitest'
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
