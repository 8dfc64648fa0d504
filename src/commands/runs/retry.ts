import { startBulk } from '../../cli/start-bulk.ts'
import { say, svc } from '../../message.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { sessionOptions } from '../../cli/bulk-options.ts'
import { outcomes, reopenable } from '../../bulk/operations/outcome.ts'
import { isolatedOutcomes, isolatingCommands } from '../../bulk/operations/operations.ts'
import { parseChoices } from '../../values.ts'
import { joinOr } from '../../words.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

export const retry = defineVerb({
  description:
    `Send again the batches of a run in which ids ended as ${joinOr(reopenable)}: whole batches, in\n` +
    'the same run, so that what may have been done before is not forgotten. It asks for confirmation again where the run did.',
  examples: [
    'svc runs retry 20260301T101500Z-7f3a --outcome error,unknown',
    'svc runs retry --last --outcome undetermined --isolate --receipts out.csv',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    ...sessionOptions,
    outcome: {
      value: 'a,b',
      suggestions: reopenable,
      isSeparated: true,
      summary: `which outcomes, for example error,unknown (default with --isolate: ${isolatedOutcomes.join()})`,
      parse: (text: string) => parseChoices(text, '--outcome', outcomes),
    },
    isolate: { summary: `for a run of ${isolatingCommands}: find which contacts do not exist` },
  },
  effect: 'from input',
  isDestructive: true,
  isIdempotent: false,
  shows: { ...assignOutcomeView, schema: schemaOf('Summary') },
  run: async (context, [name], options) => {
    const isolate = options.isolate === true
    const outcomes = options.outcome ?? (isolate ? isolatedOutcomes : undefined)
    const reference = typedRun(name, options)
    if (outcomes === undefined) {
      const { findRun } = await import('../../bulk/runs/find-run.ts')
      const id = await findRun(await context.store(), context, reference)
      throw usageError(
        '--outcome is required',
        say`for example\n  ${svc`runs retry ${id} --outcome error,unknown`}`,
      )
    }
    return startBulk(context, {
      kind: 'retry',
      run: reference,
      options,
      outcomes,
      isolate,
    })
  },
})
