import { defineVerb } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { receiptColumns } from '../../jobs/receipts-table.ts'
import { outcomes, receiptsOf, refuseUnreadable } from '../../runs/engine.ts'
import { findRun, runArgument } from './show.ts'

export const verb = defineVerb({
  description:
    'Print the receipts of a run, without one of the newest with this profile: the outcome of each id in the order of its input, why, and when its last attempt ended.',
  examples: [
    'svc runs export delete-20260301-101500-3f9a -o csv',
    'svc runs export --outcome unknown,not-attempted -o ids',
  ],
  arguments: [runArgument],
  options: {
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
  run: async (context, [typed], { outcome }) => {
    const record = await findRun(context, typed)
    refuseUnreadable(record)
    const { state } = record
    const { pairs } = await context.operation(state.job.operation)
    const isOfPairs = state.items.arePairs
    if (state.damage !== undefined)
      context.warn(`${state.damage}; what has no result in the record is unknown`)
    return rows(receiptsOf(state, outcome), {
      columns: receiptColumns(isOfPairs ? pairs : undefined),
      empty: 'no ids',
    })
  },
})
