/**
 * What the rules should say of a situation, from what svc may know: a claim that is true can still be worth nothing, as
 * `unknown` of everything would be.
 */
import type { BatchOutcome, Outcome } from '../../../src/bulk/operations/outcome.ts'
import type { Situation, Truth } from './walk.ts'

/** The outcome of each id, unless an honest answer says more. */
function outcomeWithout({ ending, doubt }: Truth): Outcome {
  if (ending === 'nonsense' || doubt) return 'unknown'
  return ending === undefined ? 'not-attempted' : 'error'
}

/** What is wrong with the outcomes; `told`: what they are when the answer was honest. */
export function wrongOutcome(
  { truth }: Situation,
  { outcomes }: BatchOutcome,
  told: (honest: unknown) => readonly Outcome[],
): string | undefined {
  const without = outcomeWithout(truth)
  const expected = truth.ending === 'answered' ? told(truth.honest) : outcomes.map(() => without)
  return expected.join() === outcomes.join() ? undefined : `${expected.join(' ')} can be claimed`
}

/** Whether how the last attempt ended says nothing about the request. */
function saysNothing({ ending }: Truth): boolean {
  return ending === undefined || ending === 'never-sent' || ending === 'for-now' || ending === 'reopened'
}

function hasAnswer({ ending }: Truth): boolean {
  return ending === 'answered' || ending === 'nonsense'
}

/** What resuming should do with a batch that may be sent again as often as one likes. */
export function repeatableAction({ truth }: Situation): string {
  if (hasAnswer(truth)) return 'finished'
  return truth.doubt || saysNothing(truth) ? 'send' : 'finished'
}

export function mergeAction({ truth }: Situation): string {
  if (hasAnswer(truth)) return 'finished'
  if (truth.ownLost) return 'list-only'
  if (saysNothing(truth)) return 'send'
  return truth.doubt ? 'list-only' : 'finished'
}

/** `isDone`: the last reading showed the wanted assignee. */
export function assignAction({ truth }: Situation, isDone: boolean): string {
  if (hasAnswer(truth) || isDone) return 'finished'
  if (truth.doubt) return 'read-first'
  return saysNothing(truth) ? 'send' : 'finished'
}

export function wrongAction(expected: string, action: string): string | undefined {
  return expected === action ? undefined : `resuming would do ${action}, not ${expected}`
}
