/** Bytes that are handed on only when all of them are there: what fails midway leaves nothing. */
import { randomUUID } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileError } from '../errno.ts'

/** Keeps them in a temporary file that nobody else may read, so that memory is flat. Throws exit 10 when there is no room. */
export async function* spooled(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const path = join(tmpdir(), `svc-${randomUUID()}.part`)
  const refuse = (error: unknown): never => {
    const hint = 'free some space, or name another folder with TMPDIR'
    throw fileError('local', `the temporary file ${path} cannot be written`, error, hint)
  }
  const file = await open(path, 'wx+', 0o600).catch(refuse)
  try {
    // Without a name it goes with the process, however that ends. Where an open file keeps its name, it goes at the end.
    await rm(path).catch(() => undefined)
    for await (const piece of pieces) await file.appendFile(piece).catch(refuse)
    yield* contentsOf(file)
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

async function* contentsOf(file: FileHandle): AsyncGenerator<Buffer> {
  const length = 1 << 16
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
