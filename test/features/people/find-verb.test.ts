/** `svc contacts find …`: the members of lists, searched on this side. */
import { describe, expect, test } from 'vitest'
import type { Contact } from '../../../src/api/schemas.ts'
import { criteriaOf, type Sought } from '../../../src/features/people/find.ts'
import { valueReader } from '../../../src/features/people/values.ts'
import type { PhoneFit } from '../../../src/features/people/phone.ts'
import { createSandboxWorld } from '../../svc.ts'

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
      messengerC_phone: ['030 1234567', '+55 11 92345-6789'],
      socialA_user_id: ['123456789'],
      messengerC_user_id: null,
    },
  }

  // Numbers and names are judged in the tests beside this one.
  test.each<[Sought, PhoneFit | undefined]>([
    [{ phone: '+49 171 2345678' }, 'exact'],
    [{ phone: '020 7946 0385' }, 'variant'],
    [{ email: ' jose.gross@EXAMPLE.COM\t' }, 'exact'],
    [{ email: 'gross@example.com' }, undefined],
    [{ name: 'gross jose' }, 'exact'],
    [{ name: 'José Maria' }, undefined],
    [{ messenger: 'robin_b' }, 'exact'],
    [{ messenger: '@ROBIN_B ' }, 'exact'],
    [{ messenger: '123456789' }, 'exact'],
    [{ messenger: 'jose.gross@example.com' }, undefined],
    [{ messenger: '+49 171 234-56-78' }, undefined],
    [
      {
        name: 'josé',
        email: 'jose.gross@example.com',
        messenger: 'robin_b',
        phone: '+491712345678',
      },
      'exact',
    ],
    [{ name: 'josé gross', phone: '0171 2345678' }, 'variant'],
    [{ name: 'josé gross', email: 'other@example.com' }, undefined],
  ])('%j: %s', (sought, fit) => {
    expect(criteriaOf(sought, readValues).fitOf(contact)).toBe(fit)
  })

  test('a contact without identities and names fits nothing', () => {
    const bare = { id: contact.id, identities: null }
    for (const sought of [{ phone: '1' }, { email: 'a' }, { name: 'a' }, { messenger: 'a' }])
      expect(criteriaOf(sought, readValues).fitOf(bare)).toBe(undefined)
  })
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
