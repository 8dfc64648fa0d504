import { startBulk, anyRunView } from '../../cli/bulk-command.ts'
import { sessionOptions } from '../../cli/bulk-options.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runArgument } from '../../cli/recorded-runs.ts'
import { outcomes, reopenable } from '../../runs/outcomes.ts'
import { parseChoices } from '../../values.ts'

export const verb = defineVerb({
  description:
    'Resume a run where it stopped. It sends ids that were never attempted or were ' +
    'refused because of credentials, the subscription plan or the rate limit, the ' +
    'batch that stopped the run, and deletes and adds whose outcome is unknown. It ' +
    'reads unknown assigns first and only lists unknown merges. With --outcome it ' +
    'also sends whole batches again that have ids with these outcomes, and remembers ' +
    'the earlier attempts. It asks for confirmation again if the run did. With ' +
    "nothing left, it sends nothing, shows the run's summary and ends with its exit " +
    'code, or with 2 for --last. It writes the files that its options name, also for ' +
    'a finished run, and replaces those that the run wrote before.',
  examples: [
    'svc runs resume 20260301T101500Z-7f3a --yes',
    'svc runs resume --last --outcome error,unknown',
  ],
  arguments: [runArgument],
  options: {
    last: {
      summary:
        "the newest unfinished run of this profile's service; with --outcome the newest run",
    },
    ...sessionOptions,
    outcome: {
      value: 'a,b',
      suggestions: reopenable,
      isSeparated: true,
      summary: `send batches with these outcomes again: ${reopenable.join(', ')}`,
      parse: (text: string, what: string) => parseChoices(text, what, outcomes),
    },
  },
  effect: 'from input',
  shows: anyRunView,
  run: async (context, [name], { outcome, last, ...options }) =>
    startBulk(context, {
      kind: 'resume',
      run: { run: name, last },
      options,
      outcomes: outcome,
    }),
})
