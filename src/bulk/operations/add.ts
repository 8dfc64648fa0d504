/**
 * `lists add-contacts`: many contacts in a request, which can be repeated. The service says how many do not exist, but not which. So if some
 * contacts of a batch are missing, it is cut into halves, and each half is sent again, until a part is all there or all missing. `operations.ts` registers it.
 */
import * as v from 'valibot'
import { receiptView } from '../../views/bulk.ts'
import { groupDigits } from '../../words.ts'
import { isSamePart, isUntried, type BatchState, type Part } from '../record/batch.ts'
import {
  isSentAgain,
  judgeUnanswered,
  otherShape,
  requiredParty,
  sumProblem,
  type Batch,
  type Judgement,
  type Operation,
  type Step,
} from './operation.ts'
import { answeredOtherwise, asAsked, type CommonOutcome } from './outcome-facts.ts'

const outcomes = {
  ok: { ...asAsked, meaning: 'on the list now: added, or already there' },
  missing: {
    ...answeredOtherwise,
    figure: 'missing',
    idArray: 'missingIds',
    meaning: 'these contacts do not exist',
    reason: 'there is no contact with this id',
  },
  undetermined: {
    isDone: false,
    isAcceptable: true,
    isReopenable: true,
    figure: 'undetermined',
    meaning: 'some of these contacts do not exist, and the answer that says which was lost',
    reason: 'not known: some contacts in its request do not exist',
  },
} as const

type AddOutcome = keyof typeof outcomes | CommonOutcome

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Answer = v.object({ added: Count, skipped: Count, failed: Count })

function problemOf(_: Batch, ids: readonly string[], data: unknown): string | undefined {
  const parsed = v.safeParse(Answer, data)
  return parsed.success ? sumProblem(parsed.output, ids) : otherShape
}

/** The state of a part: all contacts are on the list, all are missing, or the part must be sent. */
interface Known {
  readonly part: Part
  readonly outcome: 'ok' | 'missing' | undefined
}

/** The parts of a batch in their order. Each is the largest part that one answer is about. */
function knownParts(state: BatchState, part: Part, failed: number | undefined): Known[] {
  const [first, last] = part
  if (failed === undefined) return [{ part, outcome: undefined }]
  if (failed === 0) return [{ part, outcome: 'ok' }]
  if (failed === last - first + 1) return [{ part, outcome: 'missing' }]
  const middle = Math.floor((first + last) / 2)
  const halves: Part[] = [
    [first, middle],
    [middle + 1, last],
  ]
  return halves.flatMap((half) => {
    const answer = state.parts.find((known) => isSamePart(known.part, half))?.res.d
    const parsed = v.safeParse(Answer, answer)
    return knownParts(state, half, parsed.success ? parsed.output.failed : undefined)
  })
}

/** Only an answer about exactly these ids makes a claim. */
function judge(batch: Batch, state: BatchState): Judgement<AddOutcome> {
  const answer = v.safeParse(Answer, state.answer?.d)
  if (!answer.success) return judgeUnanswered(batch, state, problemOf)
  const { added, skipped, failed } = answer.output
  const whole: Part = [1, batch.ids.length]
  const found = knownParts(state, whole, failed).flatMap(({ part, outcome }) =>
    Array<AddOutcome>(part[1] - part[0] + 1).fill(outcome ?? 'undetermined'),
  )
  const countOf = (wanted: AddOutcome): number =>
    found.filter((outcome) => outcome === wanted).length
  // If contacts changed between the answers, or some are not known yet, the first answer does not show which contacts are on the list.
  if (countOf('missing') !== failed || countOf('undetermined') > 0) {
    return {
      outcomes: found,
      counts: { added: 0, skipped: 0, addedOrSkipped: countOf('ok') },
    }
  }
  const counts = state.everAmbiguous
    ? { added, skipped: 0, addedOrSkipped: skipped }
    : { added, skipped, addedOrSkipped: 0 }
  return { outcomes: found, counts }
}

/** Sends the batch and then its parts, as long as this session gets answers. */
function next({ ids }: Batch, state: BatchState): Step | undefined {
  const answer = v.safeParse(Answer, state.answer?.d)
  if (!answer.success) return isSentAgain(state) ? { kind: 'send' } : undefined
  const isAnswered = state.open === undefined && state.last?.k === 'answered'
  if (!isUntried(state) && !(isAnswered && isLastAccepted(state))) return undefined
  const open = knownParts(state, [1, ids.length], answer.output.failed).find(
    ({ outcome }) => outcome === undefined,
  )
  return open && { kind: 'send', part: open.part }
}

const isLastAccepted = ({ last, answer, parts }: BatchState): boolean =>
  last === answer || parts.some(({ res }) => res === last)

export const addContacts = {
  words: { verb: 'Add', doing: 'adding', done: 'added' },
  items: { kind: 'contact' },
  slots: {
    list: {
      kind: 'list',
      place: 'argument',
      preposition: 'to',
      summary: 'list id or name; asked for on a terminal',
      question: 'Which list?',
    },
  },
  request: ({ parameters }, ids) => ({
    path: { listId: requiredParty(parameters, 'list').id },
    body: { contactIds: ids },
  }),
  batch: { most: 100, concurrency: 4 },
  outcomes,
  /** `addedOrSkipped`: added by this run or members before it, since an earlier attempt's answer was lost. */
  counts: { added: 'ok', skipped: 'ok', addedOrSkipped: 'ok' },
  undo: { whyNot: 'the service has no operation that removes a contact from a list' },
  keptFields: ['added', 'skipped', 'failed'],
  receiptView,
  problemOf,
  judge,
  next,
  notes({ count }) {
    const undetermined = count('undetermined')
    if (undetermined === 0) return []
    return [`it is not known yet which of ${groupDigits(undetermined)} contacts exist`]
  },
} as const satisfies Operation<keyof typeof outcomes>
