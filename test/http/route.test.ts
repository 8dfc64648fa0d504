/** How a connection is opened: lookups, proxies, the CONNECT that is sent, and what is said when it fails. No socket stays open. */
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Endpoint, Proxy } from '../../src/http/proxy.ts'
import { Route } from '../../src/http/route.ts'
import { patient } from '../support/amount.ts'
import {
  answering,
  closedPort,
  goodBody,
  http,
  openClient,
  rawServer,
  tell,
  type Lookup,
} from '../support/loopback.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import { table } from '../support/table.ts'

const never = new AbortController().signal
const open = (target: Endpoint, proxy: Proxy | undefined, signal: AbortSignal): Promise<Socket> =>
  new Route(target, proxy, realHost).connect(signal)
const to = (port: number, hostname = '127.0.0.1', isSecure = false): Endpoint => ({
  isSecure,
  hostname,
  port,
})
const via = (port: number, more: Partial<Proxy> = {}): Proxy => ({
  isSecure: false,
  hostname: '127.0.0.1',
  port,
  authorization: undefined,
  variable: 'HTTPS_PROXY',
  ...more,
})
const far = to(443, 'service.example')

/** The code and the message with which no connection comes about. */
async function failure(opening: Promise<Socket>): Promise<{ code: string; message: string }> {
  const error = await opening.then(
    (socket) => {
      socket.destroy()
      throw new Error('it was opened')
    },
    (thrown: unknown) => thrown as { code: string; message: string },
  )
  return { code: error.code, message: error.message }
}

/** What is said when the way through this proxy to a far service does not come about. */
const failureBy = (port: number): ReturnType<typeof failure> => failure(open(far, via(port), never))

/** A proxy that says this to every CONNECT, in these pieces. */
async function proxy(...pieces: readonly string[]) {
  const heard: string[] = []
  const server = await rawServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      heard.push(chunk.toString())
      pieces.forEach((piece, n) => setTimeout(() => socket.write(piece), n * 20))
    })
  })
  return { ...server, heard }
}

function firstBytes(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())))
}

const here = [{ address: '127.0.0.1', family: 4 }]

describe('a service behind a name', () => {
  it('is reached at the address that answers', async () => {
    const service = await answering((socket) => socket.write(http(200, goodBody.read)))
    const lookup: Lookup = () => Promise.resolve([...here, { address: '::1', family: 6 }])
    const client = openClient(`http://service.example:${service.port}`, { lookup })
    expect((await tell(client, 'read')).error).toBeUndefined()
    expect(service.requests[0]).toContain(`host: service.example:${service.port}`)
  })

  it('a name server that never answers ends within 250 ms of the deadline, in words', async () => {
    for (const env of [{}, { HTTPS_PROXY: 'http://proxy.example:3128' }]) {
      const lookup: Lookup = () => new Promise(() => undefined)
      const options = { timeout: 400, wait: 0, lookup, env }
      const client = openClient('https://service.example', options)
      const { ms, error } = await tell(client, 'once')
      expect(ms).toBeLessThan(patient(650))
      expect(error).toMatchObject({ exitCode: 7, details: { ambiguous: false } })
      expect(error?.message).toMatch(/no connection .*within/)
    }
  })
})

it('one lookup at a time, for all who wait for it; who gives up leaves it to the others', async () => {
  const service = await rawServer(() => undefined)
  const asked: string[] = []
  let answer: (addresses: typeof here) => void = () => undefined
  const lookup: Lookup = (name) => {
    asked.push(name)
    return new Promise((resolve) => (answer = resolve))
  }
  const target = { isSecure: false, hostname: 'service.example', port: service.port }
  const route = new Route(target, undefined, hostWith({ lookup }))
  const first = new AbortController()
  const all = [
    route.connect(first.signal),
    ...Array.from({ length: 16 }, () => route.connect(new AbortController().signal)),
  ]
  await expect.poll(() => asked.length).toBe(1)
  first.abort()
  await expect(all[0]).rejects.toMatchObject({ code: 'SVC_ABORTED' })
  answer(here)
  const sockets = await Promise.all(all.slice(1))
  expect(asked).toEqual(['service.example'])
  sockets.forEach((socket) => socket.destroy())
})

