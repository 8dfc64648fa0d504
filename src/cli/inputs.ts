/** The shared parts of verbs that read ids: the options of an input, and reading ids. */
import type { ReadOptions } from '../input/read.ts'
import { defineOptions } from './options.ts'
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
