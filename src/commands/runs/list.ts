import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import {
  limitOption,
  parseSpan,
  spanOptions,
  type TimeSpan,
} from '../../cli/global-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { recordRows, rowOf, runColumns } from '../../cli/recorded-runs.ts'
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
  columns: runColumns,
  ids: 'run',
  run: async (context, _args, { operation, ...times }) => {
    const span = parseSpan(times, context.host.now())
    const all = await (await context.runs()).list()
    const chosen = all.filter(
      (run) => mayBeOf(run, operation) && mayHaveBeenActive(run, span),
    )
    // The output cuts the rows to --limit, and warnings are only for those that it shows.
    for (const { problem } of chosen.slice(0, context.print.rowLimit)) {
      if (problem !== undefined) context.warn(problem)
    }
    return recordRows(context, chosen.map(rowOf), {
      what: 'runs',
      empty: 'no recorded runs',
    })
  },
})

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
