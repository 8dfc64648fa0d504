/**
 * The three authentication headers. API: Authentication, "hex-encoded HMAC-SHA256 signature over the text
 * `<timestamp>.<raw_body>` …, keyed with the API secret". Where the description is silent (a request without
 * a body), the body is the empty string. Each attempt is signed anew, since a signature is of its time.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export const authenticationHeaders = {
  key: 'X-Service-Key',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
} as const

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

/** Signs each attempt afresh. `apiKey` fits into a header: the configuration has seen to that. */
export class Signer {
  readonly #apiKey: string
  readonly #key: KeyObject

  constructor(apiKey: string, secret: string) {
    this.#apiKey = apiKey
    this.#key = createSecretKey(secret, 'utf8')
  }

  /** `timestamp` is in milliseconds since 1970. */
  headers(body: Uint8Array, timestamp: number): string[] {
    return [
      authenticationHeaders.key,
      this.#apiKey,
      authenticationHeaders.timestamp,
      String(timestamp),
      authenticationHeaders.signature,
      signature(this.#key, timestamp, body),
    ]
  }
}
