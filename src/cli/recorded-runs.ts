/** Recorded runs: which one is meant, how it is read, and a run as a row of a list. */
import { defineOptions } from '../options.ts'
import { firstRows, type Columns, type Rows } from '../output/result.ts'
import type { Head } from '../runs/lines.ts'
import type { ListedRun, RunReference } from '../runs/list.ts'
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
  const [{ keyFingerprint }, { begun }] = await Promise.all([
    import('../runs/jobs/job.ts'),
    import('../runs/jobs/recorded.ts'),
  ])
  const service = async () => {
    const { baseUrl, apiKey } = await context.profile()
    return { baseUrl, key: keyFingerprint(apiKey) }
  }
  const run = await runs.find(reference, service)
  const read = await runs.read(run)
  if (read === undefined) throw runs.missing(`there is no run ${run}`)
  const log = begun(read, run)
  if (log.isDamaged)
    context.note('the record is damaged: what has no answer behind the damage is unknown')
  else if (await runs.isWorking(run, log))
    context.note('a process is working on this run; this is its progress')
  return { run, log, path: `${runs.folder.path}/${run}.ndjson` }
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
export function rowOf({ run, status, startedAt, head, host, end }: ListedRun) {
  return {
    run,
    ...(head === undefined ? untold : factsOf(head)),
    by: head === undefined ? null : `${head.user}@${host ?? ''}`,
    startedAt: timeText(startedAt),
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
  const { once, operation, target: party, undoes, profile, reason, input } = head
  const undone = undoes === undefined ? null : `undo of ${undoes.run}`
  const named = party?.name === undefined ? party?.id : `${party.name} (${party.id})`
  return { once, operation, target: named ?? undone, profile, reason, ids: input.unique }
}

const timeText = (at = NaN) => (Number.isNaN(at) ? null : new Date(at).toISOString())
