/**
 * The file of `--rejects`: each bad line as it stood, under a comment that says where it came from and what is wrong. Once
 * mended it can be read as it is: the id reader leaves comments out.
 */
import { constants } from 'node:fs'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import { describeBadLine, type BadLine } from '../ids/bad-lines.ts'

export interface Rejects {
  /** Throws exit 10. */
  add(bad: BadLine): Promise<void>
  close(): Promise<void>
  /** Removes the file when nothing was written to it. */
  discard(): Promise<void>
}

/** Creates the file; an existing one is never overwritten. Throws exit 2. */
export async function createRejects(path: string): Promise<Rejects> {
  let file: FileHandle
  try {
    file = await open(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0),
      0o600,
    )
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw usageError(`the rejects file "${path}" exists already`, 'name another one')
    throw fileError('usage', `the rejects cannot be written to "${path}"`, error)
  }
  let isEmpty = true
  return {
    async add(bad) {
      isEmpty = false
      // A line that came out of a quoted csv cell may have line ends of its own.
      const text = `# ${describeBadLine({ ...bad, text: '' })}\n${bad.text.replace(/[\r\n]+/g, ' ')}\n`
      try {
        await file.writeFile(text)
      } catch (error) {
        throw fileError('local', `the rejects cannot be written to "${path}"`, error)
      }
    },
    close: () => file.close(),
    async discard() {
      await file.close().catch(() => undefined)
      if (isEmpty) await unlink(path).catch(() => undefined)
    },
  }
}
