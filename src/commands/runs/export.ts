import type { Context } from '../../cli/context.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { operationOf } from '../../runs/operations/operations.ts'
import { outcomes } from '../../runs/outcomes.ts'
import { idPattern } from '../../values.ts'
import { undoTableView, receiptViewOf } from '../../views/bulk.ts'
import type { ReceiptDocument } from '../../views/documents.ts'
import { pluralize } from '../../words.ts'
import {
  lastOption,
  otherForms,
  readRecorded,
  runArgument,
} from '../../cli/recorded-runs.ts'

export const verb = defineVerb({
  description:
    'Print the outcome of each id of a run, in the order of its input, with the time of ' +
    'its answer (at). csv and xlsx of a tickets assign run have the columns ticket and ' +
    'employee (the former one), which tickets assign --file reads to return the ' +
    'tickets. With --outcome done they leave out tickets without a former assignee or that did ' +
    'not change.',
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
    ...receiptViewOf(true),
    computed: undoTableView.computed ?? {},
    schema: schemaOf('Receipts'),
  },
  run: async (context, [name], { outcome, last }) => {
    const { recorded } = await readRecorded(context, { run: name, last })
    const { allReceipts } = await import('../../runs/receipts.ts')
    const receipts = allReceipts(recorded.state, outcome)
    const isOfTickets = operationOf(recorded.head.operation).assignees !== undefined
    const empty = 'no ids'
    const { format } = context.print
    const isSpreadsheet = format === 'csv' || format === 'xlsx'
    if (!isOfTickets || !isSpreadsheet)
      return rows<ReceiptDocument>(receipts, { view: receiptViewOf(isOfTickets), empty })
    // tickets assign --file reads a spreadsheet of tickets and former assignees.
    const isDoneAlone = outcome?.length === 1 && outcome[0] === 'done'
    const shown = isDoneAlone ? ticketsToReturn(context, [...receipts]) : receipts
    return rows<ReceiptDocument>(shown, { view: undoTableView, empty })
  },
})

/** The receipts of tickets that somebody had before the run, and somebody else after it. A note counts the others. */
function ticketsToReturn(
  context: Context,
  receipts: readonly ReceiptDocument[],
): readonly ReceiptDocument[] {
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
