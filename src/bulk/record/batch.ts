/**
 * The state of a batch: a fold of its journal lines. Pure. `state.ts` folds the lines of a run into one for each batch, and the operations judge by it.
 *
 * The rule: once ambiguous, always ambiguous. An attempt whose answer was lost may have changed something, however many attempts came after it. Only an
 * accepted answer resolves it, or for an assign the ticket as it is read later.
 */
import type { BatchLine, LineOf } from './journal.ts'

export type Res = LineOf<'res'>
export type Read = LineOf<'read'>
/** The first and the last id of a part of a batch, counted from 1. */
export type Part = NonNullable<LineOf<'try'>['p']>

/** The accepted answer about a part of a batch. */
interface PartAnswer {
  readonly part: Part
  readonly res: Res
}

export interface BatchState {
  /** Number of the last attempt. */
  readonly attempts: number
  /** Attempts when this session began, or when the batch was opened again: equal to `attempts` while it has not been tried since. */
  readonly attemptsBefore: number
  /** Some attempt may have changed something without an answer. Once true, it stays true. */
  readonly everAmbiguous: boolean
  /** Lost answers of attempts that are recorded, since the batch was last opened again. */
  readonly lostAnswers: number
  /** The ambiguity came from silence (a reset, a crash, another process), and not only from 5xx answers of the service. */
  readonly isLostSilently: boolean
  /** Lines were damaged where a `try` of this batch may have been. */
  readonly mayLackTry: boolean
  /** A `try` without its `res`. */
  readonly open?: { readonly attempt: number; readonly part: Part | undefined } | undefined
  /** How the last attempt ended. */
  readonly last?: Res | undefined
  /** The accepted answer. */
  readonly answer?: Res | undefined
  /** Accepted answers about parts. */
  readonly parts: readonly PartAnswer[]
  /** It is sent again even if its last attempt was refused, because it was opened again or its refusal stopped the run. */
  readonly isToSend: boolean
  /** The 5xx status that ended so many sessions in a row. */
  readonly failing?: { readonly status: number; readonly sessions: number } | undefined
  /** The assignee before the first attempt that may have changed something, and the last reading since the last attempt. */
  readonly before?: { readonly id: string | null } | undefined
  readonly reading?: Read | undefined
  /** After an attempt that may have been made, the ticket had an assignee other than `before`. */
  readonly hasMoved: boolean
  /** Time of the last line, in milliseconds since 1970; 0 for none. */
  readonly at: number
}

export const untouched: BatchState = {
  attempts: 0,
  attemptsBefore: 0,
  everAmbiguous: false,
  lostAnswers: 0,
  isLostSilently: false,
  mayLackTry: false,
  parts: [],
  isToSend: false,
  hasMoved: false,
  at: 0,
}

/** Whether an attempt may have changed something, and no answer showed what. */
export const isAmbiguous = (state: BatchState): boolean =>
  state.answer?.k !== 'answered' && (state.everAmbiguous || state.open !== undefined)

/** No attempt was made in this session. */
export const isUntried = ({ attempts, attemptsBefore }: BatchState): boolean =>
  attempts === attemptsBefore

/** Whether a read would still show the state before any attempt that may have changed something. */
export const isBeginning = ({ answer, lostAnswers, open }: BatchState): boolean =>
  answer?.k !== 'answered' && lostAnswers === 0 && open === undefined

/** Compares without letter case. Nobody equals nobody. */
export const isSameId = (
  one: string | null | undefined,
  other: string | null | undefined,
) => one?.toLowerCase() === other?.toLowerCase()

/** A refusal that says that nothing was done, and that another attempt would not change. */
export const isFinalRefusal = ({ k, s }: Res): boolean =>
  k === 'refused' && s !== 401 && s !== 403 && s !== 429

/** `hasSense`: an answer's sums add up, for the whole batch or for a part. */
export type HasSense = (data: unknown, part: Part | undefined) => boolean

export function applyLine(
  state: BatchState,
  line: BatchLine,
  hasSense: HasSense,
): BatchState {
  const at = Math.max(state.at, line.at)
  switch (line.t) {
    case 'try':
      return { ...applyTry(state, line), at }
    case 'res':
      return { ...applyRes(state, line, hasSense), at }
    case 'read':
      return { ...applyRead(state, line), at }
  }
}

function applyTry(before: BatchState, { a, p }: LineOf<'try'>): BatchState {
  // Another process sent the whole batch again.
  const isAgain = p === undefined && before.answer !== undefined
  const state = closeOpen(isAgain ? reopen(before) : before)
  // The lines of an attempt in between were lost.
  const known = a > state.attempts + 1 ? loseAnswer(state, false) : state
  return {
    ...known,
    attempts: Math.max(a, state.attempts),
    open: { attempt: a, part: p },
    isToSend: false,
    reading: undefined,
  }
}

