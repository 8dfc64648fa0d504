/**
 * A service that knows only what is written down: it checks the three headers as the description says, answers with
 * hand-written answers and keeps what it was asked. Independent of the program and of its sandbox.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { CannedAnswer } from './case.ts'

export const apiKey = 'pk_description'
export const apiSecret = 'sk_description_0123456789abcdef0123456789'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** The raw body. */
  readonly body: string
  /** Whether the three headers were right. */
  readonly signed: boolean
  /** Whether an answer was written down for it. */
  readonly answered: boolean
}

export interface Service {
  readonly baseUrl: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

export async function startService(answers: readonly CannedAnswer[]): Promise<Service> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const rawBody = Buffer.concat(chunks)
      const url = new URL(request.url ?? '/', 'http://service')
      const query = Object.fromEntries(url.searchParams)
      const method = request.method ?? ''
      const signed = isSigned(request.headers, rawBody)
      const found = answers.find(
        (answer) => answer.method === method && answer.path === url.pathname && asksFor(answer, query),
      )
      asked.push({
        method,
        path: url.pathname,
        query,
        headers: request.headers,
        body: rawBody.toString(),
        signed,
        answered: found !== undefined,
      })
      const [status, body] = !signed
        ? [401, { code: 40121, message: 'Invalid API credentials' }]
        : found === undefined
          ? [404, { code: 40400, message: `nothing is written down for ${method} ${request.url ?? ''}` }]
          : [found.status, found.body]
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...found?.headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the service has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function asksFor({ query = {} }: CannedAnswer, given: Readonly<Record<string, string>>): boolean {
  return Object.entries(query).every(([name, value]) => (given[name] ?? null) === value)
}

/** API: Authentication: HMAC-SHA256 over `<timestamp>.<raw body>`, hex-encoded, within five minutes. */
function isSigned(headers: IncomingHttpHeaders, rawBody: Buffer): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const expected = createHmac('sha256', apiSecret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), rawBody]))
    .digest('hex')
  return (
    headers['x-service-key'] === apiKey &&
    /^\d{13}$/.test(timestamp) &&
    Math.abs(Date.now() - Number(timestamp)) <= 5 * 60 * 1000 &&
    String(headers['x-service-signature']).toLowerCase() === expected
  )
}
