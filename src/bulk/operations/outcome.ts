/**
 * The outcomes of all operations: whether an id is finished, open, or to be found out, and what that means in words. All code that shows, counts
 * or repeats outcomes calls it: `state.ts` and its projections in `outcomes`, `send.ts`, `conclude.ts` and `annotate.ts`.
 */
import type { BulkOperation } from '../../api/operations.ts'
import type { Judgement as JudgementOf } from './operation.ts'
import { commonOutcomes, type CommonOutcome, type OutcomeFacts } from './outcome-facts.ts'
import { allOperations, operationOf, type OwnOutcome } from './operations.ts'

export type Outcome = CommonOutcome | OwnOutcome

export type Judgement = JudgementOf<Outcome>

const table: ReadonlyMap<string, OutcomeFacts> = new Map(
  [commonOutcomes, ...allOperations.map((operation) => operation.outcomes)].flatMap(
    (facts) => Object.entries(facts),
  ),
)

export const isOutcome = (text: string): text is Outcome => table.has(text)

/** All outcomes, so that an outcome can be stored as a byte. */
export const outcomes: readonly Outcome[] = [...table.keys()].filter(isOutcome)

export function outcomeFacts(outcome: Outcome): OutcomeFacts {
  const facts = table.get(outcome)
  if (facts === undefined) throw new TypeError(`no operation has the outcome "${outcome}"`)
  return facts
}

/** Outcomes that `--accept` takes of some operation, and those that `--outcome` of `runs resume` opens again. */
export const acceptable = outcomes.filter((outcome) => outcomeFacts(outcome).isAcceptable)
export const reopenable = outcomes.filter((outcome) => outcomeFacts(outcome).isReopenable)

/** Whether an id with this outcome needs no attention, whatever `--accept` says. */
export const isDone = (outcome: Outcome): boolean => outcomeFacts(outcome).isDone

/** Whether a batch with this outcome failed: it was refused, or may have been done. */
export const isFailed = (outcome: Outcome | undefined): boolean =>
  outcome === 'error' || outcome === 'unknown'

/** Whether something is left to send or to find out: its receipt may say why. */
export const isOpen = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && outcomeFacts(outcome).isReopenable && !isFailed(outcome)

/** The outcomes of an operation: its own, then those that all have. */
export function outcomesOfOperation(name: BulkOperation): readonly Outcome[] {
  const own = operationOf(name).outcomes
  const names = [...Object.keys(own), ...Object.keys(commonOutcomes)]
  return names.filter(isOutcome)
}

/** The outcomes that somebody must look at, as `runs export` takes them. Ids that were never sent need no list. */
export function outcomesToList(name: BulkOperation): readonly Outcome[] {
  const own = outcomesOfOperation(name).filter(
    (outcome) => !isDone(outcome) && !Object.hasOwn(commonOutcomes, outcome),
  )
  return [...own.toSorted(), 'error', 'unknown']
}

/** A figure of a summary, and the outcome of the ids that it counts. */
export interface Figure {
  readonly name: string
  readonly outcome: Outcome
  /** Whether it is one of the counts that answers have. */
  readonly isCount: boolean
}

/** The figures of a summary in their order: what is done, what is not, and what all operations have. */
export function figuresOf(name: BulkOperation): readonly Figure[] {
  const { counts = {} } = operationOf(name)
  const ofCounts = Object.entries(counts).flatMap(([name, outcome]): Figure[] =>
    isOutcome(outcome) ? [{ name, outcome, isCount: true }] : [],
  )
  const ofOutcomes = figuresOfOutcomes(Object.keys(operationOf(name).outcomes))
  const own = [...ofCounts, ...ofOutcomes]
  return [
    ...own.filter(({ outcome }) => isDone(outcome)),
    ...own.filter(({ outcome }) => !isDone(outcome)),
    // Every summary has them in this order, for all operations.
    ...figuresOfOutcomes(['error', 'unknown', 'not-attempted']),
  ]
}

/** Outcomes have no figure of their own if counts of the answers take their place. */
function figuresOfOutcomes(names: readonly string[]): Figure[] {
  return names.filter(isOutcome).flatMap((outcome) => {
    const { figure } = outcomeFacts(outcome)
    return figure === undefined
      ? []
      : [
          {
            name: figure,
            outcome,
            isCount: false,
          },
        ]
  })
}

/** Outcomes of an operation that `--accept` takes; some operations have none. */
export function acceptableOf(name: BulkOperation): readonly Outcome[] {
  return outcomesOfOperation(name).filter((outcome) => outcomeFacts(outcome).isAcceptable)
}

/** How many ids a summary's figures count as done, with those that are accepted. */
export function countDone(
  name: BulkOperation,
  result: Readonly<Record<string, number>>,
  accepted: readonly Outcome[],
): number {
  const figures = figuresOf(name).filter(
    ({ outcome }) => isDone(outcome) || accepted.includes(outcome),
  )
  return figures.reduce((sum, figure) => sum + (result[figure.name] ?? 0), 0)
}

/** The summary's arrays of ids by their outcomes. */
export function idArraysOf(name: BulkOperation): readonly (readonly [string, Outcome])[] {
  return outcomesOfOperation(name).flatMap((outcome) => {
    const { idArray } = outcomeFacts(outcome)
    return idArray === undefined ? [] : [[idArray, outcome] as const]
  })
}
