/** Options of the commands that send in bulk or continue a run, declared once. */
import { acceptable, acceptableOf, type Outcome } from '../runs/outcomes.ts'
import { operationOf } from '../runs/operations/operations.ts'
import type { BulkOperation } from '../api/operations.ts'
import { optionOf } from '../config/table.ts'
import { parseCount, textOfLength } from '../values.ts'
import { fileOption, inputOptions } from './id-input.ts'
import { advanced, defineOptions } from '../options.ts'

const input = 'Input (svc help id-files):'
export const safety = 'Safety (svc help bulk):'
const files = 'Files (svc help outcomes):'

/** `--reason` of every command that begins a run. */
export const reasonOption = defineOptions({
  reason: {
    value: 'text',
    takes: 'text',
    summary: 'the reason, recorded with the run or plan',
    parse: textOfLength({ min: 1, max: 500 }),
    group: safety,
  },
})

const usualBulkOptions = defineOptions({
  file: { ...fileOption.file, group: input },
  column: { ...inputOptions.column, group: input },
  where: { ...inputOptions.where, group: input },
  skipInvalid: { ...inputOptions.skipInvalid, group: input },
  allowEmpty: { ...inputOptions.allowEmpty, group: advanced },
  dryRun: { summary: 'read, check and count; change nothing', group: safety },
  expect: {
    value: 'n',
    summary: 'refuse unless exactly n ids would be sent',
    parse: parseCount,
    group: safety,
  },
  once: {
    value: 'name',
    summary: 'do this job once; the same command resumes it',
    group: safety,
  },
  newRun: {
    summary: 'start a new run, even if the same job is not finished',
    conflicts: ['once'],
    group: advanced,
  },
  ...reasonOption,
  receipts: {
    value: 'file',
    takes: 'file',
    summary: 'write the outcome of each id (.csv, .xlsx, .ndjson)',
    isCarried: true,
    group: files,
  },
  annotate: {
    value: 'file',
    takes: 'file',
    summary: 'write the input again with outcomes (.csv or .xlsx)',
    isCarried: true,
    group: files,
  },
})

/** `--new-key` and `--take-over` of every command that works on a run. */
export const lockOptions = defineOptions({
  newKey: {
    summary: 'resume with a different key from the one the run started with',
    group: advanced,
  },
  takeOver: {
    summary: 'take over a run whose process shows no sign of life for a minute',
    group: advanced,
  },
})

/** `--accept` of these outcomes. */
function acceptOption(outcomes: readonly Outcome[]) {
  return defineOptions({
    accept: {
      value: 'outcomes',
      choices: outcomes,
      isSeparated: true,
      summary: `outcomes that count as done: ${outcomes.join(', ')}`,
      group: safety,
    },
  })
}

/** Options of the commands that take ids in bulk. */
export function bulkOptions(operation: BulkOperation) {
  const { batch, item, pairs } = operationOf(operation)
  const { concurrency } = batch
  const outcomes = acceptableOf(operation)
  // Tickets can come without their employees, contacts to merge never without a second column.
  const isTable = pairs !== undefined && item === 'contact'
  const { column, file, ...usual } = usualBulkOptions
  return defineOptions({
    file: isTable
      ? { ...file, summary: 'a table with the columns source and target' }
      : file,
    ...(!isTable && { column }),
    ...usual,
    who: {
      summary:
        item === 'ticket' ? 'show the tickets as they are now' : 'show names and lists',
      group: safety,
    },
    concurrency: optionOf('concurrency', {
      default: `${concurrency}; fewer after 429 and 503`,
      group: advanced,
    }),
    ...(outcomes.length === 0 ? {} : acceptOption(outcomes)),
    ...lockOptions,
  })
}

/** Options of the commands that send what is recorded, or in a plan. */
export const sessionOptions = defineOptions({
  ...lockOptions,
  receipts: usualBulkOptions.receipts,
  annotate: usualBulkOptions.annotate,
  file: {
    value: 'path',
    takes: 'file',
    summary: 'the input, if it has moved (with --annotate)',
    isCarried: true,
    group: files,
  },
})

/** Options that change how a plan is sent, but not its content. */
export const applyOptions = defineOptions({
  ...sessionOptions,
  concurrency: optionOf('concurrency'),
  ...acceptOption(acceptable),
})
