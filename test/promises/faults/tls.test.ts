/**
 * TLS, and proxies that carry it. If red, svc takes a certificate for another name, or shows the
 * password of a proxy.
 */
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { atEnd } from '../../support/ending.ts'
import { answering, envFor, goodBody, listen, openClient, tell } from '../../support/loopback.ts'
import { startSvc } from '../../support/spawned.ts'

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
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, requests }
}

/** The same behind a proxy, which opens every tunnel to it. */
async function serviceBehindProxy() {
  const service = await tlsService()
  const proxy = await answering((socket) => {
    const upstream = connect(service.port, '127.0.0.1', () => {
      socket.removeAllListeners('data')
      socket.write('HTTP/1.1 200 Connection established\r\nx-proxy: little\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  })
  return { service, proxy }
}

/** What a proxy was asked: the first line, and the password that came with it. */
const tunnelsOf = ({ requests }: { readonly requests: readonly string[] }) =>
  requests.map((request) => [
    request.slice(0, request.indexOf('\r\n')),
    /^proxy-authorization: (.*)$/im.exec(request)?.[1],
  ])

/** Runs the built program, because a process trusts more certificates only from its start on. */
const run = (line: string, env: Readonly<Record<string, string>>) =>
  startSvc(line, { env: { ...envFor(''), HOME: '/nowhere', ...env } }).ended

const list = 'employees list --json'
const emptyList = { code: 0, stdout: '[]\n' }
const listRequest = 'GET /v1/employees'

describe('a certificate that nobody vouches for', () => {
  it('is refused before anything is sent, and not tried again', async () => {
    const service = await tlsService()
    const { error, results } = await tell(openClient(`https://127.0.0.1:${service.port}`), 'read')
    expect(results).toMatchObject([
      {
        failure: expect.objectContaining({ category: 'failed', isForAll: true }) as object,
        message: 'self-signed certificate',
      },
    ])
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

describe('a certificate that NODE_EXTRA_CA_CERTS names', () => {
  const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') }
  const named = { ...trusting, SVC_BASE_URL: 'https://service.test' }
  const password = 'pr0xy/p@ss'
  const encoded = encodeURIComponent(password)
  const basic = Buffer.from(`user:${password}`).toString('base64')
  const withPassword = (port: number) => ({
    https_proxy: `http://user:${encoded}@127.0.0.1:${port}`,
  })

  it('is accepted', async () => {
    const { port, requests } = await tlsService()
    const env = { ...trusting, SVC_BASE_URL: `https://127.0.0.1:${port}` }
    expect(await run(list, env)).toMatchObject(emptyList)
    expect(requests).toEqual([listRequest])
  })

  it('is accepted through a proxy, which learns the host and its own password', async () => {
    const { service, proxy } = await serviceBehindProxy()
    expect(await run(list, { ...named, ...withPassword(proxy.port) })).toMatchObject(emptyList)
    expect(service.requests).toEqual([listRequest])
    expect(tunnelsOf(proxy)).toEqual([['CONNECT service.test:443 HTTP/1.1', `Basic ${basic}`]])
  })

  it('is accepted through a proxy over TLS', async () => {
    const { service, proxy } = await serviceBehindProxy()
    const outer = createTlsServer(certificate, (socket) => {
      const inner = connect(proxy.port, '127.0.0.1')
      socket.pipe(inner).pipe(socket)
      for (const one of [socket, inner]) one.on('error', () => undefined)
    })
    const HTTPS_PROXY = `https://localhost:${await listen(outer)}`
    atEnd(() => outer.close())
    expect(await run(list, { ...named, HTTPS_PROXY })).toMatchObject(emptyList)
    expect(service.requests).toEqual([listRequest])
    expect(tunnelsOf(proxy)).toEqual([['CONNECT service.test:443 HTTP/1.1', undefined]])
  })

  it('is refused for a name that is not in it, and the request is not sent', async () => {
    const { service, proxy } = await serviceBehindProxy()
    const env = { ...trusting, ...withPassword(proxy.port), SVC_BASE_URL: 'https://other.test' }
    const { code, stderr } = await run(list, env)
    expect(code).toBe(1)
    expect(stderr).toContain('other.test: Hostname/IP does not match')
    expect(service.requests).toEqual([])
  })

  it('the password of the proxy is in no message, even with -v', async () => {
    const { proxy } = await serviceBehindProxy()
    const env = { ...named, ...withPassword(proxy.port) }
    const { stderr: told } = await run(`${list} -v`, env)
    expect(told).toMatch(/^GET \/v1\/employees 200 /m)
    const failing = await run(`${list} -v`, { ...env, SVC_BASE_URL: 'https://other.test' })
    for (const form of [password, encoded, basic]) expect(told + failing.stderr).not.toContain(form)
  })
})
