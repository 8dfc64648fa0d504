/** A bulk operation: what the runs need to know about it, checked by the compiler. There are four, each in its own file. */
import type { BulkOperation } from '../../api/operations.ts'
import type { Pair, PairOptions } from '../../input/pairs.ts'
import { isAmbiguous, isGivenUp, type BatchState } from '../batch.ts'
import type { Item } from '../items.ts'
import type { Parameters, Part } from '../lines.ts'
import type { CommonOutcome, Judgement, Outcome } from '../outcomes.ts'

/** The items of one request, in the order in which they are sent, and the parameters of the run. */
export interface Batch {
  operation: BulkOperation
  ids: readonly string[]
  /** The second party of a pair. */
  other?: string | undefined
  /** The assignee that the ticket of an undo must have. */
  expected?: string | undefined
  parameters: Parameters
}

/** The next thing to do with a batch: send it or a part of it, or read its ticket. */
export type Step = { kind: 'send'; part?: Part } | { kind: 'read' }

export interface PairRules {
  /** Headings of the ids and of their second parties. */
  columns: PairOptions['columns']
  /** The word before the second party in sentences. */
  preposition: 'into' | 'to'
  /** Why a pair cannot be sent, in words. `byId`: the first pair of each id, in lower case. */
  problemWithPair?: (pair: Pair, byId: ReadonlyMap<string, Pair>) => string | undefined
}

export interface Operation {
  /** For questions, notes and the bar: `Delete`, `deleting`. */
  words: Record<'verb' | 'doing', string>
  /** The kind of its ids, which is also their name in sentences. */
  item: 'contact' | 'ticket'
  /** Each request has one pair. */
  pairs?: PairRules
  /** The most ids in a request, and the requests in flight at first. */
  batch: { most: number; concurrency: number }
  /**
   * svc asks on every profile, and several items are answered with their number. A single one is answered with y; with
   * `typed`, one from a file with its number too.
   */
  irrevocable?: 'typed' | 'y-for-one'
  /** The request for ids of a batch: all of them, or those of a part. */
  request: (
    batch: Batch,
    ids: readonly string[],
  ) => { path: Readonly<Record<string, string>>; body: Readonly<Record<string, unknown>> }
  /** The fields of an answer that the record keeps for the claims. `contact.id`: only that field of an object. */
  keptFields: readonly string[]
  /** Why an answer about these ids of the batch makes no sense, in words. */
  problemWithAnswer: (
    batch: Batch,
    ids: readonly string[],
    data: unknown,
  ) => string | undefined
  /** The claims that a state of a batch allows. */
  judge: (batch: Batch, state: BatchState) => Judgement
  /** The next step in this session; undefined if there is none. */
  next: (batch: Batch, state: BatchState) => Step | undefined
  /** The assignees before and after, for receipts. */
  assignees?: (state: BatchState) => {
    before?: string | null | undefined
    after?: string | null | undefined
  }
  /**
   * The item that undoes a confirmed change; undefined if nothing changed, or if it is not known how it was before. Or why
   * there is no undo.
   */
  undo: ((id: string, answer: unknown) => Omit<Item, 'line'> | undefined) | string
}

export const sameForAll = (
  { ids }: Batch,
  outcome: Outcome,
  problem?: string,
): Judgement => ({
  outcomes: Array<Outcome>(ids.length).fill(outcome),
  problem,
})

/** The claims about a batch without an answer that makes sense. `problemWithAnswer`: of its operation. */
export function judgeUnanswered(
  batch: Batch,
  state: BatchState,
  problemWithAnswer: Operation['problemWithAnswer'],
): Judgement {
  const { last } = state
  if (isAmbiguous(state)) {
    const isNonsense = state.inFlight === undefined && last?.k === 'answered'
    const problem = isNonsense ? problemWithAnswer(batch, batch.ids, last.d) : undefined
    return sameForAll(batch, 'unknown', problem)
  }
  const isUnsent = last === undefined || isGivenUp(last)
  const outcome: CommonOutcome = isUnsent ? 'not-attempted' : 'error'
  return sameForAll(batch, outcome)
}

export const unexpectedForm = 'the answer does not have the expected form'

/** Why counts and lists of ids in an answer do not account for the ids that were sent. */
export function sumProblem(
  terms: Readonly<Record<string, number>>,
  ids: readonly string[],
): string | undefined {
  const sum = Object.values(terms).reduce((before, count) => before + count, 0)
  if (sum === ids.length) return undefined
  const text = Object.entries(terms).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${text.join(' + ')} is ${sum}, but ${ids.length} were sent`
}
