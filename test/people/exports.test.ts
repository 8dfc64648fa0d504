/**
 * Tables of people as other programs export them: what svc reads, what it refuses, and in which
 * words.
 */
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
  return {
    id: idOf(n),
    firstName,
    lastName,
    identities: { phone: [phone], email: [email] },
    lists: [],
  }
})

/** The notes about the columns, and a line for each row; or the refusal. */
async function matched(content: string | Buffer, options: object) {
  const notes: string[] = []
  const tools = { note: (text: string) => void notes.push(text), hide: String, sheet: undefined }
  try {
    const read = await readPeopleTable(hostOf(content), '-', {
      country: undefined,
      ...tools,
      ...options,
    })
    const find = (id: string) => contacts.find((each) => each.id === id)
    const { matches } = matchPeople(read, { all: contacts, find, place: '', extent: '' })
    return [...notes, ...matches.map(({ match, why }) => `${match} ${why}`.trim())].join('\n')
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return [...notes, `exit ${error.exitCode}: ${shownText(error)}`].join('\n')
  }
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`

test.each<[program: string, content: string | Buffer, options: object, expected: string]>([
  [
    'HubSpot',
    lines(
      '"Record ID","First Name","Last Name","Email","Phone Number","Contact owner","Create Date"',
      '"151","Anna","Schmidt","anna.schmidt@example.com","+49 171 2345678","Robin Berg","2026-01-05 10:15"',
      '"152","Dana","Novak","dana@example.net","","Robin Berg","2026-01-05 10:15"',
      '"24051001234","Dana","Novak","dana@example.net","","Robin Berg","2026-01-05 10:15"',
    ),
    {},
    `reading phone numbers and email addresses from "Phone Number", "Email"; names from "First Name", "Last Name"; not reading "Record ID", "Contact owner", "Create Date"
one
none no contact has email dana@example.net
check "Record ID" was not read: "24051001234" (--phone "Record ID"); no contact has email dana@example.net`,
  ],
  [
    'Salesforce, whose column has ids of its own',
    lines(
      '"Contact ID","Salutation","First Name","Last Name","Email","Phone","Mobile"',
      '"0035g00000AbCdE","Ms.","Anna","Schmidt","anna.schmidt@example.com","","+49 171 2345678"',
    ),
    {},
    `reading phone numbers and email addresses from "Phone", "Mobile", "Email"; names from "First Name", "Last Name"; not reading "Salutation"
exit 2: standard input has 1 bad line
  line 2: "0035g00000AbCdE": contactId must contain an id or "-"; if yours contains something else, rename the column
fix these lines first; svc does nothing while any line is bad`,
  ],
  [
    'Salesforce, from its loader',
    lines(
      '"ID","FIRSTNAME","LASTNAME","EMAIL","MOBILEPHONE","HOMEPHONE"',
      '"0035g00000AbCdE","ANNA","SCHMIDT","","+491712345678",""',
      '"0035g00000AbCdF","DANA","NOVAK","","","(555) 200-0300"',
    ),
    {},
    `reading phone numbers and email addresses from "MOBILEPHONE", "EMAIL"; names from "FIRSTNAME", "LASTNAME"; not reading "ID", "HOMEPHONE"
one
check "HOMEPHONE" was not read: "(555) 200-0300" (--phone "HOMEPHONE")`,
  ],
  [
    'Zendesk',
    lines(
      'id,name,email,role,phone,notes',
      '1900021,Anna Schmidt,anna.schmidt@example.com,end-user,,',
      '1900022,Bert Schmidt,anna.schmidt@example.com,end-user,,',
    ),
    {},
    `reading phone numbers and email addresses from "phone", "email"; names from "name"; not reading "id", "role", "notes"
one
check a different name: Anna Schmidt`,
  ],
  [
    'Pipedrive',
    lines(
      '"Person - ID","Person - Name","Person - Email - Work","Person - Phone - Mobile"',
      '"7","Anna Schmidt","anna.schmidt@example.com","+49 171 2345678"',
    ),
    {},
    `exit 2: standard input has no column with phone numbers or email addresses; its columns are "Person - ID", "Person - Name", "Person - Email - Work", "Person - Phone - Mobile"
name them: --phone <column>, --email <column>`,
  ],
  [
    'Pipedrive, with its columns named',
    lines(
      '"Person - ID","Person - Name","Person - Email - Work","Person - Phone - Mobile"',
      '"7","Anna Schmidt","anna.schmidt@example.com","+49 171 2345678, +49 171 2345678"',
    ),
    {
      phone: ['Person - Phone - Mobile'],
      email: ['person_email_work'],
      name: ['Person - Name'],
    },
    `reading phone numbers and email addresses from "Person - Phone - Mobile", "Person - Email - Work"; names from "Person - Name"; not reading "Person - ID"
one`,
  ],
  [
    'Google Contacts, with its columns named',
    lines(
      'First Name,Middle Name,Last Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value',
      'Anna,,Schmidt,* myContacts,Work,anna.schmidt@example.com,Mobile,+49 171 2345678',
      'Ben,,Miller,* myContacts,,,Mobile,+1 555-100-0025 ::: +1 555-100-0026',
    ),
    { phone: ['Phone 1 - Value'], email: ['E-mail 1 - Value'] },
    `reading phone numbers and email addresses from "Phone 1 - Value", "E-mail 1 - Value"; names from "First Name", "Last Name"; not reading "Middle Name", "Labels", "E-mail 1 - Label", "Phone 1 - Label"
one
check line 3: "+1 555-100-0025 ::: +1 555-100-0026" is not a possible phone number or email address`,
  ],
  [
    'Google Contacts',
    lines('First Name,Last Name,E-mail 1 - Value,Phone 1 - Value', 'Anna,Schmidt,a@b.de,'),
    {},
    `exit 2: standard input has no column with phone numbers or email addresses; its columns are "First Name", "Last Name", "E-mail 1 - Value", "Phone 1 - Value"
name them: --phone <column>, --email <column>`,
  ],
  [
    'Outlook',
    lines(
      '"First Name","Middle Name","Last Name","E-mail Address","E-mail 2 Address","Business Phone","Mobile Phone"',
      '"Anna","","Schmidt","anna.schmidt@example.com","","","+49 171 2345678"',
      '"Dana","","Novak","dana@example.net","dana2@example.net","",""',
    ),
    {},
    `reading phone numbers and email addresses from "Mobile Phone", "E-mail Address"; names from "First Name", "Last Name"; not reading "Middle Name", "E-mail 2 Address", "Business Phone"
one
check "E-mail 2 Address" was not read: "dana2@example.net" (--email "E-mail 2 Address"); no contact has email dana@example.net`,
  ],
  [
    'Mailchimp',
    lines(
      '"Email Address","First Name","Last Name",Address,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,LATITUDE,LEID',
      'anna.schmidt@example.com,Anna,Schmidt,,2,"2026-01-05 10:15:00",203.0.113.99,52.5200000,12345',
      'dana@example.net,Dana,Novak,,2,"2026-01-05 10:15:00",203.0.113.99,52.5200000,12346',
    ),
    {},
    `reading phone numbers and email addresses from "Email Address"; names from "First Name", "Last Name"; not reading "Address", "MEMBER_RATING", "OPTIN_TIME", "OPTIN_IP", "LATITUDE", "LEID"
one
none no contact has email dana@example.net`,
  ],
  [
    'Shopify, which puts an apostrophe before numbers',
    lines(
      'Customer ID,First Name,Last Name,Email,Default Address Phone,Phone,Total Spent',
      "'7012345,Ben,Miller,ben@example.org,'+1 555 100 0025,'+15551000025,19.90",
      "'7012346,Dana,Novak,dana@example.net,'+1 555 100 0300,,0.00",
    ),
    {},
    `reading phone numbers and email addresses from "Phone", "Email"; names from "First Name", "Last Name"; not reading "Customer ID", "Default Address Phone", "Total Spent"
one
check "Customer ID" was not read: "'7012346" (--phone "Customer ID"); "Default Address Phone" was not read: "+1 555 100 0300" (--phone "Default Address Phone"); no contact has email dana@example.net`,
  ],
  [
    'Excel in German',
    Buffer.from(
      lines(
        'Name;Vorname;E-Mail;Telefon',
        'Schmidt;Anna;anna.schmidt@example.com;0171 2345678',
        'Müller;Jörg;joerg@example.net;0171 9999999',
      ),
      'latin1',
    ),
    {},
    `standard input is read as Windows-1252; if its names look wrong, save it as UTF-8
reading phone numbers and email addresses from "E-Mail"; names from "Name"; not reading "Vorname", "Telefon"
one
check "Telefon" was not read: "0171 9999999" (--phone "Telefon"); no contact has email joerg@example.net`,
  ],
  [
    'Excel in German, with its columns named',
    lines('Name;Vorname;E-Mail;Telefon', 'Schmidt;Bert;info@example.de;0171 9999999'),
    { phone: ['Telefon'], name: ['Vorname', 'Name'], country: 'DE' },
    `reading phone numbers and email addresses from "Telefon", "E-Mail"; names from "Vorname", "Name"
none no contact has phone +491719999999; no contact has email info@example.de`,
  ],
  [
    'Excel in French',
    lines('Nom;Prénom;Adresse e-mail;Téléphone', 'Schmidt;Anna;anna.schmidt@example.com;'),
    {},
    `exit 2: standard input has no column with phone numbers or email addresses; its columns are "Nom", "Prénom", "Adresse e-mail", "Téléphone"
name them: --phone <column>, --email <column>`,
  ],
  [
    'Excel in Japanese',
    lines('\ufeff氏名,電話番号,メールアドレス', '佐藤　愛,090-1234-5678,ai@example.jp'),
    { phone: ['電話番号'], email: ['メールアドレス'], name: ['氏名'], country: 'JP' },
    `reading phone numbers and email addresses from "電話番号", "メールアドレス"; names from "氏名"
one`,
  ],
  [
    'Excel in Japanese, in Shift JIS',
    // 氏名,電話番号 and 佐藤.
    Buffer.from(
      '8e8196bc2c93649862 94d48d860d0a8db2939100'.replaceAll(' ', '').slice(0, -2),
      'hex',
    ),
    {},
    `exit 2: standard input is not a text file
save it as csv in UTF-8, or as .xlsx without a password`,
  ],
])('%s', async (_, content, options, expected) => {
  expect(await matched(content, options)).toBe(expected)
})
