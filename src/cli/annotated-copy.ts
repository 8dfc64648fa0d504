/** `--annotate` of `contacts get` and `contacts match`: a copy of the table that they read, with columns for what was found. */
import type { Context } from './context.ts'
import { AnnotatedTable, type Addition, type TextsFor } from '../input/annotated.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import { checkOutputs } from '../runs/files.ts'

const what = 'the annotated table'

/** The copy to write. Throws exit 2 if `path` and `from` are the same file, or if `path` cannot be written. */
export async function openCopy(
  { host }: Context,
  path: string,
  from: string,
  addition: Addition,
): Promise<AnnotatedTable> {
  checkOutputs(host, { annotate: path, file: [from] })
  await checkPlace(host, { path, what })
  return new AnnotatedTable(path, addition)
}

/** Writes the copy, whole or not at all. Returns a note about the file. */
export async function writeCopy(
  { host }: Context,
  table: AnnotatedTable,
  textsFor: TextsFor,
): Promise<string> {
  const { path } = table
  await writeWhole(host, { path, what }, table.bytes(textsFor))
  return `wrote "${path}"${table.note}`
}
