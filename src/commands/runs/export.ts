import { rows } from '../../output/result.ts'
import { schemaOf, type Verb } from '../../cli/verb.ts'
import { assignReceiptView } from '../../resources/bulk.ts'
import { outcomes } from '../../bulk/operations/outcome.ts'
import { parseChoices } from '../../values.ts'
import { readRun, runVerb, typedRun } from './reading.ts'

export const exportRun: Verb = (runs, run) =>
  runVerb(runs, 'export', 'print what became of each id of a run', [
    'svc runs export 20260301T101500Z-7f3a -o csv',
    'svc runs export --last --outcome unknown,not-attempted -o ids',
  ])
    .description('Print what became of each id of a run, in the order of its input.')
    .option('--outcome <a,b>', 'only these outcomes, for example error,unknown', (text) =>
      parseChoices(text, '--outcome', outcomes),
    )
    .action(
      run({ ...assignReceiptView, schema: schemaOf('Receipts') }, async (context, name, options) => {
        const reference = await typedRun(context, name, options)
        const [
          {
            recorded: { run: recorded, state },
          },
          { allReceipts },
          { operationOf },
        ] = await Promise.all([
          readRun(context, reference),
          import('../../bulk/files/receipts.ts'),
          import('../../bulk/operations/operations.ts'),
        ])
        state.closeAll()
        const { receiptView: view } = operationOf(recorded.operation)
        return rows(allReceipts(state, options.outcome), { view, empty: 'no ids' })
      }),
    )
