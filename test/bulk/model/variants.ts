/** The rules, each broken in one way: the model must notice. */
import {
  applyEvent,
  canLandUntil,
  reopen,
  resumeBatch,
  taint,
  undoableFrom,
  unsent,
  type BatchState,
} from '../../../src/bulk/record/batch-state.ts'
import { assignStep } from '../../../src/bulk/operations/assign.ts'
import { nextAction, outcomesOf } from '../../../src/bulk/operations/operations.ts'
import type { Batch } from '../../../src/bulk/operations/operation.ts'
import type { BatchOutcome, Outcome } from '../../../src/bulk/operations/outcome.ts'
import type { SendHalf } from '../../../src/bulk/operations/isolate.ts'
import { RunState } from '../../../src/bulk/outcomes/state.ts'
import { classify, header, type AttemptResult } from '../../../src/http/attempt.ts'
import type { Rules } from './rules.ts'

export type ModelName = 'delete' | 'add' | 'merge' | 'assign' | 'chain' | 'isolate'

/** By what is wrong with them. */
type Wrong = Readonly<Record<string, Partial<Rules>>>

/** As if no answer had ever been lost. */
function sure(state: BatchState): BatchState {
  return { ...state, everAmbiguous: false, ambiguousAttempts: 0, open: false }
}

/** Takes more answers for a refusal than the program does. */
function refusing(isRefusal: (status: number, hasRetryAfter: boolean) => boolean): Partial<Rules> {
  return {
    classify(exchange, read): AttemptResult {
      const result = classify(exchange, read)
      if (result.kind !== 'ambiguous' || result.status === undefined) return result
      const headers = result.headers ?? {}
      return isRefusal(result.status, header(headers, 'retry-after') !== undefined)
        ? { kind: 'refused', status: result.status, headers, html: false }
        : result
    },
  }
}

/** Claims of another state than the batch is in. */
function of(state: (state: BatchState) => BatchState): Partial<Rules> {
  return { outcomesOf: (batch, known) => outcomesOf(batch, state(known)) }
}

/** Claims something else where the program claims one of these. */
function saying(replaced: Partial<Record<Outcome, Outcome>>): Partial<Rules> {
  return {
    outcomesOf(batch, state) {
      const told = outcomesOf(batch, state)
      return { ...told, outcomes: told.outcomes.map((outcome) => replaced[outcome] ?? outcome) }
    },
  }
}

/** Does something else where the program would do `from`. */
function doing(
  from: ReturnType<typeof nextAction>,
  to: ReturnType<typeof nextAction>,
  where: (state: BatchState) => boolean = () => true,
): Partial<Rules> {
  return {
    next(batch, state) {
      const action = nextAction(batch, state)
      return action === from && where(state) ? to : action
    },
  }
}

function all({ ids }: Batch, outcome: Outcome): BatchOutcome {
  return { outcomes: Array.from(ids, () => outcome) }
}

const isRefused = (state: BatchState): boolean => state.last?.kind === 'refused'

interface DeleteAnswer {
  readonly deletedCount: number
  readonly notFoundIds: readonly string[]
  readonly blockedIds: readonly string[]
}

/** Delete, believing answers that pass another check than ours. */
function believing(check: (answer: DeleteAnswer, size: number) => boolean): Partial<Rules> {
  return {
    outcomesOf(batch, state) {
      const data = state.answer?.data as DeleteAnswer | undefined
      if (data === undefined || !check(data, batch.ids.length)) return outcomesOf(batch, state)
      const has = (list: readonly string[], id: string): boolean =>
        list.some((other) => other.toLowerCase() === id.toLowerCase())
      return {
        outcomes: Array.from(batch.ids, (id) => {
          if (has(data.blockedIds, id)) return 'blocked'
          if (!has(data.notFoundIds, id)) return 'deleted'
          return state.everAmbiguous ? 'gone' : 'not-found'
        }),
      }
    },
  }
}

