/** Deadlines by the real clock: of an attempt, of connecting, of a secret command. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { secretOf } from '../../../src/config/secret.ts'
import { ownFolder } from '../../support/ending.ts'
import { answering, envFor, http, openClient, rawServer, tell } from '../../support/loopback.ts'
import { realHost } from '../../support/real-host.ts'
import { startSvc } from '../../support/spawned.ts'

/** A busy machine takes longer than a deadline, and a hang longer than this. */
const busy = { timeout: 10_000 }

/** Text, and then a byte every 5 ms forever. */
const drip =
  (text: string) =>
  (socket: Socket): void => {
    socket.write(text)
    const timer = setInterval(() => socket.write('x'), 5)
    socket.on('close', () => clearInterval(timer))
  }
const never = (): void => undefined
const stop = (socket: Socket): void => void socket.write(http(200, 'x', { 'content-length': '9' }))
const headers = 'HTTP/1.1 200 OK\r\nx: '
const body = 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n'

/** What a server does, and the scheme of the service, or of a proxy in front of one. */
const scenarios = [
  ['a service that never answers', answering, never, 'http'],
  ['a service that never reads', rawServer, (socket: Socket) => void socket.pause(), 'http'],
  ['a service that stops in its body', answering, stop, 'http'],
  ['a service that drips its headers', answering, drip(headers), 'http'],
  ['a service that drips its body', answering, drip(body), 'http'],
  ['a TLS handshake that hangs', rawServer, never, 'https'],
  ['a proxy that drips its answer', rawServer, drip(headers), 'http proxy'],
  ['a proxy over TLS that hangs', rawServer, never, 'https proxy'],
] as const

it.concurrent.for(scenarios)('%s ends, and leaves nothing open', busy, async (row, { expect }) => {
  const [, start, act, way] = row
  const server = await start(act)
  const [scheme, isProxy] = way.split(' ')
  const url = `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${server.port}`
  const env: Record<string, string> = isProxy ? { HTTPS_PROXY: url } : {}
  const client = openClient(isProxy ? 'https://service.example' : url, {
    timeout: 900,
    wait: 0,
    env,
  })
  const started = performance.now()
  const { error } = await tell(client, 'once')
  const took = performance.now() - started
  // Connecting has a third of the time. Without a connection, the change was not made.
  const isUnanswered = way === 'http'
  expect(took).toBeGreaterThanOrEqual((isUnanswered ? 900 : 300) - 5)
  const missing = isUnanswered ? 'complete answer within 900 ms' : 'connection within 300 ms'
  expect(error?.message).toMatch(new RegExp(`no ${missing}.*--timeout`))
  expect(error).toMatchObject({ exitCode: 7, details: { isUnanswered } })
  expect(server.connections()).toBe(1)
  await expect.poll(() => server.open()).toBe(0)
})

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
])('a secret command that %s is not waited for', busy, async (_, script) => {
  const folder = ownFolder('secret')
  const [path, pid] = [join(folder, 'tool'), join(folder, 'pid')]
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  writeFileSync(pid, '')
  const secret = secretOf(realHost, { secretCommand: [path, pid] }, join(folder, 'config'), 1500)
  await expect(secret.read()).rejects.toThrow('took more than 1.5 s')
  const left = Number(readFileSync(pid, 'utf8'))
  if (left > 0) process.kill(left, 'SIGKILL')
})
