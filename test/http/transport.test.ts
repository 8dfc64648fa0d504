import { gzipSync } from 'node:zlib'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Transport } from '../../src/http/transport.ts'
import type { Exchange, Wire } from '../../src/world.ts'
import { figure, patient } from '../figures/figure.ts'
import {
  answering,
  callOf,
  closedPort,
  goodBody,
  http,
  openClient,
  rawServer,
  tell,
  type ClassName,
  type Loopback,
} from './loopback.ts'
import { realHost } from '../host.ts'

const never = (): void => undefined
const classes: readonly ClassName[] = ['read', 'repeatable', 'convergent', 'once']

describe('bytes that never left', () => {
  it.each(classes)('connection refused: %s is tried again, whatever it is', async (retryClass) => {
    const client = openClient(`http://127.0.0.1:${await closedPort()}`)
    const { results, error } = await tell(client, retryClass)
    expect(results.map(({ kind }) => kind)).toEqual(Array(4).fill('never-sent'))
    expect(error).toMatchObject({ category: 'unavailable', details: { ambiguous: false } })
    expect(error?.message).toMatch(/^cannot reach 127\.0\.0\.1:\d+: connection refused$/)
  })

  it('nor did they on a connection that was used before and cannot be opened again', async () => {
    const server = await answering((socket) => socket.end(http(200, goodBody.read)))
    const client = openClient(server.baseUrl)
    expect((await tell(client, 'read')).error).toBeUndefined()
    await expect.poll(() => server.open()).toBe(0)
    await server.close()
    const { results, error } = await tell(client, 'repeatable')
    expect(results.map(({ kind }) => kind)).toEqual(Array(4).fill('never-sent'))
    expect(error?.details.ambiguous).toBe(false)
  })

  it('a host name that does not exist: said at once, not retried', async () => {
    const { results, error } = await tell(openClient('https://nowhere.invalid'), 'once')
    const [first] = results
    const code = first?.kind === 'never-sent' ? first.systemCode : undefined
    // A machine without a name server cannot know that the name does not exist.
    expect(code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
    expect(results).toEqual(Array(code === 'ENOTFOUND' ? 1 : 4).fill(first))
    expect(error?.exitCode).toBe(7)
    expect(error?.details.ambiguous).toBe(false)
  }, 60_000)

  it.each(['[::1]', 'localhost'])('%s is dialled as this machine', async (name) => {
    const server = await answering((socket) => socket.write(http(200, goodBody.read)), '::1')
    const { error } = await tell(openClient(`http://${name}:${server.port}`), 'read')
    expect(error).toBeUndefined()
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toContain(`host: ${name}:${server.port}`)
  })

  it('localhost is 127.0.0.1 first', async () => {
    const server = await answering((socket) => socket.write(http(200, goodBody.read)))
    await callOf('read')(openClient(`http://localhost:${server.port}`))
    expect(server.requests).toHaveLength(1)
  })
})

/** What a server does with a request, and how svc must call it. */
const broken: readonly [string, (socket: Socket) => void, RegExp][] = [
  ['closes before the first byte', (socket) => socket.end(), /closed before the answer was complete/],
  ['resets before the first byte', (socket) => socket.resetAndDestroy(), /reset|closed before/],
  [
    'resets in the middle of the headers',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.resetAndDestroy()),
    /reset|closed before/,
  ],
  [
    'closes in the middle of the body',
    (socket) => socket.end(http(200, goodBody.read).subarray(0, -3)),
    /closed before the answer was complete/,
  ],
  [
    'resets in the middle of the body',
    (socket) => socket.write(http(200, goodBody.read).subarray(0, -3), () => socket.resetAndDestroy()),
    /reset|closed before/,
  ],
  [
    'cuts a chunk',
    (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nb\r\n{"da'),
    /closed before/,
  ],
  [
    'leaves out the last chunk',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\n{"data":[]}\r\n'),
    /closed before/,
  ],
  [
    'announces more bytes than it sends',
    (socket) => socket.end(http(200, goodBody.read, { 'content-length': '20' })),
    /shorter or longer|closed before/,
  ],
  [
    'announces fewer bytes than it sends',
    (socket) => socket.end(http(200, goodBody.read, { 'content-length': '5' })),
    /not valid JSON/,
  ],
  ['sends no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'), /not valid HTTP/],
  ['sends a lone 100', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), /nobody asked for/],
  [
    'switches protocols',
    (socket) => socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /bad upgrade|closed/,
  ],
  [
    'sends headers without end',
    (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`),
    /headers of the answer/,
  ],
  ['sends nothing as the body', (socket) => socket.end(http(200, '')), /the answer is empty/],
  ['sends JSON and more', (socket) => socket.end(http(200, `${goodBody.read}{"data":1}`)), /not valid JSON/],
  ['sends half of the JSON', (socket) => socket.end(http(200, '{"data":[')), /not valid JSON/],
  [
    'sends bytes that are no UTF-8',
    (socket) => socket.end(http(200, Buffer.from('7b2264617461223a5b22ff225d7d', 'hex'))),
    /not valid UTF-8/,
  ],
  [
    'compresses',
    (socket) => socket.end(http(200, gzipSync(goodBody.read), { 'content-encoding': 'gzip' })),
    /is encoded \(gzip\)/,
  ],
  [
    'nests 100,000 levels',
    (socket) => socket.end(http(200, `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    /nested more than 64 levels deep/,
  ],
  [
    'announces 300 MB',
    (socket) => socket.write(http(200, '{', { 'content-length': '314572800' })),
    /larger than 8 MiB/,
  ],
]

describe('bytes left and no clear answer came: ambiguous', () => {
  it.each(broken)('the service %s', async (_what, act, words) => {
    for (const retryClass of classes) {
      const server = await answering(act)
      const client = openClient(server.baseUrl)
      const { results, error } = await tell(client, retryClass)
      // What may be done once only is not done again; everything else is, three times.
      expect(server.requests).toHaveLength(retryClass === 'once' ? 1 : 4)
      for (const result of results)
        expect(result).toMatchObject({ kind: 'ambiguous', message: expect.stringMatching(words) as string })
      expect(error).toMatchObject({
        category: 'unavailable',
        exitCode: 7,
        details: { ambiguous: retryClass !== 'read' },
      })
      client.close()
      await server.close()
    }
  })

  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'

  it.each([
    ['an early hint', [hints]],
    ['several, in one piece with the answer', [`${hints}HTTP/1.1 102 Processing\r\n\r\n${hints}`]],
    ['one byte after the other', hints.split('')],
  ])('%s before the answer is no answer', async (_, pieces) => {
    const server = await answering((socket, request) => {
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece)
          if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve))
        }
        const retryClass = request.startsWith('GET') ? 'read' : 'repeatable'
        socket.write(http(200, goodBody[retryClass]))
      })()
    })
    const client = openClient(server.baseUrl)
    // On a connection that is used again, too.
    for (const retryClass of ['read', 'read', 'read'] as const) {
      const { results, error } = await tell(client, retryClass)
      expect(error).toBeUndefined()
      expect(results.map(({ kind }) => kind)).toEqual(['answered'])
    }
    expect(server.connections()).toBe(1)
  })

  it('what looks like one inside an answer stays', async () => {
    const body = JSON.stringify({ data: [], note: goOn })
    const server = await answering((socket) => {
      const answer = http(200, body)
      const at = answer.indexOf('HTTP/1.1 100')
      socket.write(answer.subarray(0, at))
      setTimeout(() => socket.write(answer.subarray(at)), 50)
    })
    const client = openClient(server.baseUrl)
    expect((await client.raw('GET', '/v1/employees', Buffer.alloc(0))).text).toBe(body)
  })

  it('100 Continue, which nobody asked for, is no answer: what became of the request is not known', async () => {
    const server = await answering((socket) =>
      socket.write(Buffer.concat([Buffer.from(goOn), http(200, goodBody.once)])),
    )
    const { error } = await tell(openClient(server.baseUrl, { retries: 0 }), 'once')
    expect(error).toMatchObject({ exitCode: 7, details: { ambiguous: true } })
    expect(error?.message).toContain('the service sent what nobody asked for (such as 100 Continue)')
  })

  it.each([
    ['100 Continue', goOn, /nobody asked for/],
    ['early hints', hints, /more than 64 kB of interim answers/],
  ])('8 MB of %s before a good answer are an error after 64 kB', async (_, piece, words) => {
    const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
    let left = 128
    let sentAt = 0
    const server = await answering((socket) => {
      const more = (): void => {
        while (left > 0 && !socket.destroyed) {
          left -= 1
          sentAt ||= performance.now()
          if (!socket.write(block)) return
        }
        if (!socket.destroyed) socket.write(http(200, goodBody.once))
      }
      socket.on('drain', more)
      more()
    })
    const { error } = await tell(openClient(server.baseUrl, { retries: 0 }), 'once')
    expect(error).toMatchObject({ exitCode: 7, details: { ambiguous: true } })
    expect(error?.message).toMatch(words)
    const ms = performance.now() - sentAt
    figure('milliseconds after 64 kB of interim answers', ms)
    expect(ms).toBeLessThan(patient(50))
  })

  it('a body that ends with the connection is complete when its JSON is', async () => {
    const server = await answering((socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${goodBody.read}`))
    expect((await tell(openClient(server.baseUrl), 'read')).error).toBeUndefined()
  })

  it('an endless answer is given up at 8 MiB, in little memory', async () => {
    let sent = 0
    const block = Buffer.alloc(256 * 1024, 'x')
    const server = await answering((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":"')
      const more = (): void => {
        // 300 MB, if anybody takes them.
        while (!socket.destroyed && sent < 300 * 1024 * 1024) {
          sent += block.length
          if (!socket.write(block)) break
        }
      }
      socket.on('drain', more)
      more()
    })
    const before = process.memoryUsage().rss
    const { error } = await tell(openClient(server.baseUrl, { retries: 0 }), 'read')
    expect(error?.message).toContain('larger than 8 MiB')
    expect(sent).toBeLessThan(40 * 1024 * 1024)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  })

  it('a body holds as much memory as it is long, however it comes', async () => {
    // 128 MB of chunks that have a byte each.
    const block = Buffer.from(`1;${'x'.repeat(64 * 1024)}\r\n \r\n`)
    let left = 2_000
    const server = await answering((socket) => {
      const more = (): void => {
        while (left > 0 && !socket.destroyed) {
          left -= 1
          if (!socket.write(block)) return
        }
        socket.end('0\r\n\r\n')
      }
      socket.on('drain', more)
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n{"data":[]\r\n')
      more()
    })
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5)
    const { error } = await tell(openClient(server.baseUrl, { retries: 0 }), 'read')
    clearInterval(timer)
    expect(error?.message).toContain('larger than 8 MiB')
    expect(most - before).toBeLessThan(32 * 1024 * 1024)
  })

  it('what is left over after an answer is never read as the next one', async () => {
    const forged = http(200, '{"data":[{"id":"666666666666666666666666"}]}')
    let first: Socket | undefined
    const server = await answering((socket, _request, n) => {
      if (n === 1) {
        first = socket
        // The announced length ends inside the JSON; what is left over comes when somebody asks again.
        socket.write(http(200, '{"data":[]', { 'content-length': '10' }))
      } else socket.write(socket === first ? forged : http(200, goodBody.read))
    })
    expect(await callOf('read')(openClient(server.baseUrl))).toEqual([])
    expect(server.requests).toHaveLength(2)
    expect(server.connections()).toBe(2)
  })
})

describe('deadlines', () => {
  interface Hanging {
    readonly server: Loopback
    readonly baseUrl: string
    readonly env?: Record<string, string>
  }

  const scenarios: readonly [string, () => Promise<Hanging>][] = [
    ['a service that never answers', () => direct(answering(never))],
    ['a service that never reads', () => direct(rawServer((socket) => socket.pause()))],
    ['a service that stops in its headers', () => direct(answering((socket) => socket.write('HTTP/1.1 200')))],
    [
      'a service that stops in its body',
      () => direct(answering((socket) => socket.write(http(200, 'x', { 'content-length': '9' })))),
    ],
    ['a service that drips its headers', () => direct(answering(drip('HTTP/1.1 200 OK\r\nx: ')))],
    [
      'a service that drips its body',
      () => direct(answering(drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'))),
    ],
    ['a TLS handshake that hangs', () => direct(rawServer(never), 'https')],
    ['a proxy that never answers CONNECT', () => proxied(never)],
    ['a proxy that drips its answer to CONNECT', () => proxied(drip('HTTP/1.1 200 OK\r\nx: '))],
    ['a proxy that opens the tunnel to nobody', () => proxied((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))],
    ['a proxy over TLS that hangs', () => proxied(never, 'https')],
  ]

  async function direct(starting: Promise<Loopback>, scheme = 'http'): Promise<Hanging> {
    const server = await starting
    return { server, baseUrl: `${scheme}://127.0.0.1:${server.port}` }
  }

  async function proxied(onSocket: (socket: Socket) => void, scheme = 'http'): Promise<Hanging> {
    const server = await rawServer(onSocket)
    const env = { HTTPS_PROXY: `${scheme}://127.0.0.1:${server.port}` }
    return { server, baseUrl: 'https://service.example', env }
  }

  /** Text, and then a byte every 5 ms forever. */
  function drip(text: string): (socket: Socket) => void {
    return (socket) => {
      socket.write(text)
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => {
        clearInterval(timer)
      })
    }
  }

  it.concurrent.for(scenarios)('%s: within 250 ms, and nothing is left open', async ([, start], { expect }) => {
    const timeout = 400
    const { server, baseUrl, env } = await start()
    const client = openClient(baseUrl, { timeout, retries: 0, ...(env === undefined ? {} : { env }) })
    const { ms, error } = await tell(client, 'once')
    expect(ms).toBeGreaterThanOrEqual(timeout - 5)
    figure('milliseconds after a deadline', ms - timeout)
    expect(ms).toBeLessThan(patient(timeout + 250))
    expect(error?.exitCode).toBe(7)
    const missing = baseUrl.startsWith('https:') ? 'connection' : 'complete answer'
    expect(error?.message).toMatch(new RegExp(`no ${missing}( through the proxy .*)? within 0.4 s`))
    // Only where bytes of the request left can the change have been made.
    expect(error?.details.ambiguous).toBe(!baseUrl.startsWith('https:'))
    expect(server.connections()).toBe(1)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('no connection within its own deadline, which is shorter than a long --timeout', async () => {
    const { port } = await rawServer(never)
    const { after, ...host } = realHost
    const waits: number[] = []
    const hurried: typeof after = (ms, callback) => {
      waits.push(ms)
      return after(ms / 50, callback)
    }
    const cases = [
      [{}, 'no connection within 10 s'],
      [{ HTTPS_PROXY: `http://127.0.0.1:${port}` }, 'no connection through the proxy (HTTPS_PROXY) within 10 s'],
    ] as const
    for (const [env, words] of cases) {
      const baseUrl = 'HTTPS_PROXY' in env ? 'https://service.example' : `https://127.0.0.1:${port}`
      const transport = new Transport(baseUrl, { ...host, env, after: hurried })
      const request = { method: 'GET', path: '/', headers: [], body: Buffer.alloc(0), rest: 0 }
      const { exchange } = await transport.exchange(request, 60_000, new AbortController().signal)
      expect(exchange).toMatchObject({ kind: 'failed', sent: false, error: { code: 'ETIMEDOUT', message: words } })
    }
    expect(waits).toEqual([10_000, 10_000])
  })

  it('a signal ends a read at once, and a change only when it is the second', async () => {
    const server = await answering(never)
    const client = openClient(server.baseUrl)
    const read = tell(client, 'read')
    const change = tell(client, 'once')
    await expect.poll(() => server.requests.length).toBe(2)
    client.stop.abort()
    expect((await read).error).toMatchObject({ category: 'interrupted', details: { ambiguous: false } })
    const waited = await Promise.race([change, new Promise((resolve) => setTimeout(resolve, 50, 'still waiting'))])
    expect(waited).toBe('still waiting')
    client.abort.abort()
    expect((await change).error).toMatchObject({
      category: 'interrupted',
      details: { ambiguous: true, request: { attempts: 1 } },
    })
  })

  it('a client that is closed sends nothing any more, not even a retry', async () => {
    const server = await answering(never)
    const client = openClient(server.baseUrl)
    const read = tell(client, 'read')
    await expect.poll(() => server.requests.length).toBe(1)
    client.close()
    expect((await read).error?.category).toBe('interrupted')
    expect((await tell(client, 'once')).error?.category).toBe('interrupted')
    expect(server.requests).toHaveLength(1)
    await expect.poll(() => server.open()).toBe(0)
  })
})

it('a world that brings a wire of its own: nothing is dialled, and its answers are tried as any others', async () => {
  const seen: string[] = []
  const openWire = (baseUrl: string): Wire => ({
    exchange({ method, path }) {
      seen.push(`${method} ${baseUrl}${path}`)
      const body = Buffer.from(goodBody.read)
      const exchange: Exchange =
        seen.length === 1
          ? { kind: 'failed', sent: true, error: new Error('lost') }
          : { kind: 'response', status: 200, headers: {}, body }
      return Promise.resolve({ exchange, release: () => undefined })
    },
    close: () => undefined,
  })
  const client = openClient('https://nowhere.invalid', { openWire })
  expect((await tell(client, 'read')).error).toBeUndefined()
  expect(seen).toHaveLength(2)
  expect(seen[0]).toMatch(/^GET https:\/\/nowhere\.invalid\/v1\//)
})
