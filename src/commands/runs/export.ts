import type { RunReference } from '../../bulk/runs/find-run.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import { outcomes, type Outcome } from '../../bulk/operations/outcome.ts'
import { defineCommand } from '../../cli/command.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { columnsFor } from '../../output/columns.ts'
import { rows } from '../../output/result.ts'
import { assignReceiptView, receiptView } from '../../views/bulk.ts'
import type { Receipt } from '../../views/documents.ts'
import { parseChoices } from '../../values.ts'
import { chooseRuns, choiceOptions, type RunChoice } from './choice.ts'
import { lastOption, otherForms, readRun, runArgument, typedRun } from './reading.ts'

export const exportRun = defineCommand({
  path: 'runs export',
  summary: 'print what became of each id of a run, or of many',
  description:
    'Print what became of each id of a run, in the order of its input. Without a run, and with --since, --until or --operation:\n' +
    "of every run of this profile's service that worked in that time, the oldest first, with the run in the first column.\n" +
    'Runs that were pruned are not in it.',
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
      summary: 'only these outcomes, for example error,unknown',
      parse: (text: string) => parseChoices(text, '--outcome', outcomes),
    },
    ...choiceOptions,
  },
  effect: 'reads',
  shows: { ...assignReceiptView, schema: schemaOf('Receipts') },
  run: async (context, name, { outcome, last, ...choice }) => {
    const isOfMany = Object.values(choice).some((value) => value !== undefined)
    if (isOfMany && (name !== undefined || last === true)) {
      throw usageError(
        '--since, --until and --operation export many runs; leave them out, or leave out the run',
      )
    }
    if (isOfMany) return exportMany(context, choice, outcome)
    const { receipts, view } = await receiptsOf(
      context,
      await typedRun(context, name, { last }),
      outcome,
    )
    return rows<Receipt>(receipts, { view, empty: 'no ids' })
  },
})

/** Receipts of a recorded run as it stands, and how they are shown. */
async function receiptsOf(
  context: Context,
  reference: RunReference,
  wanted: readonly Outcome[] | undefined,
) {
  const [{ recorded }, { allReceipts }, { operationOf }] = await Promise.all([
    readRun(context, reference),
    import('../../bulk/files/receipts.ts'),
    import('../../bulk/operations/operations.ts'),
  ])
  const { run, state } = recorded
  state.closeAll()
  return { receipts: allReceipts(state, wanted), view: operationOf(run.operation).receiptView }
}

async function exportMany(
  context: Context,
  choice: RunChoice,
  wanted: readonly Outcome[] | undefined,
) {
  const { runs } = await chooseRuns(context, choice)
  const { baseUrl } = (await context.configuration()).profile()
  // One that cannot be read may be of this service: reading it says so.
  const ofService = runs.filter(({ run }) => run === undefined || run.baseUrl === baseUrl).reverse()
  const hasAssigns = ofService.some(({ run }) => run?.operation === 'tickets.assign')
  const all = columnsFor('run:id', ...(hasAssigns ? assignReceiptView : receiptView).columns)
  const columns =
    context.print.format === 'table'
      ? all.filter(({ field }) => fieldsForPeople.includes(field))
      : all
  return rows<Receipt>(receiptsOfAll(context, ofService, wanted), {
    view: { ...receiptView, columns },
    empty: ofService.length === 0 ? 'no runs' : 'no ids',
  })
}

/** With all of its columns a table of many runs is wider than a terminal. */
const fieldsForPeople = ['run', 'id', 'outcome', 'message']

type ReceiptOfRun = Receipt & { readonly run: string }

async function* receiptsOfAll(
  context: Context,
  runs: readonly ListedRun[],
  wanted: readonly Outcome[] | undefined,
): AsyncGenerator<ReceiptOfRun, undefined> {
  for (const { id: run } of runs) {
    const { receipts } = await receiptsOf(context, { run, last: false }, wanted)
    for (const receipt of receipts) yield { run, ...receipt }
  }
}
