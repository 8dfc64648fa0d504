/** The options of the verbs that send in bulk. */
import type { BulkOperation } from '../api/operations.ts'
import { advanced, defineOptions, grouped } from '../options.ts'
import { operationOf } from '../runs/operations/operations.ts'
import { acceptable } from '../runs/outcomes.ts'
import { parseCount, textOfLength } from '../values.ts'
import { fileOption, inputOptions } from './inputs.ts'

const inputHeading = 'Input (svc help id-files):'
const safetyHeading = 'Safety (svc help bulk):'
export const filesHeading = 'Files (svc help bulk):'

/** The files that a command about a run writes. */
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

/** The options of a verb by what its operation takes, in the order of the help. */
export function bulkOptions(operation: BulkOperation) {
  const { words, pairs, concurrency } = operationOf(operation)
  const { file } = fileOption
  const { column, where, except, skipInvalid, allowEmpty, sheet } = inputOptions
  const outcomes = acceptable[operation]
  // A file of tickets may leave out the employees (`--to`). A file of merges always has both columns.
  const isTable = pairs !== undefined && words.item === 'contact'
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
      who: {
        summary:
          words.item === 'ticket'
            ? 'with --dry-run: the tickets as they are now'
            : 'with --dry-run: names and lists',
      },
      expect: {
        value: 'n',
        summary: 'refuse unless the input has exactly n unique ids',
        parse: parseCount,
      },
      once: { value: 'name', summary: 'do this job once; the same command resumes it' },
      reason: {
        value: 'text',
        takes: 'text',
        summary: 'the reason, kept with the run',
        parse: textOfLength({ min: 1, max: 500 }),
      },
      ...(outcomes.length === 0
        ? {}
        : defineOptions({
            accept: {
              value: 'outcomes',
              choices: outcomes,
              isSeparated: true,
              summary: `outcomes that count as done: ${outcomes.join(', ')}`,
            },
          })),
    }),
    ...grouped(filesHeading, outcomeFiles),
    ...grouped(advanced, {
      allowEmpty,
      sheet,
      newRun: { summary: 'begin anew, even if the same job is not finished' },
      concurrency: {
        value: 'n',
        summary: 'requests in flight, 1 to 32',
        default: String(concurrency),
        parse: (text: string, what: string) => parseCount(text, what, { min: 1, max: 32 }),
      },
    }),
  })
}
