/** A verb that resumes a recorded run. `runs resume` (`resume.ts`) and `runs retry` (`retry.ts`) differ in the outcomes that they open again. */
import type { Outcome } from '../../bulk/operations/outcome.ts'
import { startBulk } from '../../cli/bulk-command.ts'
import { outcomeOption, sessionOptions } from '../../cli/bulk-options.ts'
import { defineVerb, type Verb } from '../../cli/verb.ts'
import { runOutcomeView } from '../view-of.ts'
import { lastOption, runArgument } from './reading.ts'

/** `usual`: the outcomes that it opens again without --outcome. */
export function defineResumption(
  words: Pick<Verb, 'description' | 'examples'>,
  usual?: readonly Outcome[],
): Verb {
  return defineVerb({
    ...words,
    arguments: [runArgument],
    options: { ...lastOption, ...sessionOptions, ...outcomeOption },
    effect: 'from input',
    shows: runOutcomeView,
    run: async (context, [name], { outcome: outcomes = usual, ...options }) =>
      startBulk(context, {
        kind: 'resume',
        run: { run: name, last: options.last },
        options,
        outcomes,
      }),
  })
}
