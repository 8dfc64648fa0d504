/** TLS, and proxies that carry it. */
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { atEnd } from '../../support/ending.ts'
import { answering, envFor, goodBody, listen } from '../../support/loopback.ts'
import { startSvc } from '../../support/spawned.ts'

const file = (name: string) =>
  fileURLToPath(new URL(`../../support/certificates/${name}`, import.meta.url))
/** Self-signed, made out to service.test, localhost, 127.0.0.1 and ::1. */
const certificate = {
  cert: readFileSync(file('certificate.pem')),
  key: readFileSync(file('key.pem')),
}

/** The service over TLS: answers every request with no employees. */
const requests: string[] = []
const service = createHttpsServer(certificate, ({ method, url }, response) => {
  requests.push(`${method} ${url}`)
  response.setHeader('content-type', 'application/json')
  response.end(goodBody.read)
})
service.on('tlsClientError', () => undefined)
const port = await listen(service)
atEnd(() => service.close().closeAllConnections())

/** A proxy that opens every tunnel to it. */
const proxy = await answering((socket) => {
  const upstream = connect(port, '127.0.0.1', () => {
    socket.removeAllListeners('data')
    socket.write('HTTP/1.1 200 Connection established\r\nx-proxy: little\r\n\r\n')
    socket.pipe(upstream).pipe(socket)
  })
  upstream.on('error', () => socket.destroy())
  socket.on('close', () => upstream.destroy())
})

/** The proxy over TLS. */
const outer = createTlsServer(certificate, (socket) => {
  const inner = connect(proxy.port, '127.0.0.1')
  socket.pipe(inner).pipe(socket)
  for (const one of [socket, inner]) one.on('error', () => undefined)
})
const HTTPS_PROXY = `https://localhost:${await listen(outer)}`
atEnd(() => outer.close())

const direct = { SVC_BASE_URL: `https://127.0.0.1:${port}` }
const named = { SVC_BASE_URL: 'https://service.test' }
const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') }
const password = 'pr0xy/p@ss'
const encoded = encodeURIComponent(password)
const basic = Buffer.from(`user:${password}`).toString('base64')
const trustingProxy = { ...trusting, https_proxy: `http://user:${encoded}@127.0.0.1:${proxy.port}` }
const other = { ...trustingProxy, SVC_BASE_URL: 'https://other.test' }
const isUntrusted = /self-signed certificate/
const isRead = /^GET \/v1\/employees: 200, /m

/** What is said, and the host and the password that the proxy learns. */
it.each<[string, Record<string, string>, RegExp, string[][]]>([
  ['nobody vouches for: refused', direct, isUntrusted, []],
  [
    'nobody vouches for, with NODE_TLS_REJECT_UNAUTHORIZED=0: refused',
    { ...direct, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    isUntrusted,
    [],
  ],
  ['NODE_EXTRA_CA_CERTS names: accepted', { ...direct, ...trusting }, isRead, []],
  [
    'it names, through a proxy: accepted',
    { ...named, ...trustingProxy },
    isRead,
    [['service.test:443', `Basic ${basic}`]],
  ],
  [
    'it names, through a proxy over TLS: accepted',
    { ...named, ...trusting, HTTPS_PROXY },
    isRead,
    [['service.test:443', '']],
  ],
  [
    'it names, for another name: refused',
    other,
    /other\.test: Hostname\/IP does not match/,
    [['other.test:443', `Basic ${basic}`]],
  ],
])('a certificate that %s', async (_, env, words, tunnels) => {
  requests.length = 0
  proxy.requests.length = 0
  // A process trusts more certificates only from its start on.
  const all = { ...envFor(''), HOME: '/nowhere', ...env }
  const { code, stdout, stderr } = await startSvc('employees list --json -v', { env: all }).ended
  const isAccepted = words === isRead
  const expected = isAccepted ? [0, '[]\n', ['GET /v1/employees']] : [1, '', []]
  expect([code, stdout, requests]).toEqual(expected)
  expect(stderr).toMatch(words)
  for (const form of [password, encoded, basic]) expect(stderr).not.toContain(form)
  const learned = proxy.requests.map((request) => [
    /^CONNECT (\S+) HTTP\/1.1\r\n/.exec(request)?.[1],
    /^proxy-authorization: (.*)$/im.exec(request)?.[1] ?? '',
  ])
  expect(learned).toEqual(tunnels)
})
