/** The verdict of `contacts match` on each row, and the pairs of `contacts duplicates`, of a few people whose values are written in many ways. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/contacts.ts'
import { requireCountry } from '../../src/people/compare.ts'
import { findDuplicates } from '../../src/people/duplicates.ts'
import { matchPeople } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { hostOf, idOf, refusal } from '../support/inputs.ts'
import { table } from '../support/table.ts'
import { inline, workbook } from '../support/workbooks.ts'

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
  1 | Anna Müller   | phone=+49 (0) 171/2345678; email=ANNA@Example.com
  2 | Ben Miller    | phone=+5511987654321; email=ben@example.com
  3 | Carl O’Neil   | phone=+44 20 7946 0385; messengerA_phone=+44 30 1111 2222
  4 | Dana          | phone=+49 30 5556677
  5 | Eve           | phone=0049 30 5556677; email=eve@example.com
  6 | Frank         | phone=0172 3456789; messengerB_username=x@example.com
  7 | Frank         | phone=+52 1 55 8234 5678; phone=+1 555 200 0199 ext. 5
  8 |               | phone=+43 171 2345678; email=otto@example.com`)

/** The matches of a table, and the notes about it. */
async function matched(content: string | Buffer, options: object = {}) {
  const notes: string[] = []
  const read = await readPeopleTable(hostOf(content), '-', {
    note: (text) => void notes.push(text),
    hide: String,
    country: undefined,
    sheet: undefined,
    ...options,
  })
  const find = (id: string) => people.find((contact) => contact.id === id.toLowerCase())
  const found = matchPeople(read, { all: people, find, place: ' on "VIP"', extent: '' })
  return { ...found, notes: [...notes, ...found.notes] }
}

/**
 * Name, number, address, contactId (a number of a contact, or a text) and MATCH before, the country, and the verdict with what is in
 * contactId then and a word of why.
 */
const rows = table(`
  Anna Müller    | +491712345678         |                    |   |     |    | one 1
  MUELLER, Anna  | 0171/2345678          | anna@example.com   |   |     | DE | one 1
                 | +49 171 2345678       |                    |   |     |    | one 1
  4711           | +49 171 2345678       |                    |   |     |    | one 1
  Otto           | +43 171 2345678       |                    |   |     |    | one 8
  Anna Müller    | 0171/2345678          |                    |   |     |    | check needs a country
  Anna Müller    | 0171/2345678          | anna@example.com   |   |     |    | check needs a country
  Anna Müller    | +49 171 2345678 (9-17 Uhr) | anna@example.com |  |  |    | check is not a possible
  Anna Müller    | +49 171 234****       |                    |   |     |    | check is not a possible
  Otto Braun     | +49 171 2345678       |                    |   |     |    | check another name: Anna Müller
  Ben            | +55 11 8765-4321      |                    |   |     |    | check only the last digits of phone +551187654321 fit
  Ben            | +55 11 98765-4321     | nobody@example.com |   |     |    | one 2
                 | +55 11 98765-4321     | nobody@example.com |   |     |    | check nobody on "VIP" has email nobody@example.com
  4711           | +55 11 98765-4321     | nobody@example.com |   |     |    | check nobody on "VIP" has email nobody@example.com
  Ben            | +55 11 98765-4321, +49 171 2345678 | ben@example.com | | |    | several 1 contact has phone +491712345678
                 | +44 30 11112222       |                    |   |     |    | one 3
                 | +49305556677          |                    |   |     |    | several 2 contacts have phone +49305556677
                 | +49305556677          | eve@example.com    |   |     |    | one 5
  Dana           | +49305556677          | eve@example.com    |   |     |    | check another name: Eve
                 | +49305556677          | ben@example.com    |   |     |    | several 1 contact has email ben@example.com
                 | 0172 3456789          |                    |   |     | DE | one 6
                 | +49 172 3456789       |                    |   |     |    | check only the last digits of phone +491723456789 fit
                 | +1 555 200 0199       |                    |   |     |    | check only the last digits
                 | +525582345678         |                    |   |     |    | check only the last digits
                 |                       | x@example.com      |   |     |    | none nobody on "VIP" has email x@example.com
  Anna Müller    | +1 555 999 9999       | robin@example.com  |   |     |    | none nobody on "VIP" has phone +15559999999
                 | +1 555 999 9999       | see notes          |   |     |    | check is not a possible
  Eve            | –                     | -                  |   |     |    | check nothing to look for
                 | +49305556677          |                    | 4 |     |    | decided 4
                 | +491712345678         |                    | - | one |    | decided -
  Peter Pan      | see notes             |                    | 9 | check |  | decided 9
                 | +49 171 2345678       |                    | 1 | one |    | one 1
                 | +49 171 2345678       |                    | 4 | one |    | check 4 the values say another contact than contactId
                 | +1 555 999 9999       |                    | 1 | one |    | check 1 nobody
                 | +49305556677          |                    | 4 | one |    | check 4 2 contacts have
                 | +49 171 2345678       |                    | 4 | ONE |    | decided 4`)

