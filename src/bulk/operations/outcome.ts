/** What can become of an id: whether it is finished, open, or to be found out, and what it means in words. */

/**
 * `done`: as asked. `final`: the service has answered, and it counts as done only when told. `error`: not done. `unclear`: it
 * may have been done. `open`: something is left to send or to find out. The meaning is for somebody who was not there (the
 * page of a run), the reason for the person who made the list; it is empty when the outcome says it all.
 */
const facts = {
  'not-attempted': { kind: 'open', meaning: 'never sent', reason: 'not sent' },
  unknown: {
    kind: 'unclear',
    meaning: 'an answer was lost: the change may or may not have been made',
    reason: 'not known whether it was done',
  },
  error: {
    kind: 'error',
    meaning: 'the service refused it, or it never got there: nothing was changed',
    reason: 'not done',
  },
  done: { kind: 'done', meaning: 'done as asked', reason: '' },
  deleted: { kind: 'done', meaning: 'deleted by this run', reason: '' },
  'not-found': {
    kind: 'final',
    meaning: 'the service knows no such contact',
    reason: 'there is no contact with this id',
  },
  blocked: {
    kind: 'final',
    meaning: 'the service keeps these contacts, because they have chats',
    reason: 'not deleted: the contact has chats',
  },
  gone: {
    kind: 'done',
    meaning: 'deleted by an attempt whose answer was lost, or never there',
    reason: 'the contact is gone: deleted by this run, or never there',
  },
  ok: { kind: 'done', meaning: 'on the list now: added, or already there', reason: '' },
  missing: { kind: 'final', meaning: 'these contacts do not exist', reason: 'there is no contact with this id' },
  undetermined: {
    kind: 'open',
    meaning: 'some contacts of these requests do not exist, and the service does not say which',
    reason: 'not known: some contacts of its request do not exist',
  },
} as const

export type Outcome = keyof typeof facts
/** Every outcome, so that one can be kept as a byte. */
export const outcomes = Object.keys(facts) as readonly Outcome[]

export const isOutcome = (text: string): text is Outcome => Object.hasOwn(facts, text)

export const outcomeFacts = (outcome: Outcome) => facts[outcome]

/** Whether an id that ended so needs nobody's attention, whatever is accepted. */
export const isDone = (outcome: Outcome): boolean => facts[outcome].kind === 'done'

/** Whether a batch that ended so failed: it was refused, or may have been done. */
export const isFailed = (outcome: Outcome | undefined): boolean => outcome === 'error' || outcome === 'unknown'

/** Whether something is left to send or to find out: its receipt may say why. */
export const isOpen = (outcome: Outcome | undefined): boolean => outcome !== undefined && facts[outcome].kind === 'open'
