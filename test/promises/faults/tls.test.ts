import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it } from 'vitest'
import { atEnd } from '../../support/ending.ts'
import { answering, certificate, certificatePath, envFor } from '../../support/loopback.ts'
import { goodBody, listen } from '../../support/loopback.ts'
import { startSvc } from '../../support/spawned.ts'
import { table } from '../../support/table.ts'

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

const outer = createTlsServer(certificate, (socket) => {
  const inner = connect(proxy.port, '127.0.0.1')
  socket.pipe(inner).pipe(socket)
  for (const one of [socket, inner]) one.on('error', () => undefined)
})
const HTTPS_PROXY = `https://localhost:${await listen(outer)}`
atEnd(() => outer.close())

const password = 'pr0xy/p@ss'
const encoded = encodeURIComponent(password)
const basic = Buffer.from(`user:${password}`).toString('base64')
const variables: Readonly<Record<string, Record<string, string>>> = {
  direct: { SVC_BASE_URL: `https://127.0.0.1:${port}` },
  named: { SVC_BASE_URL: 'https://service.test' },
  other: { SVC_BASE_URL: 'https://other.test' },
  trusting: { NODE_EXTRA_CA_CERTS: certificatePath },
  unchecked: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  proxy: { https_proxy: `http://user:${encoded}@127.0.0.1:${proxy.port}` },
  'TLS-proxy': { HTTPS_PROXY },
}

/** Variables, what is said, and the host and the user that the proxy learns. */
it.each(
  table(`
  nobody vouches for: refused                  | direct               | self-signed certificate |
  nobody vouches for, without a check: refused | direct unchecked     | self-signed certificate |
  is trusted: accepted                         | direct trusting      | /v1/employees: 200, |
  is trusted, through a proxy: accepted        | named trusting proxy | /v1/employees: 200, | service.test:443 user
  is trusted, through a TLS proxy: accepted    | named trusting TLS-proxy | /v1/employees: 200, | service.test:443
  is trusted for another name: refused         | other trusting proxy | other.test: Hostname/IP does not match | other.test:443 user`),
)('a certificate that %s', async (title, names = '', words = '', learned = '') => {
  requests.length = 0
  proxy.requests.length = 0
  const env = Object.assign({}, ...names.split(' ').map((name) => variables[name])) as object
  // A process trusts more certificates only from its start on.
  const all = { ...envFor(''), HOME: '/nowhere', ...env }
  const { code, stdout, stderr } = await startSvc('employees list --json -v', { env: all }).ended
  const isAccepted = title?.endsWith('accepted')
  const expected = isAccepted ? [0, '[]\n', ['GET /v1/employees']] : [1, '', []]
  expect([code, stdout, requests]).toEqual(expected)
  expect(stderr).toContain(words)
  for (const form of [password, encoded, basic]) expect(stderr).not.toContain(form)
  const tunnels = proxy.requests.map((request) => {
    const [, host] = /^CONNECT (\S+) HTTP\/1.1\r\n/.exec(request) ?? []
    const isUser = request.includes(`\r\nproxy-authorization: Basic ${basic}\r\n`)
    return `${host}${isUser ? ' user' : ''}`
  })
  expect(tunnels.join()).toBe(learned)
})
