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
  let fail: (error: Error) => void = () => undefined
  /** Rejects when `fail` is called. */
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  // Without a handler, a failure between two writes would end the process.
  failed.catch(() => undefined)
  const onClose = () => fail(Object.assign(new Error('closed'), { code: 'EPIPE' }))
  // This listener stays: without one, an error after the last write would end the process.
  stream.on('error', fail)
  stream.on('close', onClose)
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
        await Promise.race([write(part), failed])
        // Signals are handled between the parts.
        await turn()
      }
    }
    return 'written'
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (closedCodes.test(code)) return 'closed'
    const problem = code === 'EBADF' ? 'it is not open for writing' : fileReason(error)
    const message = `the output could not be written: ${problem}`
    const hint = 'run the command again'
    throw new OutputFailed('local', message, { cause: error, hint })
  } finally {
    stream.off('close', onClose)
  }
}
