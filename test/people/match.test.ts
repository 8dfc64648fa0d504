/** The verdict of `contacts match` on each row, and the pairs of `contacts duplicates`. */
import { expect, test, vi } from 'vitest'
import type { FoundContact } from '../../src/api/contacts.ts'
import { stepsOf } from '../../src/errors.ts'
import { checkCountry } from '../../src/people/compare.ts'
import { findDuplicates } from '../../src/people/duplicates.ts'
import { matchPeople } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { hostOf, idOf, refusal } from '../support/inputs.ts'
import { table } from '../support/table.ts'
import { inline, workbook } from '../support/workbooks.ts'

/** Contacts as rows of a number, a name, values with their keys, and the day of their creation. */
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
  6 | Frank         | phone=0172 3456789; phone=491701112244@c.us; messengerB_username=x@example.com
  7 | Frank         | phone=+52 1 55 8234 5678; phone=+1 555 200 0199 ext. 5; messengerA_phone=+491701112233@s.whatsapp.net
  8 |               | phone=+43 171 2345678; email=otto@example.com`)

async function matched(content: string | Buffer, options: object = {}) {
  const notes: string[] = []
  const { country, ...typed }: { country?: string } = options
  const read = await readPeopleTable(
    hostOf(content),
    { path: '-', ...typed },
    { note: (text) => void notes.push(text), hide: String, country },
  )
  const find = (id: string) => people.find((contact) => contact.id === id.toLowerCase())
  const found = matchPeople(read, { all: people, find, extent: '' })
  return { ...found, notes: [...notes, ...found.notes] }
}

/** Name, number, address, contactId and MATCH before, country; verdict, contactId, why. */
const rows = table(`
  Anna Müller    | +491712345678         |                    |   |     |    | one 1
  MUELLER, Anna  | 0171/2345678          | anna@example.com   |   |     | DE | one 1
                 | +49 171 2345678       |                    |   |     |    | check the row has no name
  Otto           | +43 171 2345678       |                    |   |     |    | check the contact has no name
  Anna Müller    | 0171/2345678          |                    |   |     |    | check needs a country
  Anna Müller    | 0171/2345678          | anna@example.com   |   |     |    | check needs a country
  Anna Müller    | +49 171 2345678 (9-17 Uhr) | anna@example.com |  |  |    | check is not a possible
  Otto Braun     | +49 171 2345678       |                    |   |     |    | check a different name: Anna Müller
  Ben            | +55 11 8765-4321      |                    |   |     |    | check a contact has phone …87654321, as in "Phone"
  Ben Miller     | +55 11 98765-4321     | nobody@example.com |   |     |    | one 2
  Ben            | +55 11 98765-4321     | nobody@example.com |   |     |    | check no contact has email nobody@example.com
  Miller         | +55 11 98765-4321     |                    |   |     |    | check a different name: Ben Miller
  Ben T. Miller  | +55 11 98765-4321     |                    |   |     |    | check a different name: Ben Miller
  Ben Ben        | +55 11 98765-4321     |                    |   |     |    | check a different name: Ben Miller
  Eve            | 0049 30 5556677       | eve@example.com, nobody@example.com | | | | one 5
  Eve Berg       | +49 172 9999999       | eve@example.com    |   |     |    | check no contact has phone +491729999999
                 | +55 11 98765-4321     | nobody@example.com |   |     |    | check no contact has email nobody@example.com
  Ben            | +55 11 98765-4321, +49 171 2345678 | ben@example.com | | |    | check 1 contact has phone +491712345678
  Carl O'Neil    | +44 30 11112222       |                    |   |     |    | one 3
                 | +49305556677          |                    |   |     |    | check 2 contacts have phone +49305556677
  Eve            | +49305556677          | eve@example.com    |   |     |    | one 5
                 | +49305556677          | ben@example.com    |   |     |    | check 1 contact has email ben@example.com
  Frank          | 0172 3456789          |                    |   |     | DE | one 6
                 | +49 172 3456789       |                    |   |     |    | check a contact has phone …23456789, as in "Phone"
                 | +1 555 200 0199       |                    |   |     |    | check a contact has phone …52000199, as in "Phone"
                 | +43 30 5556677        |                    |   |     |    | check a contact has phone …05556677, as in "Phone"
                 | 2345678               |                    |   |     | DE | check has fewer than eight digits
  Anna Müller    | anna@example.com      |                    |   |     |    | check is not a possible phone number
  Anna Müller    |                       | +49 171 2345678    |   |     |    | one 1
  Anna Müller    | (+49) 171 2345678     |                    |   |     |    | one 1
                 |                       | x@example.com      |   |     |    | check a contact has address x@example.com, as in "E-mail"
                 |                       | y@example.com      |   |     |    | none no contact has email y@example.com
  Frank          | +491701112233         |                    |   |     |    | check a contact has phone …01112233, as in "Phone"
  Frank          | +491701112244         |                    |   |     |    | check a contact has phone …01112244, as in "Phone"
  Anna Müller    | +1 555 999 9999       | robin@example.com  |   |     |    | none no contact has phone +15559999999
                 | +1 555 999 9999       | see notes          |   |     |    | check is not a possible
  Eve            | –                     | -                  |   |     |    | check the row has no phone number or email address
                 | +49305556677          |                    | 4 |     |    | decided 4
                 | +491712345678         |                    | - | one |    | decided -
  Peter Pan      | see notes             |                    | 9 | check |  | decided 9 no contact on any list has the id in contactId
  Anna Müller    | +49 171 2345678       |                    | 1 | one |    | one 1
                 | +49 171 2345678       |                    | 4 | one |    | check the values match a different contact than the id that was in contactId
                 | +1 555 999 9999       |                    | 1 | one |    | check no contact
                 | +49305556677          |                    | 4 | one |    | check 2 contacts have
  Otto Braun     | +49 171 2345678       |                    | 1 | one |    | check a different name
                 | see notes             |                    | 1 | one |    | check is not a possible
                 |                       |                    | 1 | one |    | check the row has no phone number or email address
                 | +49 171 2345678       |                    | 4 | ONE |    | check the values match a different
                 | +49 171 2345678       |                    | 4 | 'one |   | check the values match a different
                 | +49 171 2345678       |                    | 4 | several | | decided 4
  Anna Müller    | 491712345678          |                    |   |     | DE | one 1
  Anna Müller    | 0171 / 2345678        |                    |   |     | DE | check a contact has phone …12345678, as in "Phone"`)

test.each(rows)('%s, %s, %s, contactId %s beside %s, of %s: %s', async (...row) => {
  const [name = '', phone, email, filled = '', before = '', country = '', expected = ''] = row
  const contactId = filled.replace(/^\d$/, (digit) => idOf(Number(digit)))
  const cells = [name, email, phone, contactId, before].map((text) => `"${text ?? ''}"`)
  const content = `Name,E-mail,Phone,contactId,MATCH,CANDIDATES\n${cells.join()},\n`
  const { matches } = await matched(content, { country: country || undefined })
  const { match = '', contactId: id = '', why = '' } = matches[0] ?? {}
  const shown = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => idOf(n) === id) ?? id
  const [verdict, ...words] = expected.split(' ')
  expect(match).toBe(verdict)
  expect(`${shown} ${why}`).toContain(words.join(' '))
})

test('an id of an earlier match that no longer holds is the first candidate', async () => {
  const row = (phone: string, n: number) => `,${phone},${idOf(n).toUpperCase()},one,\n`
  const content = `name,phone,contactId,MATCH,CANDIDATES\n${row('+49 171 2345678', 4)}${row('+49305556677', 5)}${row('+1 555 999 9999', 9)}`
  const { matches, notes } = await matched(content)
  expect(matches.map(({ candidates }) => candidates)).toEqual([
    [`${idOf(4)} Dana`, `${idOf(1)} Anna Müller`],
    [`${idOf(5)} Eve`, `${idOf(4)} Dana`],
    [idOf(9).toUpperCase()],
  ])
  expect(matches.map(({ match, contactId }) => match + contactId)).toEqual(Array(3).fill('check'))
  const words = 'the values do not match it'
  expect(notes).toContain(`3 rows lost the id in contactId, because MATCH was "one" and ${words}`)
})

const one = '+49 171 2345678'

/** Rows of name, number, contactId and MATCH before, behind `;`, and the verdict of each. */
test.each(
  table(`
  one person twice               | Anna Müller,${one}; MUELLER Anna,${one}              | one one
  by a number, and by an address | Anna Müller,${one}; Anna Müller,anna@example.com     | check check
  an added word                  | Anna Müller,${one}; Dr. Anna Müller,${one}           | one check
  two persons                    | Anna Müller,${one}; Müller,${one}                    | one check
  a name of one word twice       | Anna,${one}; Anna,${one}                             | check check
  a name, and none               | Anna Müller,${one}; ,${one}                          | one check
  a name, none, and other values | Anna Müller,${one}; ,anna@example.com                | one check
  no name, one value             | ,${one}; 4711,0049 171 2345678                       | check check
  no name, other values          | ,${one}; ,anna@example.com                           | check check
  three, of whom one differs     | Anna Müller,${one}; Anna Müller,${one}; Anna Müller,anna@example.com | check check check
  two by name, one of its values | Anna Müller,${one}; Anna Müller,anna@example.com; ,${one} | check check check
  other contacts                 | Anna Müller,${one}; Ben Miller,+55 11 98765-4321     | one one
  beside what is check already   | Anna Müller,${one}; Otto Braun,${one}                | one check
  a decided one stays            | Anna Müller,${one}; Bert,,${idOf(1)}                 | check decided
  a decided one of another name  | Anna Müller,${one}; Bert Braun,,${idOf(1)}           | check decided
  a decided one of its values    | Anna Müller,${one}; Bert Braun,${one},${idOf(1)}     | check decided
  a decided one of the same name | Anna Müller,${one}; Anna Müller,${one},${idOf(1)}    | one decided
  a decided one without a value  | Anna Müller,${one}; Anna Müller,,${idOf(1)}          | check decided
  no name, and a decided one     | ,${one}; Anna Müller,,${idOf(1)}                     | check decided
  digits that can be read twice  | Anna Müller,${one}; Anna Müller,491712345678         | one one
  a decided one of somebody else | Anna Müller,${one}; Bert,,${idOf(2)}                 | one decided
  of an earlier match            | Anna Müller,${one},${idOf(1)},one; Anna Müller,anna@example.com | check check`),
)('%s: %s: %s', async (_, rows = '', verdicts) => {
  const lines = rows.split('; ').map((row) => `${row}${',,,,'.slice(row.split(',').length - 1)}\n`)
  const content = `Name,Phone,contactId,MATCH,CANDIDATES\n${lines.join('')}`
  const { matches } = await matched(content, { email: ['Phone'], country: 'DE' })
  expect(matches.map(({ match }) => match).join(' ')).toBe(verdicts)
})

/** Each value is told with who has it; nobody is said of a number that is too short. */
test.each(
  table(`
     | +49305556677; +1 555 999 9999 | 2 contacts have phone +49305556677; choose one, merge them, or copy the row for each of them; no contact has phone +15559999999
     | +49305556677; +43 171 2345678 | 2 contacts have phone +49305556677; 1 contact has phone +431712345678; choose one, merge them, or copy the row for each of them
  DE | 2345678 | row 2, "Phone": "2345678" has fewer than eight digits after its country code; no contact has phone +492345678`),
)('in the country %s, WHY of %s: %s', async (country, phone, why) => {
  const { matches } = await matched(`Phone\n"${phone}"\n`, {
    country: country || undefined,
    name: [],
  })
  expect(matches[0]?.why).toBe(why)
})

test('the other row of a shared contact is named', async () => {
  const { matches } = await matched(
    `Name,Phone,Email\nAnna Müller,${one},\nAnna Müller,,anna@example.com\n`,
  )
  expect(matches).toMatchObject([
    { why: 'row 3 has the same contact', candidates: [`${idOf(1)} Anna Müller`] },
    { why: 'row 2 has the same contact', contactId: '' },
  ])
})

/** The number or address of a row, a heading and a cell of another column, and what the row says. */
test.each(
  table(`
  +15559999999 | Handy      | 0171 2345678  | check a contact has phone …12345678, as in "Handy"
  +15559999999 | Handy      | 0171.2345678 (privat) | check a contact has phone …12345678, as in "Handy"
  +15559999999 | Handy      | 0171 9999999  | none no contact
  +15559999999 | Mail 2     | see <Anna@example.com>. | check a contact has address anna@example.com, as in "Mail 2"
  +15559999999 | Mail 2     | x@example.org | none no contact
  +15559999999 | Order      | 2024-01-05 10:23, 550e8400-e29b-41d4-4716-446655440000 | none no contact
  x@example.org | Display   | Ann (anna@example.com.au) | none no contact
  ${one}       | Handy      | 0171 9999999  | one`),
)('%s beside %s %s: %s', async (phone = '', heading, cell, expected) => {
  const column = phone.includes('@') ? 'Email' : 'Phone'
  const { matches } = await matched(`${column},name,${heading}\n${phone},Anna Müller,"${cell}"\n`)
  expect(`${matches[0]?.match} ${matches[0]?.why}`).toContain(expected)
})

/** Without names, a value that nobody has is not allowed. */
test.each(
  table(`
  ${one},             | one
  ${one},anna@example.com | one
  ${one},x@example.org | check no contact has email x@example.org
  ${one},ben@example.com | check 1 contact has phone +491712345678; 1 contact has email ben@example.com`),
)('without names, %s: %s', async (row, expected = '') => {
  const { matches } = await matched(`Phone,Email\n${row}\n`, { name: [] })
  expect(`${matches[0]?.match} ${matches[0]?.why}`.trim()).toContain(expected)
})

test('with columns of values that a user named, svc looks nothing else up', async () => {
  const content = `Phone,name,Handy\n+15559999999,Anna Müller,0171 2345678\n`
  const verdictOf = async (options: object) => (await matched(content, options)).matches[0]?.match
  expect(await verdictOf({})).toBe('check')
  expect(await verdictOf({ phone: ['Phone'] })).toBe('none')
})

test('candidates are those who have a value, first those whose name fits', async () => {
  const { matches } = await matched(`name,phone\nEve,+49305556677\nPeter Pan,+49 171 2345678\n`)
  expect(matches.map(({ candidates }) => candidates)).toEqual([
    [`${idOf(5)} Eve`, `${idOf(4)} Dana`],
    [`${idOf(1)} Anna Müller`],
  ])
})

/** A heading, columns that are named, and what the note says. */
test.each(
  table(`
  Owner Phone,PHONE,Full_Name,E-Mail,Why,Notes       |                    | "PHONE", "E-Mail"; names from "Full_Name"; not reading "Owner Phone", "Why", "Notes"
  Mobile Phone,last name,Middle-Name,Phone Number,first.name,Email Address | | "Phone Number", "Mobile Phone", "Email Address"; names from "first.name", "Middle-Name", "last name"
  phone,PHONE,Name                                   | phone=PHONE        | "PHONE"; names from "Name"; not reading "phone"
  Ruf;Wer;Phone;mail;name                            | phone=ruf name=Wer | "Ruf", "mail"; names from "Wer"; not reading "Phone", "name"
  FIRSTNAME,LASTNAME,EMAIL,MOBILEPHONE,HOMEPHONE     |                    | "MOBILEPHONE", "EMAIL"; names from "FIRSTNAME", "LASTNAME"; not reading "HOMEPHONE"
  Person - Name,Person - Phone - Mobile              | phone=person_phone_mobile name=person_name | "Person - Phone - Mobile"; names from "Person - Name"
  氏名,電話番号                                      | phone=電話番号 name=氏名 | "電話番号"; names from "氏名"
  Phone,                                             | name=              | "Phone"; no column of names; not reading columns without a name`),
)('of %s, with %s, it reads %s', async (heading, named = '', expected) => {
  const pairs = named.split(' ').map((pair) => pair.split('='))
  const options = Object.fromEntries(
    named ? pairs.map(([kind, name]) => [kind, name ? [name] : []]) : [],
  )
  const { notes } = await matched(`${heading}\n`, options)
  expect(notes[0]).toBe(`0 rows: reading phone numbers and email addresses from ${expected}`)
})

/** The columns of a table, and the lines that are printed to type. */
test.each(
  table(`
  Customer                           | svc contacts match - --phone Phone --sheet S --out "a b.csv" --no-names
  First Name,Last Name,Company Name  | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name "First Name" --name "Last Name" --name "Company Name"
  First Name,Last Name,Company Name  | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name "First Name" --name "Last Name"
  Vorname,Nachname                   | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name Vorname --name Nachname
  Name,Full Name                     | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name Name --name "Full Name"
  First Name,Last Name,Suffix        | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name "First Name" --name "Last Name" --name Suffix
  Name,Middle                        | svc contacts match - --phone Phone --sheet S --out "a b.csv" --name Name --name Middle`),
)('the columns %s: %s', async (heading, line) => {
  const rows = [
    {
      name: 'S',
      rows: [...`${heading},Phone`.split(',').entries()]
        .map(([at, text]) => inline(`${String.fromCharCode(65 + at)}1`, text))
        .join(''),
    },
  ]
  const sheets = rows.map((each) => ({ ...each, rows: `<row r="1">${each.rows}</row>` }))
  const options = { phone: ['Phone'], sheet: 'S', out: 'a b.csv' }
  const { details } = await refusal(matched(workbook({ sheets }), options))
  const lines = stepsOf(details.hint).flatMap(({ type = [] }) => type)
  expect(lines.map((each) => `svc ${each}`)).toContain(line)
})

/** Columns, an option, and what is said of a row with the number of a contact. */
test.each(
  table(`
  Phone,Customer | name=         | one
  Phone,Customer | name=customer | check a different name: Anna Müller`),
)('a table with the columns %s and %s: %s', async (heading, typed = '', expected) => {
  const [, value] = typed.split('=')
  const options = { name: value ? [value] : [] }
  const { matches } = await matched(`${heading}\n+491712345678,x\n`, options)
  expect(matches.map(({ match, why }) => `${match} ${why}`.trim())).toEqual([expected])
})

/** A content, whose lines end in ⏎, a column or country that is named, and words of the error. */
test.each(
  table(`
  Name,Alter⏎a,1⏎                       |               | its columns are "Name", "Alter"
  Name,Alter⏎a,1⏎                       |               | svc never matches by name alone; to search for a name
  Phone⏎1⏎                              | email=Mail    | no column "Mail"
  Phone,phone⏎1,2⏎                      |               | several columns "phone"
  Phone;x,Phone⏎a;1⏎                    |               | its header row works with two separators
                                        |               | is empty
  Phone,Name⏎1⏎# x,y⏎                   |               | 2 bad rows
  Name,Phone,contactId,MATCH,CANDIDATES⏎,,-,,⏎,1,ask Ann,,⏎ | | row 3: "ask Ann": contactId
  Name,Phone,Contact ID⏎,1,0035g0000⏎   |               | the column "Contact ID", which commands would read as contactId
  Name,Phone,contactId,MATCH,CANDIDATES⏎,,5.07E+23,,⏎ |  | "5.07E+23": rounded by a spreadsheet
  full_name,LASTNAME,Email⏎             |               | columns that may have names: "full_name", "LASTNAME"
  Kunde,Email⏎                          |               | no column that is called name, first name, or last name
  Phone,Name⏎1,Anna⏎2⏎                  |               | row 3: it has 1 cell, but the header row has 2
  name,phone,noteanna@x.de,+49 171 2345678,x⏎ |         | is not a header row: it has "noteanna@x.de"
  Anna,a@b.de⏎Ben,b@b.de⏎               | email=a@b.de  | is not a header row: it has "a@b.de"
  first name,Phone⏎                     |               | columns that may have names: "first name"
  Email,Last Name⏎                      |               | columns that may have names: "Last Name"
  Phone,Company⏎                        |               | no column that is called name, first name, or last name
  Phone,contactId,MATCH⏎                |               | "contactId", "MATCH", which svc adds itself, but not "CANDIDATES"
  Phone,MATCH,CANDIDATES⏎               |               | but not "contactId"
  Phone,WHY⏎                            |               | "WHY", which svc adds itself, but not "contactId", "MATCH", "CANDIDATES"
  Phone,contactName⏎                    |               | rename "contactName"
  Phone,Name,contactId,MATCH,CANDIDATES,MATCH⏎ |        | several columns "MATCH"
  Phone,contactId,MATCH,CANDIDATES,contact_id⏎ |        | several columns "contactId"
  Name,Notes⏎a,1⏎                       |               | contacts find
  Phone,⏎                               | name=         | the name of a column is empty
  Phone⏎1⏎                              | country=Mars  | there is no country "Mars"`),
)('%s with %s is refused: %s', async (content = '', typed = '', words) => {
  const [kind = '', value] = typed.split('=')
  const options = { [kind]: kind === 'country' ? value : [value] }
  const refused = refusal(matched(content.replaceAll('⏎', '\n'), typed === '' ? {} : options))
  const { exitCode, message, details } = await refused
  expect(exitCode).toBe(2)
  const hint = JSON.stringify(details.hint)?.replaceAll('\\"', '"')
  expect([message, ...(details.lines ?? []), hint].join('\n')).toContain(words)
})

test('a copied candidate is a decision; a heading alone is a table without rows', async () => {
  const contactId = `${idOf(5)} Eve`
  const content = `Name,Phone,contactId,MATCH,CANDIDATES\n,+49305556677,${contactId},check,${contactId};${idOf(4)} Dana\n`
  expect((await matched(content)).matches).toMatchObject([
    { match: 'decided', contactId: idOf(5), contactName: 'Eve', candidates: [contactId] },
  ])
  expect((await matched('Name,Phone\n')).matches).toEqual([])
})

test('notes count what was not compared', async () => {
  const heading = 'Phone,contactId,MATCH,CANDIDATES\n'
  const content = `${heading}0171 2345678,,,\n+49 171 2345678,,,\n,-,,\n`
  expect((await matched(content, { name: [] })).notes.slice(1)).toEqual([
    '1 row already decided; svc does not compare decided rows',
    '1 row with a phone number without a country; add --country',
    '1 row without an id: enter one in contactId, or "-" for nobody',
    `svc could not read a phone number or email address of 2 contacts: ${idOf(6)} "0172 3456789", ${idOf(7)} "+52 1 55 8234 5678"; try --country`,
  ])
  const decided = `${heading},${idOf(9)},,\n,${idOf(10)},,\n,${idOf(1)},,\n`
  expect((await matched(decided, { name: [] })).notes.slice(1, 3)).toEqual([
    '3 rows already decided; svc does not compare decided rows',
    '2 rows with a contactId that is on none of the lists',
  ])
})

test('in a workbook, a formula is not understood, and one that decides is a bad line', async () => {
  const formula = (cell: string) => `<c r="${cell}" t="str"><f>Z1</f><v>+491712345678</v></c>`
  const heading = `<row r="1">${inline('A1', 'Name')}${inline('B1', 'Phone')}${inline('C1', 'contactId')}${inline('D1', 'MATCH')}${inline('E1', 'CANDIDATES')}</row>`
  const sheet = (cells: string) =>
    workbook({ sheets: [{ rows: `${heading}<row r="2">${cells}</row>` }] })
  const phone = '<c r="B2"><v>5511987654321</v></c>'
  const whys = async (cells: string, country = 'DE') =>
    (await matched(sheet(cells), { country })).matches.map(({ match, why }) => `${match} ${why}`)
  expect(await whys(`${inline('A2', 'Ben Miller')}${phone}`, 'BR')).toEqual(['one '])
  const reason =
    'a formula, a date, or a number that is not whole or is shown in another form; paste a formula as its value, and export a number again, as text'
  expect(await whys(`${inline('A2', 'Anna Müller')}${formula('B2')}`)).toEqual([
    `check cell B2: "+491712345678" ${reason}`,
  ])
  const cells = `${formula('A2')}${inline('B2', '+491712345678')}`
  expect(await whys(cells)).toEqual([
    `check cell A2: "+491712345678" ${reason}; the row has no name`,
  ])
  for (const cell of ['C2', 'D2']) {
    const { details } = await refusal(matched(sheet(`${phone}${formula(cell)}`)))
    expect(details.lines).toEqual([`cell ${cell}: "+491712345678": ${reason}`])
  }
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
  const { rows: found } = findDuplicates(contacts, checkCountry(country))
  const shown = found.map(({ source, target, shared, merge }) => {
    const [from, to] = [source, target].map((id) => parseInt(id.slice(-2), 16))
    return `${from} ${to} ${shared.length}${merge}`
  })
  expect(shown.toSorted()).toEqual(expected)
})

/** How often the names and values of contacts are looked at for `count` rows of one contact. */
async function looksOf(count: number, row: (n: number) => string) {
  let looks = 0
  const all = contactsOf('1 | Anna Müller | phone=+49 171 2345678').map((contact) =>
    Object.defineProperty(contact, 'firstName', {
      get: () => {
        looks += 1
        return 'Anna Müller'
      },
    }),
  )
  const rows = Array.from({ length: count }, (_, n) => row(n))
  const options = { country: undefined, note: () => undefined, hide: String }
  const host = hostOf(`Name,Phone\n${rows.join('\n')}\n`)
  const read = await readPeopleTable(host, { path: '-' }, options)
  matchPeople(read, { all, find: () => all[0], extent: '' })
  return looks
}

test.each([
  ['of its name', () => `Anna Müller,${one}`],
  ['of other names', (n: number) => `Bert ${n},${one}`],
  ['of its name, with a new value', (n: number) => `Anna Müller,${one}; +1777${1e6 + n}`],
  ['without a name', (n: number) => `${n},${one}`],
])('the work grows with the rows of one contact: %s', async (_, row) => {
  const few = await looksOf(20, row)
  expect(await looksOf(200, row)).toBeLessThanOrEqual(10 * few)
})

test('the work grows with the columns', async () => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  const describeWork = async (count: number) => {
    const before = normalize.mock.calls.length
    const columns = Array.from({ length: count }, (_, n) => `Column ${n}`).join()
    await matched(`Name,Phone,${columns}\nAnna,${one},${columns}\n`)
    return normalize.mock.calls.length - before
  }
  const few = await describeWork(20)
  expect(await describeWork(200)).toBeLessThanOrEqual(10 * few)
  normalize.mockRestore()
})

test('the work grows with the length of a name, and with its candidates', async () => {
  const split = vi.spyOn(String.prototype, 'match')
  const describeWork = async (words: number, count: number) => {
    const all = Array.from({ length: count }, (_, n) => `${n} | Anna ${n} | phone=${one}`)
    const content = `Name,Phone\n${'Änna '.repeat(words)},${one}\n`
    const options = { country: undefined, note: () => undefined, hide: String }
    const read = await readPeopleTable(hostOf(content), { path: '-' }, options)
    split.mockClear()
    const people = { all: contactsOf(all.join('\n')), find: () => undefined, extent: '' }
    matchPeople(read, people)
    return split.mock.contexts.map((text) => String(text)).join('').length
  }
  const [few, more] = [await describeWork(2000, 2), await describeWork(2000, 60)]
  split.mockRestore()
  expect(more).toBeLessThanOrEqual(2 * few)
})

test('a cell of many short words does not exhaust the stack', async () => {
  const cell = 'a '.repeat(4_000_000)
  expect((await matched(`Name,Phone,Note\nAnna,${one},${cell}\n`)).matches).toHaveLength(1)
})

test('the work grows with the contacts that share a number, or values', () => {
  const describeWork = (count: number) => {
    const accounts = Array.from({ length: count }, (_, n) => `messengerB_username=user${n}`)
    const sharing = accounts.map((account, n) => `${n + 2} | X | ${account}`)
    const all = contactsOf(`1 | Anna | ${accounts.join('; ')}\n${sharing.join('\n')}`)
    const added = vi.spyOn(Set.prototype, 'add')
    expect(findDuplicates(all, undefined).rows).toHaveLength(count)
    const work = added.mock.calls.length
    added.mockRestore()
    return work
  }
  expect(describeWork(200)).toBeLessThanOrEqual(10 * describeWork(20))
})
