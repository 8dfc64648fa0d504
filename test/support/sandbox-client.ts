/** A client of the sandbox's own tests: fetch and node:crypto, and nothing of svc. */
import { createHmac } from 'node:crypto'

export interface Credentials {
  readonly apiKey: string
  readonly apiSecret: string
}

export const rw: Credentials = {
  apiKey: 'pk_sandbox_rw',
  apiSecret: 'sk_sandbox_rw_opens_nothing_but_the_sandbox',
}

export interface Ask {
  readonly method?: string
  readonly path: string
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown
  readonly timestamp?: string
  readonly signature?: string
  /** Over the usual ones; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface Got {
  readonly status: number
  readonly json: unknown
}

/** Sends one signed request. Rejects when the connection breaks before the answer is complete. */
export async function ask(baseUrl: string, key: Credentials, what: Ask): Promise<Got> {
  const { body, timestamp = String(Date.now()) } = what
  const raw = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const signature = createHmac('sha256', key.apiSecret).update(`${timestamp}.${raw}`).digest('hex')
  const headers = Object.entries({
    'x-service-key': key.apiKey,
    'x-service-timestamp': timestamp,
    'x-service-signature': what.signature ?? signature,
    'content-type': body === undefined ? undefined : 'application/json',
    ...what.headers,
  })
  const answer = await fetch(`${baseUrl}${what.path}`, {
    method: what.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: headers.filter((each): each is [string, string] => each[1] !== undefined),
    // As bytes, because fetch gives a string a content type by itself.
    body: body === undefined ? null : Buffer.from(raw),
  })
  return { status: answer.status, json: await answer.json().catch(() => undefined) }
}
