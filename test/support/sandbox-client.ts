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
  readonly timestamp?: string
  readonly signature?: string
  /** Over the usual ones; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly json: unknown
}

const alone = new Agent({ keepAlive: false })

/** Sends one signed request. Rejects when the connection breaks before the answer is complete. */
export function ask(baseUrl: string, { apiKey, apiSecret }: Credentials, what: Ask): Promise<Got> {
  const { body, timestamp = String(Date.now()) } = what
  const raw = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const signature = createHmac('sha256', apiSecret).update(`${timestamp}.${raw}`).digest('hex')
  const wanted = {
    'x-service-key': apiKey,
    'x-service-timestamp': timestamp,
    'x-service-signature': what.signature ?? signature,
    'content-type': body === undefined ? undefined : 'application/json',
    ...what.headers,
  }
  const headers = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  )
  const method = what.method ?? (body === undefined ? 'GET' : 'POST')
  return new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}${what.path}`,
      { method, headers, agent: alone },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, json: parsed(Buffer.concat(chunks).toString()) })
        })
      },
    )
    sent.on('error', reject)
    sent.end(raw)
  })
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
