/**
 * State of a batch: a fold of its events. Pure: test/bulk/outcomes.test.ts has its rules as a table. `outcomes/state.ts` folds the events
 * of a run into one for each batch, and the operations judge answers by it.
 *
 * The rule behind all of them: once ambiguous, always ambiguous. An attempt whose answer was lost may have changed
 * something, however many attempts came after it; only an answer, or for assign a reading, tells.
 *
 * | what happened                                   | everAmbiguous | isAmbiguous           |
 * | ----------------------------------------------- | ------------- | --------------------- |
 * | no attempt; never sent; refused                 | as before     | as everAmbiguous      |
 * | `try` without its `res`                         | as before     | yes                   |
 * | the same, then another `try`, or opened again   | yes           | yes                   |
 * | the answer was lost                             | yes           | yes                   |
 * | taken over, or its lines cut off, unanswered    | yes           | yes                   |
 * | an accepted answer                              | as before     | no                    |
 * | opened again after an accepted answer           | yes           | yes                   |
 */
import type { BatchEvent, IsolatedEvent, ReadEvent, ResEvent } from './events.ts'
import {
  addLanding,
  landingFrom,
  lookAt,
  timeToLand,
  type Landing,
  type Moment,
} from './landing.ts'

export interface BatchState {
  /** Number of the last attempt; 0 when there was none. */
  readonly attempts: number
  /** An attempt's answer was lost, or another process may have made an attempt. Stays true for good. */
  readonly everAmbiguous: boolean
  /** How many answers of our own attempts were lost, since the batch was last opened again. */
  readonly ambiguousAttempts: number
  /** Until when attempts that may have changed something can still land. */
  readonly landing?: Landing | undefined
  /** A cause of its ambiguity was no answer of the service but a reset, a timeout, a crash, another process. */
  readonly lostSilently: boolean
  /** A `try` without its `res`: in flight, or the process died in between. */
  readonly open: boolean
  /** Until when the last attempt can land, should its answer be lost. */
  readonly tried?: Landing | undefined
  /** It was opened again, and an attempt before that can still land: it waits. */
  readonly isReopened?: boolean
  /** How the last attempt ended that was not given up by svc itself. */
  readonly last?: AttemptEnd | undefined
  /** The accepted answer. A batch that has one is never sent again, unless it is opened again. */
  readonly answer?:
    { readonly status: number; readonly data: unknown; readonly at: number } | undefined
  /** The attempt after which it is to be sent again, however that one ended. */
  readonly sendAfter?: number | undefined
  /** Assign: the assignee before the first attempt, when it could be read. */
  readonly before?: { readonly id: string | null } | undefined
  /** Assign: the last reading since the last attempt. */
  readonly reading?: AssigneeReading | undefined
  /**
   * Assign: after an attempt that may have been made, a reading showed another assignee than before it. Nothing more is sent
   * then, no matter who has the ticket later, until the batch is opened again.
   */
  readonly hasMoved?: boolean
  readonly declined?: boolean
  /** Add: which ids do not exist, and whether all others were accounted for. */
  readonly isolation?: Pick<IsolatedEvent, 'missing' | 'proven'> | undefined
}

export interface AttemptEnd {
  readonly kind: ResEvent['k']
  readonly status?: number | undefined
  readonly code?: number | undefined
  readonly message?: string | undefined
  /** No other attempt would end better. */
  readonly isFinal?: boolean | undefined
}

export interface AssigneeReading {
  readonly ok: boolean
  readonly moment: Moment
  readonly id: string | null
  /** Why it could not be read. */
  readonly problem?: string | undefined
  /** The service refused the reading: another one would be refused too. */
  readonly isRefused?: boolean
}

/** With every member that the first attempt sets: a copy with one more takes a hundred times as long. */
export const unsent: BatchState = {
  attempts: 0,
  everAmbiguous: false,
  ambiguousAttempts: 0,
  lostSilently: false,
  open: false,
  tried: undefined,
  isReopened: false,
  reading: undefined,
  sendAfter: undefined,
  last: undefined,
  answer: undefined,
}

export function applyEvent(state: BatchState, event: BatchEvent): BatchState {
  switch (event.t) {
    case 'try':
      // A reading from before an attempt says nothing about what comes after it.
      return {
        ...closeOpen(state),
        attempts: event.a,
        open: true,
        tried: landingFrom(event, event.early === true),
        isReopened: false,
        reading: undefined,
      }
    case 'res':
      return applyRes(state, event)
    case 'read':
      return applyRead(state, event)
    case 'isolated':
      return { ...state, isolation: { missing: event.missing, proven: event.proven } }
  }
}

function applyRes(state: BatchState, event: ResEvent): BatchState {
  const { k: kind, s: status, code, m: message, final: isFinal } = event
  const attempts = Math.max(state.attempts, event.a)
  // Given up by svc before a byte left: as if it had not been tried.
  if (kind === 'never-sent' && event.x === true) return { ...state, attempts, open: false }
  const last = { kind, status, code, message, isFinal }
  const accepted = { status: status ?? 0, data: event.d, at: event.at }
  const ended: BatchState = {
    ...state,
    attempts,
    open: false,
    last,
    sendAfter: undefined,
    answer: kind === 'answered' ? accepted : state.answer,
  }
  if (kind !== 'ambiguous') return ended
  const isAnswered = status !== undefined && status >= 500
  return loseAnswer(ended, isAnswered)
}

