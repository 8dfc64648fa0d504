/**
 * Ids of the commands that send no batch about them: the verbs of `commands/ids`, `contacts get` and `tickets history`.
 */
import type { inputOptions } from '../cli/input-options.ts'
import type { OptionValues } from '../cli/options.ts'
import type { Context } from '../cli/context.ts'
import type { Input, NamedInputs } from '../input/input.ts'
import type { IdInput, IdTable, ReadOptions } from '../input/reader.ts'
import { pluralize } from '../words.ts'

export type ReadingOptions = Partial<OptionValues<typeof inputOptions>> &
  Pick<ReadOptions, 'isTickets' | 'onRow'>

/** Reads the inputs as one. Throws exit 2. */
export async function readInputs(
  context: Context,
  inputs: readonly Input[],
  { skipInvalid, ...which }: ReadingOptions,
): Promise<IdInput> {
  const { readIds } = await import('../input/reader.ts')
  const read = await readIds(inputs, {
    ...which,
    readers: context.readers,
    skipInvalid: skipInvalid === true,
  })
  for (const note of read.notes) context.note(note)
  return read
}

/** The ids of the inputs as one, with a note of what was left out. Throws exit 2. */
export async function readTable(
  context: Context,
  named: NamedInputs,
  options: ReadingOptions,
): Promise<IdTable> {
  const { inputsOf } = await import('../input/input.ts')
  const { ids, invalid } = await readInputs(context, inputsOf(context.host, named), options)
  if (invalid > 0)
    context.note(`${pluralize(invalid, 'bad line was', 'bad lines were')} skipped`)
  return ids
}

/** The first input of a verb. */
export const inputArgument = {
  name: 'input',
  takes: 'file',
  summary: 'a file, or - for standard input',
  isRequired: true,
} as const
