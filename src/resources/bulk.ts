/** The columns of what bulk commands show: outcomes and their counts, and receipts. */
import { columnsFor } from '../output/columns.ts'
import type { OutcomeRow, View } from '../output/result.ts'
import type { Receipt } from './documents.ts'

export const receiptView: View<Receipt> = {
  columns: columnsFor(
    'id',
    'line:number',
    'outcome:state',
    'batch:number',
    'attempts:number',
    'code:number',
    'message',
  ),
  fields: ['id', 'line', 'outcome', 'batch', 'attempts', 'code', 'message'],
  id: ({ id }) => id,
}

/** The same for assign: who had the ticket before and after. */
export const assignReceiptView: View<Receipt> = {
  columns: columnsFor(...receiptView.columns, 'before:id', 'after:id'),
  fields: [...receiptView.fields, 'before', 'after'],
  id: ({ id }) => id,
}

const below = (parent: string, ...names: readonly string[]) => [parent, ...names.map((name) => `${parent}.${name}`)]

/** The paths of the summary document. */
const summaryFields = [
  ...['schema', 'run', 'name', 'operation', 'profile', 'startedAt', 'endedAt', 'host', 'target'],
  ...['by', 'reason', 'job'],
  ...['dryRun', 'status', 'stopReason'],
  ...below('input', 'read', 'unique', 'duplicates', 'invalid', 'otherShards', 'sha256'),
  ...below('input.shard', 'index', 'count', 'sha256'),
  ...below('batches', 'total', 'done', 'failed', 'retried'),
  ...below('result', 'deleted', 'gone', 'notFound', 'blocked', 'added', 'skipped', 'addedOrSkipped', 'failed', 'done'),
  ...['error', 'unknown', 'notAttempted'].map((name) => `result.${name}`),
  ...['notFoundIds', 'blockedIds', 'goneIds', 'missingIds', 'unknownIds', 'isolate', 'isolate.calls'],
  ...below('errors', 'batch', 'outcome', 'httpStatus', 'code', 'message', 'attempts', 'count'),
  ...['errorsTotal', 'left', 'resume', 'durationMs', 'exitCode', 'retry'],
]

/** A bulk run: a table of outcomes, the summary as JSON, or a receipt a line. */
export const outcomeView: View<OutcomeRow> = {
  columns: columnsFor('outcome:state', 'count'),
  fields: ['outcome', 'count'],
  document: summaryFields,
  streamed: receiptView,
}

/** The same for assign, and for runs whose operation is known only after reading. */
export const assignOutcomeView: View<OutcomeRow> = { ...outcomeView, streamed: assignReceiptView }

/** A recorded summary: the document in ndjson too. */
export const summaryView: View<OutcomeRow> = {
  formats: ['table', 'json', 'ndjson', 'csv', 'tsv', 'xlsx'],
  columns: outcomeView.columns,
  fields: outcomeView.fields,
  document: summaryFields,
}
