import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Host } from '../../src/host.ts'
import { UndiciTransport } from '../../src/http/transport.ts'
import { startSvc } from '../support/spawned.ts'
import {
  answering,
  closedPort,
  envFor,
  goodBody,
  http,
  ids,
  openClient,
  tell,
} from '../support/loopback.ts'
import { realHost } from '../support/real-host.ts'

const never = (): void => undefined
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
const mebibyte = 1024 * 1024

it('a request to an address where nobody listens was never sent', async () => {
  const client = openClient(`http://127.0.0.1:${await closedPort()}`)
  const { error, results } = await tell(client, 'once')
  expect(new Set(results.map(({ end }) => end))).toEqual(new Set(['not-sent']))
  const message = expect.stringMatching(/^127\.0\.0\.1:\d+: connection refused$/) as string
  expect(error).toMatchObject({ message, details: { isUnanswered: false } })
})

it.each([
  ['[::1]', '::1'],
  ['localhost', '127.0.0.1'],
])('a service on %s is reached where this machine listens on %s', async (name, host) => {
  const server = await answering((socket) => socket.write(http(200, goodBody.read)), host)
  const { error } = await tell(openClient(`http://${name}:${server.port}`), 'read')
  expect(error).toBeUndefined()
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]).toContain(`host: ${name}:${server.port}`)
})

type Act = (socket: Socket) => void
const ends =
  (bytes: Buffer | string): Act =>
  (socket) =>
    void socket.end(bytes)
const writes =
  (bytes: Buffer | string): Act =>
  (socket) =>
    void socket.write(bytes)
const ten = 'content-length: 10'
const headed = (headers: string) => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n{"data":[]}`
const upgrade = 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
const endless = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`
const tooShort = http(200, goodBody.read, { 'content-length': '5' })

