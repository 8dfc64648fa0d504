/** Ways to put the bytes of an answer on the wire that no service has on purpose. */
import type { ServerResponse } from 'node:http'
import type { Answer } from '../../src/sandbox/answer.ts'
import { rawHead } from '../../src/sandbox/send.ts'

/** Where an answer is cut: `at` counts bytes of the body, or from the status line with `whole`; undefined: half of them. */
interface Cut {
  readonly at: number | undefined
  readonly whole: boolean
}

/** The bytes of an answer up to where it is cut. */
export function cut({ status, headers, body }: Answer, { at, whole }: Cut): Buffer {
  const head = rawHead({ status, headers: { ...headers, connection: 'keep-alive', 'keep-alive': 'timeout=65' } })
  if (!whole) return Buffer.concat([head, body.subarray(0, at ?? Math.floor(body.length / 2))])
  const all = Buffer.concat([head, body])
  return all.subarray(0, at ?? Math.floor(all.length / 2))
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
