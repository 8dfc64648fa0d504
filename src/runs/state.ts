/**
 * The claims about each batch of a run: a fold of its lines. A running command, lists, a resume after a kill and the
 * simulator all use it, so nothing else remembers what was sent.
 */
import type { BulkOperation } from '../api/operations.ts'
import {
  applyLine,
  beginSession,
  doubt,
  endSession,
  isAnswered,
  reopen,
  untouched,
  type BatchState,
  type Res,
} from './batch.ts'
import { Batches, type Items } from './items.ts'
import type { BatchLine, LineOf, Parameters, Part } from './lines.ts'
import type { Batch, Step } from './operations/operation.ts'
import { operationOf } from './operations/operations.ts'
import { isFailed, isPending, type Judgement, type Outcome } from './outcomes.ts'

export class RunState {
  readonly operation: BulkOperation
  readonly parameters: Parameters
  readonly items: Items
  readonly batches: Batches
  readonly #states: BatchState[]
  /** Batches that were refused since the last answer. */
  readonly #refused = new Set<number>()
  /** The service has answered a batch, so the list as a whole is not what it refuses. */
  isProven = false

  constructor({
    operation,
    parameters,
    items,
    batches,
  }: Pick<RunState, 'operation' | 'parameters' | 'items'> & { batches?: Batches }) {
    this.operation = operation
    this.parameters = parameters
    this.items = items
    this.batches = batches ?? new Batches(items.size, operationOf(operation).batch.most)
    this.#states = Array<BatchState>(this.batches.total).fill(untouched)
  }

  stateOf(batch: number): BatchState {
    return this.#states[batch - 1] ?? untouched
  }

  batch(number: number): Batch {
    const { operation, parameters, items } = this
    const { from, to } = this.batches.range(number)
    const ids = items.ids.slice(from, to)
    const { other = parameters.to?.id, expected } = items.at(from)
    return { operation, parameters, ids, other, expected }
  }

  /** The ids of a batch, or of a part of it. */
  idsOf(number: number, part: Part | undefined): readonly string[] {
    const { ids } = this.batch(number)
    return part === undefined ? ids : ids.slice(part[0] - 1, part[1])
  }

  apply(line: BatchLine) {
    const { b: batch } = line
    if (batch > this.batches.total) return this.loseLines()
    const { problemWithAnswer } = operationOf(this.operation)
    const rules = {
      isSensible: (data: unknown, part: Part | undefined): boolean =>
        problemWithAnswer(this.batch(batch), this.idsOf(batch, part), data) === undefined,
      isAboutWholeList: ({ st }: Res): boolean => this.isAboutWholeList(st),
    }
    this.#set(batch, applyLine(this.stateOf(batch), line, rules))
    if (line.t !== 'res') return
    if (line.k === 'answered') {
      this.isProven ||= isAnswered(this.stateOf(batch))
      this.#refused.clear()
    } else if (line.k === 'refused') this.#refused.add(batch)
  }

  /** Whether a refusal with this status says that the list is wrong, and not an id: none of its batches was answered yet. */
  isAboutWholeList(status: number | undefined) {
    const isOfIds = operationOf(this.operation).pairs === undefined
    return isOfIds && !this.isProven && (status === 400 || status === 404)
  }

  /** A session ended. `isStoppedByRefusals`: its last refusals are what stopped it, so those batches are sent again. */
  end(isStoppedByRefusals: boolean) {
    // A refusal of a pair is about that pair; a batch of ids shares what is wrong with all others.
    if (isStoppedByRefusals && operationOf(this.operation).pairs === undefined) {
      for (const batch of this.#refused) {
        const state = this.stateOf(batch)
        // A part of it was refused then.
        if (isAnswered(state)) continue
        this.#set(batch, { ...state, answer: undefined, isToSend: true })
      }
    }
    this.#refused.clear()
    this.#change(endSession)
  }

  begin({ unsure, reopen: opened }: Pick<LineOf<'session'>, 'unsure' | 'reopen'>) {
    if (unsure === true) this.#change((state) => doubt(state, 'other-process'))
    this.#change((state, batch) => this.#begin(batch, state, opened))
  }

  /**
   * The state of a batch when a session begins. If an id of it has one of the `opened` outcomes, the batch is opened again.
   */
  #begin(batch: number, state: BatchState, opened: readonly string[] = []): BatchState {
    const isSettled = (begun: BatchState) => this.#nextOf(batch, begun) === undefined
    const begun = beginSession(state, isSettled)
    if (opened.length === 0) return begun
    const { outcomes } = operationOf(this.operation).judge(this.batch(batch), begun)
    return outcomes.some((outcome) => opened.includes(outcome)) ? reopen(begun) : begun
  }

  /** Lines were lost before this point: each batch without an accepted answer may have been sent. */
  loseLines() {
    this.#refused.clear()
    this.#change((state) => doubt(state, 'lost-lines'))
  }

  #change(change: (state: BatchState, batch: number) => BatchState) {
    this.#states.forEach((state, i) => (this.#states[i] = change(state, i + 1)))
  }

  #set(batch: number, state: BatchState) {
    this.#states[batch - 1] = state
  }

  /** The claims about a batch in its current state. */
  judge(batch: number): Judgement {
    return operationOf(this.operation).judge(this.batch(batch), this.stateOf(batch))
  }

  /** The next step of this session with a batch; undefined when nothing more is to be done. */
  next(batch: number): Step | undefined {
    return this.#nextOf(batch, this.stateOf(batch))
  }

  #nextOf(batch: number, state: BatchState): Step | undefined {
    return operationOf(this.operation).next(this.batch(batch), state)
  }

  /** Whether a later session would send or read a batch. `opened`: outcomes that it opens again. */
  isLeft(batch: number, opened?: readonly string[]) {
    const state = this.#begin(batch, this.stateOf(batch), opened)
    return this.#nextOf(batch, state) !== undefined
  }

  /** Batches that a session would send or read, in their order. */
  listLeft(opened?: readonly string[]): number[] {
    return [...this.batches.numbers()].filter((batch) => this.isLeft(batch, opened))
  }

  /** How many ids of these batches a session would send or read. `opened`: outcomes whose batches are opened anew, whole. */
  countLeft(batches: readonly number[], opened: readonly string[] = []) {
    let count = 0
    for (const batch of batches) {
      const { outcomes } = this.judge(batch)
      const isWhole = outcomes.some((outcome) => opened.includes(outcome))
      const isIn = (outcome: Outcome) => isWhole || isFailed(outcome) || isPending(outcome)
      count += outcomes.filter(isIn).length
    }
    return count
  }

  /** Whether nothing is left to send or to find out. */
  isSettled() {
    return [...this.batches.numbers()].every(
      (batch) => !this.isLeft(batch) && !this.judge(batch).outcomes.includes('unknown'),
    )
  }

  /** The last three sessions ended with the same status: another would change nothing. */
  isHopeless(batch: number) {
    return (this.stateOf(batch).failing?.sessions ?? 0) >= 3
  }
}
