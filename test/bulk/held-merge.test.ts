/** A merge that was sent again after lines of the journal were lost: the lost attempt can still take effect, so others wait. */
import { expect, it } from 'vitest'
import { requestCanLand } from '../../src/api/limits.ts'
import { applyEvent, canLandUntil, taint, unsent, type BatchState } from '../../src/bulk/record/batch-state.ts'
import { cutBatches } from '../../src/bulk/record/batches.ts'
import { pairItems } from '../../src/bulk/record/items.ts'
import { chainOf } from '../../src/bulk/operations/merge-order.ts'
import { RunState } from '../../src/bulk/outcomes/state.ts'
import { idOf } from '../ids/inputs.ts'

const lostAt = 1_000_000

it('that was refused is not what a lost try was about; the next ones are, as many as the concurrency', () => {
  const chained = [1, 2, 4, 5, 6, 7, 8].map((n, i) => ({
    id: idOf(n),
    other: idOf(n + 1 + (n > 2 ? 10 : 0)),
    line: i + 1,
  }))
  const state = new RunState({
    operation: 'contacts.merge',
    items: pairItems(chained),
    batches: cutBatches(chained.length, 1),
    chain: chainOf(chained),
    concurrency: 2,
  })
  const end = (b: number, res: { k: 'refused' | 'answered'; s: number; d?: unknown }): void => {
    state.replay({ t: 'try', b, a: 1, at: lostAt })
    state.replay({ t: 'res', b, a: 1, at: lostAt, ...res })
  }
  // The second one waits for the first: neither will be sent.
  end(1, { k: 'refused', s: 400 })
  end(3, { k: 'answered', s: 200, d: { mergedContactId: idOf(4) } })
  end(4, { k: 'refused', s: 404 })
  expect(state.nextOpen()).toEqual([5, 6])
  // It may be tried again in the same session.
  end(5, { k: 'refused', s: 429 })
  expect(state.nextOpen()).toEqual([5, 6, 7])
})

it('can take effect for six minutes after the latest time that is known of it, however clocks were set', () => {
  const end = (state: BatchState): number => (canLandUntil(state) ?? 0) - requestCanLand
  const tried = applyEvent(unsent, { t: 'try', b: 1, a: 1, at: 1_000_000, signed: 9000, service: 12_000 })
  expect(canLandUntil(unsent)).toBeUndefined()
  expect(end(tried)).toBe(12_000)
  const lost = applyEvent(tried, { t: 'res', b: 1, a: 1, at: 2_000_000, k: 'ambiguous' })
  expect([end(lost), end(taint(lost, { at: 5000 })), end(taint(lost, { at: 50_000 }))]).toEqual([
    12_000, 12_000, 50_000,
  ])
})
