/** The ids of files, standard input and words, for the commands that read them and send nothing about each. */
import type { Input, StreamInput } from '../ids/input.ts'
import type { IdInput } from '../ids/reader.ts'
import type { Context } from '../cli/verb.ts'
import { grouped } from '../words.ts'
import type { ReadingOptions } from './id-options.ts'

/** A file, or `-` for standard input. */
export function inputOf({ host }: Context, path: string): StreamInput {
  return path === '-'
    ? { kind: 'stdin', stream: host.stdin, isTerminal: host.isTerminal.stdin }
    : { kind: 'file', path }
}

/** Reads the inputs as one. Throws exit 2. */
export async function readInputs(
  context: Context,
  inputs: readonly Input[],
  { inputFormat: format = 'auto', column, sheet, where, skipInvalid }: ReadingOptions,
): Promise<IdInput> {
  const { readIds } = await import('../ids/reader.ts')
  const read = await readIds(inputs, {
    format,
    column,
    sheet,
    where,
    skipInvalid: skipInvalid === true,
    signal: context.signal,
  })
  for (const note of read.notes) context.note(note)
  return read
}

/** Says how many bad lines were left out. */
export function noteSkipped({ note }: Context, { invalid }: IdInput): void {
  if (invalid > 0) note(`${grouped(invalid)} bad ${invalid === 1 ? 'line was' : 'lines were'} skipped`)
}
