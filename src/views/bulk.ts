import type { OutcomeRow, View } from '../output/output.ts'

export const outcomeView: View<OutcomeRow> = {
  columns: [
    { title: 'OUTCOME', field: 'outcome', kind: 'state' },
    { title: 'COUNT', field: 'count', kind: 'number' },
  ],
  fields: ['outcome', 'count'],
}

/** What became of one id of a bulk run. */
export interface ReceiptRow {
  readonly id: string
  readonly line: number | null
  readonly outcome: string
  readonly batch: number | null
  readonly attempts: number
  readonly code: number | null
  readonly message: string | null
}

export const receiptView: View<ReceiptRow> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'LINE', field: 'line', kind: 'number' },
    { title: 'OUTCOME', field: 'outcome', kind: 'state' },
    { title: 'BATCH', field: 'batch', kind: 'number' },
    { title: 'ATTEMPTS', field: 'attempts', kind: 'number' },
    { title: 'CODE', field: 'code', kind: 'number' },
    { title: 'MESSAGE', field: 'message' },
  ],
  fields: ['id', 'line', 'outcome', 'batch', 'attempts', 'code', 'message'],
  id: ({ id }) => id,
}

/** The same for assign: who had the ticket before and after. */
export interface AssignReceiptRow extends ReceiptRow {
  readonly before?: string | null
  readonly after?: string | null
}

export const assignReceiptView: View<AssignReceiptRow> = {
  columns: [
    ...receiptView.columns,
    { title: 'BEFORE', field: 'before', kind: 'id' },
    { title: 'AFTER', field: 'after', kind: 'id' },
  ],
  fields: [...receiptView.fields, 'before', 'after'],
  id: ({ id }) => id,
}
