import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { rows, type Columns } from '../../output/result.ts'
import { operationOf } from '../../runs/operations/operations.ts'
import { outcomes } from '../../runs/outcomes.ts'
import { allReceipts, receiptColumns, type Receipt } from '../../runs/receipts.ts'
import { idPattern } from '../../values.ts'
import { pluralize } from '../../words.ts'
import {
  lastOption,
  otherForms,
  readRecorded,
  runArgument,
} from '../../cli/recorded-runs.ts'

/**
 * Receipts of assigns as a table that `tickets assign --file` reads to undo them: `employee` is the assignee before, and
 * `after` is only for people.
 */
const undoColumns: Columns<Receipt> = {
  TICKET: ({ id }) => id,
  EMPLOYEE: ({ before }) => before,
  AFTER: 'after',
  LINE: 'line',
  OUTCOME: 'outcome',
  AT: 'at',
  BATCH: 'batch',
  ATTEMPTS: 'attempts',
  CODE: 'code',
  MESSAGE: 'message',
}

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
  columns: receiptColumns(true),
  ids: 'id',
  run: async (context, [name], { outcome, last }) => {
    const { recorded } = await readRecorded(context, { run: name, last })
    const receipts = allReceipts(recorded.state, outcome)
    const isOfTickets = operationOf(recorded.head.operation).assignees !== undefined
    const empty = 'no ids'
    const { format } = context.print
    const isSpreadsheet = format === 'csv' || format === 'xlsx'
    if (!isOfTickets || !isSpreadsheet)
      return rows(receipts, { columns: receiptColumns(isOfTickets), empty })
    // tickets assign --file reads a spreadsheet of tickets and former assignees.
    const isDoneAlone = outcome?.length === 1 && outcome[0] === 'done'
    const shown = isDoneAlone ? ticketsToReturn(context, [...receipts]) : receipts
    return rows(shown, { columns: undoColumns, empty })
  },
})

/** The receipts of tickets that somebody had before the run, and somebody else after it. A note counts the others. */
function ticketsToReturn(
  context: Context,
  receipts: readonly Receipt[],
): readonly Receipt[] {
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
