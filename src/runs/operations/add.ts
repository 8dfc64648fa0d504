/**
 * `lists add-contacts`: many contacts in a request, which can be repeated. The service says how many do not exist, but not
 * which. So if some contacts of a batch are missing, it is cut into halves, and each half is sent again, until a part is all
 * there or all missing.
 */
import * as v from 'valibot'
import { AddResult } from '../../api/schemas.ts'
import {
  isAccepted,
  isSamePart,
  isUntried,
  wasAmbiguous,
  type BatchState,
} from '../batch.ts'
import type { Part } from '../lines.ts'
import type { Judgement, Outcome } from '../outcomes.ts'
import { isDue } from './due.ts'
import {
  judgeUnanswered,
  unexpectedForm,
  sumProblem,
  type Batch,
  type Operation,
  type Step,
} from './operation.ts'

/** The counts of an answer; undefined for one of another form. */
function countsIn(data: unknown) {
  const parsed = v.safeParse(AddResult, data)
  return parsed.success ? parsed.output : undefined
}

function problemWithAnswer(
  _: Batch,
  ids: readonly string[],
  data: unknown,
): string | undefined {
  const counts = countsIn(data)
  if (counts === undefined) return unexpectedForm
  const { added, skipped, failed } = counts
  return sumProblem({ added, skipped, failed }, ids)
}

/** A part of a batch that is known whole, or is still to be sent, or whose answer is useless. */
interface JudgedPart {
  part: Part
  outcome: 'ok' | 'missing' | 'undetermined'
  isUnsent: boolean
}

/**
 * The parts of a batch in their order, each the largest that one answer is about. `failed`: how many ids of `part` are
 * missing.
 */
function partsOf(state: BatchState, part: Part, failed: number): JudgedPart[] {
  const [first, last] = part
  if (failed === 0) return [{ part, outcome: 'ok', isUnsent: false }]
  const isAll = failed === last - first + 1
  if (isAll) return [{ part, outcome: 'missing', isUnsent: false }]
  const middle = Math.floor((first + last) / 2)
  const halves: Part[] = [
    [first, middle],
    [middle + 1, last],
  ]
  return halves.flatMap((half) => {
    const known = state.parts.find((each) => isSamePart(each.part, half))
    const answer = countsIn(known?.res.d)
    const isKnown = known?.isUseless === false && answer !== undefined
    if (isKnown) return partsOf(state, half, answer.failed)
    return [{ part: half, outcome: 'undetermined', isUnsent: known === undefined }]
  })
}

/** Only an answer about exactly these ids makes a claim. */
function judge(batch: Batch, state: BatchState): Judgement {
  const answer = countsIn(state.answer?.d)
  if (answer === undefined) return judgeUnanswered(batch, state, problemWithAnswer)
  const { added, skipped, failed } = answer
  const outcomes = partsOf(state, [1, batch.ids.length], failed).flatMap(
    ({ part: [first, last], outcome }) => Array<Outcome>(last - first + 1).fill(outcome),
  )
  const countOf = (wanted: Outcome) =>
    outcomes.filter((outcome) => outcome === wanted).length
  // Contacts came, left or were deleted between the answers, or some are not known: the first answer does not show which are
  // on the list.
  const isComplete = countOf('undetermined') === 0 && countOf('missing') === failed
  if (!isComplete || state.hasLostPart || hasAdded(state)) {
    return { outcomes, counts: { added: 0, skipped: 0, addedOrSkipped: countOf('ok') } }
  }
  const counts = wasAmbiguous(state)
    ? { added, skipped: 0, addedOrSkipped: skipped }
    : { added, skipped, addedOrSkipped: 0 }
  return { outcomes, counts }
}

/** Whether the answer about some part has added a contact, which the answer about the batch had not. */
function hasAdded({ parts }: BatchState) {
  return parts.some(({ res }) => (countsIn(res.d)?.added ?? 0) > 0)
}

/** Sends the batch and then its parts, as long as this session gets answers. */
function next({ ids }: Batch, state: BatchState): Step | undefined {
  const answer = countsIn(state.answer?.d)
  if (answer === undefined) return isDue(state) ? { kind: 'send' } : undefined
  const { last, inFlight } = state
  const hasFailed = inFlight !== undefined || !isAccepted(last, state)
  if (!isUntried(state) && hasFailed) return undefined
  const whole: Part = [1, ids.length]
  const left = partsOf(state, whole, answer.failed).find((part) => part.isUnsent)
  return left && { kind: 'send', part: left.part }
}

export const addContacts: Operation = {
  words: { verb: 'Add', doing: 'adding' },
  item: 'contact',
  batch: { most: 100, concurrency: 4 },
  request({ parameters: { list } }, ids) {
    if (list === undefined) throw new TypeError('contacts were added to no list')
    return { path: { listId: list.id }, body: { contactIds: ids } }
  },
  keptFields: ['added', 'skipped', 'failed'],
  problemWithAnswer,
  judge,
  next,
  undo: 'the service has no operation that removes a contact from a list',
}
