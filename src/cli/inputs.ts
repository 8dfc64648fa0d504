/** The inputs of verbs that read ids: their options, reading them outside of runs, and the copy of `--annotate`. */
import type { AnnotatedTable, Addition, TextsFor } from '../input/annotated.ts'
import type { NamedInputs } from '../input/input.ts'
import type { IdTable, ReadOptions } from '../input/reader.ts'
import { defineOptions, type OptionValues } from '../options.ts'
import { pluralize } from '../words.ts'
import type { Context } from './context.ts'

/** The argument for ids of contacts. */
export const idsArgument = {
  name: 'id',
  takes: 'contact',
  summary: 'contact ids; - for standard input',
  isVariadic: true,
} as const

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

/** Reads the ids of the inputs into one table, and notes how many bad lines were skipped. Throws a usage error. */
export async function readIdTable(
  context: Context,
  named: NamedInputs,
  options: Partial<OptionValues<typeof inputOptions>> & Pick<ReadOptions, 'onRow'>,
): Promise<IdTable> {
  const { inputsOf } = await import('../input/input.ts')
  const { readExcept, readIds } = await import('../input/reader.ts')
  const { skipInvalid = false, except: exceptFiles, ...choice } = options
  const inputs = inputsOf(context.host, named)
  const except = await readExcept(context.host, inputs, exceptFiles, choice)
  const read = await readIds(inputs, { ...choice, except, skipInvalid })
  for (const note of read.notes) context.note(note)
  if (read.invalid > 0)
    context.note(`${pluralize(read.invalid, 'bad line was', 'bad lines were')} skipped`)
  return read.ids
}

const copyName = 'the annotated table'

/**
 * The table of `--annotate`, to which the rows of an input are added as they are read. Throws a usage error if `path` is the
 * input, or cannot be written.
 */
export async function openCopy(
  { host }: Context,
  path: string,
  inputPath: string,
  addition: Addition,
): Promise<AnnotatedTable> {
  const { AnnotatedTable } = await import('../input/annotated.ts')
  const { checkPlace } = await import('../output/whole.ts')
  const { checkOutputs } = await import('../runs/files.ts')
  checkOutputs(host, { annotate: path, file: [inputPath] })
  await checkPlace(host, { path, what: copyName })
  return new AnnotatedTable(path, addition)
}

/** Writes the copy, whole or not at all. Returns a note about the file. */
export async function writeCopy(
  { host }: Context,
  copy: AnnotatedTable,
  textsFor: TextsFor,
): Promise<string> {
  const { writeWhole } = await import('../output/whole.ts')
  const { path } = copy
  await writeWhole(host, { path, what: copyName }, copy.bytes(textsFor))
  return `wrote "${path}"${copy.note}`
}