test.each(rows)(
  '%s, %s, %s, contactId %s beside %s, of %s: %s',
  async (name = '', phone, email, filled = '', before = '', country = '', expected = '') => {
    const contactId = filled.replace(/^\d$/, (digit) => idOf(Number(digit)))
    const cells = [name, email, phone, contactId, before].map((text) => `"${text ?? ''}"`)
    const content = `Name,E-mail,Phone,contactId,MATCH\n${cells.join()}\n`
    const { matches } = await matched(content, { country: country || undefined })
    const { match = '', contactId: id = '', why = '' } = matches[0] ?? {}
    const shown = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => idOf(n) === id) ?? id
    const [verdict, ...words] = expected.split(' ')
    expect(match).toBe(verdict)
    expect(`${shown} ${why}`).toContain(words.join(' '))
  },
)

test('candidates are those who have a value, first those whose name fits', async () => {
  const { matches } = await matched(`name,phone\nEve,+49305556677\nPeter Pan,+49 171 2345678\n`)
  expect(matches.map(({ candidates }) => candidates)).toEqual([
    [`${idOf(5)} Eve`, `${idOf(4)} Dana`],
    [`${idOf(1)} Anna Müller`],
  ])
})

test('which columns are read, and which are not', async () => {
  const notesOf = async (content: string, options = {}) =>
    (await matched(content, options)).notes[0]
  expect(await notesOf('Owner Phone,PHONE,Last_Name,E-Mail,WHY,Notes\n')).toBe(
    'phone numbers and addresses from "PHONE", "E-Mail", names from "Last_Name"; not read: "Owner Phone", "Notes"',
  )
  expect(await notesOf('Mobile,first name\n')).toBe(
    'phone numbers and addresses from "Mobile", names from "first name"; not read: no column',
  )
  expect(await notesOf('Ruf;Wer;Phone;mail;name\n', { phone: ['ruf'], name: ['Wer'] })).toBe(
    'phone numbers and addresses from "Ruf", "mail", names from "Wer"; not read: "Phone", "name"',
  )
})

test('a table with other columns and none of names', async () => {
  const row = '+491712345678,x\n'
  const verdictOf = async (heading: string, options = {}) =>
    (await matched(`${heading}\n${row}`, options)).matches.map(
      ({ match, why }) => `${match} ${why}`,
    )
  expect(await verdictOf('Phone,Customer')).toEqual([
    'check no column of names was read (--name <column>)',
  ])
  expect(await verdictOf('Phone,')).toEqual(['check no column of names was read (--name <column>)'])
  expect(await verdictOf('Phone,WHY')).toEqual(['one '])
  expect(await verdictOf('Phone,Customer', { name: ['customer'] })).toEqual([
    'check another name: Anna Müller',
  ])
})

test.each([
  ['no column of values', 'Name,Alter\na,1\n', {}, 'its columns are "Name", "Alter"'],
  ['a column that is not there', 'Phone\n1\n', { email: ['Mail'] }, 'no column "Mail"'],
  ['a column twice', 'Phone,phone\n1,2\n', {}, 'several columns "phone"'],
  ['two delimiters', 'Phone;x,Phone\na;1\n', {}, 'fits two delimiters'],
  ['nothing', '', {}, 'is empty'],
  ['a bad line', 'Phone,Name\n1\n# x,y\n', {}, '2 bad lines'],
  ['text as a decision', `Phone,contactId\n,-\n1,ask Ann\n`, {}, 'line 3: "ask Ann": contactId'],
  ['ids of another program', 'Phone,Contact ID\n1,0035g0000\n', {}, 'rename the column'],
  ['a country that is none', 'Phone\n1\n', { country: 'Mars' }, 'there is no country "Mars"'],
])('%s is refused', async (_, content, options, words) => {
  const { exitCode, message, details } = await refusal(matched(content, options))
  expect(exitCode).toBe(2)
  expect([message, ...(details.lines ?? [])].join('\n')).toContain(words)
})

