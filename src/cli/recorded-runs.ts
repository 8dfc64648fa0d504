/** Recorded runs: which one is meant, how it is read, and a run as a row of a list. */
import { defineOptions } from '../options.ts'
import { firstRows, type Columns, type Rows } from '../output/result.ts'
import type { Head } from '../runs/lines.ts'
import type { ListedRun, RunReference } from '../runs/list.ts'
import { targetOf } from '../runs/summary.ts'
import type { Context } from './context.ts'

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
  summary: 'its id, its --once name, or the beginning of its id',
} as const

export const lastOption = defineOptions({
  last: { summary: 'the newest run of this service and key' },
})

/** The run that a command names, in its current state. A note says who works on it. */
export async function readRecorded(context: Context, reference: RunReference) {
  const runs = await context.runs()
  const log = await runs.find(reference, context.profile)
  if (log.isDamaged)
    context.note('the record is damaged: what has no answer behind the damage is unknown')
  else if (await runs.isWorking(log))
    context.note('a process is working on this run; this is its progress')
  return { log, path: `${runs.folder.path}/${log.run}.ndjson` }
}

/** Rows made of records, with secrets hidden. */
export function recordRows<T>(
  { messages, print }: Context,
  all: readonly T[],
  more: Omit<Rows<T>, 'kind' | 'rows'>,
): Rows<T> {
  return firstRows(messages.redactor.hide(all), print.rowLimit, more)
}

/** A run as `runs list` shows it. A damaged one may tell nothing but its name. */
export function rowOf({ run, status, head, host, end }: ListedRun) {
  return {
    run,
    ...(head === undefined ? untold : factsOf(head)),
    by: head === undefined ? null : `${head.user}@${host ?? ''}`,
    startedAt: timeText(head?.at),
    endedAt: timeText(end?.at),
    status,
    exitCode: end?.exit ?? null,
  }
}

const untold = {
  once: null,
  operation: null,
  target: null,
  profile: null,
  reason: null,
  ids: null,
}

function factsOf(head: Head) {
  const { once, operation, profile, reason, input } = head
  return { once, operation, target: targetOf(head), profile, reason, ids: input.unique }
}

const timeText = (at?: number) => (at === undefined ? null : new Date(at).toISOString())
