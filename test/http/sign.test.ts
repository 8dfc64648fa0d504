/** The signature of a request. If red, the service refuses every request. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sign } from '../../src/http/sign.ts'

describe('the signature', () => {
  // Made with Python's hmac module.
  it('of a secret with blanks, and of a body beyond ASCII', () => {
    expect(sign('s3cr3t with blanks ', 1, Buffer.from('{"a":"é 😀"}'))).toBe(
      'e5b686a741674e3ffcccfe4048bc912406d4ad1c3649c0882d4c4233ccafe4dc',
    )
  })

  it('is the one that docs/integrators.md gives to compare with', () => {
    const page = readFileSync(new URL('../../docs/integrators.md', import.meta.url), 'utf8')
    for (const body of ['{"name":"Spring"}', ''])
      expect(page).toContain(`\`${sign('secret', 1_767_225_600_000, Buffer.from(body))}\``)
  })
})
