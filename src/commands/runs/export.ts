import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { outcomes } from '../../runs/outcomes.ts'
import { receiptColumns, receiptsOf } from '../../runs/receipts.ts'
import { lastOption, readRecorded, runArgument } from './show.ts'

export const verb = defineVerb({
  description:
    'Print the receipts of a run: the outcome of each id, in the order of its input, with the time of its last attempt.',
  examples: [
    'svc runs export delete-3fa9c1d20b77.1 -o csv',
    'svc runs export --last --outcome unknown,not-attempted -o ids',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    outcome: {
      value: 'a,b',
      choices: outcomes,
      isCommaSeparated: true,
      summary: `only these outcomes: ${outcomes.join(', ')}`,
    },
  },
  effect: 'reads',
  columns: receiptColumns(),
  ids: 'id',
  run: async (context, [typed], { outcome, last }) => {
    const { log } = await readRecorded(context, { run: typed, last })
    // The operation of this run may have columns of its own.
    const columns = receiptColumns(log.head.operation)
    return rows(receiptsOf(log, outcome), { columns, empty: 'no ids' })
  },
})
