/** The columns of what bulk commands show: outcomes and their counts, and receipts. */
import { columnsFor, type OutcomeRow, type View } from '../output/result.ts'
import type { ReceiptDocument } from './documents.ts'

const receiptColumns = columnsFor(
  'id',
  'line:number',
  'outcome:state',
  'at:time',
  'batch:number',
  'attempts:number',
  'code:number',
  'message',
)

/** Receipts. `hasAssignees`: they say who had a ticket before and after. */
export function receiptViewOf(hasAssignees: boolean): View<ReceiptDocument> {
  const assignees = hasAssignees ? ['before:id', 'after:id'] : []
  return { columns: columnsFor(...receiptColumns, ...assignees), id: ({ id }) => id }
}

/**
 * Receipts of assigns as a table that `tickets assign --file` reads to undo them: `employee` is the assignee before, and
 * `after` is only for people.
 */
export const undoTableView: View<ReceiptDocument> = {
  columns: columnsFor(
    'ticket:id',
    'employee:id',
    'after:id',
    ...receiptColumns.filter(({ field }) => field !== 'id'),
  ),
  computed: { ticket: ({ id }) => id, employee: ({ before }) => before },
  id: ({ id }) => id,
}

/** A summary: outcomes and their counts as a table; as JSON and as ndjson the document. */
export const summaryView: View<OutcomeRow> = {
  columns: columnsFor('outcome:state', 'count'),
  rowSchema: async () => (await import('./documents.ts')).OutcomeRow,
  isDocument: true,
}

/** The same, but as ndjson the receipts, one per line. `hasAssignees`: as above. */
export function bulkViewOf(hasAssignees: boolean): View<OutcomeRow> {
  const lineSchema = async () => {
    const { PlainReceipt, ReceiptDocument } = await import('./documents.ts')
    return hasAssignees ? ReceiptDocument : PlainReceipt
  }
  return { ...summaryView, lineSchema }
}
