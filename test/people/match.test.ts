/** The verdict of `contacts match` on each row, and the pairs of `contacts duplicates`, of a few people whose values are written in many ways. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/people.ts'
import { requireCountry } from '../../src/people/person-values.ts'
import { findDuplicates } from '../../src/people/duplicates.ts'
import { matchPeople } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { hostOf, idOf } from '../support/inputs.ts'
import { table } from '../support/table.ts'

/** Contacts as rows of a number, a name, values with their identity keys, and the day of their creation. */
function contactsOf(text: string): FoundContact[] {
  return table(text).map(([n, firstName, values = '', day = '']) => {
    const identities: Record<string, string[]> = {}
    for (const value of values.split('; ').filter(Boolean)) {
      const [key = '', shown = ''] = value.split(/=(.*)/)
      ;(identities[key] ??= []).push(shown)
    }
    const createdAt = day === '' ? null : `2026-01-${day}T00:00:00.000Z`
    const lists = [{ id: 'a'.repeat(24), name: 'All' }]
    return { id: idOf(Number(n)), firstName, lastName: null, identities, createdAt, lists }
  })
}

const people = contactsOf(`
  1 | Anna Müller   | phone=+49 (0) 171 / 2345678; email=ANNA@Example.com
  2 | Ben Miller    | phone=+5511987654321; email=ben@example.com
  3 | Carl O’Neil   | phone=+44 20 7946 0385 ext. 5; messengerA_phone=+44 30 1111 2222
  4 | Dana          | phone=+49 30 5556677
  5 | Eve           | phone=0049 30 5556677; email=Eve <eve@example.com>
  6 | Frank         | phone=0172 3456789; messengerB_username=x@example.com
  7 | Frank         | phone=+52 1 55 8234 5678
  8 | Otto Kuhn Sr. | phone=+43 171 2345678; email=otto@example.com`)

/** Name, number, address and decision of a row, its country, the verdict and what is in contactId then: the number of a contact. */
const rows = table(`
  Anna Müller    | +491712345678               |                    |    | | one 1
  MUELLER, Anna  | 0171/2345678                | anna@example.com   |    | DE | one 1
  Anna Müller    | 0171/2345678                | anna@example.com   |    | Deutschland | one 1
  Anna Müller    | 0171/2345678                | anna@example.com   |    | Bayern | check null
  Anna Müller    | +49 171 2345678             |                    |    | Bayern | check null
  Anna Müller    | 0171/2345678                |                    |    | | several null
  Anna Müller    | 491712345678.0              |                    |    | GB | several null
  Anna Müller    | +49 171 2345678 (9-17 Uhr)  |                    |    | | several null
  Anna Müller    | +49 171 2345678 XX          | anna@example.com   |    | | check null
  Anna Müller    | +49 171 234****             |                    |    | | unreadable null
  Anna Müller    | +49 171 234****             | anna@example.com   |    | | check null
                 | +49 30 5556677/2672         |                    |    | | several null
                 | 0049-171 2345678            | Anna@EXAMPLE.com   |    | | one 1
  Otto Braun     | +49 171 2345678             |                    |    | | check null
  Otto Kuhn Jr.  | +43 171 2345678             |                    |    | | check null
  Ben            | +55 11 8765-4321            |                    |    | | check null
  Ben            | +55 11 98765-4321, +49 171 2345678 | ben@example.com |  | | check null
  Ben            | +55 11 98765-4321           | nobody@example.com |    | | one 2
                 | +49 171 2345678; +5511987654321 |                |    | | several null
                 | +442079460385               |                    |    | | check null
                 | +44 20 7946 0385 x5         |                    |    | | one 3
                 | +44 20 7946 0385;ext=6      |                    |    | | check null
                 | +44 30 11112222             |                    |    | | one 3
                 | +49305556677                |                    |    | | several null
                 | +49305556677                | eve@example.com    |    | | one 5
                 |                             | Eve <eve@example.com> |  | | one 5
                 |                             | eve@example.com, bob@ |  | | check null
                 | +49 172 3456789             |                    |    | | check null
                 | 0172 3456789                |                    |    | DE | check null
                 | +525582345678               |                    |    | | check null
                 |                             | x@example.com      |    | | none null
                 | +1 555 999 9999             | robin@example.com  |    | | none null
                 | 0172 9999999                |                    |    | | unreadable null
                 | see notes                   |                    |    | | unreadable null
                 | see notes                   | eve@example.com    |    | | check null
                 |                             | eve                |    | | unreadable null
  Eve            |                             |                    |    | | unreadable null
                 | +49305556677                |                    | 4  | | several 4
                 | +491712345678               |                    | 1  | | one 1
                 | +491712345678               |                    | -  | | one -
                 | +1 555 999 9999             |                    | -  | | none -
                 | see notes                   |                    | 9  | | unreadable 9
  Anna Müller    | +49 171 2345678             |                    | 1 Anna | | one 1
  Anna Müller    | +49 171 2345678             |                    | 4  | | differs 4
                 | +49 171 2345678             |                    | 8  | | differs 8
                 | 0171 2345678                |                    | 8  | | several 8
                 | 0171 2345678                |                    | 4  | | differs 4
                 | +49 171 2345678             |                    | 9  | | differs 9
                 | +49305556677                | eve@example.com    | 4  | | differs 4
  Dana           | +49305556677                |                    | 5  | | differs 5
  Otto Braun     | +49305556677                |                    | 5  | | several 5
  Peter Pan      | +49 171 2345678             |                    | 1  | | check 1
  Peter Pan      | +1 555 999 9999             |                    | 1  | | differs 1
  Peter Pan      | see notes                   |                    | 1  | | differs 1
  Anna Müller    | +1 555 999 9999             |                    | 1  | | none 1
                 | +1 555 999 9999             |                    | 1  | | none 1
  Peter Pan      | +1 555 999 9999             |                    | 9  | | none 9`)

