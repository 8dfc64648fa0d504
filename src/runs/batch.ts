/**
 * The state of a batch: a fold of its lines. Pure. The rule: once ambiguous, always ambiguous. An attempt whose answer was
 * lost may have changed something, however many attempts came after it. Only an answer that adds up resolves it, or for an
 * assign the ticket as it is read later.
 */
import type { BatchLine, LineOf, Part } from './lines.ts'

export type Res = LineOf<'res'>
export type Read = LineOf<'read'>

/**
 * The answer about a part of a batch. `isUseless`: it makes no sense or is a redirect, and another attempt would not change
 * it.
 */
interface PartAnswer {
  part: Part
  res: Res
  isUseless: boolean
}

/**
 * Why a batch may have been carried out although no accepted answer says so. `server-error`: an attempt was answered with a
 * 5xx. `silence`: one got no answer that makes sense. `lost-lines`: its `try` may be among lines that are missing.
 * `other-process`: the process before may still be alive. `sent-again`: after its answer.
 */
type Doubt = 'server-error' | 'silence' | 'lost-lines' | 'other-process' | 'sent-again'

export interface BatchState {
  /** Number of the last attempt. */
  attempts: number
  /**
   * Attempts when this session began, or when the batch was opened again: equal to `attempts` while it has not been tried
   * since.
   */
  attemptsAtStart: number
  /** Each stays, whatever later attempts bring. */
  doubts: ReadonlySet<Doubt>
  /** Lost answers of attempts that are recorded, since the batch was last opened again. */
  lostAnswers: number
  /** A `try` without its `res`. */
  inFlight?: { attempt: number; part: Part | undefined } | undefined
  /** How the last attempt ended. */
  last?: Res | undefined
  /** The result that counts, the first that was accepted: an answer that makes sense, or a final refusal. */
  answer?: Res | undefined
  /** Answers about parts. */
  parts: readonly PartAnswer[]
  /** The answer about some part was lost. */
  hasLostPart: boolean
  /** It is sent again even if its last attempt was refused, because it was opened again or its refusal stopped the run. */
  isToSend: boolean
  /** The status with which so many sessions in a row ended, without an accepted answer. */
  failing?: { status: number; sessions: number } | undefined
  /** The assignee before the first attempt that may have changed something. */
  formerAssignee?: { id: string | null } | undefined
  /** The last reading since the last attempt. */
  reading?: Read | undefined
  /** After an attempt that may have been made, the ticket had an assignee other than `formerAssignee`. */
  hasMoved: boolean
  /** Time of the accepted answer, or else of the last line, in milliseconds since 1970; 0 for none. */
  at: number
}

export const untouched: BatchState = {
  attempts: 0,
  attemptsAtStart: 0,
  doubts: new Set(),
  lostAnswers: 0,
  parts: [],
  hasLostPart: false,
  isToSend: false,
  hasMoved: false,
  at: 0,
}

/** Whether the service answered with a result, and did not refuse. */
export const isAnswered = ({ answer }: BatchState) => answer?.k === 'answered'

/** Whether an attempt may have changed something, and no answer showed what. */
export const isAmbiguous = (state: BatchState) =>
  !isAnswered(state) && (wasAmbiguous(state) || state.inFlight !== undefined)

/** Whether some attempt was ambiguous, even if a later one was answered. */
export const wasAmbiguous = ({ doubts }: BatchState) => doubts.size > 0

/** An attempt of this run, or one whose line was lost, got no answer or a 5xx. */
export const hasLostAnswer = ({ doubts }: BatchState) =>
  doubts.has('server-error') || doubts.has('silence') || doubts.has('lost-lines')

/** It is in doubt for another reason than answers of the service with a 5xx. */
export const hasDoubtBeyondServerErrors = ({ doubts }: BatchState) =>
  doubts.size > (doubts.has('server-error') ? 1 : 0)

const withDoubt = ({ doubts }: BatchState, doubt: Doubt): ReadonlySet<Doubt> =>
  new Set([...doubts, doubt])

/** Whether a request was repeated. Answers about parts are no retries. */
export const isRetried = ({ attempts, parts }: BatchState) => attempts - parts.length > 1

/** Whether this session has made no attempt. */
export const isUntried = ({ attempts, attemptsAtStart }: BatchState) =>
  attempts === attemptsAtStart

/**
 * Whether no recorded attempt may have changed anything: a read shows the state before. Lost lines and other processes are
 * not counted.
 */
export const isUnchangedOnRecord = (state: BatchState) =>
  !isAnswered(state) && state.lostAnswers === 0 && state.inFlight === undefined

