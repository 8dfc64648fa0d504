/**
 * The rules of access: keys and signatures, no web page. Apart from the client's signer, to check it.
 */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../../api/operations.ts'
import { isLoopback } from '../../values.ts'
import { refusals } from './exchange.ts'

export interface Key {
  readonly name: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly scope: 'read' | 'read-write'
  /** The company's subscription. `none`: no API; `limited-history`: tickets up to 30 days. */
  readonly plan: 'full' | 'limited-history' | 'none'
}

/** The five keys. The secrets are public on purpose: they open nothing but a sandbox. */
export const keys: readonly Key[] = [
  keyOf('read-write', 'rw'),
  keyOf('read', 'read', { scope: 'read' }),
  keyOf('no-plan', 'noplan', { plan: 'none' }),
  keyOf('limited-history', 'limited', { plan: 'limited-history' }),
  keyOf('second-company', 'second'),
]

function keyOf(name: string, short: string, rights: Partial<Key> = {}): Key {
  return {
    name,
    apiKey: `pk_sandbox_${short}`,
    apiSecret: `sk_sandbox_${short}_opens_nothing_but_the_sandbox`,
    scope: 'read-write',
    plan: 'full',
    ...rights,
  }
}

/** The number of the company whose data a key opens. */
export function companyOf({ name }: Key): 0 | 1 {
  return name === 'second-company' ? 1 : 0
}

/**
 * API: Authentication. The signature is HMAC-SHA256, hex-encoded, over `<timestamp>.<raw body>` with the secret as the
 * key. `now` and the timestamp are milliseconds since 1970; the window is five minutes either way, its ends included.
 * Without a body the text is `<timestamp>.`.
 */
export function checkSignature(request: {
  readonly timestamp: string
  readonly signature: string
  readonly rawBody: Uint8Array
  readonly secret: string
  readonly now: number
}): boolean {
  const { timestamp, signature, rawBody, secret, now } = request
  const isWellFormed = /^\d{1,16}$/.test(timestamp) && /^[0-9a-fA-F]{64}$/.test(signature)
  if (!isWellFormed) return false
  const distance = Math.abs(now - Number(timestamp))
  if (distance > limits.timestampWindow) return false
  const expected = createHmac('sha256', secret)
    .update(`${timestamp}.`)
    .update(rawBody)
    .digest()
  return expected.equals(Buffer.from(signature, 'hex'))
}

/**
 * Refuses a request that a web page sent. A page in a browser can make that browser send requests to this machine: they
 * are refused, whatever they ask for, so that no page can read the keys or switch faults on.
 */
export function refuseWebPage(headers: IncomingHttpHeaders): void {
  // Browsers send it with every request of a page that could read the answer, and with every one that is not a GET.
  if (headers.origin !== undefined)
    throw refusals.webPage('the request has an Origin header')
  // The rest: images, scripts, forms that GET. A page cannot leave this header out; an address that was typed has "none".
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'none')
    throw refusals.webPage(`the request has Sec-Fetch-Site: ${site}`)
  // A name of the page's own that leads to this machine, after the page was loaded from somewhere else.
  if (!isLoopback(headers.host?.replace(/:\d{1,5}$/, '').toLowerCase() ?? ''))
    throw refusals.webPage('the Host header is not 127.0.0.0/8, [::1] or localhost')
}
