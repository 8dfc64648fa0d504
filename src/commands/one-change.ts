/** One change that is not known to be made, as an error. */
import { isAmbiguous, landingOf } from '../bulk/record/batch-state.ts'
import { momentReader, timeToLand, type UptimeHost } from '../bulk/record/landing.ts'
import type { OneEnding } from '../bulk/sessions/single.ts'
import { mayRetry, messageOf, SvcError } from '../errors.ts'
import type { Message } from '../message.ts'

/** `hint`: how to look for a change that may have been made. */
export function failedChange(ending: OneEnding, hint: Message): SvcError {
  const { state, outcome, problem } = ending
  const failure = failureOf(ending)
  // Whatever is read after an attempt without an answer, that attempt may still arrive.
  const isUnknown = isAmbiguous(state) || outcome === 'unknown'
  // It was certainly not made: the same command may make it, with a name or without.
  if (!isUnknown && failure !== undefined)
    return failure.with({ retry: mayRetry(failure.exitCode, true) })
  if (problem === undefined && failure?.details.ambiguous === true) return failure.withHint(hint)
  const message = `the outcome is unknown: ${problem ?? messageOf(failure)}`
  return new SvcError('unavailable', message, { hint, ambiguous: true })
}

/** Milliseconds for which its lost attempt can still be applied: the time is that of the attempt, however often this is asked. */
export function timeToArrive(host: UptimeHost, { state }: OneEnding): number {
  return timeToLand(landingOf(state), momentReader(host)())
}

/** The error that ended it, now or when the run was recorded; undefined where no request failed. */
export function failureOf({ failure, state: { last } }: OneEnding): SvcError | undefined {
  if (failure !== undefined || last === undefined) return failure
  const message = last.message ?? 'the service gave no answer'
  if (last.kind === 'ambiguous') return new SvcError('unavailable', message, { ambiguous: true })
  if (last.kind === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus: last.status, code: last.code })
}
