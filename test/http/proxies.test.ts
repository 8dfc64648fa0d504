/** Proxies that fail, and NO_PROXY. If red, a request that never left is taken for one that may have, or the reverse. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { Dice } from '../support/dice.ts'
import {
  closedPort,
  goodBody,
  http,
  listen,
  openClient,
  rawServer,
  tell,
} from '../support/loopback.ts'
import { table } from '../support/table.ts'

const file = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url)))
/** Self-signed, made out to service.test. */
const certificate = { cert: file('certificate'), key: file('key') }

// A process trusts more certificates only from its start on, so the connections of these tests are told of this one.
const open = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket
vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) =>
  open({ ...options, ca: certificate.cert })) as typeof tls.connect)
afterAll(() => vi.restoreAllMocks())

type Act = (socket: Socket) => void
const writes = (text: string) => (socket: Socket) => void socket.write(text)
const ends = (text: string) => (socket: Socket) => void socket.end(text)
const refusal = '{"code":40001,"message":"no"}'

/** What the service does with a request, by the word in its key. */
const services: Readonly<Record<string, Act>> = {
  answers: ends(http(200, goodBody.once).toString()),
  refuses: ends(http(400, refusal).toString()),
  breaks: ends(http(503, refusal).toString()),
  resets: (socket) => socket.destroy(),
  cuts: ends('HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"data":'),
  hangs: () => undefined,
}

/** The service over TLS. It counts the bytes of each request by its key. */
async function startService() {
  const bytes = new Map<string, number>()
  const server = tls.createServer(certificate, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const [key = '', word = ''] = /key-\d+-(\w+)/.exec(chunk.toString()) ?? []
      bytes.set(key, (bytes.get(key) ?? 0) + chunk.length)
      services[word]?.(socket)
    })
  })
  server.on('tlsClientError', () => undefined)
  const port = await listen(server)
  afterAll(() => server.close())
  return { port, bytes }
}

/** Connects the socket of a proxy with the service; after `limit` bytes from the client, closes both. */
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

