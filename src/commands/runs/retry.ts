import { usageError } from '../../errors.ts'
import { schemaOf, type Verb } from '../../cli/verb.ts'
import { assignOutcomeView } from '../../resources/bulk.ts'
import { sessionOptions } from '../../cli/options.ts'
import { outcomes, reopenable } from '../../bulk/operations/outcome.ts'
import { isolatedOutcomes, isolatingCommands } from '../../bulk/operations/operations.ts'
import { parseChoices } from '../../values.ts'
import { listed } from '../../words.ts'
import { runVerb, typedRun } from './reading.ts'

export const retry: Verb = (runs, run) =>
  sessionOptions(
    runVerb(runs, 'retry', 'send batches of a run again, by outcome', [
      'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
      'svc runs retry --last --outcome undetermined --isolate --receipts out.csv',
    ]),
  )
    .description(
      `Send again the batches of a run in which ids ended as ${listed(reopenable)}: whole batches, in\n` +
        'the same run, so that what may have been done before is not forgotten. It asks for confirmation again where the run did.',
    )
    .option(
      '--outcome <a,b>',
      `which outcomes, for example error,unknown (default with --isolate: ${isolatedOutcomes.join()})`,
      (text) => parseChoices(text, '--outcome', outcomes),
    )
    .option('--isolate', `for a run of ${isolatingCommands}: find which contacts do not exist`)
    .action(
      run({ ...assignOutcomeView, schema: schemaOf('Summary') }, async (context, name, options) => {
        const isolate = options.isolate === true
        const outcomes = options.outcome ?? (isolate ? isolatedOutcomes : undefined)
        const reference = await typedRun(context, name, options)
        if (outcomes === undefined) {
          const { findRun } = await import('../../bulk/runs/find-run.ts')
          const id = await findRun(context, reference)
          throw usageError('--outcome is required', `for example\n  svc runs retry ${id} --outcome error,unknown`)
        }
        return context.bulk.retry(reference, { outcomes, isolate }, options)
      }),
    )
