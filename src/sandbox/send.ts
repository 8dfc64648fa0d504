/** Puts the bytes of an answer on the wire, in the usual way or in one that a fault asks for. */
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import type { Sending } from './fault-kinds.ts'

export interface SendOptions {
  readonly how?: Sending
  /** Value of the `Date` header; none without it. */
  readonly date?: string
}

/** Resolves after `ms`, and at once when the sandbox closes. */
export function wait(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      closing.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (closing.aborted) end()
    else closing.addEventListener('abort', end, { once: true })
  })
}

/**
 * Sends, and says who knows whether all of it went out: `node` does (the response's `writableFinished`), or it was
 * written by hand, `complete` or `incomplete`.
 */
export async function send(
  response: ServerResponse,
  answer: Answer,
  { how, date }: SendOptions,
  closing: AbortSignal,
): Promise<'node' | 'complete' | 'incomplete'> {
  const { socket } = response
  if (socket === null || response.destroyed) return 'incomplete'
  const withBody = answer.status >= 200 && answer.status !== 204 && answer.status !== 304
  const body = withBody ? answer.body : Buffer.alloc(0)
  const headers: Record<string, string> = { ...answer.headers }
  response.sendDate = false
  if (date !== undefined) headers['date'] ??= date
  else delete headers['date']
  if (withBody) headers['content-length'] = String(body.length)

  switch (how?.kind) {
    case undefined:
      break
    case 'drop':
      socket.destroy()
      return 'incomplete'
    case 'reset':
      socket.resetAndDestroy()
      return 'incomplete'
    case 'hang':
      return 'incomplete'
    case 'cut': {
      const { at, whole, chunked } = how
      if (chunked) delete headers['content-length']
      const head = rawHead(answer.status, {
        ...headers,
        ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
        connection: 'keep-alive',
        'keep-alive': 'timeout=65',
      })
      if (whole) {
        const all = Buffer.concat([head, body])
        socket.end(all.subarray(0, at ?? Math.floor(all.length / 2)))
        return 'incomplete'
      }
      const part = body.subarray(0, at ?? Math.floor(body.length / 2))
      const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
      socket.end(Buffer.concat([head, !chunked ? part : part.length === 0 ? Buffer.alloc(0) : chunk]))
      return 'incomplete'
    }
    case 'drip':
      response.writeHead(answer.status, headers)
      response.flushHeaders()
      for (let at = 0; at < body.length && !response.destroyed && !closing.aborted; at += 1) {
        await wait(how.wait, closing)
        response.write(body.subarray(at, at + 1))
      }
      response.end()
      return 'node'
    case 'huge':
      delete headers['content-length']
      response.writeHead(answer.status, headers)
      await writePadded(response, body, how.bytes)
      return 'node'
    case 'length':
      // Shorter than the body, it leaves bytes over for the next answer; longer, only the end of the connection ends it.
      headers['content-length'] = String(Math.max(0, body.length + how.difference))
      response.writeHead(answer.status, headers)
      response.end(body, () => {
        if (how.difference > 0) socket.end()
      })
      return 'node'
  }
  if (answer.status < 200) {
    // Node writes no such answer as a final one.
    socket.end(rawHead(answer.status, headers))
    return 'complete'
  }
  response.writeHead(answer.status, headers)
  response.end(body)
  return 'node'
}

function rawHead(status: number, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`, 'latin1')
}

/** `{"padding":"xxx…", …the body}`, as fast as the reader takes it. */
async function writePadded(response: ServerResponse, body: Buffer, bytes: number): Promise<void> {
  const block = Buffer.alloc(64 * 1024, 'x')
  response.write('{"padding":"')
  for (let left = bytes; left > 0 && !response.destroyed; left -= block.length) {
    if (response.write(block.subarray(0, Math.min(left, block.length)))) continue
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off('drain', goOn).off('close', goOn)
        resolve()
      }
      response.on('drain', goOn).on('close', goOn)
    })
  }
  if (!response.destroyed) response.end(Buffer.concat([Buffer.from('",'), body.subarray(1)]))
}
