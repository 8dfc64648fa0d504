import { usuallyReopened } from '../../bulk/operations/outcome.ts'
import { outcomeOption, sessionOptions } from '../../cli/bulk-options.ts'
import { startBulk } from '../../cli/bulk-command.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runOutcomeView } from '../schema-of.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

export const verb = defineVerb({
  description:
    'Open batches again in which ids ended with some outcomes ' +
    `(${usuallyReopened.join(', ')} without --outcome), and resume the run. Batches ` +
    'are opened whole and in the same run, so that earlier attempts are not ' +
    'forgotten. It asks for confirmation again if the run did.',
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
