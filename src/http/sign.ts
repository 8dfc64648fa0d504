/**
 * The signature as pure steps. API: Authentication, "hex-encoded HMAC-SHA256 signature over the text
 * `<timestamp>.<raw_body>` …, keyed with the API secret". Where the description is silent (a request without a body), the
 * body is the empty string.
 */
import { createHmac, type KeyObject } from 'node:crypto'

/** The exact bytes that are signed. `timestamp` is in milliseconds since 1970; `body` are the bytes that will be sent. */
export function signedText(timestamp: number, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}.`, 'latin1'), body])
}

/** Lower-case hex, 64 digits. */
export function hmacHex(secret: string, text: Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** The signature of one request. */
export function signature(secret: string | KeyObject, timestamp: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`, 'latin1').update(body).digest('hex')
}

/** Names of the three authentication headers, as the description spells them. */
export const authenticationHeaders = {
  key: 'X-Service-Key',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
} as const
