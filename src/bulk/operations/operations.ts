/**
 * The bulk operations by name, and what may be claimed of a batch and done with it next. Pure: test/bulk/outcomes.test.ts has the rules as
 * a table. `operationOf` is asked wherever a run, a plan or a command has the name of its operation: `sessions/job.ts`, `runs/recorded.ts`,
 * `plans/plan-file.ts`, `cli/bulk-command.ts`.
 */
import type { BatchState } from '../record/batch-state.ts'
import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import { joinOr } from '../../words.ts'
import { addContacts } from './add.ts'
import { assignTickets } from './assign.ts'
import { deleteContacts } from './delete.ts'
import { mergeContacts } from './merge.ts'
import {
  type Batch,
  type BatchOutcomeOf,
  type ItemsOf,
  type NextAction,
  type Operation,
  isArgument,
  labelOf,
  parameterRows,
  partyIn,
  type Parameter,
} from './operation.ts'
import type { CommonOutcome } from './outcome-facts.ts'
import type { ParameterValues, Party } from '../record/run.ts'

const operations = {
  'contacts.delete': deleteContacts,
  'lists.add-contacts': addContacts,
  'contacts.merge': mergeContacts,
  'tickets.assign': assignTickets,
} satisfies Record<BulkOperation, Operation>

export type OwnOutcome = {
  [name in BulkOperation]: keyof (typeof operations)[name]['outcomes']
}[BulkOperation]

export const allOperations: readonly Operation<OwnOutcome>[] = Object.values(operations)

export const operationOf = (name: BulkOperation): Operation<OwnOutcome> => operations[name]

/** Whether each of its requests changes one thing, as the operations on pairs do. */
export const isSingle = (name: BulkOperation): boolean =>
  operationOf(name).items.pairs !== undefined

function rowWith(name: BulkOperation, use: Parameter['use']) {
  const rows = parameterRows(operationOf(name).parameters)
  return rows.find((row) => row.use === use)
}

/** The parameter that all items of a run have in common; the condition on which it changes them. */
export const targetParameter = (name: BulkOperation) => rowWith(name, 'target')
export const conditionParameter = (name: BulkOperation) => rowWith(name, 'condition')

/** The list or employee that all items of a run have in common. */
export const targetOf = (name: BulkOperation, values: ParameterValues): Party | undefined =>
  partyIn(values, targetParameter(name)?.key)

/** Whether a run looks for the ids that its answers did not name. */
export function isIsolating(name: BulkOperation, values: ParameterValues): boolean {
  const { isolates } = operationOf(name)
  return isolates !== undefined && values[isolates.flag] === true
}

/** The command of an operation: `lists add-contacts`. */
export const commandOf = (name: BulkOperation): string => name.replace('.', ' ')

/** Its command for files, with what all items have in common: `tickets assign --to <employee>`. */
export function commandForFiles(name: BulkOperation): string {
  const target = targetParameter(name)
  if (target === undefined || target.isOfOne === true) return commandOf(name)
  const { key, kind, value = kind } = target
  const words = isArgument(target) ? `<${key}>` : `${labelOf(target)} <${value}>`
  return `${commandOf(name)} ${words}`
}

const isolating = bulkOperations.filter((name) => operationOf(name).isolates !== undefined)

/** The outcomes that `--isolate` looks into, and the commands that take it: `lists add-contacts`. */
export const isolatedOutcomes = isolating.flatMap(
  (name) => operationOf(name).isolates?.outcome ?? [],
)
export const isolatingCommands = joinOr(isolating.map(commandOf))

/** Throws a TypeError for an operation that takes ids alone. */
export function pairsOf(name: BulkOperation): NonNullable<ItemsOf['pairs']> {
  const { pairs } = operationOf(name).items
  if (pairs === undefined) throw new TypeError(`${name} takes no pairs`)
  return pairs
}

/** The outcome of each id of a batch in this state. Throws a RangeError for a merge or an assign that is not one pair. */
export function outcomesOf(
  batch: Batch,
  state: BatchState,
): BatchOutcomeOf<OwnOutcome | CommonOutcome> {
  const { judge, judgeUnanswered } = operationOf(batch.operation)
  if (state.answer === undefined) return judgeUnanswered(batch, state)
  return judge(batch, state, state.answer.data)
}

/** The next step of resuming with a batch. One with an accepted answer is not sent again, even when its sums do not add up. */
export function nextAction(batch: Batch, state: BatchState): NextAction {
  if (state.answer === undefined) return operationOf(batch.operation).next(batch, state)
  const { isolates } = operationOf(batch.operation)
  const isLookedInto = batch.isolate === true && isolates !== undefined
  return isLookedInto && outcomesOf(batch, state).outcomes.includes(isolates.outcome)
    ? 'isolate'
    : 'finished'
}
