/** The one summary document that every ending of a bulk run prints. Surface, section 4. */
import type { OutcomeRow } from '../output/output.ts'
import type { Book } from './book.ts'
import type { Plan } from './plan.ts'
import {
  summarise,
  type BulkOperation,
  type Ending,
  type Outcome,
  type RunStatus,
  type StopReason,
} from './reconcile.ts'

export interface Summary {
  readonly document: Record<string, unknown>
  readonly rows: readonly OutcomeRow[]
  readonly status: RunStatus
  readonly stopReason: StopReason | null
  readonly result: Readonly<Record<string, number>>
  readonly exitCode: number
}

export interface SummaryParts {
  readonly operation: BulkOperation
  readonly run: string | null
  readonly profile: string | null
  readonly input: Plan['input']
  readonly book: Book
  readonly ending: Ending
  readonly isolated: boolean
  readonly durationMs: number
}

const errorRows = 100

/** Which outcomes have their ids listed, and under which name. */
const idArrays: Record<BulkOperation, readonly (readonly [string, Outcome])[]> = {
  'contacts.delete': [
    ['notFoundIds', 'not-found'],
    ['blockedIds', 'blocked'],
    ['goneIds', 'gone'],
    ['unknownIds', 'unknown'],
  ],
  'lists.add-contacts': [['unknownIds', 'unknown']],
  'contacts.merge': [['unknownIds', 'unknown']],
  'tickets.assign': [['unknownIds', 'unknown']],
}

export function summaryOf(parts: SummaryParts): Summary {
  const { operation, book, ending, run } = parts
  const { result, status, exitCode } = summarise(operation, book.totals, ending)
  const errors = book.errors(errorRows)
  const arrays = Object.fromEntries(idArrays[operation].map(([name, outcome]) => [name, book.ids(outcome)]))
  const isolated =
    operation === 'lists.add-contacts' && parts.isolated
      ? { missingIds: book.ids('missing'), isolate: { calls: book.isolateCalls } }
      : {}
  const document = {
    schema: 'svc.bulk/1',
    run,
    operation,
    profile: parts.profile,
    dryRun: ending.dryRun === true,
    status,
    stopReason: ending.stop ?? null,
    input: parts.input,
    batches: book.totals.batches,
    result,
    ...arrays,
    ...isolated,
    errors: errors.rows,
    errorsTotal: errors.total,
    resume: run !== null && book.left().batches > 0 ? `svc runs resume ${run}` : null,
    durationMs: Math.round(parts.durationMs),
    exitCode,
  }
  return { document, rows: rowsOf(book), status, stopReason: ending.stop ?? null, result, exitCode }
}

/** Outcomes that occurred; none at all is said as such. */
function rowsOf(book: Book): OutcomeRow[] {
  const rows = Object.entries(book.totals.outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => ({ outcome, count }))
  return rows.sort((a, b) => b.count - a.count)
}
