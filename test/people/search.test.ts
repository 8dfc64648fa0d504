/** Which contacts fit what was typed for `contacts find`, exactly or nearly. If red, svc shows a wrong person, or does not find the right one. */
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

/** Why, what is typed, the country, and the numbers of the contacts that fit exactly and nearly. */
const cases = table(`
  a first name                    | anna                  |    | 1 2 |
  the beginning of a name         | an                    |    |     | 1 2
  a whole word, and a beginning   | hoff                  |    | 2   | 3
  words in any order              | HOFFM otto            |    |     | 3
  words that begin alike          | lena ann              |    |     | 2
  ue for ü                        | mueller anna          |    | 1   |
  o for ø                         | soren                 |    | 4   |
  an unknown word                 | nobody                |    |     |
  a whole number                  | +49 171 2345678       |    | 1   | 3
  a local one without a country   | 0171 2345678          |    |     | 1 3
  a local one                     | 0171 2345678          | AT | 3   | 1
  a contact's local number        | 0172/3456789          | DE | 2   |
  the same without a country      | +49 172 3456789       |    |     | 2
  the end of a number             | 5678                  |    |     | 1 3
  a longer end                    | 45678                 | DE |     | 1 3
  a number too short to read      | 2345                  |    |     | 4
  a name and an end               | anna 5678             |    |     | 1
  digits in a word                | n5678                 |    |     |
  an account                      | @SOEREN               |    | 4   |
  an account and a name           | @soeren holm          |    | 4   |
  without the extension           | +44 20 7946 0385      |    |     | 5
  an address in capitals          | ANNA@example.org      |    | 1   |
  an address behind a name        | lena@EXAMPLE.org      |    | 2   |
  two ends of addresses           | example.org@anna.org  |    |     |
  a name and a number             | anna +49 171 2345678  |    | 1   |
  a beginning and a number        | ann +49 171 2345678   |    |     | 1
  a number that fits nearly       | otto +49 171 2345678  |    |     | 3
  another one's address           | otto anna@example.org |    |     |
  another one's name              | otto anna 5678        |    |     |
  a name that is called exact     | exa                   |    |     | 6
  signs alone between words       | anna - müller         |    | 1   |
  signs alone in a number         | +49 171 - 2345678 -   |    | 1   | 3
  brackets with blanks            | ( 0171 ) 2345678      | DE | 1   | 3`)

test.each(cases)('%s: %s', (_, typed = '', country, exact, near) => {
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
