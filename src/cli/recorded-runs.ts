/** Recorded runs: which one is meant, how it is read, and a run as a row of a list. */
import type { Context } from './context.ts'
import { firstRows, type Columns, type Rows } from '../output/result.ts'
import type { ListedRun, RunReference } from '../runs/list.ts'
import { defineOptions } from '../options.ts'

/** The columns in which runs are shown. */
export const runColumns: Columns<ReturnType<typeof rowOf>> = {
  RUN: 'run',
  STARTED: 'startedAt',
  OPERATION: 'operation',
  TARGET: 'target',
  STATUS: 'status',
  IDS: 'ids',
  BY: 'by',
}

export const runArgument = {
  name: 'run',
  takes: 'run',
  summary: 'its --once name, its id, or the beginning of either',
} as const

/** Where to read how `show` and `export` differ. */
export const otherForms =
  'svc help bulk compares receipts, annotated files, show and export.'

export const lastOption = defineOptions({
  last: { summary: "the newest run of this profile's service, whatever its state" },
})

/**
 * The run that a command names, in its current state. It is not taken, and a note says who works on it. Throws exit 2 and 10
 * when it cannot be read.
 */
export async function readRecorded(context: Context, reference: RunReference) {
  const runs = await context.runs()
  const place = await runs.find(reference, context.profile)
  const [{ readLog }, { holderOf, recordedIn }] = await Promise.all([
    import('../runs/reading.ts'),
    import('../runs/list.ts'),
  ])
  const read = await readLog(context.host, place)
  if (read === undefined) throw runs.missing(place.run)
  const recorded = recordedIn(read.log)
  const holder = holderOf(runs.host, read.log, read.touchedAt)
  if (holder !== undefined) {
    context.note(`${holder} is working on this run; this is its progress`)
  } else if (recorded.damage !== undefined) context.note(recorded.damage)
  return { recorded, place, holder }
}

/** Rows made of records, with secrets hidden. In answers of the service they were hidden when the answers came. */
export function recordRows<T>(
  { messages, print }: Context,
  all: readonly T[],
  more: Omit<Rows<T>, 'kind' | 'rows'>,
): Rows<T> {
  return firstRows(messages.redactor.hide(all), print.rowLimit, more)
}

/** The facts that a damaged run does not tell. */
const untold = {
  name: null,
  operation: null,
  target: null,
  profile: null,
  host: null,
  by: null,
  reason: null,
  result: null,
  left: null,
}

/** A run as `runs list` shows it. */
export function rowOf(listed: ListedRun) {
  const { run, summary, holder, startedAt, endedAt } = listed
  const told = summary ?? untold
  const hasEnding = endedAt !== undefined && holder === undefined
  return {
    run,
    name: told.name,
    operation: told.operation,
    target: told.target,
    profile: told.profile,
    host: told.host,
    by: told.by,
    reason: told.reason,
    startedAt: new Date(Number.isNaN(startedAt) ? 0 : startedAt).toISOString(),
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    status: statusOf(listed),
    result: told.result,
    ids: summary?.input.unique ?? null,
    left: told.left,
    exitCode: hasEnding ? (summary?.exitCode ?? null) : null,
  }
}

/** The status of a run: that of its summary, unless something happened since, or happens now. */
function statusOf({ holder, isUndone, summary, endedAt }: ListedRun) {
  if (summary === undefined) return 'damaged'
  if (holder !== undefined) return 'working'
  if (isUndone) return 'undone'
  return endedAt === undefined ? 'interrupted' : summary.status
}
