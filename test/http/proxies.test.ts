import { connect, type Socket } from 'node:net'
import tls from 'node:tls'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Host } from '../../src/host.ts'
import {
  certificate,
  closedPort,
  goodBody,
  http,
  listen,
  openClient,
  rawServer,
  tell,
} from '../support/loopback.ts'
import { atEnd } from '../support/ending.ts'
import { commandOf } from '../support/svc.ts'
import { table } from '../support/table.ts'

// A process trusts more certificates only from its start on; here, each connection does.
const open = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket
vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) =>
  open({ ...options, ca: certificate.cert })) as typeof tls.connect)
afterAll(() => vi.restoreAllMocks())

type Act = (socket: Socket) => void
const writes = (text: string) => (socket: Socket) => void socket.write(text)
const ends = (text: string) => (socket: Socket) => void socket.end(text)
const refusal = '{"code":40001,"message":"no"}'
const cut = 'HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"data":'

/** Connects a proxy's socket with the service; after `limit` bytes, closes both. */
function join(socket: Socket, port: number, limit = Infinity) {
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  const upstream = connect(port, '127.0.0.1')
  let passed = 0
  socket.on('data', (chunk: Buffer) => {
    passed += chunk.length
    if (passed <= limit) return upstream.write(chunk)
    socket.destroy()
    upstream.destroy()
  })
  upstream.on('data', (chunk: Buffer) => socket.write(chunk))
  upstream.on('error', () => socket.destroy())
  upstream.on('close', () => socket.destroy())
  socket.on('close', () => upstream.destroy())
}

const answer = (...lines: string[]) => `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n`
/** What a proxy does with a CONNECT (undici tries again if it closes), the words and exit code. */
const broken: readonly [string, Act, RegExp, number][] = [
  ['drops CONNECT', (socket) => socket.destroy(), /no connection within/, 7],
  ['closes', ends(''), /no connection within/, 7],
  ['is cut', ends('HTTP/1.1 200 Conn'), /no connection within|closed before/, 7],
  ['speaks no HTTP', ends('SSH-2.0-OpenSSH\r\n\r\n'), /not valid HTTP/, 7],
  ['hangs', () => undefined, /no connection within/, 7],
  ['says 200 and hangs', writes(answer('200 OK')), /no connection within/, 7],
  ['says 200 and closes', ends(answer('200 OK')), /closed|disconnected|reset/, 7],
  ['says 502', ends(answer('502 x')), /Proxy response \(502\)/, 7],
  ['says 403', ends(answer('403 x')), /Proxy response \(403\)/, 1],
  ['says 407', ends(answer('407 x', 'proxy-authenticate: NTLM')), /Proxy response \(407\)/, 1],
]
const onceHeard = (act: Act) => rawServer((socket) => socket.once('data', () => act(socket)))
const through = (port: number, more: object = {}) => {
  const env = { HTTPS_PROXY: `127.0.0.1:${port}` }
  return openClient('https://service.test', { timeout: 60_000, wait: 0, env, ...more })
}

