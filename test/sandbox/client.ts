/** A client of the sandbox's own tests: node:http and node:crypto, and nothing of svc. */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'

export interface Credentials {
  readonly apiKey: string
  readonly apiSecret: string
}

/** The sandbox's first key. */
export const rw: Credentials = {
  apiKey: 'pk_sandbox_rw',
  apiSecret: 'sk_sandbox_rw_opens_nothing_but_the_sandbox',
}

export interface Ask {
  readonly method?: string
  readonly path: string
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown
  readonly key?: Credentials
  readonly timestamp?: string
  readonly signature?: string
  /** Over the usual ones; undefined leaves one out. */
  readonly headers?: Record<string, string | undefined>
}

export interface Got {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Buffer
  readonly text: string
  /** The parsed body; undefined when it is no JSON. */
  readonly json: Json
}

/** The members of answers that tests read. The tests check that they are there. */
export interface Json {
  readonly code: number
  readonly message: string
  readonly data: Row & {
    readonly contact: Row & { readonly identities: Readonly<Record<string, readonly string[]>> }
    readonly mergedContactId: string
    readonly messages: readonly (Row & { readonly sentAt: string })[]
    readonly nextChunkStartMessageId?: string
    readonly pagination: { readonly total: number }
  }
}

interface Row {
  readonly id: string
}

export function sign(secret: string, timestamp: string, rawBody: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')
}

const alone = new Agent({ keepAlive: false })

/** Sends one signed request. Rejects when the connection breaks before the answer is complete. */
export function ask(baseUrl: string, key: Credentials, what: Ask): Promise<Got> {
  const raw =
    what.body === undefined
      ? ''
      : typeof what.body === 'string'
        ? what.body
        : JSON.stringify(what.body)
  const timestamp = what.timestamp ?? String(Date.now())
  const { apiKey, apiSecret } = what.key ?? key
  const headers: Record<string, string> = {}
  const wanted: Record<string, string | undefined> = {
    'x-service-key': apiKey,
    'x-service-timestamp': timestamp,
    'x-service-signature': what.signature ?? sign(apiSecret, timestamp, raw),
    ...(what.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...what.headers,
  }
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) headers[name] = value
  return new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}${what.path}`,
      { method: what.method ?? (what.body === undefined ? 'GET' : 'POST'), headers, agent: alone },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          const text = body.toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            text,
            json: parsed(text),
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(raw)
  })
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined as unknown as Json
  }
}
