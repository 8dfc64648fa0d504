import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../schema-of.ts'
import { limitOption } from '../../cli/global-options.ts'
import { groupDigits } from '../../words.ts'
import { rows } from '../../output/result.ts'
import { runView } from '../../views/run.ts'
import { choiceOptions, chooseRuns } from './reading.ts'

export const verb = defineVerb({
  description:
    'List recorded bulk runs, newest first: what they did, when, for whom and why. A run belongs to every day on which it worked.',
  examples: [
    'svc runs list',
    'svc runs list --since yesterday --operation contacts.delete',
    'svc runs list --json',
  ],
  options: { ...limitOption, ...choiceOptions },
  effect: 'reads',
  shows: { ...runView, schema: schemaOf('Runs') },
  run: async (context, _args, options) => {
    const { print } = context
    const { runs, earlier } = await chooseRuns(context, options)
    const listed = runs.slice(0, print.rowLimit)
    for (const { run, problem } of listed) {
      if (problem !== undefined) context.warn(`run ${run}: ${problem}`)
    }
    const cut = `Showing ${listed.length} of ${runs.length} runs. Use --limit all for all of them.`
    const notes = listed.length < runs.length && print.isLimited !== true ? [cut] : []
    if (earlier > 0) {
      const which =
        earlier === 1
          ? '1 run of an earlier version of svc is'
          : `${groupDigits(earlier)} runs of earlier versions of svc are`
      notes.push(`${which} not shown: this version does not read their format`)
    }
    const { rowOf } = await import('./run-row.ts')
    const shown = context.messages.redactor.hideIn(listed.map(rowOf))
    return rows(shown, { empty: 'no recorded runs', ending: { notes } })
  },
})
