/** Writing to stdout: small pieces are collected, a slow reader is waited for, and a reader that went away is told. */
import type { Writable } from 'node:stream'
import { fileProblem } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'

/** The reader of stdout went away. What that means is for `main` to say. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
  /** What the exit code would have been, when everything but the writing was done. */
  readonly exitCode: number | undefined

  constructor(exitCode?: number) {
    super('the reader of the output went away')
    this.exitCode = exitCode
  }
}

export interface Sink {
  /** Takes text or bytes; resolves when more can be taken. Undefined means at once. Throws `OutputClosed` or exit 10. */
  write(piece: string | Buffer): Promise<void> | undefined
  flush(): Promise<void>
}

const chunkSize = 32 * 1024
const longestChunk = 4 * chunkSize

interface Health {
  failure: Error | undefined
  readonly waiting: Set<(failure: Error) => void>
}

/** One error listener for a stream, however often it is printed to. */
const healthOf = new WeakMap<Writable, Health>()

function watch(stream: Writable): Health {
  const known = healthOf.get(stream)
  if (known !== undefined) return known
  const health: Health = { failure: undefined, waiting: new Set() }
  healthOf.set(stream, health)
  const fail = (error: Error): void => {
    health.failure ??= error
    for (const tell of health.waiting) tell(health.failure)
    health.waiting.clear()
  }
  stream.on('error', (error: Error) => fail(failureOf(error)))
  stream.on('close', () => fail(new OutputClosed()))
  return health
}

const closedCodes = /^(?:EPIPE|ECONNRESET|ERR_STREAM_(?:DESTROYED|PREMATURE_CLOSE|WRITE_AFTER_END))$/

function failureOf(error: Error): Error {
  // A file of ours has said what is wrong with it.
  if (error instanceof SvcError) return error
  if (closedCodes.test(systemCode(error) ?? '')) return new OutputClosed()
  const full = systemCode(error) === 'ENOSPC'
  return new SvcError('local', `the output could not be written: ${fileProblem(error)}`, {
    cause: error,
    ...(full ? { hint: 'free some space and run the command again' } : {}),
  })
}

function writeChunk(stream: Writable, health: Health, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (health.failure !== undefined) {
      reject(health.failure)
      return
    }
    health.waiting.add(reject)
    // The callback comes when the chunk was handed on, so at most one chunk waits in memory.
    stream.write(chunk, (error) => {
      health.waiting.delete(reject)
      // Resolved by way of the event loop, so that signals are heard between the chunks of a long output.
      if (error === null || error === undefined) setImmediate(resolve)
      else reject(failureOf(error))
    })
  })
}

/** A sink on a stream, which is never ended. `before` is called before each piece is written. */
export function openSink(stream: Writable, before: () => void = () => undefined): Sink {
  const health = watch(stream)
  let held: string[] = []
  let size = 0
  let immediate: NodeJS.Immediate | undefined
  let writing: Promise<void> = Promise.resolve()

  function hand(chunk: string | Buffer): Promise<void> {
    writing = writing.then(async () => {
      before()
      if (chunk.length <= longestChunk) return writeChunk(stream, health, chunk)
      // A terminal takes its chunks synchronously: signals are heard between them.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      for (let at = 0; at < bytes.length; at += longestChunk) {
        await writeChunk(stream, health, bytes.subarray(at, at + longestChunk))
      }
    })
    return writing
  }

  function flush(): Promise<void> {
    if (immediate !== undefined) clearImmediate(immediate)
    immediate = undefined
    if (held.length === 0) return writing
    const chunk = held.join('')
    held = []
    size = 0
    return hand(chunk)
  }

  return {
    write(piece) {
      if (piece === '') return undefined
      if (health.failure !== undefined) return Promise.reject(health.failure)
      if (typeof piece !== 'string') return flush().then(() => hand(piece))
      held.push(piece)
      size += piece.length
      if (size >= chunkSize) return flush()
      // Runs as soon as the source makes us wait for anything: a row that is there is shown at once.
      immediate ??= setImmediate(() => {
        // A failure is kept by the stream's health and thrown by the next write or flush.
        flush().catch(() => undefined)
      })
      return undefined
    },
    flush,
  }
}

/** Pieces of a text; those of a short one at once. `before`: what stands before them. */
export function writePieces(sink: Sink, before: string, pieces: Iterable<string>): Promise<void> | undefined {
  return Array.isArray(pieces) ? sink.write(before + pieces.join('')) : writeEach(sink, before, pieces)
}

async function writeEach(sink: Sink, before: string, pieces: Iterable<string>): Promise<void> {
  await sink.write(before)
  for (const piece of pieces) await sink.write(piece)
}

/** Text of ours, whole. A reader that went away has what it wanted. Throws exit 10 when stdout cannot be written. */
export async function writeText(stream: Writable, text: string | Uint8Array): Promise<void> {
  try {
    await writeChunk(stream, watch(stream), text)
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error
  }
}
