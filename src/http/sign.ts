/** The headers of a request with its signature, which is made anew for each attempt. */
import { createHmac, type KeyObject } from 'node:crypto'
import { version } from '../host.ts'

/**
 * Returns the signature of a request: 64 lower-case hexadecimal digits. API: Authentication, "hex-encoded HMAC-SHA256 signature
 * over the text `<timestamp>.<raw_body>` …, keyed with the API secret". The description does not say how to sign a request
 * without a body; svc signs an empty body. `timestamp` is in milliseconds since 1970.
 */
export function sign(secret: string | KeyObject, timestamp: number, body: Uint8Array) {
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}

/** Returns the headers of a request. The configuration has checked that the API key fits into a header. */
export function signedHeaders(
  apiKey: string,
  secret: KeyObject,
  timestamp: number,
  body: Buffer,
): Record<string, string> {
  return {
    'X-Service-Key': apiKey,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': sign(secret, timestamp, body),
    Accept: 'application/json',
    'User-Agent': `svc/${version}`,
    ...(body.length > 0 && { 'Content-Type': 'application/json' }),
  }
}
