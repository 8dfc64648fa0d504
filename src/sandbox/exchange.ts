/**
 * Requests and answers as bytes, for `transport.ts`: which operation a request names, its body as far as it is wanted, and an answer sent in
 * the usual way or in one that a fault asks for.
 */
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http'
import { operations, type Operation, type OperationName } from '../api/operations.ts'
import type { Host } from '../host.ts'
import type { Answer } from './answer.ts'

/** A larger body is refused: a hundred ids are 3 KB, and a hundred clients may send at once. */
const maxBody = 128 * 1024

/** How long, in milliseconds, a client may keep sending a body that is not read. */
const graceMs = 1000

export type Url = ReturnType<typeof splitUrl>

/** Path and query of a request line. The path stays as it was sent: `/v1/lists/../contacts` is no route. */
export function splitUrl(url: string) {
  const [path = '', ...query] = url.split('?')
  return { path, query: new URLSearchParams(query.join('?')) }
}

/** An operation that a path and a method name. */
export interface Route {
  readonly name: OperationName
  readonly operation: Pick<Operation, 'method' | 'path' | 'scope'>
  /** The ids in the path by name, as they were sent and not checked yet. */
  readonly ids: Readonly<Record<string, string>>
}

/** Each is the name of the method of `company.ts` that answers it. */
export const operationNames = Object.keys(operations).filter(
  (name): name is OperationName => name in operations,
)

const templates = operationNames.map((name) => {
  return {
    name,
    operation: operations[name],
    words: operations[name].path.split('/'),
  }
})

/** The route of a path and a method; undefined: there is none. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const { name, operation, words } of templates) {
    if (operation.method !== method) continue
    const ids = match(words, path.split('/'))
    if (ids !== undefined) return { name, operation, ids }
  }
  return undefined
}

/** The ids that stand in a path where the template has `{name}`; undefined when the path is another one. */
function match(
  template: readonly string[],
  words: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== words.length) return undefined
  const ids: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const word = words[index] ?? ''
    if (expected.startsWith('{') && word !== '') {
      ids[expected.slice(1, -1)] = word
    } else if (expected !== word) {
      return undefined
    }
  }
  return ids
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

/** How an answer goes out when not in the usual way: not at all, twice after some milliseconds, or as a test writes it. */
export type Sending = 'drop' | 'hang' | { readonly twiceAfter: number } | WriteAnswer

/** Writes an answer whose headers are complete, and says whether all of it went out. */
type WriteAnswer = (response: ServerResponse, answer: Answer) => boolean | Promise<boolean>

/** The time for an answer that is sent twice; `closing` is aborted when the sandbox closes. */
export interface SendTools {
  readonly host: Pick<Host, 'sleep'>
  readonly closing: AbortSignal
}

/** Sends an answer, or what a fault makes of it. Resolves to whether all of it went out. */
export async function send(
  response: ServerResponse,
  answer: Answer,
  { host, closing }: SendTools,
  sending?: Sending,
): Promise<boolean> {
  const { socket } = response
  if (socket === null || response.destroyed) return false
  response.sendDate = false
  const out = outgoing(answer)
  if (typeof sending === 'function') return sending(response, out)
  if (sending === 'drop') socket.destroy()
  if (sending === 'drop' || sending === 'hang') return false
  if (sending !== undefined) {
    // On the same connection, whatever it carries by then.
    const sendAgain = (): void => {
      if (socket.writable) socket.write(Buffer.concat([rawHead(out), out.body]))
    }
    response.once('finish', () => {
      void host.sleep(sending.twiceAfter, closing).then(sendAgain, sendAgain)
    })
  }
  if (out.status < 200) {
    // Node writes no such answer as a final one.
    socket.end(rawHead(out))
    return true
  }
  const closed = new Promise((resolve) => void response.once('close', resolve))
  response.writeHead(out.status, out.headers)
  response.end(out.body)
  await closed
  return response.writableFinished
}

/** An answer as it goes out: its length is known, and there is no body where none belongs. */
function outgoing({ status, headers, body }: Answer): Answer {
  const hasBody = status >= 200 && status !== 204 && status !== 304
  if (!hasBody) return { status, headers, body: Buffer.alloc(0) }
  return {
    status,
    headers: { ...headers, 'content-length': String(body.length) },
    body,
  }
}

function rawHead({ status, headers }: Pick<Answer, 'status' | 'headers'>): Buffer {
  const reason = STATUS_CODES[status] ?? 'Unknown'
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`
  return Buffer.from(head, 'latin1')
}
