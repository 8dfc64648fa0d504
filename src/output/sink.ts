/**
 * Writing to stdout: small pieces are collected, a slow reader is waited for, and a reader that went away ends the command
 * quietly. A process that exits after a write cuts a pipe, so `flush` is awaited before the exit code is returned.
 */
import type { Writable } from 'node:stream'
import { SvcError, systemCode, fileProblem } from '../errors.ts'
import type { Host } from '../host.ts'

/** The reader of stdout went away. The caller decides what that means. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
  /** The exit code of the command, when everything but the writing was done. */
  readonly exitCode: number | undefined

  constructor(exitCode?: number) {
    super('the reader of the output went away')
    this.exitCode = exitCode
  }
}

/** Exit 10: stdout could not be written. What to do now depends on the command, which `program/report.ts` knows. */
export class OutputFailed extends SvcError {}

type TurnHost = Pick<Host, 'turn'>

/** Characters that are collected before they are written at once. */
const chunkSize = 32 * 1024
/** The most that one write hands on; a longer text goes out in several. */
const longestChunk = 4 * chunkSize

const closedCodes =
  /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

function outputError(error: Error): Error {
  // The error of svc's own file is already in words.
  if (error instanceof SvcError) return error
  if (closedCodes.test(systemCode(error) ?? '')) return new OutputClosed()
  const problem =
    systemCode(error) === 'EBADF' ? 'it is not open for writing' : fileProblem(error)
  return new OutputFailed('local', `the output could not be written: ${problem}`, {
    cause: error,
  })
}

/** Collects what is written to a stream, which is never ended. */
export class Sink {
  readonly #host: TurnHost
  readonly #stream: Writable
  /** The first failure of the stream, which every write after it throws. */
  #failure: Error | undefined
  /** Ends the wait for the chunk that is being written. */
  #giveUp: (failure: Error) => void = () => undefined
  #pieces: string[] = []
  #size = 0
  /** Whether the pieces are written in the next turn of the event loop. */
  #isFlushScheduled = false
  #writing: Promise<void> = Promise.resolve()
  /** Whether anything was written. */
  isBegun = false

  constructor(host: TurnHost, stream: Writable) {
    this.#host = host
    this.#stream = stream
    stream.on('error', (error: Error) => this.#fail(outputError(error)))
    stream.on('close', () => this.#fail(new OutputClosed()))
  }

  /** Takes text or bytes; resolves when more can be taken. Undefined means at once. Throws `OutputClosed` or exit 1. */
  write(piece: string | Uint8Array): Promise<void> | undefined {
    if (piece.length === 0) return undefined
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    this.isBegun = true
    if (typeof piece !== 'string') return this.flush().then(() => this.#hand(piece))
    this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#size >= chunkSize) return this.flush()
    // Runs as soon as the source has to wait for anything, so that rows are shown at once.
    if (!this.#isFlushScheduled) void this.#host.turn().then(this.#flushSoon)
    this.#isFlushScheduled = true
    return undefined
  }

  flush(): Promise<void> {
    if (this.#pieces.length === 0) return this.#writing
    const chunk = this.#pieces.join('')
    this.#pieces = []
    this.#size = 0
    return this.#hand(chunk)
  }

  readonly #flushSoon = () => {
    this.#isFlushScheduled = false
    // A failure is kept, and thrown by the next write or flush.
    this.flush().catch(() => undefined)
  }

  #fail(failure: Error) {
    this.#failure ??= failure
    this.#giveUp(this.#failure)
  }

  #hand(chunk: string | Uint8Array) {
    this.#writing = this.#writing.then(async () => {
      if (chunk.length <= longestChunk) return this.#writeChunk(chunk)
      // A terminal takes its chunks synchronously: signals are heard between them.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      for (let at = 0; at < bytes.length; at += longestChunk) {
        await this.#writeChunk(bytes.subarray(at, at + longestChunk))
      }
    })
    return this.#writing
  }

  /** Waits until the stream passes the chunk on, so that at most one chunk waits in memory. */
  #writeChunk(chunk: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure)
        return
      }
      this.#giveUp = reject
      this.#stream.write(chunk, (error) => {
        // Resolved by way of the event loop, so that signals are heard between the chunks of a long output.
        if (error === null || error === undefined) resolve(this.#host.turn())
        else this.#fail(outputError(error))
      })
    })
  }
}

/**
 * Writes a whole text of svc's own. A reader that goes away is no error: it has what it wanted. Throws exit 1 if stdout
 * cannot be written.
 */
export async function writeText(
  host: TurnHost,
  stream: Writable,
  text: string | Uint8Array,
): Promise<void> {
  const sink = new Sink(host, stream)
  try {
    await sink.write(text)
    await sink.flush()
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error
  }
}

/** Ignores failures of `action`, an optional step after a first failure, which is the one to report. */
export async function quietly(action: () => Promise<void> | undefined): Promise<void> {
  try {
    await action()
  } catch {
    // The first failure is thrown by the caller.
  }
}
