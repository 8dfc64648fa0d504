/** Writes bytes to a stream such as stdout, and waits for a slow reader. */
import type { Writable } from 'node:stream'
import { SvcError, fileReason, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'

/** The error if stdout cannot be written. */
export class OutputFailed extends SvcError {}

/** The maximum size of one write. A terminal blocks the process during a write, and signals are handled only between writes. */
const maxWriteBytes = 128 * 1024

/** The codes of a stream that nobody reads anymore. */
const closedCodes =
  /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

/**
 * Writes pieces to a stream, which stays open. Returns `closed` if nobody reads the stream anymore. Throws an `OutputFailed` if the
 * stream cannot be written.
 */
export async function writeBytes(
  { turn }: Host,
  stream: Writable,
  pieces: Iterable<Uint8Array>,
): Promise<'written' | 'closed'> {
  // Without a listener, an error after the last write would end the process. The error of a write comes to its callback.
  stream.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.write(bytes, (error) => {
        if (error == null) resolve()
        else reject(error)
      })
    })
  try {
    for (const piece of pieces) {
      for (let start = 0; start < piece.length; start += maxWriteBytes) {
        const part = piece.subarray(start, start + maxWriteBytes)
        // A stream that was closed calls nobody back.
        await Promise.race([write(part), closed])
        // Signals are handled between the parts.
        await turn()
      }
      if (stream.destroyed) return 'closed'
    }
    return 'written'
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (closedCodes.test(code)) return 'closed'
    const problem = code === 'EBADF' ? 'it is not open for writing' : fileReason(error)
    const message = `the output could not be written: ${problem}`
    const hint = 'run the command again'
    throw new OutputFailed('local', message, { cause: error, hint })
  }
}
