/** `--annotate` of the commands that look for people: the table that they read, written again with what was found. `contacts get` and `contacts match` use it. */
import type { Context } from './context.ts'
import { AnnotatedTable, type Addition, type AddedTo } from '../input/annotated.ts'
import { done, type Ending, type Text } from '../output/result.ts'
import { checkPlace, writeWhole } from '../output/whole.ts'
import { checkOutputs } from '../runs/files/files.ts'

type CopyContext = Pick<Context, 'host' | 'replacesFiles' | 'writers'>

const placeOf = ({ replacesFiles }: CopyContext, path: string) => ({
  path,
  what: 'the annotated table',
  isReplacing: replacesFiles,
})

/** The table that is to be written again. Throws exit 2 for the file that it is read from, and for a place where it cannot be. */
export async function openCopy(
  context: CopyContext,
  path: string,
  from: string,
  addition: Addition,
): Promise<AnnotatedTable> {
  checkOutputs({ annotate: path, file: [from] })
  await checkPlace(context.host, placeOf(context, path))
  return new AnnotatedTable(path, addition, context.writers)
}

/** Writes the table again, whole or not at all, and returns what to know of the file. */
export async function writeCopy(
  context: CopyContext,
  table: AnnotatedTable,
  addedTo: AddedTo,
): Promise<string> {
  const { path } = table
  await writeWhole(context.host, placeOf(context, path), async (draft) => {
    for await (const piece of table.bytes(addedTo)) await draft.write(piece)
  })
  return `wrote "${path}"${table.note}`
}

/** Where each row is in a file, nobody wants a table too: only what would stand below it is said. */
export function tellEnding(
  { note, warn }: Pick<Context, 'note' | 'warn'>,
  { notes = [], warning, exitCode }: Ending,
): Text {
  for (const text of notes) note(text)
  if (warning !== undefined) warn(warning)
  return done(exitCode)
}
