/**
 * Writes bytes to a stream. It waits for a slow reader, and a reader that closed the pipe is no error. It also waits until
 * everything is written, because a process that exits earlier cuts off the rest.
 */
import type { Writable } from 'node:stream'
import { SvcError } from '../errors.ts'
import { fileReason, systemCode } from '../system-errors.ts'
import type { Host } from '../host.ts'

/** The error if stdout cannot be written. `program/report.ts` adds the hint, which depends on the command. */
export class OutputFailed extends SvcError {}

/** The maximum of one write. A terminal blocks the process during a write, and signals are only handled between two. */
const maxWriteBytes = 128 * 1024

const closedCodes =
  /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

/**
 * Writes pieces to a stream, and does not end it. Returns `closed` if the reader went away. Throws an `OutputFailed` if the stream
 * cannot be written.
 */
export async function writeBytes(
  { turn }: Pick<Host, 'turn'>,
  stream: Writable,
  pieces: Iterable<Uint8Array>,
): Promise<'written' | 'closed'> {
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  // Without a handler, a failure between two writes would end the process.
  failed.catch(() => undefined)
  const onClose = () => {
    const closed = Object.assign(new Error('closed'), { code: 'EPIPE' })
    fail(closed)
  }
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
        await turn()
      }
    }
    return 'written'
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (closedCodes.test(code)) return 'closed'
    const isNotOpen = code === 'EBADF'
    const problem = isNotOpen ? 'it is not open for writing' : fileReason(error)
    const message = `the output could not be written: ${problem}`
    throw new OutputFailed('local', message, { cause: error })
  } finally {
    stream.off('close', onClose)
  }
}