/** What a server does, and what svc must say; `faults/cut.test.ts` cuts answers anywhere. */
type Broken = readonly [string, Act, RegExp]
const odd = (status: string) => writes(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`)
const foldedHeader: Broken = ['folds a header', writes(headed('x: a\r\n b')), /not valid HTTP/]
const broken: readonly Broken[] = [
  ['closes before the first byte', ends(''), /closed before the answer was complete/],
  ['resets before the first byte', (socket) => socket.resetAndDestroy(), /reset|closed before/],
  ['announces fewer bytes than it sends', ends(tooShort), /not JSON|closed before/],
  ['sends no HTTP', ends('SSH-2.0-OpenSSH_9\r\n'), /not valid HTTP/],
  ['switches protocols', ends(upgrade), /not valid HTTP/],
  foldedHeader,
  ['ends a line without CR', writes(headed('x: a\ny: b')), /not valid HTTP/],
  ['has a blank in the name of a header', writes(headed('x y: a')), /not valid HTTP/],
  ['gives two lengths', writes(headed(`${ten}\r\n${ten}`)), /does not match content-length/],
  ['malforms what follows', writes(headed(`${ten}\r\nx y: a`)), /does not match content-length/],
  ['sends headers without end', ends(endless), /not valid HTTP/],
  ...'000 001 099 102 199 1000'
    .split(' ')
    .map((status): Broken => [`has the status ${status}`, odd(status), /not valid HTTP/]),
]

describe('bytes left and no clear answer came: no-answer', () => {
  it.each(broken)('the service %s', async (_what, act, words) => {
    const server = await answering(act)
    const { results, error } = await tell(openClient(server.baseUrl), 'once')
    expect(server.requests).toHaveLength(1)
    const message = expect.stringMatching(words) as string
    expect(results).toMatchObject([{ end: 'no-answer', message }])
    expect(error).toMatchObject({ details: { isUnanswered: true } })
  })

  it('the same words are in the built program', async () => {
    const [, act, words] = foldedHeader
    const env = { ...envFor((await answering(act)).baseUrl), HOME: '/nowhere' }
    expect((await startSvc('employees list --wait 0s', { env }).ended).stderr).toMatch(words)
  })

  it('a body of 300 MB is given up after 8 MiB, in little memory', async () => {
    const block = Buffer.alloc(65_536, 'x')
    let sent = 0
    const server = await answering((socket) => {
      const more = (): void => {
        while (!socket.destroyed && sent < 300 * mebibyte) {
          sent += block.length
          if (!socket.write(block)) return
        }
      }
      socket.on('drain', more)
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"data":"')
      more()
    })
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5)
    const { error, results } = await tell(openClient(server.baseUrl), 'once')
    clearInterval(timer)
    expect(results).toMatchObject([{ end: 'no-answer' }])
    expect(error?.message).toContain('the answer is larger than 8 MiB')
    expect(sent).toBeLessThan(40 * mebibyte)
    expect(most - before).toBeLessThan(32 * mebibyte)
  })
})

it.each([
  ['an early hint', [hints]],
  ['a hint of one byte after the other', hints.split('')],
])('%s before the answer is not taken for the answer', async (_, pieces) => {
  const server = await answering((socket) => {
    void (async () => {
      for (const piece of pieces) {
        socket.write(piece)
        if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve))
      }
      socket.write(http(200, goodBody.read))
    })()
  })
  const client = openClient(server.baseUrl)
  // More than once: what is left of a hint could be taken for the next answer.
  for (let n = 1; n <= 3; n += 1)
    expect((await tell(client, 'read')).results).toMatchObject([{ end: 'answered' }])
  expect(server.connections()).toBe(1)
})

it('each request that is not harmless has a connection of its own, which is closed behind it', async () => {
  const used = new Map<Socket, number>()
  const sent: { connection: number | undefined; header: string | undefined }[] = []
  const server = await answering((socket, request) => {
    // By their order from 1.
    if (!used.has(socket)) used.set(socket, used.size + 1)
    const [, header] = /^connection: (.*)$/im.exec(request) ?? []
    sent.push({ connection: used.get(socket), header })
    const data = { ticketId: ids.one, newAssigneeId: ids.two }
    const isAssign = request.startsWith('PATCH')
    const body = goodBody[request.startsWith('GET') ? 'read' : 'once']
    socket.write(http(200, isAssign ? JSON.stringify({ data }) : body))
  })
  const client = openClient(server.baseUrl)
  // A read before, so that an idle connection is there to be taken.
  for (const retryClass of ['read', 'once', 'read', 'once', 'read'] as const)
    expect((await tell(client, retryClass)).error).toBeUndefined()
  const assign = { ids: { ticketId: ids.one }, body: { newAssigneeId: ids.two } }
  await client.call('tickets.assign', assign)
  const alive = { connection: 1, header: 'keep-alive' }
  const closed = (connection: number) => ({ connection, header: 'close' })
  expect(sent).toEqual([alive, closed(2), alive, closed(3), alive, closed(4)])
  await expect.poll(() => server.open()).toBe(1)
})

describe('deadlines', () => {
  /** Sends a request with a --timeout of a minute, on a host whose timers are these. */
  function sendWith(baseUrl: string, after: Host['after'], canLeave?: () => boolean) {
    const transport = new UndiciTransport(baseUrl, { ...realHost, env: {}, after }, 60_000)
    const what = { method: 'GET', path: '/', headers: {}, body: Buffer.alloc(0) }
    const { signal } = new AbortController()
    return transport.send({ ...what, needsNewConnection: false, canLeave }, signal)
  }

  it('the time that connecting took counts: both deadlines begin with the attempt', async () => {
    const server = await answering(never)
    const deadlines: [ms: number, end: () => void][] = []
    const sending = sendWith(server.baseUrl, (...deadline) => {
      deadlines.push([deadline[0], deadline[1]])
      return { cancel: () => undefined }
    })
    await expect.poll(() => server.requests.length).toBe(1)
    expect(deadlines.map(([ms]) => ms)).toEqual([20_000, 60_000])
    for (const [, end] of deadlines) end()
    const message = expect.stringContaining('no complete answer within') as string
    expect(await sending).toMatchObject({ kind: 'failed', sent: true, error: { message } })
  })

  it('a request whose deadline is over when its connection opens never leaves', async () => {
    const server = await answering(never)
    // The deadline is over at once, before the system can open a connection.
    const sending = sendWith(server.baseUrl, (_, callback) => {
      queueMicrotask(callback)
      return { cancel: () => undefined }
    })
    expect(await sending).toMatchObject({ kind: 'failed', sent: false })
    await expect.poll(() => server.connections()).toBe(1)
    await expect.poll(() => server.open()).toBe(0)
    expect(server.requests).toEqual([])
  })

  it('a request that may not leave when its connection opens was not sent', async () => {
    const server = await answering(never)
    const sending = sendWith(server.baseUrl, realHost.after, () => false)
    expect(await sending).toMatchObject({ kind: 'failed', sent: false })
    await expect.poll(() => server.open()).toBe(0)
    expect(server.requests).toEqual([])
  })

  it('an answer that arrived during a suspension counts, although the deadline is over', async () => {
    const deadlines: (() => void)[] = []
    const server = await answering((socket) =>
      socket.write(http(200, goodBody.read), () => {
        setTimeout(() => deadlines.forEach((end) => end()), 1)
        // The process stands still until the timer is due. Timers come before sockets.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      }),
    )
    const exchange = await sendWith(server.baseUrl, (_, callback) => {
      deadlines.push(callback)
      return { cancel: () => undefined }
    })
    expect(exchange).toMatchObject({ kind: 'response', status: 200 })
  })

  it('the first signal ends a read at once, and the second one a change', async () => {
    const server = await answering(never)
    const client = openClient(server.baseUrl)
    const read = tell(client, 'read')
    const change = tell(client, 'once')
    await expect.poll(() => server.requests.length).toBe(2)
    client.stop.abort()
    const interrupted = { category: 'interrupted' }
    expect((await read).error).toMatchObject({ ...interrupted, details: { isUnanswered: false } })
    for (let turns = 1; turns <= 10; turns += 1) await realHost.tick()
    expect(await Promise.race([change, Promise.resolve('pending')])).toBe('pending')
    client.abort.abort()
    expect((await change).error).toMatchObject({ ...interrupted, details: { isUnanswered: true } })
  })
})
