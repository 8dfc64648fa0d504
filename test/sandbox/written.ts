/** Ways to put the bytes of an answer on the wire that no service has on purpose. */
import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Answer } from '../../src/sandbox/answer.ts'
import { rawHead } from '../../src/sandbox/send.ts'

type Headers = Record<string, string>

/** Where an answer is cut: `at` counts bytes of the body, or from the status line with `whole`; undefined: half of them. */
interface Cut {
  readonly at: number | undefined
  readonly whole: boolean
  readonly chunked: boolean
}

/** The bytes of an answer up to where it is cut. */
export function cut({ status, headers, body }: Answer, { at, whole, chunked }: Cut): Buffer {
  const length = headers['content-length']
  const head = rawHead({
    status,
    headers: {
      ...headersWithout(headers, 'content-length'),
      ...(chunked ? { 'transfer-encoding': 'chunked' } : length === undefined ? {} : { 'content-length': length }),
      connection: 'keep-alive',
      'keep-alive': 'timeout=65',
    },
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

export async function drip(response: ServerResponse, out: Answer, ms: number, closing: AbortSignal): Promise<void> {
  response.writeHead(out.status, out.headers)
  response.flushHeaders()
  for (let at = 0; at < out.body.length && !response.destroyed && !closing.aborted; at += 1) {
    await setTimeout(ms, undefined, { signal: closing }).catch(() => undefined)
    response.write(out.body.subarray(at, at + 1))
  }
  response.end()
}

/** Shorter than the body, it leaves bytes over for the next answer; longer, only the end of the connection ends it. */
export function writeWrongLength(
  response: ServerResponse,
  { status, headers, body }: Answer,
  difference: number,
): void {
  response.writeHead(status, { ...headers, 'content-length': String(Math.max(0, body.length + difference)) })
  // Once all is written, the answer has no connection any more.
  const { socket } = response
  response.end(body, () => {
    if (difference > 0) socket?.end()
  })
}

/** `{"padding":"xxx…", …the body}`, as fast as the reader takes it. */
export async function writePadded(
  response: ServerResponse,
  { status, headers, body }: Answer,
  bytes: number,
): Promise<void> {
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