test('a copied candidate is a decision; a heading alone is a table without rows', async () => {
  const candidate = `${idOf(5)} Eve`
  const content = `Phone,contactId,CANDIDATES\n+49305556677,${candidate},${candidate};${idOf(4)} Dana\n`
  expect((await matched(content)).matches).toMatchObject([
    { match: 'decided', contactId: candidate },
  ])
  expect((await matched('Phone\n')).matches).toEqual([])
})

test('notes count what was not compared', async () => {
  const content = `Phone,contactId\n0171 2345678,\n+49 171 2345678,\n,-\n`
  expect((await matched(content)).notes.slice(1)).toEqual([
    'the number of 1 row needs a country: --country',
    '1 row decided before, and not compared',
    'fill in contactId of 1 row, or "-" for nobody',
    '2 contacts have a phone number or email address that cannot be read; --country may help',
  ])
})

test('in a workbook, a formula is not understood, and one that decides is a bad line', async () => {
  const formula = (cell: string) => `<c r="${cell}" t="str"><f>Z1</f><v>+491712345678</v></c>`
  const heading = `<row r="1">${inline('A1', 'Name')}${inline('B1', 'Phone')}${inline('C1', 'contactId')}</row>`
  const sheet = (cells: string) =>
    workbook({ sheets: [{ rows: `${heading}<row r="2">${cells}</row>` }] })
  const phone = '<c r="B2"><v>5511987654321</v></c>'
  const whys = async (cells: string, country = 'DE') =>
    (await matched(sheet(cells), { country })).matches.map(({ match, why }) => `${match} ${why}`)
  expect(await whys(phone, 'BR')).toEqual(['one '])
  expect(await whys(formula('B2'))).toEqual([
    'check cell B2: "+491712345678" a formula, a date or not a whole number; paste a formula as its value, and export a long number again, as text',
  ])
  expect(await whys(`${formula('A2')}${inline('B2', '+491712345678')}`)).toEqual([
    'check cell A2: "+491712345678" a formula, a date or not a whole number; paste a formula as its value, and export a long number again, as text',
  ])
  const { details } = await refusal(matched(sheet(`${phone}${formula('C2')}`)))
  expect(details.lines).toEqual([
    'cell C2: "+491712345678": a formula, a date or not a whole number; paste a formula as its value, and export a long number again, as text',
  ])
})

/** Source, target, and how many values they share. */
test.each([
  ['DE', ['1 2 2', '3 2 1', '4 3 1', '5 4 1', '8 9 1']],
  [undefined, ['1 2 1', '3 1 1', '4 3 1', '5 4 1']],
])('duplicates, in the country %s', (country, expected) => {
  const contacts = contactsOf(`
    1 | Anna Berg  | phone=+49 171 2345678; email=anna@example.com               | 03
    2 | Berg, Anna | phone=0171 2345678; email=ANNA@example.com                  | 02
    3 | Otto Braun | messengerA_phone=0049 171 2345678; messengerB_username=otto | 04
    4 |            | messengerB_username=OTTO; socialC_user_id=4711              | 05
    5 | Eve        | messengerA_user_id=9; socialC_user_id=4711                  |
    6 | Ben        | phone=+44 20 7946 0385                                      | 01
    7 | Ben        | phone=+44 20 7946 0386; socialC_user_id=9                   | 02
    8 | Carl       | phone=0172 3456789                                          | 02
    9 | Carl       | phone=0172 3456789                                          | 01`)
  const { rows: found } = findDuplicates(contacts, requireCountry(country))
  const shown = found.map(({ source, target, shared, merge }) => {
    const [from, to] = [source, target].map((id) => parseInt(id.slice(-2), 16))
    return `${from} ${to} ${shared.length}${merge}`
  })
  expect(shown.toSorted()).toEqual(expected)
})
