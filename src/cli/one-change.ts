/**
 * A single change on a command line: its dry run, and the error if it is not known whether it was made.
 */
import type { OperationName } from '../api/operations.ts'
import type { Context } from './context.ts'
import { exit, messageOf, SvcError } from '../errors.ts'
import type { Message } from '../message.ts'
import { document, type One } from '../output/result.ts'
import { isAmbiguous } from '../runs/batch.ts'
import type { EndedRun } from '../runs/conclude.ts'

/** A value that would change, for the note: the old one as it was read, undefined when it could not be, and the new one. */
export interface ChangedValue {
  what: string
  before: string | undefined
  after: string
}

/** The dry run in words on stderr, and as the one JSON document. `request` is shown in the document; its `changes` are for the note only. */
export function dryRunOf(
  context: Context,
  words: string,
  operation: OperationName,
  {
    changes = [],
    ...request
  }: Readonly<Record<string, unknown>> & { changes?: readonly ChangedValue[] },
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
    throw error.with({ hint })
  }
}

/** The batch of a run of one change. */
export function onlyBatch({ recorded: { state } }: EndedRun) {
  const { outcomes, problem } = state.judge(1)
  return { state: state.of(1), outcome: outcomes[0], problem }
}

/**
 * The error of a change that is not known to be made. `hint`: how to look for it. A repetition that sent nothing ends with 3 where its outcome is unknown: it
 * would end so again.
 */
export function failedChange(ended: EndedRun, hint: Message): SvcError {
  const { state, outcome, problem } = onlyBatch(ended)
  const failure = failureOf(ended)
  // Whatever is read after an attempt without an answer, that attempt may still arrive.
  const isUnknown = isAmbiguous(state) || outcome === 'unknown'
  // It was certainly not made: the same command may make it.
  if (!isUnknown && failure !== undefined) return failure
  if (problem === undefined && failure?.details.ambiguous === true)
    return settled(ended, failure.with({ hint }))
  const message = `the outcome is unknown: ${problem ?? messageOf(failure)}`
  return settled(ended, new SvcError('unavailable', message, { hint, ambiguous: true }))
}

const settled = ({ sent }: EndedRun, error: SvcError) =>
  sent === undefined ? error.with({ exitCode: exit.incomplete }) : error

/** The error that ended it, now or when the run was recorded; undefined where no request failed. */
export function failureOf(ended: EndedRun): SvcError | undefined {
  const { last } = onlyBatch(ended).state
  if (ended.failure !== undefined || last === undefined) return ended.failure
  const message = last.m ?? 'the service gave no answer'
  if (last.k === 'ambiguous')
    return new SvcError('unavailable', message, { ambiguous: true })
  if (last.k === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus: last.st, code: last.code })
}
