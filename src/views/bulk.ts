/** The columns of what bulk commands show: outcomes and their counts, and receipts. */
import { columnsFor, type OutcomeRow, type View } from '../output/result.ts'
import type { ReceiptDocument } from './documents.ts'

export const receiptView: View<ReceiptDocument> = {
  columns: columnsFor(
    'id',
    'line:number',
    'outcome:state',
    'at:time',
    'batch:number',
    'attempts:number',
    'code:number',
    'message',
  ),
  id: ({ id }) => id,
}

/** The same for assign: who had the ticket before and after. */
export const assignReceiptView: View<ReceiptDocument> = {
  columns: columnsFor(...receiptView.columns, 'before:id', 'after:id'),
  id: ({ id }) => id,
}

export const receiptViewOf = (hasAssignees: boolean): View<ReceiptDocument> =>
  hasAssignees ? assignReceiptView : receiptView

/** Receipts of assigns as a table of pairs, each with who had the ticket before: `tickets assign --file` gives them back. */
export const pairsBackView: View<ReceiptDocument> = {
  columns: columnsFor(
    'ticket:id',
    'employee:id',
    'after:id',
    ...receiptView.columns.filter(({ field }) => field !== 'id'),
  ),
  computed: { ticket: ({ id }) => id, employee: ({ before }) => before },
  id: ({ id }) => id,
}

const row = async () => (await import('./documents.ts')).OutcomeRow

/** A bulk run: a table of outcomes, the summary as JSON, or a receipt a line. */
export const outcomeView: View<OutcomeRow> = {
  columns: columnsFor('outcome:state', 'count'),
  row,
  isDocument: true,
  line: async () => (await import('./documents.ts')).PlainReceipt,
}

/** The same for assign, and for runs whose operation is known only after reading. */
export const assignOutcomeView: View<OutcomeRow> = {
  ...outcomeView,
  line: async () => (await import('./documents.ts')).ReceiptDocument,
}

/** The view of runs of an operation. `hasAssignees`: its receipts say who had a ticket before and after. */
export const outcomeViewOf = (hasAssignees: boolean): View<OutcomeRow> =>
  hasAssignees ? assignOutcomeView : outcomeView

/** A recorded summary: the document in ndjson too. */
export const summaryView: View<OutcomeRow> = {
  columns: outcomeView.columns,
  row,
  isDocument: true,
}
