/** Inputs of ids: the options that choose their rows, and reading them for verbs that are not bulk runs. */
import type { Context } from './context.ts'
import type { NamedInputs } from '../input/input.ts'
import type { IdTable, ReadOptions } from '../input/reader.ts'
import { pluralize } from '../words.ts'
import { defineOptions, type OptionValues } from '../options.ts'

export const fileOption = defineOptions({
  file: {
    value: 'path',
    takes: 'file',
    summary: 'a file of ids, or - for standard input',
    isRepeatable: true,
  },
})

export const inputOptions = defineOptions({
  column: { value: 'name|n', summary: 'the column or key with the ids' },
  where: {
    value: 'column=value',
    takes: 'text',
    summary: 'only rows with this value, or not (!=)',
    isRepeatable: true,
  },
  except: {
    value: 'file',
    takes: 'file',
    summary: 'without the ids of this file',
    isRepeatable: true,
  },
  skipInvalid: { summary: 'skip bad lines instead of refusing the input' },
  allowEmpty: { summary: 'accept an input without any id', default: 'exit 2' },
  sheet: {
    value: 'name',
    summary: 'the sheet of a workbook',
    default: 'the only one with content',
  },
})

/** Reads the ids of the inputs into one table, with a note about skipped lines. Throws exit 2. */
export async function readIdTable(
  context: Context,
  named: NamedInputs,
  options: Partial<OptionValues<typeof inputOptions>> & Pick<ReadOptions, 'onRow'>,
): Promise<IdTable> {
  const { inputsOf } = await import('../input/input.ts')
  const { readExcept, readIds } = await import('../input/reader.ts')
  const { skipInvalid, except: files, ...which } = options
  const inputs = inputsOf(context.host, named)
  const except = await readExcept(context.host, inputs, files, which)
  const { ids, invalid, notes } = await readIds(inputs, {
    ...which,
    except,
    skipInvalid: skipInvalid === true,
  })
  for (const note of notes) context.note(note)
  if (invalid > 0)
    context.note(`${pluralize(invalid, 'bad line was', 'bad lines were')} skipped`)
  return ids
}

/** Ids of contacts on a command line. */
export const idsArgument = {
  name: 'id',
  takes: 'contact',
  summary: 'contact ids; - for standard input',
  isVariadic: true,
} as const
