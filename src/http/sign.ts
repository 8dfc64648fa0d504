/**
 * The three authentication headers. API: Authentication, "hex-encoded HMAC-SHA256 signature over the text
 * `<timestamp>.<raw_body>` …, keyed with the API secret". Where the description is silent (a request without
 * a body), the body is the empty string. Each attempt is signed anew, since a signature is of its time.
 */
import { createHmac, type KeyObject } from 'node:crypto'

/** The signature of one request: lower-case hex, 64 digits. `timestamp` is in milliseconds since 1970; `body` are the bytes that will be sent. */
export function signature(
  secret: string | KeyObject,
  timestamp: number,
  body: Uint8Array,
): string {
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}

/** The headers of a request, with its signature. `apiKey` fits into a header: the configuration has seen to that. */
export function authenticate(
  apiKey: string,
  key: KeyObject,
  timestamp: number,
  body: Uint8Array,
) {
  const signed = signature(key, timestamp, body)
  const headers = [
    'X-Service-Key',
    apiKey,
    'X-Service-Timestamp',
    String(timestamp),
    'X-Service-Signature',
    signed,
  ]
  return { headers, signature: signed }
}
