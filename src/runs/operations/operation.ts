/**
 * A bulk operation: what it sends in a request, when an answer makes sense, which outcomes follow from it, and when a
 * request may be sent again. Each of the four has its own file; this one has what they share.
 */
import type { LineOf, Range } from '../lines.ts'
import type { Outcome } from '../outcomes.ts'

/** The items of one request, in the order in which they are sent. */
export interface Batch {
  ids: readonly string[]
  /** The other party of a pair. */
  other: string | undefined
  /** The assignee that the ticket of an undo must have. */
  expected: string | undefined
  /** The list of an add, the new assignee of an assign. */
  target: string | undefined
  ifAssignee: string | undefined
}

export type Res = LineOf<'res'>
export type Read = LineOf<'read'>

/** A stretch of the items that is one request. */
export interface Request {
  range: Range
  attempts: number
  /** A `try` without its `res`. */
  isInFlight: boolean
  /** An attempt may have been carried out, but no answer says so. */
  isDoubtful: boolean
  /** How the last attempt ended. */
  last?: Res
  /** When the last attempt began or ended. */
  at?: number
  /** The result that counts: the first answer that adds up, a refusal that stays, or a second answer that makes no sense. */
  answer?: Res | undefined
  /** It is half of a request whose answer said that some of its contacts do not exist. */
  isHalf: boolean
  /** The two requests that it became after such an answer. */
  halves?: readonly Request[]
  /** The last reading of the ticket. */
  reading?: Read | undefined
  /** The assignee from before the first attempt. */
  former?: string | null
}

export const isInDoubt = ({ isDoubtful, isInFlight }: Request) => isDoubtful || isInFlight
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
    /** The word before the other party. */
    preposition: 'into' | 'to'
  }
  /** The most items of a request. */
  most: number
  /** How many requests are in flight, unless `--concurrency` says otherwise. */
  concurrency: number
  /** The columns of a file of pairs. */
  pairs?: readonly [string, string]
  /** It cannot be undone, so svc asks on every profile. */
  isFinal?: true
  /** The ticket is read before each attempt, and after a lost answer. */
  isReadFirst?: true
  request: (batch: Batch) => { ids?: Record<string, string>; body: Record<string, unknown> }
  /** The part of an answer that is recorded: what the outcomes follow from, and no customer's data. */
  keep: (data: unknown) => unknown
  /** Why an answer to this batch makes no sense. Undefined if it adds up. */
  problem: (batch: Batch, data: unknown) => string | undefined
  /** The counts of an answer to an add. `isMixed`: some of the contacts exist and others do not. */
  counts?: (data: unknown, request: Request) => { added: number; isMixed: boolean }
  /** Whether a command sends a request that has no result yet. */
  isDue: (request: Request, batch: Batch) => boolean
  /** The outcomes that only this operation knows. Undefined for a refusal, a doubt and what is due: those are alike for all operations. */
  outcomesOf: (request: Request, batch: Batch) => readonly Outcome[] | undefined
}

export const sameForAll = ({ ids }: Batch, outcome: Outcome) => ids.map(() => outcome)

export const unexpectedForm = 'the answer does not have the expected form'

/** Why the counts of an answer do not add up to the ids that were sent. */
export function sumProblem(counts: Readonly<Record<string, number>>, sent: number) {
  const sum = Object.values(counts).reduce((before, count) => before + count, 0)
  if (sum === sent) return undefined
  const terms = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${terms.join(' + ')} is ${sum}, but ${sent} were sent`
}

/** The only id of a request. */
export function onlyId({ ids }: Batch): string {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new RangeError('a request has one id')
  return id
}
