/** The inputs of verbs that read ids: their options, reading them outside of runs, and the copy of `--annotate`. */
import type { AnnotatedTable, Addition, TextsFor } from '../input/annotated.ts'
import type { ReadOptions } from '../input/read.ts'
import { defineOptions } from '../options.ts'
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

/** Reads the ids of contacts, and notes what was skipped. Throws a usage error. */
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
