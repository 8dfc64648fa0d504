import { bulkOperations, type BulkOperation } from '../../api/operations.ts'
import type { Context } from '../../cli/context.ts'
import { limitOption, parseSpan, spanOptions } from '../../cli/global-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { rowOf, runsView } from '../../cli/recorded-runs.ts'
import type { ListedRun } from '../../runs/list.ts'

export const verb = defineVerb({
  description:
    'List recorded bulk runs, newest first. --since and --until choose by the time at which a run began.',
  examples: [
    'svc runs list',
    'svc runs list --since yesterday --operation contacts.delete',
    'svc runs list --json',
  ],
  options: {
    ...limitOption,
    ...spanOptions('runs that began'),
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
  const { since = -Infinity, until = Infinity } = parseSpan(typed, context.host.now())
  const all = await (await context.runs()).list()
  return all.filter(({ summary, startedAt }) => {
    // A damaged run may say neither its operation nor when it began.
    const isOther =
      operation !== undefined && (summary?.operation ?? operation) !== operation
    return !isOther && !(startedAt < since || startedAt >= until)
  })
}
