/** The facts of an outcome, and the three that every operation has. The operations have rows of them, and `outcome.ts` reads these. */
export interface OutcomeFacts {
  /** Its figure in the summary. Absent if counts of the answers take its place. */
  readonly figure?: string
  /** The summary's array of the ids with this outcome. */
  readonly idArray?: string
  /** Needs no attention, whatever `--accept` says. */
  readonly isDone: boolean
  /** `--accept` can make it count as done for the exit code. */
  readonly isAcceptable: boolean
  /** `--outcome` opens its batches again: the service has not answered for these ids. */
  readonly isReopenable: boolean
  /** A guess after a lost answer. It counts as done only if some id has the outcome `guessOf`, or if an answer was lost without any answer of the service. */
  readonly guessOf?: string
  /** The meaning, in words for help and summaries. */
  readonly meaning: string
  /** The reason for the person who made the list; empty if the outcome needs none. */
  readonly reason: string
}

const open = {
  isDone: false,
  isAcceptable: false,
  isReopenable: true,
} as const

/** The first outcome is that of an id about which nothing is known yet. */
export const commonOutcomes = {
  'not-attempted': {
    ...open,
    figure: 'notAttempted',
    meaning: 'never sent',
    reason: 'not sent',
  },
  unknown: {
    ...open,
    figure: 'unknown',
    idArray: 'unknownIds',
    meaning: 'an answer was lost: the change may or may not have been made',
    reason: 'not known whether it was done',
  },
  error: {
    ...open,
    figure: 'error',
    meaning: 'the service refused it, or it never reached the service: nothing was changed',
    reason: 'not done',
  },
} as const satisfies Record<string, OutcomeFacts>

export type CommonOutcome = keyof typeof commonOutcomes

/** The facts of an outcome that was asked for. */
export const asAsked = {
  isDone: true,
  isAcceptable: false,
  isReopenable: false,
  reason: '',
} as const

/** The facts of an outcome that the service gave, but that was not asked for. */
export const answeredOtherwise = {
  isDone: false,
  isAcceptable: true,
  isReopenable: false,
} as const

/** The outcome of an operation on one thing at a time. */
export const done = {
  ...asAsked,
  figure: 'done',
  meaning: 'done as asked',
} as const satisfies OutcomeFacts
