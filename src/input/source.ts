/** Reads files and standard input as bytes. Each is read whole, because the files that people have are small. */
import { usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isId } from '../values.ts'
import { shorten } from '../safe-text.ts'
import { shellWord } from '../words.ts'

export type InputHost = Pick<Host, 'disk' | 'stdin' | 'isTerminal'>

/** Whether the path of an input names standard input. */
export function isStdin(path: string) {
  return path === '-' || path === '/dev/stdin'
}

/** Returns the name of an input for messages. A sentence can begin with it. */
export function inputName(path: string): string {
  return isStdin(path) ? 'standard input' : `"${shorten(path, 200)}"`
}

const maxBytes = 256 << 20

/**
 * Returns all bytes of an input. Throws a usage error if it cannot be read or is larger than 256 MB: `/dev/zero`, for example,
 * never ends.
 */
export async function readWhole(host: InputHost, path: string): Promise<Buffer> {
  const name = inputName(path)
  if (isStdin(path) && host.isTerminal.stdin)
    throw usageError(
      'standard input is a terminal: there is nothing to read',
      'pipe the input in, or name a file',
    )
  const stream: AsyncIterable<Buffer> = isStdin(path)
    ? host.stdin
    : host.disk.createReadStream(path)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      length += chunk.length
      if (length > maxBytes)
        throw usageError(`${name} is larger than 256 MB`, 'split it into several files')
      chunks.push(chunk)
    }
  } catch (error) {
    // fileError returns an error of svc, such as the one above, as it is.
    throw fileError('usage', `${name} cannot be read`, error)
  }
  return Buffer.concat(chunks)
}

/** Throws a usage error if one of the words is not an id but names a file. */
export function refuseFiles({ disk }: Pick<Host, 'disk'>, words: readonly string[]) {
  const path = words.find((word) => !isId(word.trim()) && disk.existsSync(word))
  if (path === undefined) return
  throw usageError(
    `"${shorten(path, 200)}" is a file, not an id`,
    `to read it: --file ${shellWord(path)}`,
  )
}
