import { expect, test } from 'vitest'
import { startSandbox } from '../support/watched-sandbox.ts'

const day = 24 * 60 * 60 * 1000
const later = Date.now() + 400 * day
const [today, then] = [await startSandbox(), await startSandbox({ now: () => later })]

test('the ids are the same on every day', () => {
  expect(then.examples).toEqual(today.examples)
})

// The API key `limited-history` sees no tickets older than 30 days.
test('all tickets but the old one are younger than 29 days, on every day', () => {
  const tickets = Array.from(then.company.tickets.values(), ({ ticket }) => ticket)
  const daysOf = (startedAt: string) => (later - Date.parse(startedAt)) / day
  expect(tickets.filter(({ startedAt }) => daysOf(startedAt) < 0)).toEqual([])
  const old = tickets.filter(({ startedAt }) => daysOf(startedAt) > 29)
  expect(old.map(({ id }) => id)).toEqual([then.examples.tickets.old])
  expect(daysOf(old[0]?.startedAt ?? '')).toBeGreaterThan(31)
})
