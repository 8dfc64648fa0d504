import { startBulk } from '../../cli/bulk-command.ts'
import { receiptIds, sessionOptions } from '../../cli/bulk-verb.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runArgument } from '../../cli/recorded-runs.ts'
import { outcomes, reopenable } from '../../runs/outcomes.ts'
import { parseChoices } from '../../values.ts'

export const verb = defineVerb({
  description:
    'Resume a run where it stopped. svc asks again if the run asked. If nothing is left, it shows the summary and ends with the\n' +
    'exit code of the run.',
  notes: `A resume sends ids that were never attempted or were refused because of
the key, the subscription or the rate limit, the batch that stopped the run,
deletes and adds with an unknown outcome, and assigns after reading the ticket.
It lists merges with an unknown outcome, and never sends them again.`,
  examples: [
    'svc runs resume 20260301T101500Z-7f3a --yes',
    'svc runs resume --last --outcome error,unknown',
  ],
  arguments: [runArgument],
  options: {
    last: {
      summary:
        "the newest unfinished run of this profile's service (none: exit 2); with --outcome the newest run",
    },
    outcome: {
      value: 'a,b',
      suggestions: reopenable,
      isSeparated: true,
      summary: `also send whole batches again that have these outcomes: ${reopenable.join(', ')}`,
      // Every outcome is read, so that the run can say why one such as "deleted" is not sent again.
      parse: (text: string, what: string) => parseChoices(text, what, outcomes),
    },
    ...sessionOptions,
  },
  effect: 'from input',
  ids: receiptIds,
  run: async (context, [name], { outcome, last, ...options }) =>
    startBulk(context, {
      kind: 'resume',
      run: { run: name, last },
      options,
      outcomes: outcome,
    }),
})
