/** The columns of what bulk commands show: outcomes and their counts, and receipts. */
import type { OutcomeRow, View } from '../output/result.ts'
import type { Receipt } from './documents.ts'

export const receiptView: View<Receipt> = {
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
export const assignReceiptView: View<Receipt> = {
  columns: [
    ...receiptView.columns,
    { title: 'BEFORE', field: 'before', kind: 'id' },
    { title: 'AFTER', field: 'after', kind: 'id' },
  ],
  fields: [...receiptView.fields, 'before', 'after'],
  id: ({ id }) => id,
}

const below = (parent: string, ...names: readonly string[]) => [parent, ...names.map((name) => `${parent}.${name}`)]
const result = [
  'deleted',
  'gone',
  'notFound',
  'blocked',
  'added',
  'skipped',
  'addedOrSkipped',
  'failed',
  'done',
  'error',
]

/** The paths of the summary document. */
const summaryFields = [
  ...[
    'schema',
    'run',
    'name',
    'operation',
    'profile',
    'startedAt',
    'endedAt',
    'host',
    'target',
    'dryRun',
    'status',
    'stopReason',
  ],
  ...below('input', 'read', 'unique', 'duplicates', 'invalid', 'otherShards', 'sha256'),
  ...below('input.shard', 'index', 'count', 'sha256'),
  ...below('batches', 'total', 'done', 'failed', 'retried'),
  ...below('result', ...result, 'unknown', 'notAttempted'),
  ...['notFoundIds', 'blockedIds', 'goneIds', 'missingIds', 'unknownIds', 'isolate', 'isolate.calls'],
  ...below('errors', 'batch', 'outcome', 'httpStatus', 'code', 'message', 'attempts', 'count'),
  ...['errorsTotal', 'resume', 'durationMs', 'exitCode'],
]

/** A bulk run: a table of outcomes, the summary as JSON, or a receipt a line. */
export const outcomeView: View<OutcomeRow> = {
  columns: [
    { title: 'OUTCOME', field: 'outcome', kind: 'state' },
    { title: 'COUNT', field: 'count', kind: 'number' },
  ],
  fields: ['outcome', 'count'],
  document: summaryFields,
  streamed: receiptView,
}

/** The same for assign, and for runs whose operation is known only after reading. */
export const assignOutcomeView: View<OutcomeRow> = { ...outcomeView, streamed: assignReceiptView }

/** A recorded summary: the document in ndjson too, and a page. */
export const summaryView: View<OutcomeRow> = {
  formats: ['table', 'json', 'ndjson', 'csv', 'tsv', 'xlsx', 'html'],
  columns: outcomeView.columns,
  fields: outcomeView.fields,
  document: summaryFields,
}
