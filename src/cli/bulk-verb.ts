/** The options of verbs that send in bulk, or resume a run. `bulk-command.ts` runs them. */
import type { BulkOperation } from '../api/operations.ts'
import { advanced, defineOptions, grouped } from '../options.ts'
import { operationOf } from '../runs/operations/operations.ts'
import { acceptableOf, type Outcome } from '../runs/outcomes.ts'
import { parseCount, textOfLength } from '../values.ts'
import { fileOption, inputOptions } from './id-input.ts'

const inputHeading = 'Input (svc help id-files):'
export const safetyHeading = 'Safety (svc help bulk):'
const filesHeading = 'Files (svc help bulk):'

/** `--reason` of every command that begins a run. */
export const reasonOption = defineOptions({
  reason: {
    value: 'text',
    takes: 'text',
    summary: 'the reason, recorded with the run',
    parse: textOfLength({ min: 1, max: 500 }),
  },
})

/** The files with outcomes that a command on a run writes. */
export const outcomeFiles = defineOptions({
  receipts: {
    value: 'file',
    takes: 'file',
    summary: 'write the outcome of each id (.csv, .xlsx, .ndjson)',
    isRepeatedOnResume: true,
  },
  annotate: {
    value: 'file',
    takes: 'file',
    summary: 'write the input again with outcomes (.csv or .xlsx)',
    isRepeatedOnResume: true,
  },
})

/** `--new-key` and `--take-over` of every command that works on a run. */
export const takeOptions = defineOptions({
  newKey: { summary: 'resume with a different key from the one the run started with' },
  takeOver: {
    summary: 'take over a run whose process shows no sign of life for a minute',
  },
})

const { concurrency } = defineOptions({
  concurrency: {
    value: 'n',
    summary: 'requests in flight, 1 to 32',
    parse: (text, what) => parseCount(text, what, { min: 1, max: 32 }),
  },
})

function acceptOption(outcomes: readonly Outcome[]) {
  return defineOptions({
    accept: {
      value: 'outcomes',
      choices: outcomes,
      isSeparated: true,
      summary: `outcomes that count as done: ${outcomes.join(', ')}`,
    },
  })
}

/** Options of the commands that take ids in bulk. */
export function bulkOptions(operation: BulkOperation) {
  const { batch, item, pairs } = operationOf(operation)
  const { file } = fileOption
  const { column, where, except, skipInvalid, allowEmpty, sheet } = inputOptions
  const outcomes = acceptableOf(operation)
  // A file of tickets may leave out the employees (`--to`). A file of merges always has both columns.
  const isTable = pairs !== undefined && item === 'contact'
  return defineOptions({
    ...grouped(inputHeading, {
      file: isTable
        ? { ...file, summary: 'a table with the columns source and target' }
        : file,
      ...(!isTable && { column }),
      where,
      except,
      skipInvalid,
    }),
    ...grouped(safetyHeading, {
      dryRun: { summary: 'read, check and count; change nothing' },
      expect: {
        value: 'n',
        summary: 'refuse unless exactly n ids would be sent',
        parse: parseCount,
      },
      once: { value: 'name', summary: 'do this job once; the same command resumes it' },
      ...reasonOption,
      who: {
        summary:
          item === 'ticket' ? 'show the tickets as they are now' : 'show names and lists',
      },
      ...(outcomes.length === 0 ? {} : acceptOption(outcomes)),
    }),
    ...grouped(filesHeading, outcomeFiles),
    ...grouped(advanced, {
      allowEmpty,
      sheet,
      newRun: {
        summary: 'start a new run, even if the same job is not finished',
        conflicts: ['once'],
      },
      concurrency: {
        ...concurrency,
        default: `${batch.concurrency}; fewer after 429 and 503`,
      },
      ...takeOptions,
    }),
  })
}

/** Options of the commands that send what a run has recorded. */
export const sessionOptions = defineOptions({
  ...grouped(filesHeading, {
    ...outcomeFiles,
    file: {
      value: 'path',
      takes: 'file',
      summary: 'the input, if it has moved (with --annotate)',
      isRepeatedOnResume: true,
    },
  }),
  ...grouped(advanced, takeOptions),
})

/** What `-o ids` prints of a run: the ids of its receipts. */
export const receiptIds = 'id'
