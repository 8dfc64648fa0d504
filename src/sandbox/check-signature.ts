/** Authentication, as the service describes it. Written apart from the client's signer so that each checks the other. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { limits } from '../api/limits.ts'

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
  if (!/^\d{1,16}$/.test(request.timestamp) || !/^[0-9a-fA-F]{64}$/.test(request.signature)) return false
  if (Math.abs(request.now - Number(request.timestamp)) > limits.timestampWindow) return false
  const expected = createHmac('sha256', request.secret).update(`${request.timestamp}.`).update(request.rawBody).digest()
  return timingSafeEqual(expected, Buffer.from(request.signature, 'hex'))
}
