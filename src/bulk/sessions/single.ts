/**
 * One change that a command names: permit → find → ask → send → conclude, by the rules of a run. It has no record: its whole ending
 * is what its command prints.
 */
import { type Message } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Question } from '../../output/questions/prompt.ts'
import type { BatchOutcome } from '../operations/outcome.ts'
import { operationOf, outcomesOf } from '../operations/operations.ts'
import { applyEvent, isAmbiguous, unsent, type BatchState } from '../record/batch-state.ts'
import type { BatchEvent, BulkOperation } from '../record/events.ts'
import { momentReader } from '../record/landing.ts'
import { sendBatch } from '../sending/send.ts'
import type { BulkTools } from '../tools.ts'

export interface SingleChange {
  readonly id: string
  readonly other: string
  readonly ifAssignee?: string | undefined
  readonly question: Question | undefined
  /** An API that keeps answers whole: a batch keeps no more of them than its claims need. */
  readonly api: Api
}

export interface SingleEnding {
  readonly state: BatchState
  readonly outcome: BatchOutcome['outcomes'][number] | undefined
  readonly problem: string | undefined
  /** The error that ended it, if one did. */
  readonly failure: SvcError | undefined
}

/** `find` finds the change by reading, once it is permitted. Throws exit 5 and 9, and what is not about the request. */
export async function changeOne<Change extends SingleChange>(
  tools: BulkTools,
  operation: BulkOperation,
  find: () => Promise<Change>,
): Promise<Change & SingleEnding> {
  await tools.permit({ operation, ids: 1, once: undefined })
  const change = await find()
  if (change.question !== undefined) await tools.confirm(change.question)
  const { id, other, ifAssignee, api } = change
  const { thing } = operationOf(operation).words
  const batch = { operation, batch: 1, ids: [id], other, target: undefined, ifAssignee }
  let state = unsent
  const emit = (event: BatchEvent): Promise<void> => {
    if (event.t === 'read' && !event.ok && event.declined !== true && state.attempts === 0)
      tools.note(
        `the ${thing} could not be read beforehand (${event.m ?? ''}); sending the change anyway`,
      )
    state = applyEvent(state, event)
    return Promise.resolve()
  }
  const failure = await sendBatch(api, batch, {
    state: () => state,
    now: () => tools.host.now(),
    moment: momentReader(tools.host),
    emit,
  })
  const { outcomes, problem } = outcomesOf(batch, state)
  return { ...change, state, outcome: outcomes[0], problem, failure }
}

/** The error of a change that is not known to be made. `hint`: how to look for one that may have been made. */
export function singleError(
  { state, outcome, problem, failure }: SingleEnding,
  hint: Message,
): SvcError {
  // Whatever is read after an attempt without an answer, that attempt may still arrive.
  const isUnknown = isAmbiguous(state) || outcome === 'unknown'
  if (!isUnknown && failure !== undefined) return failure
  if (problem === undefined && failure?.details.ambiguous === true) return failure.withHint(hint)
  const message = `the outcome is unknown: ${problem ?? messageOf(failure)}`
  return new SvcError('unavailable', message, { hint, ambiguous: true })
}
