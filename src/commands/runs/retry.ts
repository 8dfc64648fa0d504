import { usuallyReopened } from '../../bulk/operations/outcome.ts'
import { outcomeOption, sessionOptions } from '../../cli/bulk-options.ts'
import { startBulk } from '../../cli/bulk-command.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runOutcomeView } from '../schema-of.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

export const verb = defineVerb({
  description:
    `Resume a run after opening again the batches in which ids ended as one of some outcomes (${usuallyReopened.join(', ')}\n` +
    'without --outcome): whole batches, in the same run, so that what may have been done before is not forgotten. It asks\n' +
    'for confirmation again where the run did.',
  examples: [
    'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
    'svc runs retry --last --receipts out.csv',
  ],
  arguments: [runArgument],
  options: { ...lastOption, ...sessionOptions, ...outcomeOption },
  effect: 'from input',
  shows: runOutcomeView,
  run: async (context, [name], { outcome, ...options }) =>
    startBulk(context, {
      kind: 'resume',
      run: typedRun(name, options),
      options,
      outcomes: outcome ?? usuallyReopened,
    }),
})
