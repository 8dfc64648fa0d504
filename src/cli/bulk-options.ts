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

/** The options of the verb of an operation, in the order of the help. */
export function bulkOptions(operation: BulkOperation) {
  const isMerge = operation === 'contacts.merge'
  const isAssign = operation === 'tickets.assign'
  const { file } = fileOption
  const { column, where, except, skipInvalid, allowEmpty, sheet } = inputOptions
  const outcomes = acceptable[operation]
  const hasAcceptable = outcomes.length > 0
  const input = {
    file: isMerge
      ? { ...file, summary: 'a table with the columns source and target' }
      : file,
    // The pairs of merges have columns of their own.
    ...(isMerge ? {} : { column }),
    where,
    except,
    skipInvalid,
  }
  const safety = defineOptions({
    dryRun: { summary: 'read, check and count; change nothing' },
    who: {
      summary: isAssign
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
  })
  const accept = defineOptions({
    accept: {
      value: 'outcomes',
      choices: outcomes,
      isSeparated: true,
      summary: `outcomes that count as done: ${outcomes.join(', ')}`,
    },
  })
  const rare = defineOptions({
    allowEmpty,
    sheet,
    newRun: { summary: 'begin anew, even if the same job is not finished' },
    concurrency: {
      value: 'n',
      summary: 'requests in flight, 1 to 32',
      default: String(operationOf(operation).concurrency),
      parse: (text: string, name: string) => parseCount(text, name, { min: 1, max: 32 }),
    },
  })
  return defineOptions({
    ...grouped(inputHeading, input),
    ...grouped(safetyHeading, { ...safety, ...(hasAcceptable ? accept : {}) }),
    ...grouped(filesHeading, outcomeFiles),
    ...grouped(advanced, rare),
  })
}
