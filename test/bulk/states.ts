/** States of batches as their attempts leave them. */
import {
  applyEvent,
  reopen,
  reopenRefused,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from '../../src/bulk/record/batch-state.ts'
import type { BatchEvent } from '../../src/bulk/record/events.ts'

/** How one attempt ended, without what every line has. */
export type Ended = {
  k: 'never-sent' | 'refused' | 'ambiguous' | 'answered'
  s?: number
  m?: string
  x?: boolean
  d?: unknown
}
/** What a batch goes through; `crash`: an attempt without a result. */
export type Happening = Ended | BatchEvent | 'crash' | 'taken over' | 'opened again' | 'stopped the run' | 'resumed'

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

/** `state` after all that, an attempt a second; it was taken over at the beginning of time. */
export function followed(state: BatchState, ...happenings: Happening[]): BatchState {
  return happenings.reduce(next, state)
}

/** The same from the beginning. */
export function after(...happenings: Happening[]): BatchState {
  return followed(unsent, ...happenings)
}

function next(state: BatchState, happening: Happening): BatchState {
  switch (happening) {
    case 'taken over':
      return taint(state, { at: 0 })
    case 'opened again':
      return reopen(state)
    case 'stopped the run':
      return reopenRefused(state)
    case 'resumed':
      return resumeBatch(state)
    case 'crash':
      return applyEvent(state, { t: 'try', b: 1, a: state.attempts + 1, at: timeOf(state) })
    default:
      return 't' in happening ? applyEvent(state, happening) : tried(state, happening)
  }
}

function tried(state: BatchState, ended: Ended): BatchState {
  const at = timeOf(state) + 500
  return applyEvent(next(state, 'crash'), { t: 'res', b: 1, a: state.attempts + 1, at, ...ended })
}

function timeOf({ attempts }: BatchState): number {
  return (attempts + 1) * 1000
}
