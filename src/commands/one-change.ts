/**
 * A single change on a command line: its dry run, and the error if it is not known whether it was made. Called by `lists create` and
 * `update` (`lists/change.ts`, `lists/creation.ts`), and by `contacts/merge.ts` and `tickets/assign.ts` for one contact or ticket.
 */
import type { OperationName } from '../api/operations.ts'
import { isAmbiguous } from '../bulk/record/batch.ts'
import type { OneEnding } from '../bulk/job.ts'
import type { Context } from '../cli/context.ts'
import { mayRetry, messageOf, SvcError } from '../errors.ts'
import type { Message } from '../message.ts'
import { document, type One } from '../output/result.ts'

/** A value that would change, for the note: the old one as it was read, undefined when it could not be, and the new one. */
export interface Change {
  readonly what: string
  readonly before: string | undefined
  readonly after: string
}

/** The dry run in words on stderr, and as the one JSON document. `request` is shown in the document; its `changes` are for the note only. */
export function dryRunOf(
  context: Context,
  words: string,
  operation: OperationName,
  {
    changes = [],
    ...request
  }: Readonly<Record<string, unknown>> & { readonly changes?: readonly Change[] },
): One<never> {
  const lines = changes.map(
    ({ what, before, after }) => `\n  ${what}: ${before ?? 'unknown'} → ${after}`,
  )
  context.note(`dry run: would ${words}; nothing was sent${lines.join('')}`)
  return document({ dryRun: true, operation, ...request }, [])
}

/** Sends a change once. `hint`: how to look, when its answer is lost and it may have been made. */
export async function sendOnce<T>(send: () => Promise<T>, hint: Message): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(hint)
  }
}

/** `hint`: how to look for a change that may have been made. */
export function failedChange(ending: OneEnding, hint: Message): SvcError {
  const { state, outcome, problem } = ending
  const failure = failureOf(ending)
  // Whatever is read after an attempt without an answer, that attempt may still arrive.
  const isUnknown = isAmbiguous(state) || outcome === 'unknown'
  // It was certainly not made: the same command may make it, with a name or without.
  if (!isUnknown && failure !== undefined)
    return failure.with({ retry: mayRetry(failure.exitCode, true) })
  if (problem === undefined && failure?.details.ambiguous === true)
    return failure.withHint(hint)
  const message = `the outcome is unknown: ${problem ?? messageOf(failure)}`
  return new SvcError('unavailable', message, { hint, ambiguous: true })
}

/** The error that ended it, now or when the run was recorded; undefined where no request failed. */
export function failureOf({ failure, state: { last } }: OneEnding): SvcError | undefined {
  if (failure !== undefined || last === undefined) return failure
  const message = last.m ?? 'the service gave no answer'
  if (last.k === 'ambiguous')
    return new SvcError('unavailable', message, { ambiguous: true })
  if (last.k === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus: last.s, code: last.code })
}