const deletes: Wrong = {
  'a lost answer is forgotten': { apply: (state, event) => ({ ...applyEvent(state, event), everAmbiguous: false }) },
  'only the last attempt counts': {
    apply(state, event) {
      const next = applyEvent(state, event)
      if (event.t === 'try') return { ...next, everAmbiguous: state.open }
      return event.t === 'res' ? { ...next, everAmbiguous: event.k === 'ambiguous' } : next
    },
  },
  'a 5xx is taken for a refusal': refusing((status) => status >= 500),
  'a 408 is taken for a refusal': refusing((status) => status === 408),
  'a redirect is taken for a refusal': refusing((status) => status === 302),
  'a 503 with Retry-After is taken for a refusal': refusing((status, after) => status === 503 && after),
  'a 503 without Retry-After is taken for a refusal': refusing((status, after) => status === 503 && !after),
  'any 200 is taken for an answer': {
    classify(exchange, read) {
      const result = classify(exchange, read)
      if (result.kind !== 'ambiguous' || result.status !== 200) return result
      const data = { deletedCount: 2, notFoundIds: [], blockedIds: [] }
      return { kind: 'answered', status: 200, data, headers: {} }
    },
  },
  'a try without its res is taken for never sent': {
    apply: (state, event) => applyEvent(event.t === 'try' ? { ...state, open: false } : state, event),
  },
  'a try without its res is not attempted': {
    outcomesOf: (batch, state) => (state.open ? all(batch, 'not-attempted') : outcomesOf(batch, state)),
  },
  'what svc gave up itself is an error': {
    apply: (state, event) =>
      applyEvent(state, event.t === 'res' && event.x === true ? { ...event, x: undefined } : event),
  },
  'never says deleted': saying({ deleted: 'gone' }),
  'never says deleted, but unknown': saying({ deleted: 'unknown' }),
  'never says gone': saying({ gone: 'not-found' }),
  'never says gone, but unknown': saying({ gone: 'unknown' }),
  'everything absent is gone': saying({ 'not-found': 'gone' }),
  'gone counts as deleted': saying({ gone: 'deleted' }),
  'an unsent batch counts as deleted': saying({ 'not-attempted': 'deleted' }),
  'the sums are not checked': believing(({ deletedCount }, size) => deletedCount <= size),
  'foreign ids are not noticed': believing(
    (answer, size) => answer.deletedCount + answer.notFoundIds.length + answer.blockedIds.length === size,
  ),
  'letter case matters': {
    outcomesOf(batch, state) {
      const told = outcomesOf(batch, state)
      const named = JSON.stringify(state.answer?.data ?? null)
      const ids = [...batch.ids]
      return { ...told, outcomes: told.outcomes.map((out, i) => (named.includes(ids[i] ?? '') ? out : 'deleted')) }
    },
  },
  'a 4xx after a lost answer is an error': of((state) => (isRefused(state) ? sure(state) : state)),
  'answered batches are sent again': doing('finished', 'send', ({ answer }) => answer !== undefined),
  'refused batches are sent again': doing('finished', 'send', isRefused),
  'open tries are left alone by resuming': doing('send', 'finished', ({ open }) => open),
  'unknown batches are left alone by resuming': doing('send', 'list-only', ({ everAmbiguous }) => everAmbiguous),
  'a 401 burns the batch': doing('send', 'finished', isRefused),
  'an id is left out': {
    outcomesOf: (batch, state) =>
      outcomesOf({ ...batch, ids: [...batch.ids].slice(0, 1) }, { ...state, answer: undefined }),
  },
  'a take-over is forgotten': { taint: (state) => state },
  'a take-over counts only for what was tried': {
    taint: (state, at) => (state.attempts === 0 ? state : taint(state, at)),
  },
  'retry forgets': { reopen: (state) => ({ ...unsent, attempts: state.attempts }) },
  'retry forgets an answer that made no sense': { reopen: (state) => reopen({ ...state, answer: undefined }) },
  'retry sends nothing': { reopen: (state) => ({ ...reopen(state), sendAfter: undefined }) },
  'gone after silence is not accepted': {
    apply: (state, event) => ({ ...applyEvent(state, event), lostSilently: false }),
  },
  'gone after errors of the service alone is accepted': {
    apply: (state, event) => ({ ...applyEvent(state, event), lostSilently: true }),
  },
}

/** An answer to add, cut down so that it adds up. */
function trimmed(state: BatchState): BatchState {
  const data = state.answer?.data as { added: number; skipped: number; failed: number } | undefined
  if (data === undefined || state.answer === undefined || data.added + data.skipped + data.failed <= 2) return state
  return { ...state, answer: { ...state.answer, data: { ...data, skipped: 0 } } }
}

