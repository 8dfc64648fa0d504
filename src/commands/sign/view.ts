import type { View } from '../../output/result.ts'

/** What `svc sign` has as data, whatever it was asked for. */
export interface Signed {
  readonly method: string | null
  readonly path: string | null
  readonly timestamp: number
  readonly headers: Readonly<Record<string, string>>
  /** The exact text, when it is text. */
  readonly signedText: string | null
  readonly signedBytes: number
  readonly curl?: string
  /** With --verify. */
  readonly verified?: { readonly verdict: 'right' | 'mistake' | 'none'; readonly mistakes: readonly string[] }
}

export const signView: View<Signed> = {
  columns: [
    { title: 'TIMESTAMP', field: 'timestamp' },
    { title: 'BYTES', field: 'signedBytes' },
    { title: 'KEY', field: 'headers.X-Service-Key' },
    { title: 'SIGNATURE', field: 'headers.X-Service-Signature' },
  ],
  fields: [
    'method',
    'path',
    'timestamp',
    'headers',
    'headers.X-Service-Key',
    'headers.X-Service-Timestamp',
    'headers.X-Service-Signature',
    'signedText',
    'signedBytes',
    'curl',
    'verified',
    'verified.verdict',
    'verified.mistakes',
  ],
}
