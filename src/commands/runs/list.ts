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
    'List recorded bulk runs, newest first. For --since and --until, a run counts on every day on which it worked.',
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

/** Runs that worked in a span of time, newest first. A damaged run is among them unless it is known not to be. */
async function chooseRuns(
  context: Context,
  {
    operation,
    ...typed
  }: Parameters<typeof parseSpan>[0] & { readonly operation?: BulkOperation },
): Promise<ListedRun[]> {
  const now = context.host.now()
  const span = parseSpan(typed, now)
  const all = await (await context.runs()).list()
  return all.filter((listed) => {
    const isOther =
      operation !== undefined && (listed.summary?.operation ?? operation) !== operation
    return !isOther && hasWorkedIn(listed, span, now)
  })
}

function hasWorkedIn(
  { startedAt, problem, lastAt, endedAt = lastAt, holder }: ListedRun,
  { since = -Infinity, until = Infinity }: TimeSpan,
  now: number,
): boolean {
  // A damaged run may have worked at any time since its start.
  if (problem !== undefined) return Number.isNaN(startedAt) || startedAt < until
  if (since === -Infinity && until === Infinity) return true
  if (isFuture(startedAt, now) || startedAt >= until) return false
  const last = holder === undefined ? endedAt : now
  return startedAt >= since || (last >= since && !isFuture(last, now))
}
