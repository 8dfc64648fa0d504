/** Who fits what was typed for `contacts find`: exactly, or nearly. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/people.ts'
import { requireCountry } from '../../src/people/person-values.ts'
import { contactFinder, type Sought } from '../../src/people/search.ts'
import { table } from '../support/table.ts'

const contacts = table(`
  Anna Müller    | +49 171 2345678  | anna@example.org
  Anna-Lena Hoff | 0172 3456789     | Lena <LENA@example.org>
  Otto Hoffmann  | +43 171 2345678  |
  Søren Holm     | 2345             | soeren@example.org
                 | +44 20 7946 0385 x5 |`).map(
  ([firstName = '', phone = '', email = ''], n): FoundContact => ({
    id: `${n + 1}`,
    firstName,
    identities: { phone: [phone], email: [email] },
    lists: [],
  }),
)

/** What is typed, the country, and the numbers of those who fit exactly and nearly. */
const cases = table(`
  name=anna                               |    | 1 2 |
  name=an                                 |    |     | 1 2
  name=hoff                               |    | 2   | 3
  name=HOFFM otto                         |    |     | 3
  name=lena ann                           |    |     | 2
  name=mueller; name=holm                 |    | 1 4 |
  name=soren                              |    | 4   |
  name=nobody                             |    |     |
  phone=+49 171 2345678                   |    | 1   | 3
  phone=0171 2345678                      |    |     | 1 3
  phone=0171 2345678                      | AT | 3   | 1
  phone=0172/3456789                      | DE | 2   |
  phone=+49 172 3456789                   |    |     | 2
  phone=5678                              |    |     | 1 3
  phone=45678                             | DE |     | 1 3
  phone=2345                              |    |     | 4
  phone=٥٦٧٨                              |    |     | 1 3
  phone=+44 20 7946 0385 ext. 5           |    | 5   |
  phone=+44 20 7946 0385 ext. 6           |    |     | 5
  phone=+44 20 7946 0385                  |    |     | 5
  email=ANNA@example.org                  |    | 1   |
  email=lena@EXAMPLE.org                  |    | 2   |
  email=example.org@anna.org              |    |     |
  name=anna; phone=+49 171 2345678        |    | 1   |
  name=ann; phone=+49 171 2345678         |    |     | 1
  name=otto; phone=+49 171 2345678        |    |     | 3
  name=otto; email=anna@example.org       |    |     |
  name=otto; name=anna; phone=5678        |    |     | 1 3`)

test.each(cases)('%s, of %s: exactly %s, nearly %s', (typed = '', country, exact, near) => {
  const sought = { phone: [] as string[], email: [] as string[], name: [] as string[] }
  for (const each of typed.split('; ')) {
    const [kind = '', text = ''] = each.split('=')
    sought[kind as keyof Sought].push(text)
  }
  const found = contactFinder(sought, requireCountry(country || undefined))(contacts)
  const shown = [found.exactly, found.nearly].map((all) => all.map(({ id }) => id).join(' '))
  expect(shown).toEqual([exact, near])
})

test.each([
  ['phone', '', '"" is not a phone number of four digits or more'],
  ['phone', '123', '"123" is not a phone number of four digits or more'],
  ['phone', 'call 12345', '"call 12345" is not a phone number of four digits or more'],
  ['phone', '+49 171 2345678, 12345', 'is not a phone number of four digits or more'],
  ['email', 'max@gmx', '"max@gmx" is not an email address'],
  ['email', 'a@x.de b@x.de', '"a@x.de b@x.de" is not an email address'],
  ['name', ' 👩 -', 'there is no word in --name'],
])('--%s %j is refused with exit 2', (kind, text, message) => {
  const sought = { phone: [], email: [], name: [], [kind]: [text] }
  expect(() => contactFinder(sought, undefined)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) as string, exitCode: 2 }),
  )
})
