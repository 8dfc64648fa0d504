/** Puts the bytes of an answer on the wire, in the usual way or in one that a fault asks for. */
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import type { Sending } from './faults/effect.ts'

export interface SendOptions {
  readonly how?: Sending | undefined
  /** Value of the `Date` header; none without it. */
  readonly date?: string | undefined
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal
}

/** Who knows whether all of an answer went out: Node (`writableFinished`), or it was written by hand. */
export type Sent = 'node' | 'complete' | 'incomplete'

type Headers = Record<string, string>

export async function send(response: ServerResponse, answer: Answer, options: SendOptions): Promise<Sent> {
  const { socket } = response
  if (socket === null || response.destroyed) return 'incomplete'
  response.sendDate = false
  const { how, closing } = options
  const out = outgoing(answer, options.date)
  switch (how?.kind) {
    case 'drop':
      socket.destroy()
      return 'incomplete'
    case 'reset':
      socket.resetAndDestroy()
      return 'incomplete'
    case 'hang':
      return 'incomplete'
    case 'cut':
      socket.end(cut(out, how))
      return 'incomplete'
    case 'drip':
      await drip(response, out, how.wait, closing)
      return 'node'
    case 'huge':
      await writePadded(response, out, how.bytes)
      return 'node'
    case 'length':
      writeWrongLength(response, out, how.difference)
      return 'node'
    case 'duplicate':
      response.once('finish', () => void duplicate(socket, out, how.wait, closing))
      break
    case undefined:
      break
  }
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

function rawHead(status: number, headers: Readonly<Headers>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`, 'latin1')
}

/** The bytes of an answer up to where it is cut. */
function cut({ status, headers, body }: Answer, { at, whole, chunked }: Extract<Sending, { kind: 'cut' }>): Buffer {
  const length = headers['content-length']
  const head = rawHead(status, {
    ...headersWithout(headers, 'content-length'),
    ...(chunked ? { 'transfer-encoding': 'chunked' } : length === undefined ? {} : { 'content-length': length }),
    connection: 'keep-alive',
    'keep-alive': 'timeout=65',
  })
  if (whole) {
    const all = Buffer.concat([head, body])
    return all.subarray(0, at ?? Math.floor(all.length / 2))
  }
  const part = body.subarray(0, at ?? Math.floor(body.length / 2))
  if (!chunked || part.length === 0) return Buffer.concat([head, chunked ? Buffer.alloc(0) : part])
  return Buffer.concat([head, Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
}

function headersWithout(headers: Readonly<Headers>, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))
}

async function drip(response: ServerResponse, out: Answer, ms: number, closing: AbortSignal): Promise<void> {
  response.writeHead(out.status, out.headers)
  response.flushHeaders()
  for (let at = 0; at < out.body.length && !response.destroyed && !closing.aborted; at += 1) {
    await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
    response.write(out.body.subarray(at, at + 1))
  }
  response.end()
}

/** Writes the answer once more, whatever the connection carries by then. */
async function duplicate(socket: Socket, out: Answer, ms: number, closing: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
  if (socket.writable) socket.write(Buffer.concat([rawHead(out.status, out.headers), out.body]))
}

/** Shorter than the body, it leaves bytes over for the next answer; longer, only the end of the connection ends it. */
function writeWrongLength(response: ServerResponse, { status, headers, body }: Answer, difference: number): void {
  response.writeHead(status, { ...headers, 'content-length': String(Math.max(0, body.length + difference)) })
  // Once all is written, the answer has no connection any more.
  const { socket } = response
  response.end(body, () => {
    if (difference > 0) socket?.end()
  })
}

/** `{"padding":"xxx…", …the body}`, as fast as the reader takes it. */
async function writePadded(response: ServerResponse, { status, headers, body }: Answer, bytes: number): Promise<void> {
  response.writeHead(status, headersWithout(headers, 'content-length'))
  const block = Buffer.alloc(64 * 1024, 'x')
  response.write('{"padding":"')
  for (let left = bytes; left > 0 && !response.destroyed; left -= block.length) {
    if (!response.write(block.subarray(0, Math.min(left, block.length)))) await drained(response)
  }
  if (!response.destroyed) response.end(Buffer.concat([Buffer.from('",'), body.subarray(1)]))
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })
}
