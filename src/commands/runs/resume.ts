import { schemaOf, type Verb } from '../../cli/verb.ts'
import { assignOutcomeView } from '../../resources/bulk.ts'
import { sessionOptions } from '../../cli/options.ts'
import { runVerb, typedRun } from './reading.ts'

export const resume: Verb = (runs, run) =>
  sessionOptions(
    runVerb(runs, 'resume', 'resume a run where it stopped', [
      'svc runs resume 20260301T101500Z-7f3a --yes',
      'svc runs resume --last',
    ]),
  )
    .description(
      'Resume a run where it stopped: send what was never attempted, what was refused because of credentials, the subscription\n' +
        'plan or the rate limit, the batch that stopped the run, and deletes and adds whose outcome is unknown. Unknown assigns\n' +
        'are read first; unknown merges are only listed. It never picks a run by itself, and it asks for confirmation again\n' +
        "where the run did. With nothing left, it sends nothing, shows the run's summary and ends with its exit code.",
    )
    .action(
      run({ ...assignOutcomeView, schema: schemaOf('Summary') }, async (context, name, options) =>
        context.bulk.resume(await typedRun(context, name, options, true), options),
      ),
    )
