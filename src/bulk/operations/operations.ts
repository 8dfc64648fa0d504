/**
 * The bulk operations by name. Runs, plans and commands know only the name of their operation, and look it up with `operationOf`: `job.ts`,
 * `state.ts`, `plans/plan-file.ts`, `cli/bulk-command.ts`.
 */
import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import type { ParameterValues, Party } from '../record/header.ts'
import { addContacts } from './add.ts'
import { assignTickets } from './assign.ts'
import { deleteContacts } from './delete.ts'
import { mergeContacts } from './merge.ts'
import {
  partyIn,
  slotsOf,
  type ItemsOf,
  type KeyedSlot,
  type Operation,
} from './operation.ts'

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

export const slotsOfOperation = (name: BulkOperation): readonly KeyedSlot[] =>
  slotsOf(operationOf(name).slots)

/** Whether an operation takes pairs, so that each request changes one thing. */
export const isOfPairs = (name: BulkOperation): boolean =>
  operationOf(name).items.pairs !== undefined

/** The slot that the second column of a file of pairs fills. */
export const columnSlot = (name: BulkOperation): KeyedSlot | undefined =>
  slotsOfOperation(name).find(({ place }) => place === 'column')

/** A list, employee or contact that all items of a run share, with its slot. */
export interface NamedParty extends Party {
  readonly slot: KeyedSlot
}

/** The parties that a sentence names: `to "VIP"`. */
export function partiesOf(
  name: BulkOperation,
  values: ParameterValues,
): readonly NamedParty[] {
  return slotsOfOperation(name).flatMap((slot) => {
    const party = slot.preposition === undefined ? undefined : partyIn(values, slot.key)
    return party === undefined ? [] : [{ ...party, slot }]
  })
}

/** The parties' names as one text, for columns and notes; undefined if each item has its own party. */
export function targetName(
  name: BulkOperation,
  values: ParameterValues,
): string | undefined {
  const names = partiesOf(name, values).map((party) => party.name ?? party.id)
  return names.length === 0 ? undefined : names.join(', ')
}

/** The command of an operation: `lists add-contacts`. */
export const commandOf = (name: BulkOperation): string => name.replace('.', ' ')

/** The pairs that an operation takes. Throws a TypeError if it takes only ids. */
export function pairsOf(name: BulkOperation): NonNullable<ItemsOf['pairs']> {
  const { pairs } = operationOf(name).items
  if (pairs === undefined) throw new TypeError(`${name} takes no pairs`)
  return pairs
}

/** The operations whose runs can be undone. */
export const undoableOperations = bulkOperations.filter(
  (name) => operationOf(name).undo.whyNot === undefined,
)
