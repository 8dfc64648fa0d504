/** The shared parts of verbs that read ids: the options of an input, all options of a bulk verb, and reading ids. */
import { usageError } from '../errors.ts'
import type { ReadOptions } from '../input/read.ts'
import { defineOptions } from './options.ts'
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
    summary: 'a file of ids (svc help id-files), or - for standard input',
    isSingle: true,
  },
})

/** Where the rows of a table are. */
export const tablePlaceOptions = defineOptions({
  sheet: {
    value: 'name',
    summary: 'the sheet of a workbook, if several have content',
    isSingle: true,
  },
  headingRow: {
    value: 'n',
    summary: 'row of the heading; 0: there is none',
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

function parseOnceName(text: string) {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}

/** The options of the verb of an operation, in the order of the help. */
export function bulkOptions({ name, acceptable: outcomes, concurrency }: Operation) {
  const isMerge = name === 'contacts.merge'
  const { file } = fileOption
  const { column, ...others } = inputOptions
  // The pairs of merges have columns of their own.
  const input = isMerge
    ? {
        file: { ...file, summary: 'a table with the columns source and target' },
        ...others,
      }
    : { file, column, ...others }
  const accept = defineOptions({
    accept: {
      value: 'outcomes',
      choices: outcomes,
      isCommaSeparated: true,
      summary: `outcomes that count as done: ${outcomes.join(', ')}`,
    },
  })
  return defineOptions({
    ...input,
    dryRun: { summary: 'read, check and count; change nothing' },
    expect: {
      value: 'n',
      summary: 'refuse unless the input has exactly n unique ids',
      parse: parseCount,
    },
    once: {
      value: 'name',
      summary: 'do this job once; the same command resumes it (svc help bulk)',
      parse: parseOnceName,
    },
    ...(outcomes.length > 0 ? accept : {}),
    receipts: {
      value: 'file',
      takes: 'file',
      summary: 'write the outcome of each id (.csv, .xlsx, .ndjson)',
    },
    concurrency: {
      value: 'n',
      summary: 'requests in flight, 1 to 32',
      default: String(concurrency),
      parse: (text: string, name: string) => parseCount(text, name, { min: 1, max: 32 }),
    },
  })
}
