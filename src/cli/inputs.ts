/**
 * The shared parts of verbs that read ids: the options of an input, all options of a bulk verb, and, for verbs without a run,
 * reading ids and writing the copy of `--annotate`.
 */
import type { ReadOptions } from '../input/read.ts'
import type { TextsFor } from '../input/table-copy.ts'
import type { FoundRow, Table } from '../input/table.ts'
import { usageError } from '../errors.ts'
import { defineOptions, advancedHeading, withGroup } from '../options.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import type { Operation } from '../runs/engine.ts'
import { parseCount } from '../values.ts'
import type { Context } from './context.ts'

/** The argument for ids of contacts. */
export const idsArgument = {
  name: 'id',
  summary: 'contact ids; - for standard input',
  isVariadic: true,
} as const

export const fileOption = defineOptions({
  file: {
    value: 'path',
    takes: 'file',
    summary: 'a file of ids, or - for standard input',
    isSingle: true,
  },
})

/** Where the rows of a table are. */
export const tablePlaceOptions = defineOptions({
  sheet: {
    value: 'name',
    summary: 'the sheet of a workbook',
    isSingle: true,
    default: 'the only one with content',
  },
  headingRow: {
    value: 'n',
    summary: 'the row of the heading; 0: there is none',
    isSingle: true,
    default: '1',
    parse: parseCount,
  },
})

export const inputOptions = defineOptions({
  column: {
    value: 'name|n',
    summary: 'the column or key with the ids',
    isSingle: true,
  },
  where: {
    value: 'column=value',
    takes: 'text',
    summary: 'only these rows (!= for the others)',
    isRepeatable: true,
  },
  except: {
    value: 'file',
    takes: 'file',
    summary: 'without the ids of this file',
    isSingle: true,
  },
  allowEmpty: { summary: 'accept an input without any id', default: 'exit 2' },
  ...tablePlaceOptions,
})

/** Reads the ids of contacts, and notes what was skipped. Throws a usage error for bad lines, or without ids. */
export async function readContactIds(
  context: Context,
  options: Omit<ReadOptions, 'note' | 'item'>,
): Promise<readonly string[]> {
  const { readItems } = await import('../input/read.ts')
  const { host, note } = context
  const { items } = await readItems(host, { ...options, item: 'contact', note })
  return items.ids
}

const copyName = 'the annotated table'

/** Throws a usage error if the copy that `--annotate` writes cannot be written. */
export async function checkCopy({ host }: Context, path: string) {
  if (!/\.(?:csv|xlsx)$/i.test(path))
    throw usageError(`--annotate takes a file that ends in .csv or .xlsx, not "${path}"`)
  await checkPlace(host, { path, what: copyName })
}

/** Writes the copy of a table with columns of svc, whole or not at all. Returns a note about the file. */
export async function writeCopy(
  { host }: Context,
  path: string,
  {
    table,
    rows,
    headings,
  }: { table: Table; rows: readonly FoundRow[]; headings: readonly string[] },
  textsFor: TextsFor,
): Promise<string> {
  const { TableCopy } = await import('../input/table-copy.ts')
  const isWorkbook = /\.xlsx$/i.test(path)
  const copy = new TableCopy(table, rows, { headings, isWorkbook })
  await writeWhole(host, { path, what: copyName }, copy.bytes(textsFor))
  return `wrote "${path}"`
}

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
})

/** The options of the verb of an operation, in the order of the help. */
export function bulkOptions({ name, acceptable: outcomes, concurrency }: Operation) {
  const isMerge = name === 'contacts.merge'
  const { file } = fileOption
  const { column, where, except, allowEmpty, sheet, headingRow } = inputOptions
  const input = {
    file: isMerge
      ? { ...file, summary: 'a table with the columns source and target' }
      : file,
    // The pairs of merges have columns of their own.
    ...(isMerge ? {} : { column }),
    headingRow,
    where,
    except,
  }
  const safety = defineOptions({
    dryRun: { summary: 'read, check and count; change nothing' },
    expect: {
      value: 'n',
      summary: 'refuse unless the input has exactly n unique ids',
      parse: parseCount,
    },
    once: { value: 'name', summary: 'do this job once; the same command resumes it' },
  })
  const accept = defineOptions({
    accept: {
      value: 'outcomes',
      choices: outcomes,
      isCommaSeparated: true,
      summary: `outcomes that count as done: ${outcomes.join(', ')}`,
    },
  })
  const rare = defineOptions({
    allowEmpty,
    sheet,
    concurrency: {
      value: 'n',
      summary: 'requests in flight, 1 to 32',
      default: String(concurrency),
      parse: (text: string, name: string) => parseCount(text, name, { min: 1, max: 32 }),
    },
  })
  return defineOptions({
    ...withGroup(inputHeading, input),
    ...withGroup(safetyHeading, { ...safety, ...(outcomes.length > 0 ? accept : {}) }),
    ...withGroup(filesHeading, outcomeFiles),
    ...withGroup(advancedHeading, rare),
  })
}
