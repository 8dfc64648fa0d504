/**
 * A bulk operation: what a request is, when its answer makes sense, what it claims, and when it may be sent (again). There
 * are four, each in its own file, and this file has what they share.
 */
import type { LineOf, Range } from '../lines.ts'
import type { Outcome } from '../outcomes.ts'

/** The items of one request, in the order in which they are sent. */
export interface Batch {
  ids: readonly string[]
  /** The second party of a pair, and the assignee that the ticket of an undo must have. */
  other: string | undefined
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
  /** An attempt may have been carried out, and no answer shows it. */
  isDoubtful: boolean
  /** How the last attempt ended, and when it was tried or answered. */
  last?: Res
  at?: number
  /** The result that counts: the first answer that adds up, a refusal that stays, or the second answer without sense. */
  answer?: Res | undefined
  /** An answer about more ids than these says that some of them do not exist. */
  isHalf: boolean
  /** What it became when an answer said that some of its ids do not exist. */
  halves?: readonly Request[]
  /** The last reading, and the assignee from before the first attempt. */
  reading?: Read | undefined
  former?: string | null
}

export const isInDoubt = ({ isDoubtful, isInFlight }: Request) => isDoubtful || isInFlight
export const isAnswered = ({ answer }: Request) =>
  answer?.k === 'answered' && answer.odd !== true

export interface Operation {
  words: {
    /** `Delete`, `deleting`, and the name of a run. */
    verb: string
    doing: string
    run: string
    item: 'contact' | 'ticket'
    /** Between the parties of a pair, and before the list or employee of all. */
    preposition: 'into' | 'to'
  }
  /** The most items of a request, and how many requests are in flight. */
  most: number
  concurrency: number
  /** The columns of a file of pairs. */
  pairs?: readonly [string, string]
  /** A question is asked on every profile. */
  isFinal?: true
  /** The ticket is read before an attempt, and after one that lost its answer. */
  isRead?: true
  request: (batch: Batch) => { path: Record<string, string>; body: Record<string, unknown> }
  /** The part of an answer that is recorded: what claims are made from, and no customer's data. */
  keep: (data: unknown) => unknown
  /** Why an answer about this batch makes no sense. */
  problem: (batch: Batch, data: unknown) => string | undefined
  /** How many contacts an answer counts as added; whether some of the request exist and others do not. */
  counts?: (data: unknown, request: Request) => { added: number; isMixed: boolean }
  /** Whether a command sends a request that has no result yet. */
  isDue: (request: Request, batch: Batch) => boolean
  /** The claims of a request; undefined if they are those of every operation. */
  judge: (request: Request, batch: Batch) => readonly Outcome[] | undefined
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
