/**
 * A bulk operation: everything that `bulk` needs to know about it, checked by the compiler. Each one has its own file, and `operations.ts` registers
 * them. Reading, sending, questions, plans and receipts ask the operation and iterate over its slots. No code compares its name.
 */
import type { BulkOperation } from '../../api/operations.ts'
import { SvcError } from '../../errors.ts'
import type { Pair, PairOptions } from '../../input/pairs.ts'
import type { Message } from '../../message.ts'
import type { View } from '../../output/result.ts'
import type { Receipt } from '../../views/documents.ts'
import { firstOf } from '../../words.ts'
import {
  isAmbiguous,
  isFinalRefusal,
  isUntried,
  type BatchState,
  type Part,
  type Res,
} from '../record/batch.ts'
import type { ParameterValues, Party } from '../record/header.ts'
import type { CommonOutcome, OutcomeFacts } from './outcome-facts.ts'

/** The items of one request, in the order in which they are sent, and the parameters of the run. */
export interface Batch {
  readonly operation: BulkOperation
  readonly ids: readonly string[]
  /** The second party of a pair. */
  readonly other?: string | undefined
  /** The assignee that the ticket of an undo must have. */
  readonly from?: string | undefined
  readonly parameters: ParameterValues
}

/** A request of an operation: the ids in its path, and its body. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * A party, a condition or a flag of an operation. A list is typed as an argument, everything else as an option. Lists and employees may be typed by
 * name, which reading turns into an id.
 */
export interface Slot {
  readonly kind: 'list' | 'employee' | 'contact' | 'ticket' | 'flag'
  /** `column`: an option, or the second column of a file of pairs. */
  readonly place: 'argument' | 'option' | 'column'
  /** Its line in the help. */
  readonly summary: string
  /** The word for its value in the help, if that is not its kind. */
  readonly value?: string
  /** The word before its name in sentences, `to` of `to "VIP"`. A slot without one is a condition or a flag, which sentences name by its option. */
  readonly preposition?: string
  /** The question on a terminal if it was left out. */
  readonly question?: string
  /** Every item has its own value: the option is for a single id, never for a file of ids. */
  readonly isPerItem?: true
}

export type Slots = Readonly<Record<string, Slot>>

export interface KeyedSlot extends Slot {
  readonly key: string
}

/** The items of an operation: ids, or ids and pairs. */
export interface ItemsOf {
  /** The kind of its ids, which is also their name in sentences. */
  readonly kind: 'contact' | 'ticket'
  readonly pairs?: {
    /** Headings of the ids and of their second parties. */
    readonly columns: PairOptions['columns']
    /** Throws exit 2 for pairs that contradict each other. */
    readonly check: (pairs: readonly Pair[]) => void
  }
}

export interface Judgement<O extends string> {
  /** One for each id, in its order. */
  readonly outcomes: readonly O[]
  /** The operation's `counts`, when there is an answer that adds up. */
  readonly counts?: Readonly<Record<string, number>> | undefined
  /** The reason in words, if it is not the result of the last attempt. */
  readonly problem?: string | undefined
}

/** The next thing to do with a batch: send it or a part of it, or read its ticket. */
export type Step =
  { readonly kind: 'send'; readonly part?: Part } | { readonly kind: 'read' }

/** An item that an undo changes back. */
export type ItemBack = Pick<Pair, 'id'> & {
  readonly other?: string
  readonly from?: string
}

/** How to undo a run: with a run of the same operation. */
export interface Undo {
  readonly parameters: (values: ParameterValues) => ParameterValues
  /** The item that undoes a confirmed change; undefined if nothing changed, or if it is not known how it was before. */
  readonly item: (id: string, answer: unknown) => ItemBack | undefined
  readonly whyNot?: undefined
}

/** A run that has ended, for the operation's own notes. */
export interface EndedRun {
  /** Ids by outcome. */
  readonly count: (outcome: string) => number
  /** Ids of this run. */
  readonly ids: number
  readonly isSent: boolean
}

export interface Operation<O extends string = string> {
  /** For questions, notes, dry runs and the bar: `Delete`, `deleting`, `deleted`. */
  readonly words: Readonly<Record<'verb' | 'doing' | 'done', string>>
  readonly items: ItemsOf
  readonly slots: Slots
  /** The request for ids of a batch: all of them, or those of a part. */
  readonly request: (batch: Batch, ids: readonly string[]) => RequestParts
  /** svc asks on every profile. The answer is the number of items; with `y-for-one`, a single item is answered with y. */
  readonly irrevocable?: 'typed' | 'y-for-one'
  /** The most ids in a request, and the requests in flight at first. */
  readonly batch: { readonly most: number; readonly concurrency: number }
  /** Its own outcomes, in the order in which they are shown. */
  readonly outcomes: Readonly<Partial<Record<O, OutcomeFacts>>>
  /** The counts in its answers that are figures of the summary, each with the outcome that it counts. */
  readonly counts?: Readonly<Record<string, O>>
  /** An unknown outcome is only listed: it is never sent again. */
  readonly listsUnknown?: boolean
  readonly undo: Undo | { readonly whyNot: string }
  /** The fields of an answer that the journal keeps for the claims. `contact.id`: only that field of an object. */
  readonly keptFields: readonly string[]
  readonly receiptView: View<Receipt>
  /** The assignees before and after, for receipts. */
  readonly assignees?: (state: BatchState) => Assignees
  /** Why an answer about these ids of the batch makes no sense, in words. */
  readonly problemOf: (
    batch: Batch,
    ids: readonly string[],
    data: unknown,
  ) => string | undefined
  /** The claims that a state of a batch allows. */
  readonly judge: (batch: Batch, state: BatchState) => Judgement<O | CommonOutcome>
  /** The next step in this session; undefined if there is none. */
  readonly next: (batch: Batch, state: BatchState) => Step | undefined
  /** Sentences about a run that has ended, in addition to those of all operations. */
  readonly notes?: (run: EndedRun) => readonly Message[]
}

