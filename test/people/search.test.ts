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
  Hoff           |                  | x171@example.org
  Maria Schmidt  | +49 (0)30 1110735 | maria@example.com
  Carla          | ０９０−１２３４−５６７８ | maria.schmidt@bücher.de`).map(
  ([firstName = '', phone = '', email = '', account = ''], n): FoundContact => ({
    id: `${n + 1}`,
    firstName,
    identities: { phone: [phone], email: [email], messengerB_username: [account] },
    lists: [],
  }),
)

/** Why, what is typed, and the contacts that are found, equal ones first. */
test.each(
  table(`
    the beginning of a name       | an                    | 1 2
    an equal name comes first     | hoff                  | 7 2 3
    words in any order            | HOFFM otto            | 3
    a name before an address      | len                   | 2
    both in one word              | maria.schmidt         | 8 9
    without an accent             | BUCHER.de             | 9
    with another spelling         | buecher               | 9
    a part of a domain            | example.com           | 8
    a part of addresses           | example               | 1 2 4 6 7 8
    ue for ü                      | mueller anna          | 1
    o for ø                       | soren                 | 4
    the middle of a word          | üller                 |
    a whole number                | +49 171 2345678       | 1
    its digits alone              | 491712345678          | 1
    a contact's local number      | 0172/3456789          | 2
    the middle of a number        | 7123                  | 1 3
    with a zero in front          | 0735                  | 8
    a zero that nobody dials      | +49 30 1110735        | 8
    and typed                     | 0049 (0)30 111 0735   | 8
    full-width, of the contact    | 09012345678           | 9
    fewer than four are a word    | 171                   | 7
    of an address and a number    | 2345                  | 4 1 2 3 9
    zeros in front, and too few   | 00123                 |
    digits of two words           | 12 3                  |
    of a number and of an address | lena 0172             | 2
    full-width digits             | ２３４５６            | 1 2 3 9
    a name and digits             | anna 5678             | 1 2
    digits in a word              | n5678                 |
    a part of an address          | @example.org          | 1 2 4 7
    a part of an account          | oeren                 | 4
    an account as it is shown     | messengerB:@soe       | 4
    no word of the label alone    | messengerB            |
    an account                    | @SOEREN               | 4
    an account and a name         | @soeren holm          | 4
    another one's name            | otto anna 5678        |
    signs alone between words     | anna - müller         | 1
    brackets with blanks          | ( 0171 ) 2345678      | 1 3
    no blanks in other scripts    | annamüller            |`),
)('%s: %s', (_, typed = '', expected = '') => {
  const found = contactFinder(typed.split(' ')).find(contacts)
  expect(found.map(({ id }) => id).join(' ')).toBe(expected)
})

test.each([
  ['anna müller', 'fewer letters, the name as it is written on the service'],
  ['0171 2345 0172 3456', 'fewer digits'],
  ['lena@', 'fewer letters'],
  ['lena@example.org', 'fewer letters'],
  ['anna 2345 x@y', 'fewer letters, the name as it is written on the service'],
  ['anna 23456', 'fewer letters, the name as it is written on the service, fewer digits'],
  ['王', 'the name as it is written on the service'],
  ['2345', ''],
  ['678', ''],
  ['anna 12 3', 'fewer letters, the name as it is written on the service'],
])('%s finds more with less: %s', (typed, advice) => {
  expect(contactFinder(typed.split(' ')).advice.join(', ')).toBe(advice)
})

test.each(['', '-', '👩', '@', '+'])('%j is refused with exit 2', (typed) => {
  const refused = { message: 'nothing to look for: type letters or digits', exitCode: 2 }
  expect(() => contactFinder([typed])).toThrow(expect.objectContaining(refused))
})
