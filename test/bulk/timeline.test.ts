/** When requests were sent, in buckets that never become more. */
import { expect, it } from 'vitest'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import { Timeline } from '../../src/bulk/telling/timeline.ts'

const begun = 1_772_360_100_000
const attempt = (at: number, b: number, a = 1): JournalEvent => ({ t: 'try', b, a, at: begun + at })
const answer = (at: number, b: number, a = 1): JournalEvent => ({
  t: 'res',
  b,
  a,
  at: begun + at,
  k: 'answered',
  s: 200,
})

function drawn(...events: readonly JournalEvent[]) {
  const timeline = new Timeline()
  for (const event of events) timeline.take(event)
  return timeline.result()
}

it('nothing was sent', () => {
  expect(drawn()).toMatchObject({ start: 0, duration: 0, buckets: [], requests: 0 })
})

it('first attempts, retries and the pause between them', () => {
  const { buckets, ...rest } = drawn(attempt(0, 1), answer(40, 1), attempt(2040, 1, 2), answer(2100, 1, 2))
  expect(rest).toEqual({
    start: begun,
    duration: 2100,
    width: 50,
    resumed: [],
    requests: 2,
    retries: 1,
    pauses: { count: 1, total: 2000, longest: 2000 },
  })
  expect(buckets.length).toBe(41)
  expect([buckets[0], buckets[1], buckets[40]]).toEqual([
    { first: 1, retries: 0, paused: 10 },
    { first: 0, retries: 0, paused: 50 },
    { first: 0, retries: 1, paused: 40 },
  ])
})

it('no pause while another request is in flight, nor between two sessions', () => {
  const day = 86_400_000
  const { duration, resumed, pauses, requests } = drawn(
    attempt(0, 1),
    attempt(10, 2),
    answer(20, 1),
    attempt(5000, 3),
    { t: 'resume', at: begun + day },
    attempt(day + 30, 4),
    answer(day + 60, 4),
  )
  expect({ duration, resumed, pauses, requests }).toEqual({
    duration: 5060,
    resumed: [5000],
    pauses: { count: 0, total: 0, longest: 0 },
    requests: 4,
  })
})

it('however long and however much: at most 60 buckets, and nothing is lost', () => {
  const events: JournalEvent[] = []
  for (let b = 1; b <= 20_000; b += 1) events.push(attempt(b * 977, b), answer(b * 977 + 900, b))
  const { buckets, requests, width, duration } = drawn(...events)
  expect(buckets.length).toBeLessThanOrEqual(60)
  expect(buckets.length * width).toBeGreaterThanOrEqual(duration - width)
  expect([requests, buckets.reduce((sum, { first }) => sum + first, 0)]).toEqual([20_000, 20_000])
})

it('a clock that was set back', () => {
  const { duration, requests } = drawn(attempt(1000, 1), answer(500, 1), attempt(600, 2), answer(1300, 2))
  expect([duration, requests]).toEqual([300, 2])
})
