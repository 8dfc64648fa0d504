/**
 * The outcomes that an id can have: what each counts as, and what it means in words. Every id of a run has exactly one.
 * Operations judge by them; receipts, summaries, help and exit codes follow from this table.
 */
import type { BulkOperation } from '../api/operations.ts'

interface OutcomeFacts {
  /** Its figure in the summary. Absent if counts of the answers take its place. */
  figure?: string
  /** The summary's array of the ids with this outcome. */
  idArray?: string
  /** Needs no attention, whatever `--accept` says. */
  isDone: boolean
  /** `--accept` can make it count as done for the exit code. */
  isAcceptable: boolean
  /** `--outcome` opens its batches again: no answer has settled these ids. */
  isReopenable: boolean
  /**
   * A guess after a lost answer. It counts as done only if some id has the outcome `guessOf`, or if some answer was lost for
   * another reason than a 5xx.
   */
  guessOf?: 'deleted'
  /** The meaning, in words for help and summaries. */
  meaning: string
  /** The reason for the person who made the list; empty if the outcome needs none. */
  reason: string
}

const asAsked = { isDone: true, isAcceptable: false, isReopenable: false, reason: '' }
const otherwise = { isDone: false, isAcceptable: true, isReopenable: false }
const unanswered = { isDone: false, isAcceptable: false, isReopenable: true }

const table = {
  deleted: { ...asAsked, figure: 'deleted', meaning: 'deleted by this run' },
  'not-found': {
    ...otherwise,
    figure: 'notFound',
    idArray: 'notFoundIds',
    meaning: 'the service knows no such contact',
    reason: 'there is no contact with this id',
  },
  blocked: {
    ...otherwise,
    figure: 'blocked',
    idArray: 'blockedIds',
    meaning: 'the service keeps these contacts, because they have chats',
    reason: 'the service keeps contacts with chats',
  },
  gone: {
    ...asAsked,
    figure: 'gone',
    idArray: 'goneIds',
    guessOf: 'deleted',
    meaning: 'deleted by an attempt whose answer was lost, or never there',
    reason: 'the contact is gone: deleted by this run, or never there',
  },
  ok: { ...asAsked, meaning: 'on the list now: added, or already there' },
  missing: {
    ...otherwise,
    figure: 'missing',
    idArray: 'missingIds',
    meaning: 'these contacts do not exist',
    reason: 'there is no contact with this id',
  },
  undetermined: {
    ...otherwise,
    isReopenable: true,
    figure: 'undetermined',
    meaning: 'some of these contacts do not exist, and no answer says which',
    reason: 'not known: some contacts in its request do not exist',
  },
  done: { ...asAsked, figure: 'done', meaning: 'done as asked' },
  kept: {
    ...otherwise,
    figure: 'kept',
    meaning: 'somebody else has the ticket, or nobody; left alone',
    reason: 'somebody else has it, or nobody; left alone',
  },
  'not-attempted': {
    ...unanswered,
    figure: 'notAttempted',
    meaning: 'never sent',
    reason: 'not sent',
  },
  unknown: {
    ...unanswered,
    figure: 'unknown',
    idArray: 'unknownIds',
    meaning: 'an answer was lost: the change may or may not have been made',
    reason: 'not known whether it was done',
  },
  error: {
    ...unanswered,
    figure: 'error',
    meaning: 'the service refused it, or it never reached the service: nothing was changed',
    reason: 'not done',
  },
} as const satisfies Record<string, OutcomeFacts>

export type Outcome = keyof typeof table

/** The outcomes that every operation has. */
const common = ['not-attempted', 'unknown', 'error'] as const
export type CommonOutcome = (typeof common)[number]

const own: Readonly<Record<BulkOperation, readonly Outcome[]>> = {
  'contacts.delete': ['deleted', 'not-found', 'blocked', 'gone'],
  'lists.add-contacts': ['ok', 'missing', 'undetermined'],
  'contacts.merge': ['done'],
  'tickets.assign': ['done', 'kept'],
}

/** Counts of the answers to adds that are figures of the summary in place of `ok`. */
export const countsOfOk = ['added', 'skipped', 'addedOrSkipped'] as const

