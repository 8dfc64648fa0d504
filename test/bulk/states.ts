/** States of batches as their attempts leave them. */
import { applyEvent, unsent, type BatchState } from '../../src/bulk/batch-state.ts'
import type { BatchEvent } from '../../src/bulk/events.ts'

/** How one attempt ended, without what every line has. */
export type Ended = {
  k: 'never-sent' | 'refused' | 'ambiguous' | 'answered'
  s?: number
  m?: string
  x?: boolean
  d?: unknown
}
/** `crash`: no result. */
export type Happening = Ended | 'crash' | BatchEvent

export const refused = (s: number): Ended => ({ k: 'refused', s })
export const failed = (s: number): Ended => ({ k: 'ambiguous', s, m: `HTTP ${s}` })
export const answered = (d: unknown): Ended => ({ k: 'answered', s: 200, d })
export const ambiguous: Ended = { k: 'ambiguous', m: 'reset' }
export const neverSent: Ended = { k: 'never-sent', m: 'connection refused' }
export const givenUp: Ended = { k: 'never-sent', m: 'stopped', x: true }

export const deletion = (deletedCount: unknown, notFoundIds: unknown, blockedIds: unknown): Ended =>
  answered({ deletedCount, notFoundIds, blockedIds })
export const addition = (added: unknown, skipped: unknown, failed: unknown): Ended =>
  answered({ added, skipped, failed })

/** `state` after attempts that ended so, a second each. */
export function followed(state: BatchState, ...happenings: Happening[]): BatchState {
  return happenings.reduce(after1, state)
}

/** The same from the beginning. */
export function after(...happenings: Happening[]): BatchState {
  return followed(unsent, ...happenings)
}

function after1(state: BatchState, happening: Happening): BatchState {
  if (typeof happening === 'object' && 't' in happening) return applyEvent(state, happening)
  const a = state.attempts + 1
  const tried = applyEvent(state, { t: 'try', b: 1, a, at: a * 1000 })
  return happening === 'crash' ? tried : applyEvent(tried, { t: 'res', b: 1, a, at: a * 1000 + 500, ...happening })
}
