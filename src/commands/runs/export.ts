import type { Receipt as StateReceipt } from '../../bulk/outcomes/receipt.ts'
import type { RunState } from '../../bulk/record/state.ts'
import { outcomes } from '../../bulk/operations/outcome.ts'
import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import type { Context } from '../../cli/context.ts'
import { rows } from '../../output/result.ts'
import { assignReceiptView, pairsBackView } from '../../views/bulk.ts'
import type { Receipt } from '../../views/documents.ts'
import { idPattern } from '../../values.ts'
import { pluralize } from '../../words.ts'
import { findRun, lastOption, otherForms, readRecorded, runArgument } from './reading.ts'

export const verb = defineVerb({
  description:
    'Print the outcome of each id of a run, in the order of its input. csv and xlsx of ' +
    'a tickets assign run have the columns ticket and employee (the former one), which ' +
    'tickets assign --file reads to return the tickets. With --outcome done they leave ' +
    'out tickets that nobody had or that did not change.',
  notes: otherForms,
  examples: [
    'svc runs export 20260301T101500Z-7f3a -o csv',
    'svc runs export --last --outcome unknown,not-attempted -o ids',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    outcome: {
      value: 'a,b',
      choices: outcomes,
      isSeparated: true,
      summary: `only these outcomes: ${outcomes.join(', ')}`,
    },
  },
  effect: 'reads',
  shows: {
    ...assignReceiptView,
    computed: pairsBackView.computed ?? {},
    schema: schemaOf('Receipts'),
  },
  run: async (context, [name], { outcome, last }) => {
    const listed = await findRun(context, { run: name, last })
    const [{ header, state }, { allReceipts }, { operationOf }] = await Promise.all([
      readRecorded(context, listed),
      import('../../bulk/outcomes/receipt.ts'),
      import('../../bulk/operations/operations.ts'),
    ])
    const { assignees, receiptView: view } = operationOf(header.operation)
    const receipts = addTimes(state, allReceipts(state, outcome))
    const isTable = context.print.format === 'csv' || context.print.format === 'xlsx'
    if (assignees === undefined || !isTable) {
      return rows<Receipt>(receipts, { view, empty: 'no ids' })
    }
    const isOfDone = outcome?.length === 1 && outcome[0] === 'done'
    const shown = isOfDone ? pairsBack(context, [...receipts]) : receipts
    return rows<Receipt>(shown, { view: pairsBackView, empty: 'no ids' })
  },
})

/** The receipts of tickets that can be returned. A note counts the others. */
function pairsBack(context: Context, receipts: readonly Receipt[]): readonly Receipt[] {
  const changed = receipts.filter(
    ({ before, after }) =>
      before != null &&
      idPattern.test(before) &&
      before.toLowerCase() !== after?.toLowerCase(),
  )
  const others = receipts.length - changed.length
  if (others > 0) {
    const what = pluralize(others, 'ticket is', 'tickets are')
    context.note(
      `${what} left out: without an assignee before the run, or not changed by it`,
    )
  }
  return changed
}

/** `at`: when the service answered, or, where it did not, when it was tried; null for what was never sent. */
type TimedReceipt = Receipt & { readonly at: string | null }

function* addTimes(
  state: RunState,
  receipts: Iterable<StateReceipt>,
): Generator<TimedReceipt> {
  for (const receipt of receipts) {
    const { at: time } = state.of(receipt.batch)
    yield { ...receipt, at: time === 0 ? null : new Date(time).toISOString() }
  }
}
