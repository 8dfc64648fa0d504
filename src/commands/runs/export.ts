import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import {
  readTableAgain,
  receiptColumns,
  tableWithReceipts,
} from '../../jobs/receipts-table.ts'
import { outcomes, receiptsOf, refuseUnreadable } from '../../runs/engine.ts'
import { findRun, runArgument } from './show.ts'

export const verb = defineVerb({
  summary: 'print the outcome of each id of a run',
  description:
    'Print the receipts of a run, by default the newest of this profile: the outcome of each id in the order of its input, ' +
    'why, and when its last attempt ended.',
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
    file: {
      value: 'input',
      takes: 'file',
      summary: 'add the receipts to this input of the run',
      conflicts: ['outcome'],
    },
  },
  effect: 'reads',
  columns: receiptColumns(),
  ids: 'id',
  act: async (context, [typed], { outcome, file }) => {
    const record = await findRun(context, typed)
    refuseUnreadable(record)
    const { state } = record
    const { items, head } = state
    const operation = await context.operation(head.operation)
    if (state.damage !== undefined)
      context.warn(`${state.damage}; ids without a result there are unknown`)
    if (file !== undefined) {
      const { format } = context.print
      if (format !== 'csv' && format !== 'xlsx')
        throw usageError('--file is for csv and xlsx', 'add --out receipts.csv, or -o csv')
      const run = { operation, items, source: head.source }
      const { table, rows: all } = await readTableAgain(context, file, run)
      const isWorkbook = format === 'xlsx'
      const pieces = tableWithReceipts(table, all, receiptsOf(state), isWorkbook)
      return { kind: 'table' as const, pieces }
    }
    return rows(receiptsOf(state, outcome), {
      columns: receiptColumns(items.arePairs ? operation.pairs : undefined),
      what: 'ids',
    })
  },
})
