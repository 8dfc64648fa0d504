import { defineVerb } from '../../cli/verb.ts'
import type { Context } from '../../cli/context.ts'
import { SvcError, usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { readItems } from '../../input/read.ts'
import {
  keepsColumns,
  receiptColumns,
  tableWithReceipts,
} from '../../jobs/receipts-table.ts'
import {
  outcomes,
  receiptsOf,
  refuseUnreadable,
  type Operation,
  type RunRecord,
} from '../../runs/engine.ts'
import { firstTexts } from '../../words.ts'
import { findRun, runArgument } from '../../cli/runs.ts'

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
  isRead: true,
  columns: receiptColumns(),
  ids: 'id',
  act: async (context, [typed], { outcome, file }) => {
    const record = await findRun(context, typed)
    refuseUnreadable(record)
    const { run, state } = record
    if (typed === undefined) context.note(`the newest run: ${run}`)
    const operation = await context.operation(state.head.operation)
    if (state.damage !== undefined)
      context.warn(`${state.damage}; ids without a result there are unknown`)
    if (file !== undefined) {
      const { format } = context.print
      if (format !== 'csv' && format !== 'xlsx')
        throw usageError('--file is for csv and xlsx', 'add --out receipts.csv, or -o csv')
      const { table, rows: all } = await readTableAgain(context, file, operation, state)
      const pieces = tableWithReceipts(table, all, receiptsOf(state), format)
      return { kind: 'table' as const, pieces }
    }
    return rows(receiptsOf(state, outcome), {
      columns: receiptColumns(state.items.arePairs ? operation.pairs : undefined),
      what: 'ids',
    })
  },
})

/** Reads the table of a run again, as the run read it. Throws a usage error if it is no table, or lacks ids of the run. */
async function readTableAgain(
  { host, note }: Context,
  file: string,
  { words, pairs }: Operation,
  { head, items }: RunRecord['state'],
) {
  const found = await readItems(host, {
    ...head.source,
    file,
    item: words.item,
    sides: items.arePairs ? pairs : undefined,
    keepsRows: true,
    note,
  })
  const { table, rows: all } = found
  if (table === undefined || !keepsColumns(table))
    throw usageError(`"${file}" has no columns`, 'leave out --file')
  const present = new Set(found.items.ids.map((id) => id.toLowerCase()))
  const missing = items.ids.filter((id) => !present.has(id.toLowerCase()))
  if (missing.length === 0) return { table, rows: all }
  throw new SvcError('usage', `"${file}" does not have all ids of the run`, {
    lines: firstTexts(missing),
  })
}