/**
 * Whether the last attempt got no answer that was accepted, for the batch or for a part of it, or an answer about a part
 * made no sense.
 */
export const hasFailedAnswer = (state: BatchState) => {
  const { last, inFlight, parts } = state
  if (inFlight !== undefined || parts.some(({ isUseless }) => isUseless)) return true
  return last !== undefined && !isGivenUp(last) && !isAccepted(last, state)
}

/** Whether a result is that of the batch, or of a part of it. */
export const isAccepted = (last: Res | undefined, { answer, parts }: BatchState) =>
  last === answer || parts.some(({ res }) => res === last)

/** Compares without letter case. Nobody equals nobody. */
export const isSameId = (
  one: string | null | undefined,
  other: string | null | undefined,
) => one?.toLowerCase() === other?.toLowerCase()

/** A refusal that says that nothing was done, and that another attempt would not change. */
export const isFinalRefusal = ({ k, st }: Res) =>
  k === 'refused' && st !== 401 && st !== 403 && st !== 429

/** svc itself gave up before a byte left, for example because of a signal. */
export const isGivenUp = ({ k, m }: Res) => k === 'never-sent' && m === undefined

/** An answer of something other than the service. */
export const isRedirect = ({ k, st = 0 }: Res) => k === 'ambiguous' && st >= 300 && st < 400

/** The facts beyond the lines of a batch that decide what they mean. */
export interface LineRules {
  /** Whether an answer makes sense, for the whole batch or for a part: it is about these ids, and its counts add up. */
  isSensible: (data: unknown, part: Part | undefined) => boolean
  /** A refusal of this batch says that the list is wrong, and is no answer about its ids. */
  isAboutWholeList: (res: Res) => boolean
}

export function applyLine(
  state: BatchState,
  line: BatchLine,
  rules: LineRules,
): BatchState {
  switch (line.t) {
    case 'try':
      return { ...applyTry(state, line), at: line.at }
    case 'res':
      return applyRes(state, line, rules)
    case 'read':
      return { ...applyRead(state, line), at: line.at }
  }
}

function applyTry(state: BatchState, { a, p }: LineOf<'try'>): BatchState {
  const known = loseAnswersBefore(reopenIfAnswered(state, p), a)
  return {
    ...known,
    attempts: Math.max(a, known.attempts),
    inFlight: { attempt: a, part: p },
    isToSend: false,
    reading: undefined,
  }
}

/** An attempt that is still in flight when a later one comes lost its answer, and so did one whose lines are missing. */
function loseAnswersBefore(state: BatchState, attempt: number): BatchState {
  const closed = loseInFlight(state)
  return attempt > closed.attempts + 1 ? loseAnswer(closed, 'silence') : closed
}

/** A `try` of what has its answer: another process sent it again, so what is known of it is no longer certain. */
function reopenIfAnswered(state: BatchState, part: Part | undefined): BatchState {
  if (part === undefined) {
    if (state.answer === undefined) return state
    const { failing } = state
    return { ...reopen(state), failing, doubts: withDoubt(state, 'sent-again') }
  }
  const isAnswered = state.parts.some((known) => isSamePart(known.part, part))
  if (!isAnswered) return state
  const parts = state.parts.filter((known) => !isSamePart(known.part, part))
  return { ...state, parts, hasLostPart: true }
}

function applyRes(before: BatchState, res: Res, rules: LineRules): BatchState {
  const { inFlight, answer } = before
  const isInFlight = inFlight?.attempt === res.a
  const part = isInFlight ? inFlight.part : undefined
  // The first accepted answer of a batch counts.
  if (part === undefined && answer !== undefined) return before
  const known = isInFlight
    ? { ...before, inFlight: undefined }
    : loseAnswersBefore(before, res.a)
  const attempts = Math.max(known.attempts, res.a)
  // The result of an earlier attempt still holds.
  if (part === undefined && isGivenUp(res) && known.last !== undefined) {
    return { ...known, attempts, isToSend: true }
  }
  const state = { ...known, attempts, last: res, at: res.at }
  return part === undefined
    ? applyAnswer(state, res, rules)
    : applyPart(state, res, part, rules)
}

function applyPart(
  state: BatchState,
  res: Res,
  part: Part,
  { isSensible }: LineRules,
): BatchState {
  const isGood = res.k === 'answered' && isSensible(res.d, part)
  const isUseless = !isGood && (res.k === 'answered' || isRedirect(res))
  if (isGood || isUseless) {
    return { ...state, parts: [...state.parts, { part, res, isUseless }] }
  }
  return res.k === 'ambiguous' ? { ...state, hasLostPart: true } : state
}

