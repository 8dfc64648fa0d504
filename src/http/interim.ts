/**
 * Answers before the answer (1xx) that nobody asked for. A client must be able to skip them (RFC 9110, section 15.2), and
 * some gateways send `100 Continue`; undici ends the connection at one. So they are dropped before undici reads them. What an
 * answer takes on the wire is counted here too: its framing may be any number of times its body.
 */
import type { Socket } from 'node:net'
import { maxAnswerBytes } from './attempt.ts'
import { connectionError } from './connection-errors.ts'

const interim = 'HTTP/1.1 1'
/** Of a head, as undici has it. */
const longestHead = 16_384

/** What of an answer's first bytes is to be read: undefined when more must come before that is known. */
function withoutInterim(bytes: Buffer): Buffer | undefined {
  let at = 0
  for (;;) {
    const begin = bytes.toString('latin1', at, at + 'HTTP/1.1 100'.length)
    // 101 would be the last answer in HTTP, and is the reader's to refuse.
    if (!interim.startsWith(begin.slice(0, interim.length)) || begin.endsWith('101')) return bytes.subarray(at)
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) return bytes.length - at > longestHead ? bytes.subarray(at) : undefined
    at = end + 4
  }
}

export class InterimAnswers {
  /** The bytes of an answer's beginning so far; undefined behind it. */
  #begun: Buffer | undefined = Buffer.alloc(0)
  #bytes = 0
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    const read = socket.read.bind(socket)
    socket.read = (size?: number): unknown => this.#filter(read(size) as Buffer | null)
  }

  expectAnswer(): void {
    this.#begun = Buffer.alloc(0)
    this.#bytes = 0
  }

  #filter(chunk: Buffer | null): Buffer | null {
    this.#bytes += chunk?.length ?? 0
    if (this.#bytes > 2 * maxAnswerBytes) {
      this.#socket.destroy(tooLarge())
      return null
    }
    if (chunk === null || this.#begun === undefined) return chunk
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const rest = withoutInterim(bytes)
    this.#begun = rest === undefined ? bytes : undefined
    return rest ?? null
  }
}

export function tooLarge(): Error {
  return connectionError(`the answer is larger than ${maxAnswerBytes / 1024 / 1024} MiB`, 'SVC_TOO_LARGE')
}
