import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sign } from '../../src/http/client.ts'

/** Secret, timestamp, body, signature; made with Python's hmac module. */
const vectors = [
  [
    's3cr3t with blanks ',
    1,
    '{"a":"é 😀"}',
    'e5b686a741674e3ffcccfe4048bc912406d4ad1c3649c0882d4c4233ccafe4dc',
  ],
  [
    'ключ',
    1_767_225_600_123,
    '\n',
    'eea6783f4c7e8f57db90380b908b1a038f71531375563ab8dbfe9277049ef410',
  ],
] as const

describe('the signature', () => {
  it.each(vectors)('secret %j, timestamp %i, body %j', (secret, timestamp, body, expected) => {
    expect(sign(secret, timestamp, Buffer.from(body))).toBe(expected)
  })

  it('is the one that docs/integrators.md gives to compare with', () => {
    const page = readFileSync(new URL('../../docs/integrators.md', import.meta.url), 'utf8')
    for (const body of ['{"name":"Spring"}', ''])
      expect(page).toContain(`\`${sign('secret', 1_767_225_600_000, Buffer.from(body))}\``)
  })
})
