/** The eight outcomes: what each means, and which count as done. Every id of a run has exactly one outcome. */

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

/** The meaning of each outcome but `done`, whose meaning depends on the operation. */
export const meanings: Readonly<Record<Exclude<Outcome, 'done'>, string>> = {
  'not-found': 'there is no such contact',
  blocked: 'the service keeps the contact, because it has chats',
  gone: 'absent after a lost answer: deleted by this run, or before',
  kept: 'not with the expected employee, so it was left alone',
  error: 'refused; nothing was changed',
  unknown: 'no answer or record shows what became of it',
  'not-attempted': 'nothing was sent, or it was turned away for now',
}

/** Whether an outcome counts as done. `gone` does: the contact is not there any more. */
export const isDone = (outcome: Outcome, accepted: readonly Outcome[]) =>
  outcome === 'done' || outcome === 'gone' || accepted.includes(outcome)

/** How many ids have each outcome. Outcomes that no id has are absent. */
export type OutcomeCounts = Partial<Record<Outcome, number>>
