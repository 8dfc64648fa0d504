/** Raw servers that answer in ways no real one would, and a client that remembers. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Host } from '../../src/host.ts'
import type { Attempt } from '../../src/http/attempt.ts'
import { Client } from '../../src/http/client.ts'
import { createApi, type RequestInput } from '../../src/api/api.ts'
import type { OperationName } from '../../src/api/operations.ts'
import { SvcError } from '../../src/errors.ts'
import { Redactor } from '../../src/safe-text.ts'
import { atEnd } from './ending.ts'
import { hostWith, realHost } from './real-host.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`certificates/${name}`, import.meta.url))
export const certificatePath = pathOf('certificate.pem')
/** Self-signed, made out to service.test, localhost, 127.0.0.1 and ::1. */
export const certificate = {
  cert: readFileSync(certificatePath),
  key: readFileSync(pathOf('key.pem')),
}

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return (server.address() as AddressInfo).port
}

export type Loopback = Awaited<ReturnType<typeof rawServer>>

/** Starts a server; every socket is handed over as it comes. Closed after the test file. */
export async function rawServer(onSocket: (socket: Socket, n: number) => void, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    onSocket(socket, connections)
  })
  const port = await listen(server, host)
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  atEnd(close)
  return {
    port,
    baseUrl: `http://${host === '::1' ? '[::1]' : host}:${port}`,
    /** Requests as text, in order of arrival. */
    requests: [] as string[],
    connections: () => connections,
    /** Sockets that are open now. Reads what nobody read, or an end would not be noticed. */
    open: () => {
      for (const socket of sockets) socket.resume()
      return sockets.size
    },
    close,
  }
}

/** A server that calls back with every complete request; what it writes is up to the callback. */
export async function answering(
  respond: (socket: Socket, request: string, n: number) => void,
  host?: string,
): Promise<Loopback> {
  const requests: string[] = []
  const server = await rawServer((socket) => {
    let buffered = ''
    socket.on('data', (chunk: Buffer) => {
      buffered += chunk.toString('latin1')
      for (;;) {
        const end = buffered.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, end))?.[1] ?? 0)
        if (buffered.length < end + 4 + length) return
        const request = buffered.slice(0, end + 4 + length)
        buffered = buffered.slice(end + 4 + length)
        requests.push(request)
        respond(socket, request, requests.length)
      }
    })
  }, host)
  return { ...server, requests }
}

export const json = { 'content-type': 'application/json' }

/** An HTTP answer as bytes, with the right content-length unless the headers say otherwise. */
export function http(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = json,
): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
  const all = { 'content-length': String(bytes.length), date: new Date().toUTCString(), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`), bytes])
}

export const secret = 'a very Secret/value+with"quotes'
export const apiKey = 'pk_live_0123456789abcdef'

/** The environment of a whole command, for a service at this address. */
export const envFor = (baseUrl: string) => ({
  SVC_BASE_URL: baseUrl,
  SVC_API_KEY: 'pk_0123456789',
  SVC_API_SECRET: 'a-secret-of-this-test',
})

/** A client that remembers how its attempts ended. */
class RememberingClient extends Client {
  readonly results: Attempt[] = []

  override async attempt(...args: Parameters<Client['attempt']>) {
    const result = await super.attempt(...args)
    this.results.push(result)
    return result
  }
}

export type TestClient = ReturnType<typeof openClient>

type ClientOptions = ConstructorParameters<typeof Client>[0]

type TestClientOptions = Partial<Pick<ClientOptions, 'timeout' | 'wait' | 'beforeChange'>> & {
  readonly apiKey?: string
  readonly env?: Readonly<Record<string, string>>
  readonly openTransport?: Host['openTransport']
  readonly after?: Host['after']
  readonly random?: number
  readonly now?: () => number
}

/** A client whose clock goes on only in waits, which take no time. Closed after the test file. */
export function openClient(baseUrl: string, options: TestClientOptions = {}) {
  const { apiKey: key = apiKey, env = {}, random = 0.5, now, ...more } = options
  const { openTransport, after, ...others } = more
  const notes: string[] = []
  const waits: number[] = []
  const [stop, abort] = [new AbortController(), new AbortController()]
  const start = Date.now()
  let skipped = 0
  const host = hostWith({
    env,
    ...(openTransport && { openTransport }),
    ...(after && { after }),
    now: now ?? (() => start + skipped),
    monotonic: () => skipped,
    sleep(ms, signal) {
      waits.push(Math.round(ms))
      skipped += ms
      return realHost.sleep(0, signal)
    },
    random: () => random,
  })
  const note = (text: string) => void notes.push(text)
  const client = new RememberingClient({
    ...{ timeout: 5_000, wait: 30_000, beforeChange: () => undefined, ...others },
    profile: { baseUrl, apiKey: key },
    secret,
    host,
    messages: { log: () => undefined, note, redactor: new Redactor() },
    signals: { cancelled: stop.signal, aborted: abort.signal },
  })
  atEnd(() => client.close())
  return Object.assign(client, {
    notes,
    waits,
    skip: (ms: number) => void (skipped += ms),
    stop,
    abort,
    call: <N extends OperationName>(name: N, input: RequestInput) =>
      createApi(client).send(name, input),
  })
}

export const ids = {
  one: '0123456789abcdef01234567',
  two: 'fedcba9876543210fedcba98',
  list: '5f5f5f5f5f5f5f5f5f5f5f5f',
} as const

export type ClassName = 'read' | 'repeatable' | 'once'

/** A read, a change that may be sent again, and one that may not. */
const callsOf: Readonly<Record<ClassName, readonly [name: OperationName, input: RequestInput]>> = {
  read: ['employees.list', {}],
  repeatable: ['lists.update', { ids: { listId: ids.list }, body: { name: 'n' } }],
  once: [
    'contacts.merge',
    { ids: { sourceContactId: ids.one }, body: { targetContactId: ids.two } },
  ],
}

export const callOf = (of: ClassName) => (client: TestClient) =>
  client.call(...callsOf[of]) as Promise<unknown>

export const goodBody: Readonly<Record<ClassName, string>> = {
  read: '{"data":[]}',
  repeatable: JSON.stringify({ data: { id: ids.list, name: 'n', contactsCount: 0 } }),
  once: JSON.stringify({ data: { mergedContactId: ids.one, contact: { id: ids.two } } }),
}

/** Makes a call and tells what every attempt was, and how it ended. */
export async function tell(client: TestClient, retryClass: ClassName) {
  const before = client.results.length
  let error: SvcError | undefined
  try {
    await callOf(retryClass)(client)
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown
    error = thrown
  }
  return { error, results: client.results.slice(before) }
}

/** A port of this machine on which nobody listens. */
export async function closedPort(): Promise<number> {
  const { port, close } = await rawServer(() => undefined)
  await close()
  return port
}