function applyRes(before: BatchState, res: Res, hasSense: HasSense): BatchState {
  const { open } = before
  const part = open?.attempt === res.a ? open.part : undefined
  if (part === undefined && before.answer !== undefined) return before
  const closed =
    open?.attempt === res.a ? { ...before, open: undefined } : closeOpen(before)
  const isGap = res.a > closed.attempts + 1
  const known = isGap ? loseAnswer(closed, false) : closed
  const state = { ...known, attempts: Math.max(known.attempts, res.a), last: res }
  return part === undefined
    ? applyAnswer(state, res, hasSense)
    : applyPart(state, res, part, hasSense)
}

function applyPart(
  state: BatchState,
  res: Res,
  part: Part,
  hasSense: HasSense,
): BatchState {
  const isTold = state.parts.some((known) => isSamePart(known.part, part))
  if (isTold || res.k !== 'answered' || !hasSense(res.d, part)) return state
  return { ...state, parts: [...state.parts, { part, res }] }
}

function applyAnswer(state: BatchState, res: Res, hasSense: HasSense): BatchState {
  const isAnswered = res.k === 'answered' && hasSense(res.d, undefined)
  if (isAnswered || isFinalRefusal(res)) return { ...state, answer: res }
  // An answer that makes no sense says as little as a lost one.
  const isLost = res.k === 'answered' || res.k === 'ambiguous'
  return isLost ? loseAnswer(state, res.k === 'ambiguous' && (res.s ?? 0) >= 500) : state
}

export const isSamePart = (one: Part, other: Part): boolean =>
  one[0] === other[0] && one[1] === other[1]

function applyRead(state: BatchState, line: Read): BatchState {
  const seen = { ...state, reading: line }
  const { before } = state
  if (isBeginning(state)) {
    // If the batch may already have been sent, the assignee from before that stays.
    if (state.everAmbiguous && before !== undefined) return seen
    return { ...seen, before: line.id === undefined ? undefined : { id: line.id } }
  }
  const isKnown = before !== undefined && line.id !== undefined
  const hasMoved = isKnown && isAmbiguous(state) && !isSameId(before.id, line.id)
  return { ...seen, hasMoved: state.hasMoved || hasMoved }
}

function loseAnswer(state: BatchState, isAnswered: boolean): BatchState {
  return {
    ...state,
    everAmbiguous: true,
    lostAnswers: state.lostAnswers + 1,
    isLostSilently: state.isLostSilently || !isAnswered,
  }
}

/** An attempt that a crash interrupted counts as one with a lost answer. After an accepted answer it was about a part, and changes no claim. */
function closeOpen(state: BatchState): BatchState {
  if (state.open === undefined) return state
  const closed = { ...state, open: undefined }
  // The ending of the last attempt is unknown now.
  return state.answer === undefined
    ? { ...loseAnswer(closed, false), last: undefined }
    : closed
}

/** Another process may have sent this batch. `mayLackTry`: its `try` may have been lost, which a take-over cannot lose. */
export function taint(state: BatchState, mayLackTry: boolean): BatchState {
  if (state.answer !== undefined) return state
  return {
    ...state,
    everAmbiguous: true,
    isLostSilently: true,
    mayLackTry: state.mayLackTry || mayLackTry,
  }
}

/** A session ended, or its process died. */
export function endSession(state: BatchState): BatchState {
  const { last, open, failing } = state
  if (isUntried(state)) return state
  const status = open === undefined && last?.k === 'ambiguous' ? (last.s ?? 0) : 0
  if (status < 500) return { ...state, failing: undefined }
  const sessions = failing?.status === status ? failing.sessions + 1 : 1
  return { ...state, failing: { status, sessions } }
}

/** A new session works on the batch. An earlier read may be out of date by then, unless nothing depends on it. */
export function beginSession(
  state: BatchState,
  isSettled: (state: BatchState) => boolean,
): BatchState {
  const closed = closeOpen(state)
  const { reading, attempts } = closed
  const begun = { ...closed, attemptsBefore: attempts }
  if (reading === undefined) return begun
  const isForGood = reading.id !== undefined || reading.s !== undefined
  return isForGood && isSettled(begun) ? begun : { ...begun, reading: undefined }
}

/** Opens a batch again, knowing all that was tried: an accepted answer counts as a lost one. */
export function reopen(state: BatchState): BatchState {
  const isAnswered = state.answer?.k === 'answered'
  const closed = closeOpen(state)
  return {
    ...closed,
    attemptsBefore: closed.attempts,
    everAmbiguous: closed.everAmbiguous || isAnswered,
    isLostSilently: closed.isLostSilently || isAnswered,
    lostAnswers: 0,
    answer: undefined,
    parts: [],
    isToSend: true,
    failing: undefined,
    reading: undefined,
    hasMoved: false,
  }
}
