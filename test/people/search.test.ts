/** Which contacts fit what was typed for `contacts find`. If red, svc shows a wrong person, or does not find the right one. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/contacts.ts'
import { contactFinder } from '../../src/people/search.ts'
import { table } from '../support/table.ts'

const contacts = table(`
  Anna Müller    | +49 171 2345678  | anna@example.org
  Anna-Lena Hoff | 0172 3456789     | LENA@example.org
  Otto Hoffmann  | +43 171 2345678  |
  Søren Holm     | 2345             | soeren@example.org | @soeren
  王 小明        | +44 20 7946 0385 |
  陈小红         |                  | chen@münchen.example
  Hoff           |                  | x171@example.org`).map(
  ([firstName = '', phone = '', email = '', account = ''], n): FoundContact => ({
    id: `${n + 1}`,
    firstName,
    identities: { phone: [phone], email: [email], messengerB_username: [account] },
    lists: [],
  }),
)

/** Why, what is typed, and the numbers of the contacts that are found, those first of which something is equal. */
test.each(
  table(`
    a first name                  | anna                  | 1 2
    the beginning of a name       | an                    | 1 2
    an equal name comes first     | hoff                  | 7 2 3
    words in any order            | HOFFM otto            | 3
    words that begin alike        | lena ann              | 2
    ue for ü                      | mueller anna          | 1
    o for ø                       | soren                 | 4
    the middle of a word          | üller                 |
    an unknown word               | nobody                |
    a whole number                | +49 171 2345678       | 1
    its digits alone              | 491712345678          | 1
    a local one                   | 0171 2345678          | 1 3
    a contact's local number      | 0172/3456789          | 2
    the middle of a number        | 7123                  | 1 3
    a whole number comes first    | 2345                  | 4 1 2 3
    full-width digits             | ２３４５６            | 1 2 3
    a name and digits             | anna 5678             | 1 2
    digits in a word              | n5678                 |
    a part of an address          | @example.org          | 1 2 4 7
    an account                    | @SOEREN               | 4
    an account and a name         | @soeren holm          | 4
    an address in capitals        | ANNA@example.org      | 1
    another one's address         | otto anna@example.org |
    another one's name            | otto anna 5678        |
    signs alone between words     | anna - müller         | 1
    signs alone in a number       | +49 171 - 2345678 -   | 1
    brackets with blanks          | ( 0171 ) 2345678      | 1 3
    a name without its blank      | 王小明                | 5
    with its blank                | 王 小明               | 5
    its second word               | 小明                  | 5
    a blank that is not there     | 陈 小红               | 6
    no blanks in other scripts    | annamüller            |`),
)('%s: %s', (_, typed = '', expected = '') => {
  const found = contactFinder(typed.split(' ')).find(contacts)
  expect(found.map(({ id }) => id).join(' ')).toBe(expected)
})

test.each([
  ['anna müller', 'fewer letters of each name'],
  ['0171 2345 0172 3456', 'fewer digits'],
  ['lena@', 'a part of the address'],
  ['anna 2345 x@y', 'fewer digits, a part of the address or fewer letters of each name'],
])('%s finds more with less: %s', (typed, advice) => {
  expect(contactFinder(typed.split(' ')).shorter).toBe(advice)
})

test.each([
  ['', 'nothing to look for'],
  ['-', 'nothing to look for'],
  ['👩', 'nothing to look for'],
  ['123', '"123" has fewer than four digits'],
  ['00123', '"00123" has fewer than four digits'],
  ['anna 12 3', '"12 3" has fewer than four digits'],
])('%j is refused with exit 2', (typed, message) => {
  expect(() => contactFinder([typed])).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) as string, exitCode: 2 }),
  )
})
