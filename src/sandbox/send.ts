/** Puts the bytes of an answer on the wire, in the usual way or in one that a fault asks for. */
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import type { Sending, Sent } from './faults/effect.ts'

export interface SendOptions {
  readonly how?: Sending | undefined
  /** Value of the `Date` header; none without it. */
  readonly date?: string | undefined
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal
}

type Headers = Record<string, string>

export async function send(response: ServerResponse, answer: Answer, options: SendOptions): Promise<Sent> {
  const { socket } = response
  if (socket === null || response.destroyed) return 'incomplete'
  response.sendDate = false
  const { how, closing } = options
  const out = outgoing(answer, options.date)
  if (typeof how === 'function') return how(response, out, closing)
  if (how === 'drop') socket.destroy()
  if (how === 'drop' || how === 'hang') return 'incomplete'
  if (how !== undefined) response.once('finish', () => void duplicate(socket, out, how.twiceAfter, closing))
  if (out.status < 200) {
    // Node writes no such answer as a final one.
    socket.end(rawHead(out.status, out.headers))
    return 'complete'
  }
  response.writeHead(out.status, out.headers)
  response.end(out.body)
  return 'node'
}

/** An answer as it goes out: the headers are complete, and there is no body where none belongs. */
function outgoing({ status, headers: own, body }: Answer, date: string | undefined): Answer {
  const hasBody = status >= 200 && status !== 204 && status !== 304
  const headers: Headers = { ...own }
  if (date === undefined) delete headers['date']
  else headers['date'] ??= date
  if (hasBody) headers['content-length'] = String(body.length)
  return { status, headers, body: hasBody ? body : Buffer.alloc(0) }
}

export function rawHead(status: number, headers: Readonly<Headers>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`, 'latin1')
}

/** Writes the answer once more, whatever the connection carries by then. */
async function duplicate(socket: Socket, out: Answer, ms: number, closing: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
  if (socket.writable) socket.write(Buffer.concat([rawHead(out.status, out.headers), out.body]))
}
