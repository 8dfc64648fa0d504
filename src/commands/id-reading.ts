/**
 * Commands that read ids and send nothing about each: their options, their inputs, and ids as rows. Callers: the verbs of `commands/ids`,
 * `contacts get`, `tickets history` and `runs undo`.
 */
import { inputOptions } from '../cli/input-options.ts'
import { defineOptions, type OptionValues } from '../cli/options.ts'
import { defineVerb, type Verb } from '../cli/verb.ts'
import type { Context } from '../cli/context.ts'
import { viewOf } from './view-of.ts'
import { usageError } from '../errors.ts'
import type { Input, NamedInputs } from '../input/input.ts'
import type { IdInput, IdTable, ReadOptions } from '../input/reader.ts'
import { rows, type Rows } from '../output/result.ts'
import { pluralize } from '../words.ts'

export type ReadingOptions = Partial<OptionValues<typeof inputOptions>> &
  Pick<ReadOptions, 'isTickets'>

/** Reads the inputs as one. Throws exit 2. */
export async function readInputs(
  context: Context,
  inputs: readonly Input[],
  { inputFormat: format = 'auto', skipInvalid, ...which }: ReadingOptions,
): Promise<IdInput> {
  const { readIds } = await import('../input/reader.ts')
  const read = await readIds(inputs, {
    ...which,
    format,
    skipInvalid: skipInvalid === true,
  })
  for (const note of read.notes) context.note(note)
  return read
}

interface IdRow {
  readonly id: string
}

/** Plain ids, one per line, unless asked otherwise: they go into the next command. */
export const idView = viewOf('Ids', ['id'], { id: ({ id }) => id, defaultFormat: 'ids' })

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

/** The same and `--allow-empty`, for commands that compare the first input with others. */
const comparingOptions = defineOptions({
  ...inputOptions,
  allowEmpty: { summary: 'accept inputs without ids after the first' },
})

type ComparingOptions = OptionValues<typeof comparingOptions>

/** Reads each input for itself, standard input once. Throws exit 2, also for later ones without ids unless allowed. */
async function readEach(
  context: Context,
  first: string,
  others: readonly string[],
  options: ComparingOptions,
) {
  const { checkInputs, inputName, inputOf, inputsOf } = await import('../input/input.ts')
  checkInputs(inputsOf(context.host, { files: [first, ...others] }))
  const table = await readTable(context, { files: [first] }, options)
  const tables: IdTable[] = []
  for (const word of others) {
    const other = await readTable(context, { files: [word] }, options)
    if (other.size === 0 && options.allowEmpty !== true) {
      throw usageError(
        `${inputName(inputOf(context.host, word))} has no ids`,
        'in a pipeline, that often means that a command before it failed; if it is intended, add --allow-empty',
      )
    }
    tables.push(other)
  }
  return { first: table, others: tables }
}

/** The ids of a table as rows, in order; only those that `keep` wants. */
export function idRows(
  ids: IdTable,
  keep: (id: string) => boolean = () => true,
): Rows<IdRow> {
  function* each(): Generator<IdRow> {
    for (const id of ids) if (keep(id)) yield { id }
  }
  return rows(each(), { empty: 'no ids' })
}

/** A verb that prints the ids of its first input that `keep` selects by comparing them with the others. */
export function defineComparison(
  {
    summary,
    ...words
  }: { readonly summary: string } & Pick<Verb, 'description' | 'examples'>,
  keep: (others: readonly IdTable[], id: string) => boolean,
): Verb {
  const others = { name: 'input', takes: 'file', summary } as const
  return defineVerb({
    ...words,
    arguments: [inputArgument, { ...others, isRequired: true, isVariadic: true }],
    options: comparingOptions,
    effect: 'reads',
    shows: idView,
    run: async (context, [first, more], options) => {
      const read = await readEach(context, first, more, options)
      return idRows(read.first, (id) => keep(read.others, id))
    },
  })
}