function applyRead(state: BatchState, event: ReadEvent): BatchState {
  const reading = {
    ok: event.ok,
    moment: { on: event.on, up: event.up },
    id: event.id ?? null,
    problem: event.m,
    isRefused: event.refused === true,
  }
  const moved = isElsewhere(state, reading) ? { hasMoved: true } : {}
  const seen = { ...state, reading, ...moved }
  if (!isBeginning(state)) return seen
  const before = event.ok ? { id: reading.id } : undefined
  return {
    ...seen,
    // A batch that may have been sent already keeps the assignee from before that.
    before: state.everAmbiguous ? (state.before ?? before) : before,
    declined: event.declined === true,
  }
}

/** A reading after an attempt that may have been made, of another assignee than the one before it. */
function isElsewhere(state: BatchState, { ok, id }: AssigneeReading): boolean {
  const { before } = state
  return ok && isAmbiguous(state) && before !== undefined && !isSameId(id, before.id)
}

/** Letter case does not count; nobody is nobody. */
export function isSameId(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase()
}

function loseAnswer(state: BatchState, isAnswered: boolean): BatchState {
  const { landing, tried } = state
  return {
    ...state,
    everAmbiguous: true,
    ambiguousAttempts: state.ambiguousAttempts + 1,
    landing: tried === undefined ? landing : addLanding(landing, tried),
    lostSilently: state.lostSilently || !isAnswered,
  }
}

/** An attempt that a crash cut off counts as one whose answer was lost. */
function closeOpen(state: BatchState): BatchState {
  return state.open ? { ...loseAnswer(state, false), open: false } : state
}

/** Assign: what is read now is the state before any attempt. One that was certainly not made changed nothing. */
export function isBeginning(state: BatchState): boolean {
  return state.answer === undefined && state.ambiguousAttempts === 0 && !state.open
}

/** No attempt was made since the beginning, or since the batch was resumed or opened again. */
export function isUntried({ attempts, sendAfter }: BatchState): boolean {
  return attempts === (sendAfter ?? 0)
}

/** Whether an attempt may have changed something and no answer told what. */
export function isAmbiguous(state: BatchState): boolean {
  return state.answer === undefined && (state.everAmbiguous || state.open)
}

/**
 * Another process may have sent this batch without our journal knowing: after a take-over, or when lines were cut off after a
 * power loss. A batch with an accepted answer stays as it is. `landing`: of a request when it was taken over or cut.
 */
export function taint(state: BatchState, landing: Landing): BatchState {
  if (state.answer !== undefined) return state
  return {
    ...state,
    everAmbiguous: true,
    lostSilently: true,
    landing: addLanding(state.landing, landing),
  }
}

/** Another session looks at it: where uptimes do not compare with those of its attempts, their time begins now. */
export function look(state: BatchState, moment: Moment): BatchState {
  const { landing, tried } = state
  if (landing === undefined && !state.open) return state
  return {
    ...state,
    landing: landing && lookAt(landing, moment),
    tried: tried && lookAt(tried, moment),
  }
}

/**
 * Opens a batch again for `retry`, knowing all that was tried: an accepted answer counts as a lost one. What was read and
 * what isolating found is forgotten, but not who had a ticket before the first attempt.
 */
export function reopen(state: BatchState): BatchState {
  const { answer, reading: _, isolation: __, ...rest } = state
  const isReopened = landingOf(state) !== undefined
  const known = closeOpen(answer === undefined ? rest : loseAnswer(rest, false))
  return {
    ...known,
    ambiguousAttempts: 0,
    hasMoved: false,
    declined: false,
    isReopened,
    sendAfter: known.attempts,
  }
}

/** Makes a batch whose refusal stopped the run sendable again; its outcome stays `error` until it is sent. */
export function reopenRefused(state: BatchState): BatchState {
  return state.last?.kind === 'refused' ? { ...state, sendAfter: state.attempts } : state
}

/** A batch that a new session works on: what an earlier one read may have changed since. */
export function resumeBatch(state: BatchState): BatchState {
  return { ...state, reading: undefined, sendAfter: state.attempts }
}

const oneAnswer: BatchState = {
  ...unsent,
  attempts: 1,
  answer: { status: 200, data: null, at: 0 },
}

/** The state of a batch whose accepted answer was judged: what was tried, and that there was an answer. */
export function forgetAnswer({
  attempts,
  everAmbiguous,
  landing,
  lostSilently,
}: BatchState): BatchState {
  if (attempts === 1 && !everAmbiguous) return oneAnswer
  return { ...oneAnswer, attempts, everAmbiguous, landing, lostSilently }
}

/**
 * Merge and assign: until when attempts whose answers were lost can still take effect; undefined when there was none. Until
 * then nothing is sent that must come later.
 */
export function landingOf(state: BatchState): Landing | undefined {
  return closeOpen(state).landing
}

/** Whether a lost attempt can still take effect at this moment. */
export function canLand(state: BatchState, moment: Moment): boolean {
  return timeToLand(landingOf(state), moment) > 0
}
