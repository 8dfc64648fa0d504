import { parseOutcomes } from '../outcomes.ts'
import type { Verb } from '../../verb.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { examples } from '../options.ts'

export const retry: Verb = (runs, run) =>
  runs
    .command('retry')
    .summary('send ids that ended in some outcomes again, as a new run')
    .description('Send the ids of a run that ended in some outcomes again, as a new run. It asks as the run did.')
    .argument('<run>', 'as svc runs list names it')
    .requiredOption('--outcome <a,b>', 'which outcomes, for example error,unknown', parseOutcomes)
    .option('--new-key', 'send although the key is another one than the run began with')
    .option('--receipts <file>', 'write what became of each id to this .csv or .ndjson file')
    .addHelpText(
      'after',
      examples(
        'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
        'svc runs retry 20260301T101500Z-7f3a --outcome unknown --receipts out.csv',
      ),
    )
    .action(run(assignOutcomeView, async ({ bulk }, name, options) => bulk.retry(name, options.outcome, options)))
