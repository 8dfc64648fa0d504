/** Reading a request: its path and query, its body as far as it is wanted. */
import type { IncomingMessage } from 'node:http'
import type { Host } from '../host.ts'

/** A larger body is refused: a hundred ids are 3 KB. */
const maxBody = 1024 * 1024

/** Any request of svc fits into this many times; larger bodies are read a few at a time. */
const smallBody = 64 * 1024
const mostLarge = 2

/** How long, in milliseconds, a client may keep sending a body that is not read. */
const graceMs = 1000

export type Url = ReturnType<typeof splitUrl>

export function splitUrl(url: string) {
  const [path = '', ...query] = url.split('?')
  return { path, query: new URLSearchParams(query.join('?')) }
}

/**
 * Reads the bodies of a sandbox's requests: small ones at once, large ones few at a time and into memory that is used
 * again and again, or a hundred clients with large bodies would fill hundreds of megabytes.
 */
export class Bodies {
  readonly #free: Buffer[] = Array.from({ length: mostLarge }, () => Buffer.alloc(0))
  readonly #waiting: ((memory: Buffer) => void)[] = []

  /** Hands the body to `work`, good until that is done; undefined if too large. Rejects when the client disconnects. */
  async use<T>(request: IncomingMessage, work: (body: Buffer | undefined) => Promise<T>): Promise<T> {
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > maxBody) return work(undefined)
    const isSmall = request.headers['transfer-encoding'] === undefined && declared <= smallBody
    if (isSmall) return work(await readInto(Buffer.allocUnsafe(declared), request))
    const memory = this.#free.pop() ?? (await new Promise<Buffer>((resolve) => this.#waiting.push(resolve)))
    const enough = memory.length === maxBody ? memory : Buffer.alloc(maxBody)
    try {
      return await work(await readInto(enough, request))
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(enough)
      else next(enough)
    }
  }
}

/** The body, in this memory; undefined when there is more of it than fits. */
function readInto(memory: Buffer, request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new Error('the client disconnected'))
    let size = 0
    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > memory.length) {
        request.removeAllListeners('data').pause()
        resolve(undefined)
      } else size += chunk.copy(memory, size)
    })
    request.once('end', () => resolve(memory.subarray(0, size)))
    request.once('error', leave).once('close', leave)
    if (request.destroyed) leave()
  })
}

/** Discards the rest of a body, so that a client that only then reads gets its answer; an endless one is cut off. */
export function discardBody(request: IncomingMessage, host: Pick<Host, 'after'>): void {
  if (request.complete) return
  const timer = host.after(graceMs, () => void request.socket.destroy())
  const stop = (): void => timer.cancel()
  request.once('close', stop).once('end', stop).resume()
}
