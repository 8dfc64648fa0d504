/** TLS, and proxies that carry it. A process trusts the certificate of these tests from its start on. */
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { startSvc, type Ended } from '../../support/spawned.ts'
import {
  answering,
  envFor,
  goodBody,
  listen,
  openClient,
  rawServer,
  tell,
} from '../../support/loopback.ts'

const file = (name: string) =>
  fileURLToPath(new URL(`../../support/certificates/${name}`, import.meta.url))
/** Self-signed, made out to service.test, localhost, 127.0.0.1 and ::1. */
const certificate = {
  cert: readFileSync(file('certificate.pem')),
  key: readFileSync(file('key.pem')),
}

/** The service over TLS: answers every request with no employees. */
async function tlsService() {
  const requests: string[] = []
  const server = createHttpsServer(certificate, (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.setHeader('content-type', 'application/json')
    response.end(goodBody.read)
  })
  server.on('tlsClientError', () => undefined)
  const port = await listen(server)
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, requests }
}

/** A real little proxy: what is asked for as host:443 is connected to that port of this machine. */
async function proxyTo(port: number) {
  return answering((socket, request) => {
    const upstream = connect(port, '127.0.0.1', () => {
      socket.removeAllListeners('data')
      socket.write('HTTP/1.1 200 Connection established\r\nx-proxy: little\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    expect(request).toMatch(/^CONNECT [^ ]+:\d+ HTTP\/1\.1\r\n/)
  })
}

/** Node trusts the certificate. */
const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') }
/** A read, and the password of a proxy. */
const [list, password] = ['employees list --json', 'pr0xy/p@ss']

/** Runs a command, which ends by itself however long its connections would live. */
const run = (line: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
  startSvc(line, { env: { ...envFor(''), HOME: '/nowhere', ...env } }).ended

describe('a certificate that nobody vouches for', () => {
  it('is refused before anything is sent, and not tried again', async () => {
    const service = await tlsService()
    const { error, results } = await tell(openClient(`https://127.0.0.1:${service.port}`), 'read')
    expect(results).toMatchObject([{ failure: 'certificate', message: 'self-signed certificate' }])
    expect(error?.exitCode).toBe(1)
    expect(service.requests).toEqual([])
  })

  it('cannot be let through with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const service = await tlsService()
    const SVC_BASE_URL = `https://127.0.0.1:${service.port}`
    const { code } = await run(list, { SVC_BASE_URL, NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(code).toBe(1)
    expect(service.requests).toEqual([])
  })
})

it('a certificate of NODE_EXTRA_CA_CERTS is accepted for its names alone, with and without proxies, whose passwords are shown nowhere', async () => {
  const service = await tlsService()
  const proxy = await proxyTo(service.port)
  // A proxy that is itself reached over TLS.
  const outer = createTlsServer(certificate, (socket) => {
    const inner = connect(proxy.port, '127.0.0.1')
    socket.pipe(inner).pipe(socket)
    for (const one of [socket, inner]) one.on('error', () => undefined)
  })
  const port = await listen(outer)
  afterAll(() => outer.close())
  const none = { HTTPS_PROXY: 'http://127.0.0.1:1' }
  const by = `http://user:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`
  const results: Ended[] = []
  for (const [line, env] of [
    [list, { ...none, SVC_BASE_URL: `https://127.0.0.1:${service.port}` }],
    [`${list} -v`, { https_proxy: by, SVC_BASE_URL: 'https://service.test' }],
    [list, { HTTPS_PROXY: `https://localhost:${port}`, SVC_BASE_URL: 'https://service.test' }],
    [list, { https_proxy: by, SVC_BASE_URL: 'https://other.test' }],
  ] as const)
    results.push(await run(line, { ...trusting, ...env }))
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 1])
  expect(results.slice(0, 3).map(({ stdout }) => stdout)).toEqual(Array(3).fill('[]\n'))
  expect(service.requests).toEqual(Array(3).fill('GET /v1/employees'))
  expect(results[3]?.stderr).toContain('other.test: Hostname/IP does not match')
  const basic = Buffer.from(`user:${password}`).toString('base64')
  // What a proxy hears: where to, and the password where the environment has one.
  const heard = proxy.requests.map((request) => [
    /^CONNECT (\S+)/.exec(request)?.[1],
    /^proxy-authorization: (.*)$/im.exec(request)?.[1],
  ])
  expect(heard).toEqual([
    ['service.test:443', `Basic ${basic}`],
    ['service.test:443', undefined],
    ['other.test:443', `Basic ${basic}`],
  ])
  const shown = results.map(({ stderr }) => stderr).join('\n')
  for (const form of [password, encodeURIComponent(password), basic])
    expect(shown).not.toContain(form)
  expect(shown).toMatch(/^GET \/v1\/employees 200 /m)
})

it('a process ends when it gave up on a service that never answers', async () => {
  const { baseUrl } = await rawServer((socket) => socket.resume())
  const { code } = await run('employees list --timeout 300ms --wait 0s', { SVC_BASE_URL: baseUrl })
  expect(code).toBe(7)
})
