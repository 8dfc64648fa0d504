/** The four bulk operations by name. Runs and commands know only the name of their operation. */
import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import type { Parameters } from '../lines.ts'
import { addContacts } from './add.ts'
import { assignTickets } from './assign.ts'
import { deleteContacts } from './delete.ts'
import { mergeContacts } from './merge.ts'
import type { Operation } from './operation.ts'

const operations: Readonly<Record<BulkOperation, Operation>> = {
  'contacts.delete': deleteContacts,
  'lists.add-contacts': addContacts,
  'contacts.merge': mergeContacts,
  'tickets.assign': assignTickets,
}

export const operationOf = (name: BulkOperation): Operation => operations[name]

/** The command of an operation: `lists add-contacts`. */
export const commandOf = (name: BulkOperation) => name.replace('.', ' ')

/** The list or employee that all items have in common, as one text for columns; undefined if each item has its own. */
export function targetName({ list, to }: Parameters): string | undefined {
  const party = list ?? to
  return party?.name ?? party?.id
}

/** The operations whose runs can be undone. */
export const undoableOperations = bulkOperations.filter(
  (name) => typeof operationOf(name).undo !== 'string',
)
