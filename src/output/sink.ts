/**
 * Bytes on their way to a stream: a slow reader is waited for, and a reader that went away is no error. A process that exits
 * after a write cuts a pipe, so the end is awaited before the exit code is returned.
 */
import type { Writable } from 'node:stream'
import { SvcError } from '../errors.ts'
import { fileReason, systemCode } from '../system-errors.ts'
import type { Host } from '../host.ts'

/** Exit 1: stdout could not be written. What to do now depends on the command, which `program/report.ts` knows. */
export class OutputFailed extends SvcError {}

/** The most that one write hands on. A terminal takes it synchronously: signals are heard between two. */
const longestWrite = 128 * 1024

const closedCodes =
  /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

/** Writes to a stream, which is never ended. Throws exit 1 if it cannot be written. */
export async function writeBytes(
  { turn }: Pick<Host, 'turn'>,
  stream: Writable,
  pieces: Iterable<Uint8Array>,
): Promise<'written' | 'closed'> {
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  // It may fail when nobody waits for it.
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
      for (let at = 0; at < piece.length; at += longestWrite) {
        const part = piece.subarray(at, at + longestWrite)
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
