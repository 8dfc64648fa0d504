import type { Receipt as StateReceipt } from '../../bulk/outcomes/receipt.ts'
import type { ListedRun } from '../../bulk/record/runs.ts'
import type { RunState } from '../../bulk/record/state.ts'
import { outcomes, type Outcome } from '../../bulk/operations/outcome.ts'
import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import type { Context } from '../../cli/context.ts'
import { SvcError, usageError } from '../../errors.ts'
import { columnsFor } from '../../output/columns.ts'
import { rows } from '../../output/result.ts'
import { assignReceiptView, pairsBackView, receiptView } from '../../views/bulk.ts'
import type { Receipt } from '../../views/documents.ts'
import { idPattern } from '../../values.ts'
import { aboutRun } from '../../bulk/outcomes/summary.ts'
import { isFuture } from '../../output/text/time.ts'
import { pluralize } from '../../words.ts'
import { parseSpan } from '../time-span.ts'
import {
  chooseRuns,
  choiceOptions,
  type RunChoice,
  lastOption,
  otherForms,
  findRun,
  readRecorded,
  runArgument,
} from './reading.ts'

export const verb = defineVerb({
  description:
    'Print the outcome of each id of a run, in the order of its input. With --since, ' +
    '--until or --operation in place of a run, print the ids of all runs of this ' +
    "profile's service whose answers came in that time, oldest run first. The first " +
    'columns are the run, its operation, target, author and reason, and the last is ' +
    'the time of the answer (at). It leaves out pruned runs, lists create and lists ' +
    'update, changes by other machines, and, within a time, ids that were never sent. ' +
    'A damaged run makes the output incomplete. csv and xlsx of a tickets assign run ' +
    'have the columns ticket and employee (the former one), which tickets assign ' +
    '--file reads to return the tickets. With --outcome done they leave out tickets ' +
    'that nobody had or that did not change.',
  notes: otherForms,
  examples: [
    'svc runs export 20260301T101500Z-7f3a -o csv',
    'svc runs export --last --outcome unknown,not-attempted -o ids',
    'svc runs export --since 2026-11-17 --until 2026-11-18 \\\n    --operation contacts.delete --outcome deleted -o csv',
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
    ...choiceOptions,
  },
  effect: 'reads',
  shows: {
    ...assignReceiptView,
    computed: pairsBackView.computed ?? {},
    schema: schemaOf('Receipts'),
  },
  run: async (context, [name], { outcome, last, ...choice }) => {
    const isOfMany = Object.values(choice).some((value) => value !== undefined)
    if (isOfMany && (name !== undefined || last === true)) {
      throw usageError(
        '--since, --until and --operation export many runs: leave them out, or leave out the run',
      )
    }
    if (isOfMany) return exportMany(context, choice, outcome)
    const listed = await findRun(context, { run: name, last })
    const { receipts, view, hasAssignees } = await receiptsOf(context, listed, outcome)
    const isTable = context.print.format === 'csv' || context.print.format === 'xlsx'
    if (!hasAssignees || !isTable) {
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

/** The receipts of a recorded run in its current state, and their view. */
async function receiptsOf(
  context: Context,
  listed: ListedRun,
  wanted: readonly Outcome[] | undefined,
) {
  const [{ header, state }, { allReceipts }, { operationOf }] = await Promise.all([
    readRecorded(context, listed),
    import('../../bulk/outcomes/receipt.ts'),
    import('../../bulk/operations/operations.ts'),
  ])
  return {
    header,
    receipts: addTimes(state, allReceipts(state, wanted)),
    view: operationOf(header.operation).receiptView,
    hasAssignees: operationOf(header.operation).assignees !== undefined,
  }
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

async function exportMany(
  context: Context,
  choice: RunChoice,
  wanted: readonly Outcome[] | undefined,
) {
  const { runs } = await chooseRuns(context, choice)
  const { baseUrl } = (await context.configuration()).profile()
  // One that cannot be read may be of this service.
  const ofService = runs
    .filter(({ header, isPruned }) => !isPruned && (header?.baseUrl ?? baseUrl) === baseUrl)
    .reverse()
  const all = columnsFor(
    'run:id',
    ...(['operation', 'target', 'by', 'reason'] as const),
    ...assignReceiptView.columns,
    'at:time',
  )
  const columns =
    context.print.format === 'table'
      ? all.filter(({ field }) => fieldsForPeople.includes(field))
      : all
  return rows<Receipt>(receiptsOfAll(context, ofService, choice, wanted), {
    view: { ...receiptView, columns },
    empty: ofService.length === 0 ? 'no runs' : 'no ids',
  })
}

/** With all of its columns a table of many runs is wider than a terminal. */
const fieldsForPeople = ['run', 'by', 'id', 'outcome', 'message']

async function* receiptsOfAll(
  context: Context,
  runs: readonly ListedRun[],
  choice: RunChoice,
  wanted: readonly Outcome[] | undefined,
) {
  const now = context.host.now()
  const { since = -Infinity, until = Infinity } = parseSpan(choice, now)
  const isEach = since === -Infinity && until === Infinity
  const isWanted = ({ at }: TimedReceipt): boolean => {
    if (isEach) return true
    const time = at === null ? Number.NaN : Date.parse(at)
    return time >= since && time < until && !isFuture(time, now)
  }
  for (const listed of runs) {
    const { run, problem } = listed
    if (problem !== undefined) continue
    const { header, receipts } = await receiptsOf(context, listed, wanted)
    const { target, by, reason } = aboutRun(run, header)
    const head = { run, operation: header.operation, target, by, reason }
    for (const receipt of receipts) if (isWanted(receipt)) yield { ...head, ...receipt }
  }
  return refuseDamaged(runs)
}

/** Behind all rows that can be read, so that the export ends as incomplete. Throws exit 10. */
function refuseDamaged(runs: readonly ListedRun[]): undefined {
  const [first, ...others] = runs.filter(({ problem }) => problem !== undefined)
  if (first?.problem === undefined) return undefined
  throw new SvcError('local', first.problem, {
    lines: others.flatMap(({ problem }) => problem ?? []),
    hint: 'the output has everything that can be read, but not the outcomes of damaged runs',
    retry: false,
  })
}
