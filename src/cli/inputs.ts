/** The words and options of an input, and the ids of contacts in it. */
import { Argument, Option } from '@commander-js/extra-typings'
import { usageError } from '../errors.ts'
import type { InputOptions } from '../input/read.ts'
import { parseCount } from '../values.ts'
import type { Context } from './context.ts'
import { collect, parsedOption } from './verb.ts'

/** The argument for ids of contacts. */
export const idsArgument = new Argument('[id...]', 'contact ids; - for standard input')

function parseDelimiter(text: string, name: string) {
  if ([',', ';', '|', '\t'].includes(text)) return text
  if (text === 'tab') return '\t'
  throw usageError(`${name} takes "," ";" "|" or tab`)
}

/** The options of a table, whatever it has. */
export const tableOptions = [
  new Option('--sheet <name>', 'the sheet of a workbook, if several have content'),
  parsedOption(
    '--heading-row <n>',
    'the row of the headings; 0: there are none (default: 1)',
    (text, name) => parseCount(text, name, { min: 0, max: 1 << 20 }),
  ),
  parsedOption('--delimiter <c>', 'of a csv: "," ";" "|" or tab', parseDelimiter),
] as const

/** The options of a file of ids. */
export const fileOptions = [
  new Option('--file <path>', 'a file of ids (svc help id-files), or - for standard input'),
  new Option('--column <name|n>', 'the column with the ids: its heading or number'),
] as const

/** The options of each input of ids or pairs. */
export const inputOptions = [
  ...tableOptions,
  new Option(
    '--where <column=value>',
    'only rows whose cell is this, whatever its letter case; repeatable',
  ).argParser(collect),
  new Option('--without <file>', 'without the ids of this file'),
  new Option('--allow-empty', 'accept an input without any id (default: exit 2)'),
] as const

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
