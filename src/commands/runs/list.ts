import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import type { Context } from '../../cli/context.ts'
import {
  limitOption,
  parseSpan,
  spanOptions,
  type TimeSpan,
} from '../../cli/global-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { rowOf, runsView } from '../../cli/recorded-runs.ts'
import { isFuture } from '../../output/text/time.ts'
import type { ListedRun } from '../../runs/list.ts'

export const verb = defineVerb({
  description:
    'List recorded bulk runs, newest first. A run is listed if any part of it, from its start to its end, is between --since and --until.',
  examples: [
    'svc runs list',
    'svc runs list --since yesterday --operation contacts.delete',
    'svc runs list --json',
  ],
  options: {
    ...limitOption,
    ...spanOptions('runs that worked'),
    operation: {
      value: 'name',
      summary: `only runs of this operation: ${bulkOperations.join(', ')}`,
      choices: bulkOperations,
    },
  },
  effect: 'reads',
  shows: runsView,
  run: async (context, _args, options) => {
    const runs = await chooseRuns(context, options)
    for (const { problem } of runs.slice(0, context.print.rowLimit)) {
      if (problem !== undefined) context.warn(problem)
    }
    const shown = context.messages.redactor.hideIn(runs.map(rowOf))
    return rows(shown, { what: 'runs', isAll: true, empty: 'no recorded runs' })
  },
})

type RunChoice = Parameters<typeof parseSpan>[0] & { operation?: BulkOperation }

/** The runs that `--operation`, `--since` and `--until` choose, newest first. */
async function chooseRuns(
  context: Context,
  { operation, ...typed }: RunChoice,
): Promise<ListedRun[]> {
  const now = context.host.now()
  const span = parseSpan(typed, now)
  const all = await (await context.runs()).list()
  return all.filter((run) => mayBeOf(run, operation) && mayHaveWorked(run, span, now))
}

/** Whether a run can be of an operation; a damaged one does not say which. */
function mayBeOf({ summary }: ListedRun, operation: BulkOperation | undefined) {
  if (operation === undefined || summary === undefined) return true
  return summary.operation === operation
}

/** Whether a run can have worked in a span of time. */
function mayHaveWorked(run: ListedRun, span: TimeSpan, now: number) {
  const { since = -Infinity, until = Infinity } = span
  const { startedAt, endedAt, lastAt, holder, problem } = run
  // A damaged run may have worked at any time since its start.
  if (problem !== undefined) return Number.isNaN(startedAt) || startedAt < until
  if (since === -Infinity && until === Infinity) return true
  // The time comes from a wrong clock, so it is unknown when the run worked.
  if (isFuture(startedAt, now)) return false
  if (startedAt >= until) return false
  if (startedAt >= since) return true
  // It began before the span, and counts if it worked on into it.
  if (holder !== undefined) return now >= since
  const workedUntil = endedAt ?? lastAt
  return workedUntil >= since && !isFuture(workedUntil, now)
}