/** The matches of a table with a heading and these rows. */
async function matched(lines: readonly string[], country?: string) {
  const content = `${lines.join('\n')}\n`
  const told: string[] = []
  const note = (text: string) => void told.push(text)
  const read = await readPeopleTable(hostOf(content), '-', { note, country })
  const find = (id: string) => people.find((contact) => contact.id === id.toLowerCase())
  const searched = { all: people, find, place: ' on "VIP"' }
  return { ...matchPeople({ ...read, country: undefined }, searched), notes: told }
}

test.each(rows)(
  '%s, %s, %s, decided %s, of %s: %s',
  async (name, phone, email, decided = '', country, expected) => {
    const contactId = decided.replace(/^\d/, (digit) => idOf(Number(digit)))
    const cells = [name, email, phone, country, contactId].map((text) => `"${text ?? ''}"`)
    const heading = 'Nom,Courriel,Téléphone,Pays,contactId,MATCH'
    const [row] = (await matched([heading, `${cells.join(',')},`])).matches
    const shown = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => idOf(n) === row?.contactId)
    expect(`${row?.match} ${shown ?? row?.contactId}`).toBe(expected)
  },
)

test('"differs" says whom the values name, also beside the filled contact', async () => {
  const lines = ['Name,Phone,contactId', `Eve,+49305556677,${idOf(4)}`]
  expect((await matched(lines)).matches[0]).toMatchObject({
    match: 'differs',
    why: '2 contacts have +49305556677; another name: Dana',
    candidates: [`${idOf(5)} Eve`, `${idOf(4)} Dana`],
  })
})

test('what is no decision is no id: a cell beside others, or a whole column of something else', async () => {
  const heading = 'Phone,contactId'
  const [, second] = (await matched([heading, ',-', '+491712345678,ask Ann'])).matches
  expect(second).toMatchObject({
    match: 'check',
    contactId: null,
    why: 'line 3: "ask Ann" is not the id of a contact',
  })
  await expect(matched([heading, '+491712345678,4711', ','])).rejects.toMatchObject({
    exitCode: 2,
    message: 'the column contactId of standard input has neither ids nor "-"',
  })
  expect((await matched([heading, '+491712345678,'])).matches[0]?.contactId).toBe(idOf(1))
})

test('JSON is no table of people', async () => {
  await expect(matched(['[{"Phone": "+491712345678"}]'])).rejects.toMatchObject({
    exitCode: 2,
    message: 'standard input is JSON',
  })
})

test('a note says when numbers lack a country, and does not advise what was typed', async () => {
  const lines = ['Phone,Land', '0171 2345678,Mars', '+49 171 2345678,Mars']
  const lacks = '1 row has a phone number without a country'
  expect((await matched(lines)).notes.at(-1)).toBe(`${lacks}: add --country`)
  expect((await matched(lines, 'DE')).notes.at(-1)).toBe(lacks)
})

const sharing = `
  1 | Anna Berg  | phone=+49 171 2345678; email=anna@example.com               | 03
  2 | Berg, Anna | phone=0171 2345678; email=ANNA@example.com                  | 02
  3 | Otto Braun | messengerA_phone=0049 171 2345678; messengerB_username=otto | 04
  4 |            | messengerB_username=@OTTO; socialC_user_id=4711
  5 | Eve        | messengerA_user_id=4711                                     | 01
  6 | Ben        | phone=+44 20 7946 0385                                      | 01
  7 | Ben        | phone=+44 20 7946 0385 x5                                   | 02
  8 | Carl       | phone=0172 3456789                                          | 02
  9 | Carl       | phone=0172 3456789                                          | 01`

/** Source and target, how many values they share, and the warnings. */
test.each([
  [
    'DE',
    ['1 2 2 shared by 3', '3 2 1 names differ; shared by 3', '4 2 1 only through others', '8 9 1 '],
  ],
  [undefined, ['1 2 1 ', '3 2 2 names differ; only through others', '4 2 1 only through others']],
])('duplicates, in the country %s', (country, expected) => {
  const found = findDuplicates(contactsOf(sharing), requireCountry(country), Infinity).rows
  const told = found.map(({ source, target, shared, warning }) =>
    [
      ...[source, target].map((id) => parseInt(id.slice(-2), 16)),
      shared.length,
      warning.join('; '),
    ].join(' '),
  )
  expect(told.toSorted()).toEqual(expected)
})
