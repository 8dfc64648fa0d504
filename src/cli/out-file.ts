/** `--out`: stdout as a file that comes to its place when all of it was printed. */
import type { Writable } from 'node:stream'
import { usageError } from '../errors.ts'
import type { Context } from './context.ts'

/** Verbs beside the operations that change something or start a program: what they print is no data to keep. */
const changing: ReadonlySet<string> = new Set([
  ...['resume', 'retry', 'undo', 'prune', 'evidence'],
  ...['add', 'use', 'remove', 'rename', 'approve', 'apply', 'start', 'shell', 'exec'],
])

/** A verb by its names, and whether what it prints is no data. */
export interface Kind {
  readonly noun: string
  readonly verb: string
  readonly hasNoData: boolean
}

/** Whether a verb prints what it reads. */
export async function isRead({ noun, verb, hasNoData }: Kind): Promise<boolean> {
  if (hasNoData || changing.has(verb)) return false
  const { isChange } = await import('../api/operations.ts')
  return !isChange(`${noun}.${verb}`)
}

/** Hands stdout, or the draft of `--out`, to `print`, whose error leaves no file. Exit 2 without data for a file. */
export async function toOutFile(
  { host, note, options: { out, replaceOut = false } }: Context,
  kind: Kind,
  print: (stdout: Writable) => Promise<number>,
): Promise<number> {
  if (out === undefined && replaceOut) throw usageError('--replace-out goes with --out')
  if (out === undefined) return print(host.stdout)
  if (!(await isRead(kind))) throw usageError('--out is for what a read prints, and this command prints none')
  const { WholeFile } = await import('../output/whole-file.ts')
  const file = await WholeFile.open(host, out, 'the output', replaceOut)
  try {
    const exitCode = await print(file.stream())
    await file.place()
    note(`wrote "${out}"`)
    return exitCode
  } finally {
    await file.discard()
  }
}
