/** The words and options of an input, and the ids of contacts in it. */
import { usageError } from '../errors.ts'
import type { InputOptions } from '../input/read.ts'
import { parseCount } from '../values.ts'
import type { Context } from './context.ts'
import { defineOptions } from './verb.ts'

/** The argument for ids of contacts. */
export const idsArgument = {
  name: 'id',
  summary: 'contact ids; - for standard input',
  isVariadic: true,
} as const

function parseDelimiter(text: string, name: string) {
  if ([',', ';', '|', '\t'].includes(text)) return text
  if (text === 'tab') return '\t'
  throw usageError(`${name} takes "," ";" "|" or tab`)
}

export const fileOption = defineOptions({
  file: {
    value: 'path',
    takes: 'file',
    summary: 'a file of ids (svc help id-files), or - for standard input',
    isSingle: true,
  },
})

export const sheetOption = defineOptions({
  sheet: {
    value: 'name',
    summary: 'the sheet of a workbook, if several have content',
    isSingle: true,
  },
})

export const inputOptions = defineOptions({
  column: {
    value: 'name|n',
    summary: 'the column with the ids: its heading or number',
    isSingle: true,
  },
  ...sheetOption,
  headingRow: {
    value: 'n',
    summary: 'the row of the headings; 0: there are none',
    default: '1',
    parse: (text: string, name: string) => parseCount(text, name, { min: 0, max: 1 << 20 }),
    isSingle: true,
  },
  delimiter: {
    value: 'c',
    summary: 'of a csv: "," ";" "|" or tab',
    parse: parseDelimiter,
    isSingle: true,
  },
  where: {
    value: 'column=value',
    summary: 'only rows whose cell is this, whatever its letter case',
    isRepeatable: true,
  },
  without: {
    value: 'file',
    takes: 'file',
    summary: 'without the ids of this file',
    isSingle: true,
  },
  allowEmpty: { summary: 'accept an input without any id', default: 'exit 2' },
})

/** Reads the ids of contacts, and notes what was skipped. Throws a usage error for bad lines, or without ids. */
export async function readContactIds(
  context: Context,
  options: InputOptions & { words: readonly string[] },
): Promise<readonly string[]> {
  const { readItems } = await import('../input/read.ts')
  const { host, note } = context
  const { items } = await readItems(host, { ...options, item: 'contact', note })
  return items.map(({ id }) => id)
}
