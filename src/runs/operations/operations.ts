/** The four bulk operations by their names. */
import type { BulkOperation } from '../../api/operations.ts'
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
