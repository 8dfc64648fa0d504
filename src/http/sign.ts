/** The three headers, made at dispatch: every attempt is signed afresh with the time of its own sending. */
import { createSecretKey } from 'node:crypto'
import { SvcError } from '../errors.ts'
import { authenticationHeaders, signature } from './signature.ts'

/** What a header value may hold: visible ASCII, so that nothing can split a header. */
const headerValue = /^[\x21-\x7e]+$/

export interface Signer {
  /** The headers for these bytes now, in name, value pairs. */
  headers(body: Uint8Array): string[]
  /** Milliseconds added to this machine's clock when signing; set once from the service's own time after a 401. */
  offset: number
}

/** Throws exit 4 when the key could not be sent as a header value. */
export function createSigner(apiKey: string, secret: string, now: () => number): Signer {
  if (!headerValue.test(apiKey)) {
    throw new SvcError('config', 'the API key holds blanks or characters that a header cannot carry', {
      exitCode: 4,
      hint: 'copy the key again from the service, without quotes or line ends',
    })
  }
  const key = createSecretKey(secret, 'utf8')
  return {
    offset: 0,
    headers(body) {
      const timestamp = Math.round(now() + this.offset)
      return [
        authenticationHeaders.key,
        apiKey,
        authenticationHeaders.timestamp,
        String(timestamp),
        authenticationHeaders.signature,
        signature(key, timestamp, body),
      ]
    },
  }
}