describe('a proxy that', () => {
  it.each(broken)('%s: not sent', async (_, act, words, exitCode) => {
    const deadlines: (() => void)[] = []
    // Who does not answer is waited for until the time is over.
    const isOver = words.source.startsWith('no connection')
    const proxy = await onceHeard((socket) => {
      act(socket)
      if (isOver) for (const end of deadlines.splice(0)) end()
    })
    const after: Host['after'] = (__, end) => {
      deadlines.push(end)
      return { cancel: () => undefined }
    }
    const { error, results } = await tell(through(proxy.port, { after }), 'once')
    expect(results.map(({ end }) => end)).toEqual(['not-sent'])
    expect(error?.message).toMatch(words)
    expect(error?.message).toMatch(/^service\.test: .* \(through the proxy of HTTPS_PROXY\)$/)
    expect(error).toMatchObject({ exitCode, details: { isUnanswered: false } })
    await expect.poll(() => proxy.open()).toBe(0)
  })

  it('is not there', async () => {
    const env = { ALL_PROXY: `http://127.0.0.1:${await closedPort()}` }
    const { error } = await tell(through(0, { env }), 'once')
    const words = 'service.test: connection refused (through the proxy of ALL_PROXY)'
    expect(error?.message).toBe(words)
  })

  /** What the service behind it does, how many bytes of the client pass, and the attempt. */
  it.each<[string, Act, number, string]>([
    ['whose service answers', ends(http(200, goodBody.once).toString()), Infinity, 'answered'],
    ['whose service refuses', ends(http(400, refusal).toString()), Infinity, 'refused'],
    ['whose service fails', ends(http(503, refusal).toString()), Infinity, 'no-answer'],
    ['whose service resets', (socket) => socket.destroy(), Infinity, 'no-answer'],
    ['whose service is cut', ends(cut), Infinity, 'no-answer'],
    ['is cut at once', () => undefined, 0, 'not-sent'],
    ['is cut in the handshake', () => undefined, 100, 'not-sent'],
  ])('%s: true of the bytes that came', async (_, act, limit, end) => {
    let hasCome = false
    const service = tls.createServer(certificate, (socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => {
        hasCome = true
        act(socket)
      })
    })
    service.on('tlsClientError', () => undefined)
    const port = await listen(service)
    atEnd(() => service.close())
    const proxy = await onceHeard((socket) => join(socket, port, limit))
    const { results } = await tell(through(proxy.port), 'once')
    expect(results.map((each) => each.end)).toEqual([end])
    expect(hasCome).toBe(end !== 'not-sent')
  })
})

// Whether a request goes through the proxy, by the variables.
const ways = table(`
  HTTPS_PROXY=PROXY                                | yes
  https_proxy= HTTPS_PROXY=http://PROXY            | yes
  ALL_PROXY=http://PROXY                           | yes
  HTTP_PROXY=http://PROXY                          | no
  HTTPS_PROXY=PROXY NO_PROXY=*                     | no
  HTTPS_PROXY=PROXY NO_PROXY=Service.TEST          | no
  HTTPS_PROXY=PROXY NO_PROXY=.test                 | no
  HTTPS_PROXY=PROXY NO_PROXY=other.test,service.test:443 | no
  HTTPS_PROXY=PROXY NO_PROXY=service.test:8443     | yes
  HTTPS_PROXY=PROXY no_proxy=other NO_PROXY=*      | yes
`)
it.each(ways)('%s: through the proxy: %s', async (variables = '', expected) => {
  const proxy = await onceHeard(ends(answer('403 x')))
  const words = variables.replaceAll(/(?<=[=/])PROXY/g, `127.0.0.1:${proxy.port}`)
  const env = commandOf(words.split(/\s+/)).variables
  // Without a proxy, the name of the service is not found.
  const timeout = expected === 'yes' ? 60_000 : 6000
  const { error } = await tell(through(0, { env, timeout }), 'read')
  const seen = [proxy.connections() > 0, /403/.test(error?.message ?? '')]
  expect(seen).toEqual(Array(2).fill(expected === 'yes'))
  // A proxy that is not used is not named.
  const isNamed = error?.message.includes('_PROXY)') === true
  expect(isNamed).toBe(expected === 'yes' && !variables.includes(':8443'))
})

it.each([
  ...['http://', 'http://p:99999', 'ftp://p:1', 'http://%zz:hunter%zz@p:1', 'http://u:%ff@p:1'],
  ...['socks5://u:hunter@p:1', 'SOCKS://p:1'],
])('ALL_PROXY=%s: exit 2, with what it can be, without saying what it held', (ALL_PROXY) => {
  const opening = () => through(0, { env: { ALL_PROXY } })
  const message = 'ALL_PROXY is not the URL of a proxy that svc can use'
  const details = { hint: expect.stringContaining('svc does not support SOCKS') as string }
  expect(opening).toThrow(expect.objectContaining({ exitCode: 2, message, details }))
})

const near = ['http://127.0.0.1:1', 'https://127.8.9.1', 'https://[::1]', 'https://localhost']
it.each(near)('none is used for %s', async (url) => {
  const proxy = await onceHeard(ends(answer('403 x')))
  const env = { HTTPS_PROXY: `127.0.0.1:${proxy.port}` }
  await tell(openClient(url, { env, wait: 0 }), 'read')
  expect(proxy.connections()).toBe(0)
})