const adds: Wrong = {
  'add: the sums are not checked': of(trimmed),
  'add: addedOrSkipped is never used': of((state) => (state.answer === undefined ? state : sure(state))),
  'add: skipped is never used': of((state) => (state.answer === undefined ? state : { ...state, everAmbiguous: true })),
  'add: a 5xx is taken for a refusal': refusing((status) => status >= 500),
  'add: some failed, and the others are ok': saying({ undetermined: 'ok' }),
  'add: some failed, and all are missing': saying({ undetermined: 'missing' }),
  'add: nobody exists, and it is not known who': saying({ missing: 'undetermined' }),
  'add: retry forgets': { reopen: (state) => ({ ...reopen(state), everAmbiguous: false }) },
}

const merges: Wrong = {
  'merge: sent again after a lost answer': doing('list-only', 'send'),
  'merge: a 503 with Retry-After is a refusal': refusing((status, after) => status === 503 && after),
  'merge: a 4xx after a lost answer is an error': of((state) => (isRefused(state) ? sure(state) : state)),
  'merge: another contact in the answer is believed': {
    outcomesOf: (batch, state) => (state.answer === undefined ? outcomesOf(batch, state) : all(batch, 'done')),
  },
  'merge: a take-over is forgotten': { taint: (state) => state },
  'merge: what was never tried is not sent after a take-over': doing(
    'send',
    'list-only',
    (state) => state.everAmbiguous,
  ),
  'merge: a take-over has no time': { taint: (state, when) => ({ ...taint(state, when), ambiguousAt: undefined }) },
  'merge: an open attempt has no time': {
    apply: (state, event) => ({ ...applyEvent(state, event), triedAt: undefined }),
  },
  'merge: the first lost answer gives the time': {
    apply(state, event) {
      const next = applyEvent(state, event)
      return { ...next, ambiguousAt: state.ambiguousAt ?? next.ambiguousAt }
    },
  },
  'merge: retry sends no unknown one': { reopen: (state) => ({ ...reopen(state), ambiguousAttempts: 1 }) },
  'merge: retry forgets': { reopen: (state) => ({ ...reopen(state), everAmbiguous: false }) },
}

const assigns: Wrong = {
  'assign: sent again without reading': {
    step: (state, id) => (state.attempts > 0 && assignStep(state, id) === 'read' ? 'send' : assignStep(state, id)),
  },
  'assign: a new session does not read again': { resume: ({ ...state }) => ({ ...state, sendAfter: state.attempts }) },
  'assign: someone else’s change is overwritten': {
    step: (state, id) =>
      state.reading?.ok === true && state.reading.id !== id && state.answer === undefined
        ? 'send'
        : assignStep(state, id),
  },
  'assign: a new session forgets that someone else had it': {
    resume: (state) => ({ ...resumeBatch(state), hasMoved: false }),
  },
  'assign: sent again after a refusal': {
    step: (state, id) => assignStep(isRefused(state) ? { ...state, last: { kind: 'ambiguous' } } : state, id),
  },
  'assign: error when someone else has it': {
    outcomesOf(batch, state) {
      const told = outcomesOf(batch, state)
      return told.problem?.includes('seen with another assignee') === true ? all(batch, 'error') : told
    },
  },
  'assign: someone else has it, and that is final': doing(
    'read-first',
    'finished',
    ({ reading, before }) => reading?.ok === true && reading.id !== before?.id,
  ),
  'assign: a refusal after a lost answer tells': {
    step: (state, id) => (isRefused(state) ? 'finished' : assignStep(state, id)),
    ...of((state) => (isRefused(state) ? sure(state) : state)),
  },
  'assign: another assignee in the answer is believed': {
    outcomesOf: (batch, state) => (state.answer === undefined ? outcomesOf(batch, state) : all(batch, 'done')),
  },
  'assign: an unreadable ticket is taken for unchanged': of((state) =>
    state.reading?.ok === false ? sure(state) : state,
  ),
  'assign: a 503 with Retry-After is a refusal': refusing((status, after) => status === 503 && after),
  'assign: a reading of the wanted one tells nothing': of((state) => ({ ...state, reading: undefined })),
  'assign: a take-over is forgotten': { taint: (state) => state },
  'assign: the reading after a lost answer counts as before': {
    apply(state, event) {
      const next = applyEvent(state, event)
      return event.t === 'read' && event.ok ? { ...next, before: { id: event.id ?? null } } : next
    },
  },
  'assign: retry forgets who had it before': { reopen: (state) => ({ ...reopen(state), before: undefined }) },
  'assign: retry forgets': { reopen: (state) => ({ ...reopen(state), everAmbiguous: false }), resume: resumeBatch },
}

