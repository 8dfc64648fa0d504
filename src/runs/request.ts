/** One request of a run, and what its lines say of it. */
import type { LineOf, Range } from './lines.ts'

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
  last: Res | undefined
  at: number | undefined
  /** The result that counts: the first answer that adds up, a refusal that stays, or the second answer without sense. */
  answer: Res | undefined
  /** An answer about more ids than these says that some of them do not exist. */
  isHalf: boolean
  /** The last reading, and the assignee from before the first attempt. */
  reading: Read | undefined
  former: string | null | undefined
}

export const isInDoubt = ({ isDoubtful, isInFlight }: Request) => isDoubtful || isInFlight
export const isAnswered = ({ answer }: Request) =>
  answer?.k === 'answered' && answer.odd !== true
