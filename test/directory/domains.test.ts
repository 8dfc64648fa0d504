/** The domain that a misspelled address may have meant, by those that the contacts have. */
import { describe, expect, test } from 'vitest'
import { Domains } from '../../src/directory/domains.ts'

/** Domains of contacts: the addresses of each. */
function domainsOf(contacts: readonly string[][]): Domains {
  const domains = new Domains()
  contacts.forEach((email, n) => {
    domains.add({ id: `${n}`.padStart(24, '0'), firstName: '', identities: { email } })
  })
  return domains
}

/** So many contacts with an address each. */
const people = (count: number, domain: string): string[][] =>
  Array.from({ length: count }, (_, n) => [`person${n}@${domain}`])

test('a domain is taken for the right one when five contacts have it, and not when four have', () => {
  expect(domainsOf(people(5, 'example.com')).near('a@exmaple.com')).toBe('example.com')
  expect(domainsOf(people(4, 'example.com')).near('a@exmaple.com')).toBeUndefined()
})

test('a contact counts once, however many addresses it has there and on however many lists it is', () => {
  const one = [people(5, 'example.com').flat()]
  expect(domainsOf(one).near('a@exmaple.com')).toBeUndefined()
  const domains = new Domains()
  for (let n = 0; n < 5; n += 1) {
    domains.add({ id: '0'.repeat(24), firstName: '', identities: { email: ['a@example.com'] } })
  }
  expect(domains.near('a@exmaple.com')).toBeUndefined()
})

describe('with example.com', () => {
  const domains = domainsOf(people(5, 'example.com'))

  test.each([
    ['a letter is missing', 'exampl.com'],
    ['the first one', 'xample.com'],
    ['the last one', 'example.co'],
    ['a letter more', 'exammple.com'],
    ['one more at the end', 'example.comm'],
    ['another letter', 'exanple.com'],
    ['the last one', 'example.con'],
    ['two are swapped', 'exmaple.com'],
    ['the first two', 'xeample.com'],
    ['another letter, in capitals and with a blank behind', 'EXANPLE.COM '],
  ])('%s: %s', (_, domain) => {
    expect(domains.near(`a@${domain}`)).toBe('example.com')
    expect(domains.near(`"a@example.org"@${domain}`)).toBe('example.com')
  })

  test.each([
    ['it is that itself', 'example.com'],
    ['in capitals', 'Example.COM'],
    ['two letters are other ones', 'exanble.com'],
    ['one is other and one is missing', 'exanpl.com'],
    ['two letters are missing', 'exmpe.com'],
    ['two that are swapped, and another one', 'exmapla.com'],
    ['two that are swapped do not stand side by side', 'elampxe.com'],
    ['there is none', ''],
  ])('nothing is said when %s: %s', (_, domain) => {
    expect(domains.near(`a@${domain}`)).toBeUndefined()
  })
})

test('the domain of a contact is read without letter case and blanks', () => {
  const written = ['Example.COM', 'example.com ', 'EXAMPLE.com', 'example.com', 'example.com']
  const domains = domainsOf(written.map((domain) => [`a@${domain}`]))
  expect(domains.near('a@exampl.com')).toBe('example.com')
})

test('a domain that many have is right, though it is one letter off another one', () => {
  const domains = domainsOf([...people(5, 'mail.com'), ...people(5, 'gmail.com')])
  expect(domains.near('a@mail.com')).toBeUndefined()
  expect(domains.near('a@gmail.com')).toBeUndefined()
  // One that few have may be misspelled, though contacts have it.
  const few = domainsOf([...people(5, 'gmail.com'), ...people(4, 'gmial.com')])
  expect(few.near('a@gmial.com')).toBe('gmail.com')
})
