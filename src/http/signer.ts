/**
 * Signs requests (docs/api.md, Authentication). All requests of svc are signed here.
 */
import { createHmac } from 'node:crypto'

/**
 * Returns the signature of a request with a timestamp in milliseconds since 1970: 64 lower-case
 * hexadecimal digits (API: Authentication).
 */
export function sign(secret: string, timestamp: number, body: Uint8Array) {
  // The description does not say how to sign a request without a body; svc signs an empty one.
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}

/**
 * Returns the headers that sign a request. The configuration has checked that the API key fits into
 * a header.
 */
export function signedHeaders(
  apiKey: string,
  secret: string,
  timestamp: number,
  body: Uint8Array,
) {
  return {
    'X-Service-Key': apiKey,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': sign(secret, timestamp, body),
  }
}
