/**
 * The three authentication headers. API: Authentication, "hex-encoded HMAC-SHA256 signature over the text `<timestamp>.<raw_body>` …, keyed
 * with the API secret". Where the description is silent (a request without a body), the body is the empty string. `client.ts` calls it for
 * each attempt, since a signature is of its time.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { SvcError } from '../errors.ts'

export const authenticationHeaders = {
  key: 'X-Service-Key',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
} as const

/** The signature of one request: lower-case hex, 64 digits. `timestamp` is in milliseconds since 1970; `body` are the bytes that will be sent. */
export function signature(secret: string | KeyObject, timestamp: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`, 'latin1').update(body).digest('hex')
}

/** Header values: visible ASCII, so that nothing can split a header. */
const headerValue = /^[\x21-\x7e]+$/

/** Signs each attempt afresh, with a time of its own. */
export class Signer {
  readonly #apiKey: string
  readonly #key: KeyObject
  readonly #now: () => number

  /** Throws exit 4 when the key could not be sent as a header value. */
  constructor(apiKey: string, secret: string, now: () => number) {
    if (!headerValue.test(apiKey)) {
      throw new SvcError(
        'config',
        'the API key contains spaces or characters that a header cannot carry',
        {
          exitCode: 4,
          hint: 'copy the key from the service again, without quotes or line breaks',
        },
      )
    }
    this.#apiKey = apiKey
    this.#key = createSecretKey(secret, 'utf8')
    this.#now = now
  }

  /** The time that a request of now is signed with, in milliseconds since 1970. */
  timestamp(): number {
    return Math.round(this.#now())
  }

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
