import { usageError } from '../../errors.ts'
import type { Verb } from '../../verb.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { examples } from '../options.ts'

export const resume: Verb = (runs, run) =>
  runs
    .command('resume')
    .summary('go on with a run where it ended')
    .description(
      'Go on with a run where it ended: sends what was never attempted, what was refused for credentials, plan or pace, and\n' +
        'what is unknown of deletes and adds; unknown assigns are read first; unknown merges are only listed.',
    )
    .argument('[run]', 'as svc runs list names it; default: the newest unfinished one')
    .option('--last', 'the newest unfinished run')
    .option('--new-key', 'go on although the key is another one than the run began with')
    .option('--receipts <file>', 'write what became of each id to this .csv or .ndjson file')
    .addHelpText('after', examples('svc runs resume', 'svc runs resume 20260301T101500Z-7f3a --yes'))
    .action(
      run(assignOutcomeView, async ({ bulk }, name, options) => {
        if (name !== undefined && options.last === true) throw usageError('--last does not go with a run')
        return bulk.resume(name, options)
      }),
    )
