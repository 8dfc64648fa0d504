/**
 * A service that knows only what it is given: it checks the three headers as the description says, answers, and keeps what it was asked.
 * Independent of the program and of its sandbox.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export const apiKey = 'pk_description'
export const apiSecret = 'sk_description_0123456789abcdef0123456789'

export interface Asked {
  /** Method and path, without the query. */
  readonly request: string
  readonly query: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  /** As it was sent. */
  readonly body: string
  /** Whether the three headers were right. */
  readonly signed: boolean
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export async function startService(answerTo: (asked: Asked) => Answer) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const url = new URL(request.url ?? '/', 'http://service')
      const one = {
        request: `${request.method ?? ''} ${url.pathname}`,
        query: Object.fromEntries(url.searchParams),
        contentType: request.headers['content-type'],
        body: raw.toString(),
        signed: isSigned(request.headers, raw),
      }
      asked.push(one)
      const refusal = { status: 401, body: { code: 40121, message: 'Invalid API credentials' } }
      const { status, body } = one.signed ? answerTo(one) : refusal
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close }
}

/** API: Authentication: HMAC-SHA256 over `<timestamp>.<raw body>`, hex-encoded, within five minutes. */
function isSigned(headers: IncomingHttpHeaders, raw: Buffer): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const expected = createHmac('sha256', apiSecret).update(`${timestamp}.`).update(raw).digest('hex')
  return (
    headers['x-service-key'] === apiKey &&
    /^\d{13}$/.test(timestamp) &&
    Math.abs(Date.now() - Number(timestamp)) <= 5 * 60 * 1000 &&
    String(headers['x-service-signature']).toLowerCase() === expected
  )
}
