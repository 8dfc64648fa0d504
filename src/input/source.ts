/** Files and standard input as bytes. Each is read whole, because the files that people have are small. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { fileError } from '../system-errors.ts'
import { shellWord } from '../words.ts'
import { isId } from './id.ts'

export type InputHost = Pick<Host, 'disk' | 'stdin' | 'isTerminal'>

/** Whether the path of an input names standard input. */
export function isStdin(path: string) {
  return path === '-' || path === '/dev/stdin'
}

/** An input in words, for the beginning of a sentence. */
export function inputName(path: string): string {
  return isStdin(path) ? 'standard input' : `"${shorten(path, 200)}"`
}

const mostBytes = 256 << 20

/** All bytes of an input. Throws exit 2 for one that cannot be read, or is larger than 256 MB (`/dev/zero` never ends). */
export async function readWhole(host: InputHost, path: string): Promise<Buffer> {
  const name = inputName(path)
  if (isStdin(path) && host.isTerminal.stdin)
    throw usageError(
      'standard input is a terminal: there is nothing to read',
      'pipe the input in, or name a file',
    )
  const pieces: Buffer[] = []
  let length = 0
  const chunks: AsyncIterable<Buffer> = isStdin(path)
    ? host.stdin
    : host.disk.createReadStream(path)
  try {
    for await (const piece of chunks) {
      length += piece.length
      if (length > mostBytes)
        throw usageError(`${name} is larger than 256 MB`, 'split it into several files')
      pieces.push(piece)
    }
  } catch (error) {
    // An error of svc, as above, stays as it is.
    throw fileError('usage', `${name} cannot be read`, error)
  }
  return Buffer.concat(pieces)
}

/** Throws exit 2 for a word that is no id and names a file. */
export function refuseFiles({ disk }: Pick<Host, 'disk'>, words: readonly string[]) {
  const path = words.find((word) => !isId(word.trim()) && disk.existsSync(word))
  if (path === undefined) return
  throw usageError(
    `"${shorten(path, 200)}" is a file, not an id`,
    `to read it: --file ${shellWord(path)}`,
  )
}
