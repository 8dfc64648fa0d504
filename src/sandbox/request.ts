/** Reading a request: its path and query, a header, its body. */
import type { IncomingMessage } from 'node:http'

const maxBody = 1024 * 1024

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

export function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

/** The whole body, or undefined when it is larger than a megabyte; the rest is read and thrown away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBody) chunks.push(chunk)
  }
  return size > maxBody ? undefined : Buffer.concat(chunks)
}
