import { defineCommand } from '../../cli/command.ts'
import { rows } from '../../output/result.ts'
import { schemaOf } from '../../cli/verb.ts'
import { assignReceiptView } from '../../resources/bulk.ts'
import { outcomes } from '../../bulk/operations/outcome.ts'
import { parseChoices } from '../../values.ts'
import { lastOption, otherForms, readRun, runArgument, typedRun } from './reading.ts'

export const exportRun = defineCommand({
  path: 'runs export',
  summary: 'print what became of each id of a run',
  description: 'Print what became of each id of a run, in the order of its input.',
  examples: [
    'svc runs export 20260301T101500Z-7f3a -o csv',
    'svc runs export --last --outcome unknown,not-attempted -o ids',
  ],
  notes: otherForms,
  arguments: [runArgument],
  options: {
    ...lastOption,
    outcome: {
      value: 'a,b',
      summary: 'only these outcomes, for example error,unknown',
      parse: (text: string) => parseChoices(text, '--outcome', outcomes),
    },
  },
  effect: 'reads',
  shows: { ...assignReceiptView, schema: schemaOf('Receipts') },
  run: async (context, name, options) => {
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
  },
})