const undos: Wrong = {
  'undo: what only a reading showed': { undoableFrom: (state) => canLandUntil(state) ?? 0 },
  'undo: a lost attempt is forgotten': { undoableFrom: (state) => undoableFrom({ ...state, ambiguousAt: undefined }) },
  'undo: nothing whose answer was ever lost': {
    undoableFrom: (state) => (state.everAmbiguous ? undefined : undoableFrom(state)),
  },
  'undo: always six minutes later': {
    undoableFrom: (state) => (state.answer === undefined ? undefined : canLandUntil({ ...state, ambiguousAt: 0 })),
  },
}

const chains: Wrong = {
  'chain: the order is forgotten': {
    State: class extends RunState {
      override chainBefore = (): readonly number[] => []
    },
  },
  'chain: sent while the one before can still take effect': {
    State: class extends RunState {
      override holdsBack = (batch: number): string | undefined =>
        super.holdsBack(batch, { now: Number.MAX_SAFE_INTEGER, margin: 0 })
    },
  },
  'chain: what no resume sends is not attempted': {
    State: class extends RunState {
      override outcome(batch: number): BatchOutcome {
        const told = super.outcome(batch)
        return this.of(batch).attempts === 0 ? { outcomes: ['not-attempted'] } : told
      }
    },
  },
  'chain: the time is that of the last look': {
    State: class extends RunState {
      override landsUntil = (position: number): number => {
        const until = super.landsUntil(position)
        return until === 0 ? 0 : until + 1
      }
    },
  },
  'chain: retry forgets that an answer was lost': {
    State: class extends RunState {
      override of(batch: number): BatchState {
        const state = super.of(batch)
        return state.sendAfter === undefined ? state : { ...state, ambiguousAt: undefined }
      }
    },
  },
}

/** As it was: what is not in one half must be in the other, and whoever is left over is taken for present. */
async function bySubtraction(ids: readonly string[], failed: number, send: SendHalf) {
  const missing: string[] = []
  const search = async (part: readonly string[], bad: number): Promise<void> => {
    if (bad === part.length) missing.push(...part)
    if (bad <= 0 || bad >= part.length) return
    const [left, right] = [part.slice(0, part.length >> 1), part.slice(part.length >> 1)]
    const inLeft = (await send(left)).failed
    await search(left, inLeft)
    await search(right, bad - inLeft)
  }
  await search(ids, failed)
  return { missing, proven: missing.length === failed, calls: 0 }
}

const isolations: Wrong = {
  'isolate by subtraction': { isolate: bySubtraction },
  'isolate: a closing call, but missing by subtraction': {
    async isolate(ids, failed, send) {
      const { missing, calls } = await bySubtraction(ids, failed, send)
      const present = ids.filter((id) => !missing.includes(id))
      return { missing, proven: present.length === 0 || (await send(present)).failed === 0, calls }
    },
  },
  'isolate: what is not proven is ok': of((state) =>
    state.isolation === undefined ? state : { ...state, isolation: { ...state.isolation, proven: true } },
  ),
  'isolate: nothing is ever proven': of((state) =>
    state.isolation === undefined ? state : { ...state, isolation: { ...state.isolation, proven: false } },
  ),
  'isolate: once is enough': doing('isolate', 'finished'),
}

const models: readonly (readonly [ModelName, Wrong])[] = [
  ['delete', deletes],
  ['add', adds],
  ['merge', merges],
  ['assign', assigns],
  ['assign', undos],
  ['chain', chains],
  ['isolate', isolations],
]

export const variants = models.flatMap(([model, each]) =>
  Object.entries(each).map(([name, wrong]) => [name, model, wrong] as const),
)
