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
    ...spanOptions('runs that were active'),
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
    // The output cuts the rows to --limit, and warnings are only for those that it shows.
    for (const { problem } of runs.slice(0, context.print.rowLimit)) {
      if (problem !== undefined) context.warn(problem)
    }
    const shown = context.messages.redactor.redactValues(runs.map(rowOf))
    return rows(shown, { what: 'runs', isAll: true, empty: 'no recorded runs' })
  },
})

type RunChoice = Parameters<typeof parseSpan>[0] & { operation?: BulkOperation }

/** The runs that `--operation`, `--since` and `--until` choose, newest first. */
async function chooseRuns(
  context: Context,
  { operation, ...typed }: RunChoice,
): Promise<ListedRun[]> {
  const span = parseSpan(typed, context.host.now())
  const all = await (await context.runs()).list()
  return all.filter((run) => mayBeOf(run, operation) && mayHaveBeenActive(run, span))
}

/** Whether a run can be of an operation; a damaged one does not say which. */
function mayBeOf({ summary }: ListedRun, operation: BulkOperation | undefined) {
  if (operation === undefined || summary === undefined) return true
  return summary.operation === operation
}

/**
 * Whether a run can have been active in a span of time. One that is damaged or in use may be active at any time since its
 * start.
 */
function mayHaveBeenActive(
  run: ListedRun,
  { since = -Infinity, until = Infinity }: TimeSpan,
) {
  const { startedAt, endedAt, lastAt, holder, problem } = run
  const isOpenEnded = problem !== undefined || holder !== undefined
  // `startedAt` is NaN where the record cannot be read: such a run stays.
  return !(startedAt >= until) && (isOpenEnded || (endedAt ?? lastAt) >= since)
}