/** The claims about a batch. */
export interface Judgement {
  /** One for each id, in its order. */
  outcomes: readonly Outcome[]
  /** Counts of an add with an answer that adds up. */
  counts?: Readonly<Record<(typeof countsOfOk)[number], number>> | undefined
  /** The reason in words, if it is not the result of the last attempt. */
  problem?: string | undefined
}

export const isOutcome = (text: string): text is Outcome => Object.hasOwn(table, text)

export const outcomes: readonly Outcome[] = Object.keys(table).filter(isOutcome)

export const outcomeFacts = (outcome: Outcome): OutcomeFacts => table[outcome]

/** Outcomes that `--accept` takes of some operation, and those that `--outcome` of `runs resume` opens again. */
export const acceptable = outcomes.filter((outcome) => outcomeFacts(outcome).isAcceptable)
export const reopenable = outcomes.filter((outcome) => outcomeFacts(outcome).isReopenable)

/** Whether an id with this outcome needs no attention, whatever `--accept` says. */
export const isDone = (outcome: Outcome) => outcomeFacts(outcome).isDone

/** Whether a batch with this outcome failed: it was refused, or may have been done. */
export const isFailed = (outcome: Outcome | undefined) =>
  outcome === 'error' || outcome === 'unknown'

/** Whether something is left to send or to find out, `error` and `unknown` aside: its receipt may say why. */
export const isPending = (outcome: Outcome | undefined) =>
  outcome !== undefined && outcomeFacts(outcome).isReopenable && !isFailed(outcome)

/**
 * The outcome of a batch as a whole: what failed of it or is open, else that of its first id. Only an add can end with
 * several.
 */
export const outcomeOf = ({ outcomes }: Judgement): Outcome | undefined =>
  outcomes.find((outcome) => isFailed(outcome) || isPending(outcome)) ?? outcomes[0]

/** The outcomes of an operation: its own, then those that all have. */
export const outcomesOfOperation = (name: BulkOperation): readonly Outcome[] => [
  ...own[name],
  ...common,
]

/** Outcomes of an operation that `--accept` takes; some operations have none. */
export const acceptableOf = (name: BulkOperation): readonly Outcome[] =>
  own[name].filter((outcome) => outcomeFacts(outcome).isAcceptable)

/** The outcomes of `--accept` in the order of the table. */
export const acceptedBy = (accept: readonly string[] = []): readonly Outcome[] =>
  acceptable.filter((outcome) => accept.includes(outcome))

/** The outcomes that somebody must look at, as `runs export` takes them. Ids that were never sent need no list. */
export const outcomesToList = (name: BulkOperation): readonly Outcome[] => [
  ...own[name].filter((outcome) => !isDone(outcome)).toSorted(),
  'error',
  'unknown',
]

/**
 * A figure of a summary, and the outcome of the ids that it counts. `isCount`: it is one of the counts that answers have.
 */
export interface Figure {
  name: string
  outcome: Outcome
  isCount: boolean
}

/** The figures of a summary in their order: what is done, what is not, and what all operations have. */
export function figuresOf(name: BulkOperation): readonly Figure[] {
  const counts = own[name].includes('ok')
    ? countsOfOk.map((count): Figure => ({ name: count, outcome: 'ok', isCount: true }))
    : []
  const ordered = [
    ...own[name].filter(isDone),
    ...own[name].filter((outcome) => !isDone(outcome)),
    ...(['error', 'unknown', 'not-attempted'] as const),
  ]
  const figures = ordered.flatMap((outcome): Figure[] => {
    const { figure } = outcomeFacts(outcome)
    return figure === undefined ? [] : [{ name: figure, outcome, isCount: false }]
  })
  return [...counts, ...figures]
}

/** The summary's arrays of ids by their outcomes. */
export function idArraysOf(name: BulkOperation): readonly (readonly [string, Outcome])[] {
  return outcomesOfOperation(name).flatMap((outcome) => {
    const { idArray } = outcomeFacts(outcome)
    return idArray === undefined ? [] : [[idArray, outcome] as const]
  })
}
