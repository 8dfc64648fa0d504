/** Who fits what was typed for `contacts find`: exactly, or nearly. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/people.ts'
import { contactFinder } from '../../src/people/search.ts'
import { table } from '../support/table.ts'

const contacts = table(`
  Anna Müller    | +49 171 2345678  | anna@example.org
  Anna-Lena Hoff | 0172 3456789     | Lena <LENA@example.org>
  Otto Hoffmann  | +43 171 2345678  |
  Søren Holm     | 2345             | soeren@example.org | @soeren
                 | +44 20 7946 0385 x5 |
  exact          | +49 30 1234567  | exact@example.org | @exact`).map(
  ([firstName = '', phone = '', email = '', account = ''], n): FoundContact => ({
    id: `${n + 1}`,
    firstName,
    identities: { phone: [phone], email: [email], messengerB_username: [account] },
    lists: [],
  }),
)

/** What is typed, the country, and the numbers of those who fit exactly and nearly. */
const cases = table(`
  anna                               |    | 1 2 |
  an                                 |    |     | 1 2
  hoff                               |    | 2   | 3
  HOFFM otto                         |    |     | 3
  lena ann                           |    |     | 2
  mueller anna                       |    | 1   |
  soren                              |    | 4   |
  nobody                             |    |     |
  +49 171 2345678                   |    | 1   | 3
  0171 2345678                      |    |     | 1 3
  0171 2345678                      | AT | 3   | 1
  0172/3456789                      | DE | 2   |
  +49 172 3456789                   |    |     | 2
  5678                              |    |     | 1 3
  45678                             | DE |     | 1 3
  2345                              |    |     | 4
  anna 5678                         |    |     | 1
  n5678                             |    |     |
  @SOEREN                           |    | 4   |
  @soeren holm                      |    | 4   |
  +44 20 7946 0385                  |    |     | 5
  ANNA@example.org                  |    | 1   |
  lena@EXAMPLE.org                  |    | 2   |
  example.org@anna.org              |    |     |
  anna +49 171 2345678        |    | 1   |
  ann +49 171 2345678         |    |     | 1
  otto +49 171 2345678        |    |     | 3
  otto anna@example.org       |    |     |
  otto anna 5678                     |    |     |
  exa                                |    |     | 6
  anna - müller                      |    | 1   |
  +49 171 - 2345678 -                |    | 1   | 3
  ( 0171 ) 2345678                   | DE | 1   | 3`)

test.each(cases)('%s, of %s: exactly %s, nearly %s', (typed = '', country, exact, near) => {
  const found = contactFinder(typed.split(' '), country || undefined)(contacts)
  const shown = [found.exactly, found.nearly].map((all) => all.map(({ id }) => id).join(' '))
  expect(shown).toEqual([exact, near])
})

test('what fits nearly is named', () => {
  const { nearly } = contactFinder(['an', '0171 2345678'], undefined)(contacts)
  expect(nearly.map(({ fits }) => fits)).toEqual(['nearly: Anna Müller, +491712345678'])
})

test.each([
  ['soren', []],
  [
    'soren 2345',
    ['4 contacts have a phone number or email address that cannot be read: add --country'],
  ],
])('%j: a note about values only where one is looked for', (typed, notes) => {
  expect(contactFinder([typed], undefined)(contacts).notes).toEqual(notes)
})

test.each([
  ['', 'nothing to look for'],
  ['-', 'nothing to look for'],
  ['123', '"123" has fewer than four digits'],
  ['anna 12 3', '"12 3" has fewer than four digits'],
  ['640008acd5aad2927b00003c', 'is an id'],
  ['👩', 'there is no word in "👩"'],
])('%j is refused with exit 2', (typed, message) => {
  expect(() => contactFinder([typed], undefined)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) as string, exitCode: 2 }),
  )
})
