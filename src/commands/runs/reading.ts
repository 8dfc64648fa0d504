/** Recorded runs: which one is meant, which ones are chosen, and as `show` and `export` read them. */
import { bulkOperations } from '../../api/operations.ts'
import type { ListedRun, RunReference } from '../../bulk/record/runs.ts'
import type { Context } from '../../cli/context.ts'
import { defineOptions, type OptionValues } from '../../cli/options.ts'
import { columnsFor } from '../../output/columns.ts'
import type { View } from '../../output/result.ts'
import { isFuture } from '../../output/text/time.ts'
import type { Run } from '../../views/documents.ts'
import { groupDigits } from '../../words.ts'
import { parseSpan, spanOptions, type TimeSpan } from '../time-span.ts'
import { schemaOf } from '../view-of.ts'

/** The status in words: whether anything is left to do, and whether all of it is done. */
function stateOf({ status, ids, done, left }: Run): string {
  if (status === 'running') return status
  if (left === null || ids === null || done === null) return status
  if (left > 0) return 'unfinished'
  const notDone = ids - done
  return notDone > 0 ? `finished, ${groupDigits(notDone)} not done` : 'finished'
}

/** The columns in which runs are shown. */
export const runsView: View<Run> = {
  columns: columnsFor(
    'run:id',
    'startedAt as STARTED',
    { title: 'OPERATION', field: 'operation', floor: 12 },
    'target',
    // Never cut: it says what is not done.
    { title: 'STATUS', field: 'state', kind: 'state', floor: Infinity },
    'ids:number',
  ),
  computed: { state: stateOf },
  id: ({ run }) => run,
  schema: schemaOf('Runs'),
}

export const runArgument = {
  name: 'run',
  takes: 'run',
  summary: 'its id, or its --once name',
} as const

/** Where to read how `show` and `export` differ. */
export const otherForms =
  'svc help outcomes compares receipts, annotated files, show and export.'

export const lastOption = defineOptions({
  last: { summary: "the newest run of this profile's service, whatever its state" },
})

/** The run that a command names, as a row of a list. Throws exit 2 if there is none. */
export async function findRun(
  context: Context,
  reference: RunReference,
): Promise<ListedRun> {
  const runs = await context.runs()
  const run = await runs.find(reference, async () => (await context.profile()).baseUrl)
  const listed = await runs.look(run)
  if (listed === undefined) throw runs.missing(run)
  return listed
}

/** Takes no session and writes nothing, and notes who works on the run. Throws exit 2 and 10 when it cannot be read. */
export async function readRecorded(context: Context, { run, dir, holder }: ListedRun) {
  const { readRun } = await import('../../bulk/record/read-run.ts')
  const recorded = await readRun(context.host, dir, run, { isHeld: holder !== undefined })
  if (holder !== undefined) {
    context.note(`${holder} is working on this run; this is its progress`)
  } else if (recorded.damage !== undefined) {
    context.note(recorded.damage)
  }
  return recorded
}

/** Recorded runs by their time and operation. */
export const choiceOptions = defineOptions({
  ...spanOptions('runs that worked'),
  operation: {
    value: 'name',
    summary: `only runs of this operation: ${bulkOperations.join(', ')}`,
    choices: bulkOperations,
  },
})

export type RunChoice = Partial<OptionValues<typeof choiceOptions>>

/** Runs that worked in a span of time, newest first. A damaged run is among them unless it is known not to be. */
export async function chooseRuns(
  context: Context,
  { operation, ...typed }: RunChoice,
): Promise<ListedRun[]> {
  const now = context.host.now()
  const span = parseSpan(typed, now)
  const all = await (await context.runs()).list()
  return all.filter((listed) => {
    const isOther =
      operation !== undefined && (listed.header?.operation ?? operation) !== operation
    return !isOther && hasWorkedIn(listed, span, now)
  })
}

function hasWorkedIn(
  { startedAt, problem, summary, holder }: ListedRun,
  { since = -Infinity, until = Infinity }: TimeSpan,
  now: number,
): boolean {
  // A damaged run may have worked at any time since its start.
  if (problem !== undefined) return Number.isNaN(startedAt) || startedAt < until
  if (since === -Infinity && until === Infinity) return true
  if (isFuture(startedAt, now) || startedAt >= until) return false
  const last = holder === undefined ? lastWork(summary, startedAt) : now
  return startedAt >= since || (last >= since && !isFuture(last, now))
}

/** The time of a run's end. A run that was killed worked until its last line. */
const lastWork = (summary: ListedRun['summary'], startedAt: number): number =>
  summary?.endedAt ?? summary?.lastAt ?? startedAt
