import { limitOption, parseSpan, spanOptions } from '../../cli/global-options.ts'
import { recordRows, rowOf, runColumns } from '../../cli/recorded-runs.ts'
import { defineVerb } from '../../cli/verb.ts'

const { since } = spanOptions('runs that began')

export const verb = defineVerb({
  description: 'List recorded runs, newest first.',
  examples: ['svc runs list', 'svc runs list --since yesterday --json'],
  options: { ...limitOption, since },
  effect: 'reads',
  columns: runColumns,
  ids: 'run',
  run: async (context, _args, options) => {
    const span = parseSpan(options, context.host.now())
    const all = await (await context.runs()).list()
    // A damaged run may not tell when it began: it stays.
    const chosen = all.filter(
      ({ head }) => !(head !== undefined && head.at < (span.since ?? -Infinity)),
    )
    return recordRows(context, chosen.map(rowOf), {
      what: 'runs',
      empty: 'no recorded runs',
    })
  },
})
