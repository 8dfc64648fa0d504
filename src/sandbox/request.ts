/** Reading a request: its path and query, its body as far as it is wanted. */
import type { IncomingMessage } from 'node:http'

/** A larger body is refused: a hundred ids are 3 KB. */
const maxBody = 1024 * 1024

/** How long, in milliseconds, a client may go on sending what nobody reads. */
const patience = 500

export interface Url {
  readonly path: string
  readonly query: URLSearchParams
}

export function splitUrl(url: string): Url {
  const at = url.indexOf('?')
  return at < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) }
}

/** The whole body, or undefined as soon as it is known to be too large. Rejects when the client goes away. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBody) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBody) chunks.push(chunk)
      else {
        request.removeAllListeners('data').pause()
        resolve(undefined)
      }
    })
    request.once('end', () => {
      resolve(Buffer.concat(chunks))
    })
    request.once('error', reject)
    request.once('close', () => {
      reject(new Error('the client went away'))
    })
  })
}

/**
 * Throws away what is left of a body that nobody wants. A client that reads the answer only after it has sent everything
 * gets it so; one that never comes to an end is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return
  const timer = setTimeout(() => {
    request.socket.destroy()
  }, patience)
  request.once('close', () => {
    clearTimeout(timer)
  })
  request.once('end', () => {
    clearTimeout(timer)
  })
  request.resume()
}