it.runIf(process.platform === 'linux')('an address is dialed as it is written', async () => {
  const server = await rawServer((socket) => socket.write('two'), '127.0.0.2')
  expect(await firstBytes(await open(to(server.port, '127.0.0.2'), undefined, never))).toBe('two')
})

describe('through a proxy', () => {
  it.each([
    [far, 'service.example:443'],
    [to(8443, '2001:db8::1'), '[2001:db8::1]:8443'],
  ])('%j is asked for, and no more than that', async (target, authority) => {
    const server = await proxy('HTTP/1.1 200 OK\r\n\r\n')
    ;(await open(target, via(server.port), never)).destroy()
    ;(await open(target, via(server.port, { authorization: 'Basic eA==' }), never)).destroy()
    const head = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n`
    expect(server.heard).toEqual([`${head}\r\n`, `${head}Proxy-Authorization: Basic eA==\r\n\r\n`])
  })

  it.each([
    ['200 of HTTP/1.0', ['HTTP/1.0 200\r\n\r\n']],
    ['299 with headers', ['HTTP/1.1 299 x\r\nvia: 1.1 y\r\n\r\n']],
    ['200 in pieces', ['HTTP/1.1 2', '00 OK\r', '\n\r', '\n']],
    ['16,384 bytes of headers', [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(16_384 - 20)}`, '\r\n\r\n']],
  ])('%s opens the way', async (_what, pieces) => {
    const server = await proxy(...pieces)
    const ending = new AbortController()
    const socket = await open(far, via(server.port), ending.signal)
    ending.abort()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(socket.destroyed).toBe(false)
    socket.destroy()
  })

  it('bytes after the answer belong to the connection', async () => {
    const server = await proxy('HTTP/1.1 200 OK\r\n\r\nfrom the service')
    const socket = await open(far, via(server.port), never)
    expect(await firstBytes(socket.resume())).toBe('from the service')
    socket.destroy()
  })

  const refused = 'SVC_PROXY_REFUSED'
  const refusals = table(`
    HTTP/1.1 199 x                                         | answered 199 to CONNECT
    HTTP/1.1 300 x                                         | answered 300 to CONNECT
    HTTP/1.1 403 x                                         | answered 403 to CONNECT
    HTTP/1.1 503 x                                         | answered 503 to CONNECT
    HTTP/1.1 407 x; Proxy-Authenticate: Basic realm="x"    | answered 407 to CONNECT
    HTTP/1.1 407 x; Proxy-Authenticate: Negotiate          | answered 407 to CONNECT
    SSH-2.0-OpenSSH                                        | answered no HTTP to CONNECT
    x HTTP/1.1 200 OK                                      | answered no HTTP to CONNECT
  `)
  it.each(refusals)('a proxy that says "%s" opens no way', async (said = '', words) => {
    const server = await proxy(`${said.replace('; ', '\r\n')}\r\n\r\n`)
    expect(await failureBy(server.port)).toEqual({
      code: said.includes(' 503 ') ? 'SVC_PROXY' : refused,
      message: `the proxy (HTTPS_PROXY) ${words}`,
    })
    await expect.poll(() => server.open()).toBe(0)
  })

  it('a proxy that cannot be reached, closes, or sends a head without an end', async () => {
    const closing = await rawServer((socket) => socket.once('data', () => socket.end()))
    const endless = await proxy(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`)
    for (const [port, code, message] of [
      [await closedPort(), 'SVC_PROXY', '(HTTPS_PROXY) cannot be reached: connection refused'],
      [closing.port, 'SVC_PROXY', '(HTTPS_PROXY) closed the connection without an answer'],
      [endless.port, refused, '(HTTPS_PROXY) answered no HTTP to CONNECT'],
    ] as const)
      expect(await failureBy(port)).toEqual({ code, message: `the proxy ${message}` })
  })

  it('giving up while the proxy is silent leaves no socket open', async () => {
    const server = await proxy()
    const ending = new AbortController()
    const opening = failure(open(far, via(server.port), ending.signal))
    await expect.poll(() => server.heard.length).toBe(1)
    ending.abort()
    expect(await opening).toEqual({
      code: 'SVC_ABORTED',
      message: 'stopped before the proxy answered',
    })
    await expect.poll(() => server.open()).toBe(0)
  })
})
