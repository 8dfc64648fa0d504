/** Places for requests in flight: fewer when the service has too many, and never none. */
import { expect, test } from 'vitest'
import { Slots } from '../../src/bulk/sending/slots.ts'

/** How many requests can be in flight at once. */
function countPlaces(slots: Slots): number {
  let places = 0
  while (slots.acquire() === undefined) places += 1
  return places
}

test('half as many after each sign of too many, and never none', () => {
  const left = [1, 2, 3, 4, 5, 6].map((signs) => {
    const slots = new Slots(8)
    for (let sign = 0; sign < signs; sign += 1) slots.noteFailure(429, sign * 2000)
    return countPlaces(slots)
  })
  expect(left).toEqual([4, 2, 1, 1, 1, 1])
})

test('refusals within a second are one sign, and what is no sign of too many lowers nothing', () => {
  const slots = new Slots(8)
  for (const [status, now] of [
    [429, 0],
    [503, 900],
    [500, 5000],
    [undefined, 9000],
  ] as const)
    slots.noteFailure(status, now)
  expect(countPlaces(slots)).toBe(4)
})
