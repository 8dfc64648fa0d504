/** What a person should know of a run's ending beyond its counts, on stderr. */
import { grouped } from '../grouped.ts'
import type { Book } from './book.ts'
import type { BulkTools } from './bulk.ts'
import type { Journal } from './journal.ts'
import type { StopReason } from './reconcile.ts'
import type { RunSpec } from './run.ts'

const stopWords: Record<StopReason, string> = {
  'max-failures': 'stopped: too many batches failed',
  deadline: 'stopped: the deadline has passed',
  auth: 'stopped: the service does not accept the credentials',
  forbidden: 'stopped: the service forbids it',
  refused: 'stopped: the service refused the first batch, so it would refuse the others too',
  'retry-after': 'stopped: the service asks to wait longer than --max-retry-wait allows',
  'stdout-closed': 'stopped: the reader of the output went away',
  signal: 'interrupted',
  journal: 'stopped: a local file could not be written',
}

/** After an unanswered merge a request may still be under way: the signature window and one minute of skew. */
const mergeWait = 6 * 60 * 1000

/** Outcomes of single ids that a person wants to see by name. */
const openOutcomes = ['blocked', 'not-found', 'missing', 'error', 'unknown'] as const

/** How many rows of trouble a person is shown; the summary and the receipts have all. */
const mostErrors = 5
const mostMerges = 20

export interface EndingToTell {
  readonly book: Book
  readonly spec: Pick<RunSpec, 'operation' | 'isolate' | 'items' | 'target'>
  /** Whether each id's outcome goes to a file or to stdout. */
  readonly hasReceipts: boolean
  readonly journal: Journal | undefined
  readonly stop: StopReason | null
  /** Assign: tickets that could not be read beforehand. */
  readonly unread: number
  /** Whether an error was shown already. */
  readonly isExplained: boolean
}

export function tellEnding(
  tools: BulkTools,
  { book, spec, journal, stop, unread, isExplained, hasReceipts }: EndingToTell,
): void {
  const { outcomes } = book.totals
  if (!isExplained) warnOfErrors(tools, book)
  if (stop !== null) tools.note(stopWords[stop])
  if (unread > 0)
    tools.note(
      `${grouped(unread)} ${unread === 1 ? 'ticket' : 'tickets'} could not be read before the change; it was sent all the same`,
    )
  if (spec.isolate && book.isolateCalls > 0) {
    tools.note(`${grouped(book.isolateCalls)} more requests found out which contacts do not exist`)
  }
  if (outcomes.gone > 0) {
    const least = outcomes.deleted
    tools.note(
      `${grouped(outcomes.gone)} are gone: deleted by an attempt whose answer was lost, or never there; ` +
        `between ${grouped(least)} and ${grouped(least + outcomes.gone)} were deleted by this run`,
    )
  }
  if (outcomes.undetermined > 0 && !spec.isolate) {
    const { failed } = book.totals.added
    tools.note(
      `${grouped(failed)} of these ${grouped(outcomes.undetermined)} contacts ${failed === 1 ? 'does' : 'do'} not exist, and the service does not say which; ` +
        (journal === undefined
          ? '--isolate finds out'
          : `to find out:\n  svc runs export ${journal.run.run} --outcome undetermined -o ids | svc lists add-contacts ${spec.target ?? '<list>'} - --isolate`),
    )
  }
  if (spec.operation === 'contacts.merge') tellUnknownMerges(tools, book, spec)
  const open = openOutcomes.filter((outcome) => outcomes[outcome] > 0)
  if (open.length > 0 && journal !== undefined && !hasReceipts) {
    tools.note(`the ids that are not done: svc runs export ${journal.run.run} --outcome ${open.join(',')}`)
  }
  if (book.left().batches > 0) {
    tools.note(
      journal === undefined
        ? 'the run was not recorded (--no-journal): it cannot be resumed'
        : `go on with: svc runs resume ${journal.run.run}`,
    )
  }
}

/** Merges that may have been made; they are never sent again by themselves. */
export function tellUnknownMerges(tools: BulkTools, book: Book, { items }: Pick<RunSpec, 'items'>): void {
  const positions = book.positions('unknown')
  if (positions.length === 0) return
  const when = new Date(tools.host.now() + mergeWait).toISOString()
  tools.note(
    positions.length === 1
      ? `1 merge has an unknown outcome and is not sent again; look at both contacts after ${when}`
      : `${grouped(positions.length)} merges have an unknown outcome and are not sent again; look at both contacts after ${when}`,
  )
  for (const position of positions.slice(0, mostMerges)) {
    tools.note(`unknown: ${items.id(position)} into ${items.other(position) ?? ''}`)
  }
  if (positions.length > mostMerges)
    tools.note(`and ${grouped(positions.length - mostMerges)} more: see unknownIds with -o json`)
}

function warnOfErrors(tools: BulkTools, book: Book): void {
  const { rows, total } = book.errors(mostErrors)
  for (const { batch, outcome, message, httpStatus, attempts, count } of rows) {
    const status = httpStatus === null || message.includes(`HTTP ${httpStatus}`) ? '' : ` (HTTP ${httpStatus})`
    const tries = attempts === 0 ? '' : ` after ${grouped(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
    tools.warn(
      `batch ${grouped(batch)}, ${grouped(count)} ${count === 1 ? 'id' : 'ids'}: ${outcome}${tries}: ${message}${status}`,
    )
  }
  if (total > rows.length) tools.warn(`and ${grouped(total - rows.length)} more batches: see "errors" with -o json`)
}
