/**
 * The input that an option names as `<file|->`: a file, or standard input. `lists/change.ts` reads a description by it, and
 * `commands/api/api.ts` a body.
 */
import { fileError } from '../errno.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'

/** Reads all, or a little more than `most` bytes. `option` and `what` ("the body") are for errors. Throws exit 2. */
export async function readSource(
  { stdin, isTerminal, disk }: Pick<Host, 'stdin' | 'isTerminal' | 'disk'>,
  path: string,
  {
    option,
    what,
    most = Infinity,
  }: { readonly option: string; readonly what: string; readonly most?: number },
): Promise<Buffer> {
  if (path === '-' && isTerminal.stdin) {
    throw usageError(
      `${option} - reads standard input, which is a terminal`,
      `pipe ${what} in`,
    )
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of (path === '-'
      ? stdin
      : disk.createReadStream(path)) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) break
    }
  } catch (error) {
    throw fileError(
      'usage',
      `cannot read ${what} from ${path === '-' ? 'standard input' : `"${path}"`}`,
      error,
    )
  }
  return Buffer.concat(chunks)
}