const answer = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`
/** What a proxy does with a CONNECT, and the words that svc has for it. None of these lets a byte of a request out. */
const broken: readonly [string, Act, RegExp, number][] = [
  ['drops CONNECT', (socket) => socket.destroy(), /cannot be used: the connection was/, 7],
  ['closes', ends(''), /cannot be used: the connection was/, 7],
  ['is cut', ends('HTTP/1.1 200 Conn'), /cannot be used: /, 7],
  ['speaks no HTTP', ends('SSH-2.0-OpenSSH\r\n\r\n'), /cannot be used: .*not valid HTTP/, 7],
  ['hangs', () => undefined, /no connection within \d+ ms/, 7],
  ['says 200 and hangs', writes(answer('200 OK')), /no connection within/, 7],
  ['says 200 and closes', ends(answer('200 OK')), /: .*(?:closed|disconnected|reset)/, 7],
  ['says 502', ends(answer('502 x')), /answered 502 to CONNECT$/, 7],
  ['says 403', ends(answer('403 x')), /answered 403 to CONNECT$/, 1],
  [
    'says 407',
    ends(answer('407 x', 'proxy-authenticate: Negotiate', 'proxy-authenticate: NTLM TlRM')),
    /\(HTTPS_PROXY\) answered 407 to CONNECT: Negotiate, NTLM$/,
    1,
  ],
]
const onceHeard = (act: Act) => rawServer((socket) => socket.once('data', () => act(socket)))
const through = (port: number, more: object = {}) =>
  openClient('https://service.test', {
    timeout: 60_000,
    wait: 0,
    env: { HTTPS_PROXY: `127.0.0.1:${port}` },
    ...more,
  })

describe('a proxy that', () => {
  it.concurrent.for(broken)('%s: never sent', async ([, act, words, exitCode], { expect }) => {
    const proxy = await onceHeard(act)
    const timeout = words.source.includes('no connection') ? 1500 : 60_000
    const { error, results } = await tell(through(proxy.port, { timeout }), 'once')
    expect(results.map(({ kind }) => kind)).toEqual(['never-sent'])
    expect(error?.message).toMatch(words)
    expect(error).toMatchObject({ exitCode, details: { ambiguous: false } })
    // undici would connect again for ever.
    expect(proxy.connections()).toBe(1)
    await expect.poll(() => proxy.open()).toBe(0)
  })

  it('is not there', async () => {
    const { error } = await tell(through(await closedPort()), 'once')
    expect(error?.message).toBe(
      'service.test: the proxy (HTTPS_PROXY) cannot be used: connection refused',
    )
  })

  it('breaks, as half of 300 requests meet it: each result is true of the bytes that came', async () => {
    const service = await startService()
    const joins = [undefined, 0, 100, 300].map((limit) =>
      onceHeard((socket) => join(socket, service.port, limit)),
    )
    const acts = broken.map(([, act]) => onceHeard(act))
    const [whole, ...proxies] = await Promise.all([...joins, ...acts])
    const dice = new Dice(300)
    const send = async (n: number) => {
      const word = dice.pick(Object.keys(services))
      const proxy = dice.isLucky(0.5) ? whole : dice.pick(proxies)
      const key = `key-${n}-${word}`
      const client = through(proxy?.port ?? 0, { apiKey: key, timeout: 3000 })
      const { results } = await tell(client, dice.isLucky(0.5) ? 'once' : 'read')
      client.close()
      return { key, word, isWhole: proxy === whole, kinds: results.map(({ kind }) => kind) }
    }
    const work = async (_: unknown, first: number) => {
      const own: Awaited<ReturnType<typeof send>>[] = []
      for (let n = first; n < 300; n += 20) own.push(await send(n))
      return own
    }
    const ended = (await Promise.all(Array.from({ length: 20 }, work))).flat()
    const wrong = ended.filter(({ key, word, isWhole, kinds: [kind, ...others] }) => {
      const wanted: Record<string, string> = { answered: 'answers', refused: 'refuses' }
      const mayBe = kind === 'ambiguous' || word === wanted[kind ?? '']
      const isTrue = kind === 'never-sent' ? service.bytes.get(key) === undefined : isWhole && mayBe
      return others.length > 0 || !isTrue
    })
    expect(wrong).toEqual([])
    for (const kind of ['ambiguous', 'answered', 'never-sent', 'refused'])
      expect(ended.filter(({ kinds }) => kinds[0] === kind).length).toBeGreaterThan(5)
  })
})

// Whether a request goes through the proxy, by the variables.
const ways = table(`
  HTTPS_PROXY=PROXY                                | yes
  https_proxy= HTTPS_PROXY=http://PROXY            | yes
  ALL_PROXY=http://PROXY                           | yes
  all_proxy=http://PROXY/                          | yes
  HTTP_PROXY=http://PROXY                          | no
  HTTPS_PROXY=PROXY NO_PROXY=*                     | no
  HTTPS_PROXY=PROXY NO_PROXY=Service.TEST          | no
  HTTPS_PROXY=PROXY NO_PROXY=test                  | no
  HTTPS_PROXY=PROXY NO_PROXY=.test                 | no
  HTTPS_PROXY=PROXY NO_PROXY=*.test                | no
  HTTPS_PROXY=PROXY NO_PROXY=other.test,service.test:443 | no
  HTTPS_PROXY=PROXY NO_PROXY=service.test:8443     | yes
  HTTPS_PROXY=PROXY NO_PROXY=vice.test             | yes
  HTTPS_PROXY=PROXY no_proxy=other NO_PROXY=*      | yes
  HTTPS_PROXY=PROXY NO_PROXY=10.0.0.0/8            | yes
`)
it.each(ways)('%s: through the proxy: %s', async (variables = '', expected) => {
  const proxy = await onceHeard(ends(answer('403 x')))
  const pairs = variables.split(/\s+/).map((pair) => pair.split('=') as [string, string])
  const env = Object.fromEntries(
    pairs.map(([name, value]) => [name, value.replace('PROXY', `127.0.0.1:${proxy.port}`)]),
  )
  const { error } = await tell(through(0, { env, timeout: 6000 }), 'read')
  expect([proxy.connections() > 0, /403/.test(error?.message ?? '')]).toEqual(
    Array(2).fill(expected === 'yes'),
  )
})

it.each([
  'http://',
  'http://p:99999',
  'socks5://p:1',
  'http://%zz:hunter%zz@p:1',
  'http://u:%ff@p:1',
])('HTTPS_PROXY=%s: exit 2, without saying what it held', (HTTPS_PROXY) => {
  const message = 'HTTPS_PROXY is not the URL of a proxy'
  const opening = () => through(0, { env: { HTTPS_PROXY } })
  expect(opening).toThrow(expect.objectContaining({ exitCode: 2, message }))
})

it.each(['http://127.0.0.1:1', 'https://127.8.9.1', 'https://[::1]', 'https://localhost'])(
  'none is used for %s',
  async (url) => {
    const proxy = await onceHeard(ends(answer('403 x')))
    const env = { HTTPS_PROXY: `127.0.0.1:${proxy.port}` }
    await tell(openClient(url, { env, wait: 0 }), 'read')
    expect(proxy.connections()).toBe(0)
  },
)
