import { limitOption } from '../../cli/global-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { choiceOptions, chooseRuns, rowOf, runsView } from '../../cli/recorded-runs.ts'

export const verb = defineVerb({
  description:
    'List recorded bulk runs, newest first. For --since and --until, a run counts on every day on which it worked.',
  examples: [
    'svc runs list',
    'svc runs list --since yesterday --operation contacts.delete',
    'svc runs list --json',
  ],
  options: { ...limitOption, ...choiceOptions },
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
