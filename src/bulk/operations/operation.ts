/**
 * A bulk operation: all that `bulk` asks of it, which the compiler demands, with the rows of its parameters. Each one has its own file.
 * `operations.ts` registers them; reading, sending, telling and plans ask the operation, and never compare its name.
 */
import { type Message } from '../../message.ts'
import type { Api } from '../../api/client.ts'
import type { ListMember } from '../../api/schemas.ts'
import type { SvcError } from '../../errors.ts'
import type { Hooks } from '../../http/attempt.ts'
import type { Pair, PairOptions } from '../../input/pairs.ts'
import type { View } from '../../output/result.ts'
import type { Receipt } from '../../views/documents.ts'
import { isAmbiguous, type BatchState } from '../record/batch-state.ts'
import type { BatchEvent, Reading } from '../record/events.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Moment } from '../record/landing.ts'
import type { ParameterValues, Party } from '../record/run.ts'
import type { Chain } from './merge-order.ts'
import type { CommonOutcome, OutcomeFacts } from './outcome-facts.ts'

export interface Batch {
  readonly operation: BulkOperation
  /** In the order they are sent; merge and assign: one. */
  readonly ids: Iterable<string> & { readonly length: number }
  /** Merge: the contact it is merged into. Assign: the new assignee. */
  readonly other?: string | undefined
  /** Add: find out which ids do not exist. */
  readonly isolate?: boolean | undefined
}

export interface BatchToSend extends Batch {
  /** From 1. */
  readonly batch: number
  /** Its ids as the text of a JSON array, made anew. */
  readonly json: () => Buffer
  readonly parameters: ParameterValues
}

/** Ids of a request: some of a batch, or all of them as the text of a JSON array. */
export type IdsToSend = readonly string[] | Buffer

/** A request of an operation: the ids in its path, and its body, in which a `Buffer` is JSON text. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** Items of an operation on ids, or on ids and pairs. */
export interface ItemsOf {
  /** The kind of its ids, which is what sentences call them. */
  readonly kind: 'contact' | 'ticket'
  /** Files of pairs: their columns, and the check that orders them. Throws exit 2 for pairs that contradict each other. */
  readonly pairs?: {
    readonly columns: PairOptions['columns']
    readonly check: (pairs: readonly Pair[]) => Chain | undefined
  }
}

export interface BatchOutcomeOf<O extends string> {
  /** One for each id, in its order. */
  readonly outcomes: readonly O[]
  /** The operation's `counts`, when there is an answer that adds up. */
  readonly counts?: Readonly<Record<string, number>> | undefined
  /** Why, in words, when it is not what the last attempt ended with: an answer was not believed, a reading said something else. */
  readonly problem?: string | undefined
}

/** The next step of resuming with a batch. */
export type NextAction = 'send' | 'read-first' | 'list-only' | 'isolate' | 'finished'

/** Where events of a batch go; an event counts once `emit` resolves. */
export interface BatchLog {
  state(): BatchState
  emit(event: BatchEvent): Promise<void>
  now(): number
  moment(): Moment
}

/** How requests of a batch are sent. Errors that are about the request are returned, all others thrown. */
export interface Requests extends BatchLog {
  /** The request of the batch, whose attempts become events. */
  attempt(): Promise<SvcError | undefined>
  /** The same request for some ids of the batch. Returns the checked answer. */
  send(ids: readonly string[], hooks: Hooks): Promise<unknown>
  /** Requests that have no events of their own. */
  ask(send: (hooks: () => Hooks) => Promise<void>): Promise<SvcError | undefined>
  read(reading: Reading): Promise<void>
}

export interface Assignees {
  readonly before?: string | null | undefined
  readonly after?: string | null | undefined
}

/** A run that has ended, for the notes that an operation has of its own. */
export interface EndedRun {
  /** Ids by outcome, and the sums of the operation's counts. */
  readonly count: (outcome: string) => number
  readonly sum: (count: string) => number
  /** Ids of this run. */
  readonly ids: number
  /** Whether any request was sent. */
  readonly isSent: () => boolean
  /** Whether it looked for the ids that do not exist, and with how many requests. */
  readonly isolates: boolean
  readonly isolateCalls: number
  readonly run: string
  /** Name of the list or employee that all have in common, or its id. */
  readonly target: string | undefined
}

