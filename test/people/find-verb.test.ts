/** `svc contacts find …`: the members of lists, searched on this side. */
import { describe, expect, test } from 'vitest'
import type { Contact } from '../../src/api/schemas.ts'
import { criteriaOf, type Sought } from '../../src/people/find.ts'
import { valueReader } from '../../src/people/values.ts'
import type { PhoneFit } from '../../src/people/phone.ts'
import { createSandboxWorld } from '../svc.ts'

const readValues = valueReader(undefined)
const world = await createSandboxWorld()
const { svc, sandbox } = world
describe('criteria', () => {
  const contact: Contact = {
    id: '0'.repeat(24),
    firstName: ' José ',
    lastName: 'Groß',
    identities: {
      phone: ['+49 171 234-56-78', '=1+1'],
      email: ['Jose.Gross@Example.com'],
      messengerA_phone: ['00 44 20 7946 0385'],
      messengerB_username: ['@Robin_B'],
      socialA_user_id: ['123456789'],
      messengerC_user_id: null,
    },
  }
  const name = 'josé'
  const email = 'jose.gross@example.com'
  const phone = '0171 2345678'

  // Numbers and names are judged in the tests beside this one, single criteria in test/transcripts/contacts.txt.
  test.each<[Sought, PhoneFit | undefined]>([
    [{ phone: '020 7946 0385' }, 'variant'],
    [{ email: 'gross@example.com' }, undefined],
    [{ name, email, phone: '+491712345678' }, 'exact'],
    [{ name, email, phone }, 'variant'],
    [{ name, email: 'other@example.com' }, undefined],
  ])('%j: %s', (sought, fit) => {
    expect(criteriaOf(sought, readValues).fitOf(contact)).toBe(fit)
  })

  test('a contact without identities and names fits nothing', () => {
    const bare = { id: contact.id, identities: null }
    for (const sought of [{ phone: '+12025550123' }, { email: 'a@b.c' }, { name: 'a' }])
      expect(criteriaOf(sought, readValues).fitOf(bare)).toBe(undefined)
  })
})

test.each([
  [{ email: 'max@gmx' }, '"max@gmx" is not an email address'],
  [{ email: 'max' }, '"max" is not an email address'],
  [{ email: '@example.com' }, '"@example.com" is not an email address'],
  [{ phone: 'hello' }, '"hello" is not a phone number'],
  [{ phone: '1234567' }, '"1234567" has fewer than eight digits'],
])('what is no address or number is refused: %j', (sought, message) => {
  expect(() => criteriaOf(sought, readValues)).toThrow(message)
})

test('a signal ends a search: four requests are in flight, for as many lists', async () => {
  sandbox.setFaults('lists.get:3+=hang-before')
  const before = sandbox.requests.length
  const members = () =>
    sandbox.requests.slice(before).filter(({ url }) => /lists\/[0-9a-f]{24}/.test(url))
  let deliver: (signal: 'SIGINT') => void = () => undefined
  const ending = svc('contacts find --email nobody@example.com', {
    signals: (callback) => {
      deliver = callback
    },
  })
  // The two that were read, and the four whose answers hang.
  await expect.poll(() => members().length).toBeGreaterThan(5)
  deliver('SIGINT')
  const { code } = await ending
  sandbox.setFaults()
  expect([code, members().length]).toEqual([130, 6])
})