export interface Assignees {
  readonly before?: string | null | undefined
  readonly after?: string | null | undefined
}

export function all<O extends string>(
  { ids }: Batch,
  outcome: O,
  problem?: string,
): Judgement<O> {
  return { outcomes: Array<O>(ids.length).fill(outcome), problem }
}

/** The claims about a batch without an answer that makes sense. `problemOf`: of its operation. */
export function judgeUnanswered(
  batch: Batch,
  state: BatchState,
  problemOf: Operation['problemOf'],
): Judgement<CommonOutcome> {
  const { last } = state
  if (isAmbiguous(state)) {
    const isNonsense = state.open === undefined && last?.k === 'answered'
    return all(
      batch,
      'unknown',
      isNonsense ? problemOf(batch, batch.ids, last.d) : undefined,
    )
  }
  // svc stopped by itself before a byte left.
  const isUnsent = last === undefined || (last.k === 'never-sent' && last.m === undefined)
  return all<CommonOutcome>(batch, isUnsent ? 'not-attempted' : 'error')
}

/** Whether an attempt may succeed: none was made, the last one never left, or it was refused because of the key, the subscription or the pace. */
export function isSendable({ last, isToSend }: BatchState): boolean {
  return isToSend || last === undefined || last.k === 'never-sent' || isPassingRefusal(last)
}

const isPassingRefusal = (res: Res): boolean => res.k === 'refused' && !isFinalRefusal(res)

/** Whether the last answer came from something other than the service, or made no sense. Then another attempt changes nothing. */
function isPointless({ last, open }: BatchState): boolean {
  if (last === undefined || open !== undefined) return false
  const isRedirect = (last.s ?? 0) >= 300 && (last.s ?? 0) < 400
  return last.k === 'answered' || (last.k === 'ambiguous' && isRedirect)
}

/** Whether an operation that can be repeated is sent in this session: delete and add. */
export function isSentAgain(state: BatchState): boolean {
  if (!isUntried(state)) return false
  if (state.isToSend) return true
  return isAmbiguous(state) ? !isPointless(state) : isSendable(state)
}

export function sumProblem(
  terms: Readonly<Record<string, number>>,
  ids: readonly string[],
): string | undefined {
  const sum = Object.values(terms).reduce((before, count) => before + count, 0)
  if (sum === ids.length) return undefined
  const text = Object.entries(terms).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${text.join(' + ')} is ${sum}, but ${ids.length} were sent`
}

/** A set of ids for comparisons that ignore letter case. */
export const idSet = (ids: readonly string[]): ReadonlySet<string> =>
  new Set(ids.map((id) => id.toLowerCase()))

/** Why an answer, with counts of the ids that are done and arrays of all others, does not account for each id that was sent. */
export function partsProblem(
  ids: readonly string[],
  counts: Readonly<Record<string, number>>,
  arrays: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const named = Object.values(arrays).flat()
  const sizes = Object.entries(arrays).map(([name, array]) => [name, array.length])
  const problem = sumProblem({ ...counts, ...Object.fromEntries(sizes) }, ids)
  if (problem !== undefined || named.length === 0) return problem
  const sent = idSet(ids)
  for (const [name, array] of Object.entries(arrays)) {
    const own = idSet(array)
    if (own.size < array.length) return `${name} names an id twice`
    if ([...own].some((id) => !sent.has(id))) return `${name} names an id that was not sent`
  }
  const isTwice = idSet(named).size < named.length
  return isTwice ? `an id is in ${Object.keys(arrays).join(' and in ')}` : undefined
}

export const otherShape = 'the answer does not have the expected form'

/** A contact and the contact it is merged into; a ticket and its new assignee. Throws a RangeError for what is not one pair. */
export function pairOf({ operation, ids, other }: Batch): { id: string; other: string } {
  const [id] = ids
  if (id === undefined || other === undefined || ids.length !== 1) {
    throw new RangeError(`a batch of ${operation} is one pair`)
  }
  return { id, other }
}

/** Exit 2 for pairs that contradict each other, each problem on a line of its own. */
export function contradiction(problems: readonly string[]): SvcError {
  const lines = firstOf(problems, 20)
  return new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines,
  })
}

/** Slots with their keys, in their order. */
export const slotsOf = (slots: Slots): readonly KeyedSlot[] =>
  Object.entries(slots).map(([key, slot]) => ({ key, ...slot }))

/** A slot as its user knows it: `--if-assignee` for an option, `<list>` for an argument. */
export function labelOf({ key, place }: Pick<KeyedSlot, 'key' | 'place'>): string {
  if (place === 'argument') return `<${key}>`
  const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return `--${words}`
}

/** The list, employee or contact of a key; undefined for a flag, and if there is no such party. */
export function partyIn(values: ParameterValues, key: string): Party | undefined {
  const value = values[key]
  return value === true ? undefined : value
}

/** The same for a slot that every run has. */
export function requiredParty(values: ParameterValues, key: string): Party {
  const party = partyIn(values, key)
  if (party === undefined) throw new TypeError(`a run without "${key}"`)
  return party
}
