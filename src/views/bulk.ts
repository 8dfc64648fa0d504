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
 * Receipts of assigns as pairs of a ticket and its former assignee, with which `tickets assign --file` returns the tickets.
 */
export const returningView: View<ReceiptDocument> = {
  columns: columnsFor(
    'ticket:id',
    'employee:id',
    'after:id',
    ...receiptColumns.filter(({ field }) => field !== 'id'),
  ),
  computed: { ticket: ({ id }) => id, employee: ({ before }) => before },
  id: ({ id }) => id,
}

/** A recorded summary as a table of outcomes; the document in ndjson too. */
export const summaryView: View<OutcomeRow> = {
  columns: columnsFor('outcome:state', 'count'),
  row: async () => (await import('./documents.ts')).OutcomeRow,
  isDocument: true,
}

/** A bulk run: a table of outcomes, the summary as JSON, or a receipt a line. */
export function bulkViewOf(hasAssignees: boolean): View<OutcomeRow> {
  const line = async () => {
    const { PlainReceipt, ReceiptDocument } = await import('./documents.ts')
    return hasAssignees ? ReceiptDocument : PlainReceipt
  }
  return { ...summaryView, line }
}
