/** Reading a request: its path and query, its body as far as it is wanted. */
import type { IncomingMessage } from 'node:http'
import type { Host } from '../host.ts'

/** A larger body is refused: a hundred ids are 3 KB, and a hundred clients may send at once. */
const maxBody = 128 * 1024

/** How long, in milliseconds, a client may keep sending a body that is not read. */
const graceMs = 1000

export type Url = ReturnType<typeof splitUrl>

export function splitUrl(url: string) {
  const [path = '', ...query] = url.split('?')
  return { path, query: new URLSearchParams(query.join('?')) }
}

/** The body; undefined when it is too large. Rejects when the client disconnects. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBody) return undefined
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new Error('the client disconnected'))
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBody) return
      request.removeAllListeners('data').pause()
      resolve(undefined)
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
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
