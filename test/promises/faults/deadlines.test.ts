/**
 * Deadlines by the real clock: of an attempt, of connecting, of a secret command. If red, a wait
 * has no end, or leaves something open.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { secretOf } from '../../../src/config/secret.ts'
import { ownFolder } from '../../support/ending.ts'
import { answering, envFor, http, openClient, rawServer, tell } from '../../support/loopback.ts'
import { realHost } from '../../support/real-host.ts'
import { startSvc } from '../../support/spawned.ts'

/** Milliseconds of a promise. A busy machine takes longer, and a hang longer than that. */
async function timed<T>(work: Promise<T>) {
  const started = performance.now()
  const result = await work
  return { ms: performance.now() - started, result }
}
const busyMs = 8000

/** Text, and then a byte every 5 ms forever. */
const drip = (text: string) => (socket: Socket) => {
  socket.write(text)
  const timer = setInterval(() => socket.write('x'), 5)
  socket.on('close', () => clearInterval(timer))
}
const never = (): void => undefined
const half = http(200, 'x', { 'content-length': '9' })

/** What a server does, and the scheme of the service, or of a proxy in front of one. */
const scenarios = [
  ['a service that never answers', answering, never, 'http'],
  ['a service that never reads', rawServer, (socket: Socket) => void socket.pause(), 'http'],
  [
    'a service that stops in its body',
    answering,
    (socket: Socket) => void socket.write(half),
    'http',
  ],
  ['a service that drips its headers', answering, drip('HTTP/1.1 200 OK\r\nx: '), 'http'],
  [
    'a service that drips its body',
    answering,
    drip(`HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n`),
    'http',
  ],
  ['a TLS handshake that hangs', rawServer, never, 'https'],
  ['a proxy that drips its answer', rawServer, drip('HTTP/1.1 200 OK\r\nx: '), 'http proxy'],
  [
    'a tunnel to nobody',
    rawServer,
    (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    'http proxy',
  ],
  ['a proxy over TLS that hangs', rawServer, never, 'https proxy'],
] as const

it.concurrent.for(scenarios)(
  '%s ends within 250 ms of its deadline, and leaves nothing open',
  async ([, start, act, way], { expect }) => {
    const timeout = 900
    const server = await start(act)
    const isConnecting = way !== 'http'
    const [scheme, isProxy] = way.split(' ')
    const HTTPS_PROXY = `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${server.port}`
    const client = isProxy
      ? openClient('https://service.example', { timeout, wait: 0, env: { HTTPS_PROXY } })
      : openClient(`${way}://127.0.0.1:${server.port}`, { timeout, wait: 0 })
    const { ms, result } = await timed(tell(client, 'once'))
    // Connecting has a third of the time.
    const deadline = isConnecting ? timeout / 3 : timeout
    expect(ms).toBeGreaterThanOrEqual(deadline - 5)
    expect(ms).toBeLessThan(deadline + 250 + busyMs)
    const missing = isConnecting ? 'connection' : 'complete answer'
    expect(result.error?.message).toMatch(
      new RegExp(`no ${missing} within ${deadline} ms.*--timeout`),
    )
    // Without a connection, no byte of the request left, so the change cannot have been made.
    expect(result.error).toMatchObject({ exitCode: 7, details: { isUnanswered: !isConnecting } })
    expect(server.connections()).toBe(1)
    await expect.poll(() => server.open()).toBe(0)
  },
)

it('the built program ends when a deadline is over, although the connection would live on', async () => {
  const { baseUrl } = await rawServer((socket) => socket.resume())
  const env = { ...envFor(baseUrl), HOME: '/nowhere' }
  const { code } = await startSvc('employees list --timeout 300ms --wait 0s', { env }).ended
  expect(code).toBe(7)
})

it.each([
  ['hangs', 'sleep 20'],
  // With job control, a program in the background has a group of its own.
  ['hangs, beside another that holds its output', 'set -m; sleep 600 & echo $! > "$1"; sleep 20'],
])('a secret command that %s is not waited for', async (_, body) => {
  const folder = ownFolder('secret')
  const [path, pid] = [join(folder, 'tool'), join(folder, 'pid')]
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  writeFileSync(pid, '')
  const secret = secretOf(realHost, { secretCommand: [path, pid] }, join(folder, 'config'), 1500)
  const { ms, result } = await timed(secret.read().catch((error: unknown) => error))
  expect(result).toMatchObject({
    message: expect.stringContaining('took more than 1.5 s') as string,
  })
  expect(ms).toBeLessThan(1500 + busyMs)
  const left = Number(readFileSync(pid, 'utf8'))
  if (left > 0) process.kill(left, 'SIGKILL')
})
