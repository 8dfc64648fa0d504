/**
 * Whether a session sends a batch, also again. What its refusals and answers mean is decided when they come (`batch.ts`), and
 * whether the run goes on at all in `send.ts`.
 */
import {
  isAmbiguous,
  isFinalRefusal,
  isRedirect,
  isUntried,
  type BatchState,
} from '../batch.ts'

/**
 * Whether this session is to send a batch of ids, which may be sent again after a lost answer. It sends each at most once.
 */
export function isDue(state: BatchState) {
  // This session has tried it, or its answer is accepted.
  if (!isUntried(state) || state.answer !== undefined) return false
  if (state.isToSend) return true
  // An ambiguous batch is sent again unless the same answer would come back; any other only if it may succeed.
  return isAmbiguous(state) ? !canOnlyRepeat(state) : isSendable(state)
}

/** Whether this session may try a batch: it has not yet, no result is accepted, and an attempt may succeed. */
export const isReady = (state: BatchState) =>
  isUntried(state) && state.answer === undefined && isSendable(state)

/** Whether an attempt may succeed: none was made or left, or it was refused for the key, the subscription or the pace. */
function isSendable({ last, isToSend }: BatchState) {
  const isUnsent = isToSend || last === undefined || last.k === 'never-sent'
  return isUnsent || (last.k === 'refused' && !isFinalRefusal(last))
}

/**
 * Whether another attempt would get the same useless answer: the last one made no sense, or was a redirect of something
 * other than the service. For a batch without an accepted answer.
 */
export const canOnlyRepeat = ({ last, inFlight }: BatchState) =>
  last !== undefined &&
  inFlight === undefined &&
  (last.k === 'answered' || isRedirect(last))
