/** `--out`: stdout as a file that comes to its place when all of it was printed. */
import type { Writable } from 'node:stream'
import { usageError } from '../errors.ts'
import type { Context } from './context.ts'
import type { VerbOptions } from './verb.ts'

/** Whether a verb prints what it reads: what a change prints, or a text of ours, is no data to keep. */
export function isRead({ effect, plain }: VerbOptions): boolean {
  return plain === undefined && (effect === 'reads' || effect === 'from method')
}

/** Hands stdout, or the draft of `--out`, to `print`, whose error leaves no file. Exit 2 without data for a file. */
export async function toOutFile(
  { host, note, options: { out, replaceOut } }: Context,
  verb: VerbOptions,
  print: (stdout: Writable) => Promise<number>,
): Promise<number> {
  if (out === undefined && replaceOut === true) throw usageError('--replace-out goes with --out')
  if (out === undefined) return print(host.stdout)
  if (!isRead(verb))
    throw usageError('--out is for what a read prints, and this command prints none')
  const { streamOf, writeWhole } = await import('../disk/whole-file.ts')
  const place = {
    path: out,
    what: 'the output',
    isReplacing: replaceOut === true,
    takenHint: 'name another file, or remove it (--replace-out replaces it)',
  }
  const exitCode = await writeWhole(host, place, (file) => print(streamOf(file)))
  note(`wrote "${out}"`)
  return exitCode
}
