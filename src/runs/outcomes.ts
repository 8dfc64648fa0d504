/** The eight outcomes: what each means, and which count as done. Every id of a run has exactly one outcome. */
import type { BulkOperation } from '../api/operations.ts'

export const outcomes = [
  'done',
  'not-found',
  'blocked',
  'gone',
  'kept',
  'error',
  'unknown',
  'not-attempted',
] as const
export type Outcome = (typeof outcomes)[number]

/** The meaning of each outcome, for notes and tables. The meaning of `done` depends on the operation: see `doneMeanings`. */
export const meanings: Readonly<Record<Outcome, string>> = {
  done: '',
  'not-found': 'there is no such contact',
  blocked: 'the service keeps the contact, because it has chats',
  gone: 'absent after a lost answer: this run deleted it, or it was gone before',
  kept: 'somebody else has the ticket, so it was left alone',
  error: 'refused; nothing was changed',
  unknown: 'no answer shows what became of it',
  'not-attempted': 'nothing was sent, or it was turned away for now',
}

export const doneMeanings: Readonly<Record<BulkOperation, string>> = {
  'contacts.delete': 'deleted',
  'lists.add-contacts': 'on the list',
  'contacts.merge': 'merged',
  'tickets.assign': 'assigned',
}

/** The outcomes that `--accept` can count as done. */
export const acceptable: Readonly<Record<BulkOperation, readonly Outcome[]>> = {
  'contacts.delete': ['not-found', 'blocked'],
  'lists.add-contacts': ['not-found'],
  'contacts.merge': [],
  'tickets.assign': ['kept'],
}

/** Whether an outcome counts as done. `gone` counts too, because the contact is not there any more. */
export const isDone = (outcome: Outcome, accepted: readonly string[] = []) =>
  outcome === 'done' || outcome === 'gone' || accepted.includes(outcome)

/** How many ids have each outcome. Outcomes that no id has are left out. */
export type OutcomeCounts = Partial<Record<Outcome, number>>

/** Counts outcomes, in the order of `outcomes`. */
export function countOutcomes(groups: Iterable<readonly Outcome[]>): OutcomeCounts {
  const counts = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]))
  for (const group of groups)
    for (const outcome of group) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return Object.fromEntries([...counts].filter(([, count]) => count > 0))
}
