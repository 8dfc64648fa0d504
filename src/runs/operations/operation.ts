/**
 * A bulk operation: what its requests contain, which outcomes follow from an answer, and when a request may be sent again.
 * Each of the four operations has its own file; this one has what they share.
 */
import type { LineOf, Range } from '../lines.ts'
import type { Outcome } from '../outcomes.ts'

/** The content of one request: up to 100 ids, or one pair. */
export interface Batch {
  ids: readonly string[]
  /** The other party of the pair: the target of a merge, the new assignee of a ticket. */
  other: string | undefined
  /** An undo changes the ticket only if it still has this assignee. */
  expected: string | undefined
  /** The list of an add; the one new assignee of all tickets. */
  target: string | undefined
  /** `--if-assignee`: a ticket is changed only if it has this assignee. */
  ifAssignee: string | undefined
}

export type ResultLine = LineOf<'res'>
export type ReadingLine = LineOf<'read'>

/** The state of one request, after all its attempts so far. */
export interface Request {
  /** The positions of its items in the run. */
  range: Range
  attempts: number
  /** Whether the last `try` has no `res` yet. */
  isInFlight: boolean
  /** Whether the answer to an earlier attempt was lost, so that the attempt may have been carried out. */
  isDoubtful: boolean
  /** How the last attempt ended. */
  last?: ResultLine
  /** When the last attempt began or ended, in milliseconds since 1970. */
  at?: number
  /** The result that counts: the first answer that adds up, a final refusal, or a second answer that makes no sense. */
  answer?: ResultLine | undefined
  /** Whether it is half of an earlier request, whose answer said that only some of the contacts exist. */
  isHalf: boolean
  /** The two requests that replace it after such an answer. */
  halves?: readonly Request[]
  /** The last reading of the ticket. */
  reading?: ReadingLine | undefined
  /** The assignee before the first attempt; null for nobody. */
  former?: string | null
}

/**
 * Whether an attempt may have been carried out without a known answer: its answer was lost, or is still on its way. A lost answer
 * stays lost when a later attempt is answered, so ask `isAnswered` first.
 */
export const isInDoubt = ({ isDoubtful, isInFlight }: Request) => isDoubtful || isInFlight

/** Whether an answer that adds up has arrived. */
export const isAnswered = ({ answer }: Request) =>
  answer?.k === 'answered' && answer.odd !== true

export interface Operation {
  words: {
    /** `Delete` */
    verb: string
    /** `deleting` */
    doing: string
    /** The first word of a run's id: `delete`. */
    run: string
    item: 'contact' | 'ticket'
  }
  maxPerRequest: number
  /** How many requests are in flight at once, without `--concurrency`. */
  concurrency: number
  /** The two columns in a file of pairs. */
  pairs?: readonly [string, string]
  /** The change cannot be undone, so svc asks on every profile. */
  isIrreversible?: true
  /** The ticket is read before its request, and again after a lost answer. */
  isReadFirst?: true
  request: (batch: Batch) => { ids?: Record<string, string>; body: Record<string, unknown> }
  /** Returns the members of an answer that outcomes follow from. Only these are recorded. Null for an unexpected answer. */
  recordedPart: (data: unknown) => unknown
  /** Returns why a recorded answer does not fit its batch; undefined if it adds up. */
  findProblem: (batch: Batch, data: unknown) => string | undefined
  /** Returns how many contacts a recorded answer counts as added, and whether only some of the contacts exist. */
  countsOf?: (data: unknown, batch: Batch) => { added: number; isMixed: boolean }
  /** Whether svc sends a request to which no answer counts yet. */
  isDueUnanswered: (request: Request, batch: Batch) => boolean
  /** Returns the outcomes of the batch. Undefined for a refusal, a doubt and what is due: all operations treat these alike. */
  outcomesOf: (request: Request, batch: Batch) => readonly Outcome[] | undefined
}

export const sameForAll = ({ ids }: Batch, outcome: Outcome) => ids.map(() => outcome)

export const unexpectedForm = 'the answer does not have the expected form'

/** Returns why the counts of an answer do not add up to the ids that were sent; undefined if they do. */
export function findSumProblem(counts: Readonly<Record<string, number>>, sent: number) {
  const sum = Object.values(counts).reduce((before, count) => before + count, 0)
  if (sum === sent) return undefined
  const terms = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${terms.join(' + ')} is ${sum}, but ${sent} were sent`
}

/** Returns the id of a batch that has only one. */
export function onlyId({ ids }: Batch): string {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new RangeError('a request has one id')
  return id
}