function applyAnswer(state: BatchState, res: Res, rules: LineRules): BatchState {
  const isGood = res.k === 'answered' && rules.isSensible(res.d, undefined)
  if (isGood) return { ...state, answer: res }
  if (isFinalRefusal(res)) {
    return rules.isAboutWholeList(res)
      ? { ...state, isToSend: true }
      : { ...state, answer: res }
  }
  // An answer that makes no sense says as little as a lost one.
  const isLost = res.k === 'answered' || res.k === 'ambiguous'
  if (!isLost) return state
  const isServerError = res.k === 'ambiguous' && (res.st ?? 0) >= 500
  return loseAnswer(state, isServerError ? 'server-error' : 'silence')
}

export const isSamePart = (one: Part, other: Part) =>
  one[0] === other[0] && one[1] === other[1]

function applyRead(state: BatchState, line: Read): BatchState {
  const seen = { ...state, reading: line }
  const { formerAssignee, doubts, isToSend } = state
  if (isUnchangedOnRecord(state)) {
    // If the batch may already have been sent, the assignee from before that stays, and lost lines may have told it.
    const isToldBefore =
      formerAssignee !== undefined || (doubts.has('lost-lines') && !isToSend)
    if (wasAmbiguous(state) && isToldBefore) return seen
    const { id } = line
    return { ...seen, formerAssignee: id === undefined ? undefined : { id } }
  }
  const isKnown = formerAssignee !== undefined && line.id !== undefined
  const hasMoved = isKnown && isAmbiguous(state) && !isSameId(formerAssignee.id, line.id)
  return { ...seen, hasMoved: state.hasMoved || hasMoved }
}

function loseAnswer(state: BatchState, doubt: 'server-error' | 'silence'): BatchState {
  const { lostAnswers } = state
  return { ...state, doubts: withDoubt(state, doubt), lostAnswers: lostAnswers + 1 }
}

/**
 * An attempt that a crash interrupted counts as one with a lost answer. After the answer to its batch it was about a part.
 */
function loseInFlight(state: BatchState): BatchState {
  if (state.inFlight === undefined) return state
  const closed = { ...state, inFlight: undefined }
  if (state.answer !== undefined) return { ...closed, hasLostPart: true }
  // The ending of the last attempt is unknown now.
  return { ...loseAnswer(closed, 'silence'), last: undefined }
}

/** The batch may have been sent without a `try` on record, unless it was answered. A refusal counts no longer. */
export function doubt(
  state: BatchState,
  reason: 'lost-lines' | 'other-process',
): BatchState {
  if (isAnswered(state)) return state
  return { ...state, answer: undefined, doubts: withDoubt(state, reason) }
}

/** A session ended, or its process died. */
export function endSession(state: BatchState): BatchState {
  const { last, inFlight, failing } = state
  if (isUntried(state)) return state
  const status =
    inFlight === undefined && last !== undefined ? failingStatus(last) : undefined
  if (status === undefined) return { ...state, failing: undefined }
  const sessions = failing?.status === status ? failing.sessions + 1 : 1
  return { ...state, failing: { status, sessions } }
}

/** The status of an attempt that the next session would get again. */
function failingStatus(last: Res): number | undefined {
  const { st = 0 } = last
  const isServerError = last.k === 'ambiguous' && st >= 500
  return isServerError || isFinalRefusal(last) ? st : undefined
}

/** A new session works on the batch. An earlier read may be out of date by then, unless nothing depends on it. */
export function beginSession(
  state: BatchState,
  isSettled: (state: BatchState) => boolean,
): BatchState {
  const closed = loseInFlight(state)
  const { reading, attempts } = closed
  const begun = { ...closed, attemptsAtStart: attempts }
  if (reading === undefined) return begun
  const hasResult = reading.id !== undefined || reading.st !== undefined
  return hasResult && isSettled(begun) ? begun : { ...begun, reading: undefined }
}

/** Opens a batch again, knowing all that was tried: an accepted answer counts as a lost one. */
export function reopen(state: BatchState): BatchState {
  const closed = loseInFlight(state)
  return {
    ...closed,
    attemptsAtStart: closed.attempts,
    doubts: isAnswered(state) ? withDoubt(closed, 'sent-again') : closed.doubts,
    lostAnswers: 0,
    answer: undefined,
    parts: [],
    hasLostPart: false,
    isToSend: true,
    failing: undefined,
    reading: undefined,
    hasMoved: false,
  }
}
