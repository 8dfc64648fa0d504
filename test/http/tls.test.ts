import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { answering, goodBody, http, listen, openClient, rawServer, tell, type Loopback } from './loopback.ts'
import { buildProgram } from './process.ts'
import { patient } from '../figures/figure.ts'

const file = (name: string): string => fileURLToPath(new URL(`certificates/${name}`, import.meta.url))
/** Self-signed, made out to service.test, localhost, 127.0.0.1 and ::1. */
const certificate = { cert: readFileSync(file('certificate.pem')), key: readFileSync(file('key.pem')) }
const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') }
const run = buildProgram()

interface TlsService {
  readonly port: number
  readonly requests: string[]
}

/** The service over TLS: answers every request with no employees. */
async function tlsService(host = '127.0.0.1'): Promise<TlsService> {
  const requests: string[] = []
  const server = createHttpsServer(certificate, (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.setHeader('content-type', 'application/json')
    response.end(goodBody.read)
  })
  server.on('tlsClientError', () => undefined)
  const port = await listen(server, host)
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, requests }
}

/** A real little proxy: what is asked for as host:443 is connected to that port of this machine. */
async function proxyTo(port: number): Promise<Loopback> {
  return answering((socket, request, _n) => {
    const upstream = connect(port, '127.0.0.1', () => {
      socket.removeAllListeners('data')
      socket.write('HTTP/1.1 200 Connection established\r\nx-proxy: little\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    expect(request).toMatch(/^CONNECT [^ ]+:\d+ HTTP\/1\.1\r\nHost: /)
  })
}

describe('a certificate that nobody vouches for', () => {
  it('is refused before anything is sent, and not tried again', async () => {
    const service = await tlsService()
    const { error, results } = await tell(openClient(`https://127.0.0.1:${service.port}`), 'read')
    expect(results).toMatchObject([{ kind: 'never-sent', systemCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }])
    expect(error?.exitCode).toBe(7)
    expect(error?.message).toMatch(/^the certificate of 127\.0\.0\.1:\d+ was not accepted: self-signed certificate$/)
    expect(error?.details.hint).toContain('NODE_EXTRA_CA_CERTS')
    expect(service.requests).toEqual([])
  })

  it('cannot be let through with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const service = await tlsService()
    const ended = await run('employees list', {
      SVC_BASE_URL: `https://127.0.0.1:${service.port}`,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off')
    expect(service.requests).toEqual([])
  })

  it.each(['127.0.0.1', 'localhost'])(
    'is accepted for %s with NODE_EXTRA_CA_CERTS, past a proxy that is not asked',
    async (host) => {
      const service = await tlsService()
      const ended = await run('employees list --json', {
        ...trusting,
        SVC_BASE_URL: `https://${host}:${service.port}`,
        HTTPS_PROXY: 'http://127.0.0.1:1',
      })
      expect(ended).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
      expect(service.requests).toEqual(['GET /v1/employees'])
      expect(ended.lingered).toBeLessThan(patient(1000))
    },
  )

  it('and on IPv6 loopback', async () => {
    const service = await tlsService('::1')
    const ended = await run('employees list --json', { ...trusting, SVC_BASE_URL: `https://[::1]:${service.port}` })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['other.test', '[2001:db8::1]'])('is no more accepted for %s, and that is said at once', async (host) => {
    const service = await tlsService()
    const proxy = await proxyTo(service.port)
    const ended = await run('employees list', {
      ...trusting,
      SVC_BASE_URL: `https://${host}`,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    })
    expect(ended.code).toBe(7)
    expect(ended.stderr).toContain(`the certificate of ${host} was not accepted: `)
    expect(proxy.requests).toHaveLength(1)
    expect(service.requests).toEqual([])
  })
})

describe('something else than TLS', () => {
  it('is not tried again, and not called a certificate', async () => {
    const plain = await rawServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')))
    const { error, results } = await tell(openClient(`https://127.0.0.1:${plain.port}`), 'read')
    expect(results).toMatchObject([{ kind: 'never-sent' }])
    expect(error?.message).toBe(`127.0.0.1:${plain.port} does not speak TLS`)
    expect(error?.details.hint).toBe(`did you mean http://127.0.0.1:${plain.port}?`)
  })

  it('a connection that is cut during the handshake is tried again', async () => {
    const cut = await rawServer((socket) => socket.once('data', () => socket.destroy()))
    const { results } = await tell(openClient(`https://127.0.0.1:${cut.port}`), 'once')
    expect(results.map(({ kind }) => kind)).toEqual(Array(4).fill('never-sent'))
    expect(cut.connections()).toBe(4)
  })
})

describe('a proxy', () => {
  it('carries TLS from end to end; its password is sent to it and shown nowhere', async () => {
    const service = await tlsService()
    const proxy = await proxyTo(service.port)
    const password = 'pr0xy/p@ss'
    const ended = await run('employees list --json -vv', {
      ...trusting,
      SVC_BASE_URL: 'https://service.test',
      https_proxy: `http://user:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`,
    })
    expect(ended).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(service.requests).toEqual(['GET /v1/employees'])
    const basic = Buffer.from(`user:${password}`).toString('base64')
    expect(proxy.requests).toEqual([
      `CONNECT service.test:443 HTTP/1.1\r\nHost: service.test:443\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
    ])
    for (const form of [password, encodeURIComponent(password), basic]) expect(ended.stderr).not.toContain(form)
    expect(ended.stderr).toMatch(/"method":"GET","path":"\/v1\/employees.*"httpStatus":200/)
    expect(ended.lingered).toBeLessThan(patient(1000))
  })

  it('may itself be reached over TLS', async () => {
    const service = await tlsService()
    const tunnel = await proxyTo(service.port)
    const outer = createTlsServer(certificate, (socket) => {
      const inner = connect(tunnel.port, '127.0.0.1')
      socket.pipe(inner).pipe(socket)
      for (const one of [socket, inner]) one.on('error', () => undefined)
    })
    const port = await listen(outer)
    afterAll(() => outer.close())
    const ended = await run('employees list --json', {
      ...trusting,
      SVC_BASE_URL: 'https://service.test',
      HTTPS_PROXY: `https://localhost:${port}`,
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(service.requests).toHaveLength(1)
  })

  const refusals: readonly [string, (socket: Socket) => void, number, RegExp][] = [
    [
      '407',
      (socket) => socket.end('HTTP/1.1 407 No\r\nproxy-authenticate: Basic\r\n\r\n'),
      1,
      /answered 407 to CONNECT, it requires a user name and a password/,
    ],
    ['403', (socket) => socket.end('HTTP/1.1 403 No\r\n\r\n<html>'), 1, /answered 403 to CONNECT/],
    [
      '302',
      (socket) => socket.end('HTTP/1.1 302 Go\r\nlocation: http://evil.example\r\n\r\n'),
      1,
      /answered 302 to CONNECT/,
    ],
    ['502', (socket) => socket.end('HTTP/1.1 502 Bad\r\n\r\n'), 4, /answered 502 to CONNECT/],
    [
      '503, slowly',
      (socket) => setTimeout(() => socket.end('HTTP/1.0 503 Busy\r\n\r\n'), 20),
      4,
      /answered 503 to CONNECT/,
    ],
    ['something that is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n\r\n'), 1, /not HTTP/],
    [
      'a head without end',
      (socket) => socket.write('HTTP/1.1 200 OK\r\n' + 'x: y\r\n'.repeat(5000)),
      1,
      /too long an answer/,
    ],
    ['nothing, and closes', (socket) => socket.end(), 4, /closed the connection without an answer to CONNECT/],
    ['nothing, and resets', (socket) => socket.resetAndDestroy(), 4, /reset|closed the connection/],
    ['half a head, and closes', (socket) => socket.end('HTTP/1.1 200 OK\r\n'), 4, /closed the connection without/],
    ['200, and closes', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 4, /closed|reset|disconnected/],
  ]
  it.each(refusals)('that answers %s: nothing was sent', async (_what, act, attempts, words) => {
    const proxy = await answering(act)
    const client = openClient('https://service.example', { env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } })
    const { error, results } = await tell(client, 'once')
    expect(results.map(({ kind }) => kind)).toEqual(Array(attempts).fill('never-sent'))
    expect(error).toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(words) as string,
      details: { ambiguous: false },
    })
    expect(proxy.requests).toHaveLength(attempts)
    await expect.poll(() => proxy.open()).toBe(0)
  })

  it('that is not there is called by its name', async () => {
    const client = openClient('https://service.example', { env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
    const { error, results } = await tell(client, 'read')
    expect(results).toHaveLength(4)
    expect(error?.message).toBe(
      'cannot reach service.example: the proxy (HTTPS_PROXY) cannot be reached: connection refused',
    )
  })

  it('is not asked for a host of NO_PROXY', async () => {
    const proxy = await answering((socket) => socket.end(http(502, '')))
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'invalid' }
    expect((await tell(openClient('https://service.invalid', { env, retries: 0 }), 'read')).results[0]?.kind).toBe(
      'never-sent',
    )
    expect(proxy.connections()).toBe(0)
  })
})

describe('a process', () => {
  it.each([
    ['a service that never answers', (socket: Socket) => socket.resume()],
    ['a service that drips', (socket: Socket) => setInterval(() => socket.write('x'), 20).unref()],
  ])('ends when it gave up on %s', async (_what, act) => {
    const server = await rawServer(act)
    const ended = await run('employees list --timeout 300ms --retries 0', { SVC_BASE_URL: server.baseUrl })
    expect(ended.code).toBe(7)
    expect(ended.lingered).toBeLessThan(patient(1000))
  })

  it('ends at once after an answer, however long the connection would live', async () => {
    const server = await answering((socket) => socket.write(http(200, goodBody.read)))
    const ended = await run('employees list --json', { SVC_BASE_URL: server.baseUrl })
    expect(ended).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(ended.lingered).toBeLessThan(patient(1000))
  })

  it('holds little of an answer of 300 MB, announced or not', async () => {
    const block = Buffer.alloc(1024 * 1024, 'x')
    for (const announced of ['content-length: 314572810\r\n', '']) {
      const server = await answering((socket) => {
        let left = 300
        const more = (): void => {
          while (left > 0 && !socket.destroyed && socket.write(block)) left -= 1
        }
        socket.on('drain', more)
        socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${announced}\r\n{"data":"`)
        more()
      })
      const ended = await run('employees list --retries 1', { SVC_BASE_URL: server.baseUrl })
      expect(ended.code).toBe(7)
      expect(ended.stderr).toContain('the answer is larger than 8 MiB')
      expect(ended.peak).toBeLessThan(200)
    }
  })
})