export interface Operation<O extends string = string> {
  /** For questions, notes, dry runs and the bar: `Delete`, `deleting`, `deleted`. */
  readonly words: Readonly<Record<'verb' | 'doing' | 'done', string>>
  readonly items: ItemsOf
  readonly parameters: Parameters
  /** The request for ids of a batch, or for its pair. */
  readonly request: (
    batch: Pick<BatchToSend, 'operation' | 'ids' | 'other' | 'parameters'>,
    ids: IdsToSend,
  ) => RequestParts
  /** A question is asked whatever the profile says. It is answered with the number of things; `y-for-one`: with y when it is one. */
  readonly irrevocable?: 'typed' | 'y-for-one'
  /** The most ids in a request, and the requests in flight at first. */
  readonly batch: { readonly most: number; readonly concurrency: number }
  /** The outcomes of its own, in the order in which they are told. */
  readonly outcomes: Readonly<Partial<Record<O, OutcomeFacts>>>
  /** Counts of its answers that are figures of the summary, each with the outcome of the ids that it counts. */
  readonly counts?: Readonly<Record<string, O>>
  /** The flag that looks into ids of an outcome. */
  readonly isolates?: { readonly flag: string; readonly outcome: O }
  /** Members of its list that need no change, for a dry run. */
  readonly present?: (api: Api, parameters: ParameterValues) => AsyncIterable<ListMember>
  /** An unknown outcome is only listed: it is never sent again. */
  readonly listsUnknown?: boolean
  /**
   * Why its changes cannot be taken back; or the assignees before and after a change, from which an undo makes its pairs: an undo is
   * a run of the same operation, which gives each ticket back to its previous assignee.
   */
  readonly undo:
    | { readonly assignees: (state: BatchState) => Assignees; readonly whyNot?: undefined }
    | { readonly whyNot: string; readonly assignees?: undefined }
  /** Fields of an answer that the journal keeps, as the claims need them; `contact.id`: that field alone of an object. */
  readonly keptFields: readonly string[]
  readonly receiptView: View<Receipt>
  /** Sends a batch until its outcome is known or nothing more may be done. Returns the error that ended it. */
  readonly send: (api: Api, batch: BatchToSend, requests: Requests) => Promise<SvcError | undefined>
  /** The claim on a batch with an accepted answer: `unknown`, with a problem, when the answer is not believed. */
  readonly judge: (
    batch: Batch,
    state: BatchState,
    data: unknown,
  ) => BatchOutcomeOf<O | CommonOutcome>
  /** The same without an accepted answer. */
  readonly judgeUnanswered: (batch: Batch, state: BatchState) => BatchOutcomeOf<O | CommonOutcome>
  /** The next step of resuming with a batch that has no accepted answer. */
  readonly next: (batch: Batch, state: BatchState) => NextAction
  /** Sentences about a run that has ended, beside those that all operations have. */
  readonly notes?: (run: EndedRun) => readonly Message[]
}

export function all<O extends string>(
  { ids }: Batch,
  outcome: O,
  problem?: string,
): BatchOutcomeOf<O> {
  return { outcomes: Array<O>(ids.length).fill(outcome), problem }
}

export const disbelieve = (
  batch: Batch,
  problem = 'the answer has another shape',
): BatchOutcomeOf<'unknown'> => all(batch, 'unknown', problem)

export function outcomeWithoutAnswer(
  batch: Batch,
  state: BatchState,
): BatchOutcomeOf<CommonOutcome> {
  if (isAmbiguous(state)) return all(batch, 'unknown')
  // Every attempt was given up by svc before a byte left.
  return all<CommonOutcome>(batch, state.last === undefined ? 'not-attempted' : 'error')
}

