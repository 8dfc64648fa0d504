/** Tables of people as other programs export them: what svc reads, what it refuses, in which words. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../src/api/contacts.ts'
import { matchPeople } from '../../src/people/match.ts'
import { readPeopleTable } from '../../src/people/people-table.ts'
import { hostOf, idOf } from '../support/inputs.ts'
import { SvcError } from '../../src/errors.ts'
import { shownText } from '../support/shown-text.ts'

const contacts = [
  ['Anna', 'Schmidt', '+491712345678', 'anna.schmidt@example.com'],
  ['Ben', 'Miller', '+15551000025', 'ben@example.org'],
  ['愛', '佐藤', '+819012345678', 'ai@example.jp'],
].map(([firstName = '', lastName = '', phone = '', email = ''], n): FoundContact => {
  const identities = { phone: [phone], email: [email] }
  return { id: idOf(n), firstName, lastName, identities, lists: [] }
})

/** The notes about the columns, and a line for each row; or the refusal. */
async function matched(content: string, options: object) {
  const notes: string[] = []
  const tools = { note: (text: string) => void notes.push(text), hide: String, sheet: undefined }
  const host = hostOf(content.replaceAll('\n', '\r\n'))
  try {
    const read = await readPeopleTable(host, '-', { country: undefined, ...tools, ...options })
    const find = (id: string) => contacts.find((each) => each.id === id)
    const { matches } = matchPeople(read, { all: contacts, find, place: '', extent: '' })
    return [...notes, ...matches.map(({ match, why }) => `${match} ${why}`.trim())].join('\n')
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return [...notes, `exit ${error.exitCode}: ${shownText(error)}`].join('\n')
  }
}

const values = 'reading phone numbers and email addresses from'
const pipedrive = `"Person - ID","Person - Name","Person - Email - Work","Person - Phone - Mobile"
"7","Anna Schmidt","anna.schmidt@example.com","+49 171 2345678, +49 171 2345678"
`

test.each<[program: string, content: string, options: object, expected: string]>([
  [
    'Salesforce, whose column has ids of its own',
    `"Contact ID","Salutation","First Name","Last Name","Email","Phone","Mobile"
"0035g00000AbCdE","Ms.","Anna","Schmidt","anna.schmidt@example.com","","+49 171 2345678"
`,
    {},
    `${values} "Phone", "Mobile", "Email"; names from "First Name", "Last Name"; not reading "Salutation"
exit 2: standard input has 1 bad line
  line 2: "0035g00000AbCdE": contactId must contain an id or "-"; if yours contains something else, rename the column
fix these lines first; svc does nothing while any line is bad`,
  ],
  [
    'Salesforce, from its loader',
    `"ID","FIRSTNAME","LASTNAME","EMAIL","MOBILEPHONE","HOMEPHONE"
"0035g00000AbCdE","ANNA","SCHMIDT","","+491712345678",""
"0035g00000AbCdF","DANA","NOVAK","","","(555) 200-0300"
`,
    {},
    `${values} "MOBILEPHONE", "EMAIL"; names from "FIRSTNAME", "LASTNAME"; not reading "ID", "HOMEPHONE"
one
check "HOMEPHONE" was not read: "(555) 200-0300" (--phone "HOMEPHONE")`,
  ],
  [
    'Pipedrive',
    pipedrive,
    {},
    `exit 2: standard input has no column with phone numbers or email addresses; its columns are "Person - ID", "Person - Name", "Person - Email - Work", "Person - Phone - Mobile"
name them: --phone <column>, --email <column>`,
  ],
  [
    'Pipedrive, with its columns named',
    pipedrive,
    { phone: ['Person - Phone - Mobile'], email: ['person_email_work'], name: ['Person - Name'] },
    `${values} "Person - Phone - Mobile", "Person - Email - Work"; names from "Person - Name"; not reading "Person - ID"
one`,
  ],
  [
    'Shopify, which puts an apostrophe before numbers',
    `Customer ID,First Name,Last Name,Email,Default Address Phone,Phone,Total Spent
'7012345,Ben,Miller,ben@example.org,'+1 555 100 0025,'+15551000025,19.90
'7012346,Dana,Novak,dana@example.net,'+1 555 100 0300,,0.00
`,
    {},
    `${values} "Phone", "Email"; names from "First Name", "Last Name"; not reading "Customer ID", "Default Address Phone", "Total Spent"
one
check "Customer ID" was not read: "'7012346" (--phone "Customer ID"); "Default Address Phone" was not read: "+1 555 100 0300" (--phone "Default Address Phone"); no contact has email dana@example.net`,
  ],
  [
    'Excel in German, with its columns named',
    'Name;Vorname;E-Mail;Telefon\nSchmidt;Bert;info@example.de;0171 9999999\n',
    { phone: ['Telefon'], name: ['Vorname', 'Name'], country: 'DE' },
    `${values} "Telefon", "E-Mail"; names from "Vorname", "Name"
none no contact has phone +491719999999; no contact has email info@example.de`,
  ],
  [
    'Excel in Japanese',
    '\ufeff氏名,電話番号,メールアドレス\n佐藤　愛,090-1234-5678,ai@example.jp\n',
    { phone: ['電話番号'], email: ['メールアドレス'], name: ['氏名'], country: 'JP' },
    `${values} "電話番号", "メールアドレス"; names from "氏名"
one`,
  ],
])('%s', async (_, content, options, expected) => {
  expect(await matched(content, options)).toBe(expected)
})