/** Whether an attempt may succeed: none was made since it was resumed, or the last one never left or was refused for key, subscription or pace. */
export function isSendable({ last, sendAfter }: BatchState): boolean {
  if (sendAfter !== undefined || last === undefined || last.kind === 'never-sent') return true
  return last.status === 401 || last.status === 403 || last.status === 429
}

/** Delete and add can be repeated. */
export const sendUntilAnswered = (_: Batch, state: BatchState): NextAction =>
  isAmbiguous(state) || isSendable(state) ? 'send' : 'finished'

export function sumProblem(
  terms: Readonly<Record<string, number>>,
  { ids }: Batch,
): string | undefined {
  const counts = Object.values(terms)
  const sum = counts.reduce((before, count) => before + count, 0)
  if (sum === ids.length) return undefined
  const text = Object.entries(terms).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${text.join(' + ')} is ${sum}, ${ids.length} were sent`
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** The ids of one array of an answer, in lower case, or what is wrong with them. `name`: that of the array. */
export function idsIn(
  batch: Batch,
  name: string,
  ids: readonly string[],
):
  | { readonly problem: string }
  | { readonly ids: ReadonlySet<string>; readonly problem?: undefined } {
  const sentIds = Array.from(batch.ids, (id) => id.toLowerCase())
  const sent = new Set(sentIds)
  const found = new Set<string>()
  for (const each of ids) {
    const id = each.toLowerCase()
    if (!sent.has(id)) return { problem: `${name} names an id that was not sent` }
    if (found.has(id)) return { problem: `${name} names an id twice` }
    found.add(id)
  }
  return { ids: found }
}

/** A contact and the contact it is merged into; a ticket and its new assignee. Throws a RangeError for what is not one pair. */
export function pairOf({ operation, ids, other }: Batch): { id: string; other: string } {
  const [id] = ids
  if (id === undefined || other === undefined || ids.length !== 1) {
    throw new RangeError(`a batch of ${operation} is one pair`)
  }
  return { id, other }
}

export function assertDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a part of the batch is missing')
  return value
}

/**
 * A `list` is an argument, every other kind an option. Lists and employees may be typed by name, which reading turns into an id; a
 * contact is an id, and a `flag` is there or not.
 */
export type ParameterKind = 'list' | 'employee' | 'contact' | 'flag'

export interface Parameter {
  readonly kind: ParameterKind
  /**
   * `target`: what all items of a run have in common, or the second party of a pair. `condition`: the change is made only while it
   * holds. `flag`: how it is done.
   */
  readonly use: 'target' | 'condition' | 'flag'
  /** The line of the help. */
  readonly summary: string
  /** The word for its value in the help, when that is not its kind. */
  readonly value?: string
  /** A target: the word before its name in sentences, `to` of `to "VIP"`. */
  readonly preposition?: string
  /** The question by which a target that was left out is asked for on a terminal. */
  readonly question?: string
  /** It goes with one thing that was typed, never with a file. */
  readonly isOfOne?: true
}

export type Parameters = Readonly<Record<string, Parameter>>

export interface KeyedParameter extends Parameter {
  readonly key: string
}

/** Rows with their keys, in their order. */
export const parameterRows = (parameters: Parameters): readonly KeyedParameter[] =>
  Object.entries(parameters).map(([key, parameter]) => ({ key, ...parameter }))

/** Whether it is typed as an argument of the verb; every other parameter is an option. */
export const isArgument = ({ kind }: Pick<Parameter, 'kind'>): boolean => kind === 'list'

/** `--if-assignee` of an option, `the list` of an argument: a parameter as its user knows it. */
export function labelOf({ key, kind }: Pick<KeyedParameter, 'key' | 'kind'>): string {
  if (isArgument({ kind })) return `the ${key}`
  const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return `--${words}`
}

/** The list, employee or contact of a key; undefined for a flag, and when there is none. */
export function partyIn(values: ParameterValues, key: string | undefined): Party | undefined {
  const value = key === undefined ? undefined : values[key]
  return value === true ? undefined : value
}
