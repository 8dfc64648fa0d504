/** Exports of well-known programs, with columns of owners and companies, as a person would decide on each row with these columns named. */
import { expect, test } from 'vitest'
import type { FoundContact } from '../../../src/api/people.ts'
import { matchPeople } from '../../../src/people/match.ts'
import { readPeopleTable } from '../../../src/people/people-table.ts'
import { hostOf, idOf, refusal } from '../../support/inputs.ts'

const contact = (n: number, firstName: string, lastName: string, phone: string, email: string) =>
  ({
    id: idOf(n),
    firstName,
    lastName,
    identities: { phone: [phone], email: [email] },
    lists: [],
  }) satisfies FoundContact

const contacts = [
  contact(1, 'Anna', 'Müller', '+491712345678', 'anna@example.org'),
  contact(2, 'Ben', 'Miller', '+15551002852', 'ben@example.com'),
  // The sales person who owns the others, and the company's reception.
  contact(3, 'Olga', 'Owner', '+4930111222', 'olga@seller.example'),
  contact(4, '', '', '+4930999888', 'info@acme.example'),
]

/** The number of the contact in each row, or the verdict. */
async function decisions(csv: string, options: object) {
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const usual = { country: undefined, sheet: undefined, note, hide: String }
  const table = await readPeopleTable(hostOf(csv), '-', { ...usual, ...options })
  const { matches } = matchPeople(table, {
    all: contacts,
    find: () => undefined,
    place: '',
    extent: '',
  })
  return matches.map(({ match, contactId }) =>
    match === 'one' ? contacts.findIndex(({ id }) => id === contactId) + 1 : match,
  )
}

test.each<[program: string, options: object, lines: string[], expected: (number | string)[]]>([
  [
    'HubSpot',
    { phone: ['Phone Number'], email: ['Email'] },
    [
      '"Record ID","First Name","Last Name","Email","Phone Number","Contact owner","Owner email","Associated Company","Company phone"',
      '"101","Anna","Müller","anna@example.org","+49 171 2345678","Olga Owner","olga@seller.example","Acme","+4930999888"',
      '"102","Ben","Miller","ben@example.com","","Olga Owner","olga@seller.example","",""',
      '"103","Nora","New","nora@example.net","+49 171 9999999","Olga Owner","olga@seller.example","Acme","+4930999888"',
      '"104","Anna","Schulz","","+49 171 2345678","Olga Owner","olga@seller.example","",""',
    ],
    [1, 2, 'none', 'check'],
  ],
  [
    'Pipedrive',
    { phone: ['Person - Phone - Work'], email: ['Person - Email - Work'], name: ['Person - Name'] },
    [
      'Person - ID;Person - Name;Person - Phone - Work;Person - Email - Work;Person - Owner;Organization - Name;Organization - Phone',
      '1;Anna Müller;+49 171 2345678, +49 171 1111111;anna@example.org;Olga Owner;Acme;+4930999888',
      '2;Miller, Ben;;BEN@EXAMPLE.COM;Olga Owner;;',
      '3;Nora New;+49 171 9999999;;Olga Owner;Acme;+4930999888',
      '4;;;;Olga Owner;Acme;+4930999888',
    ],
    [1, 2, 'none', 'check'],
  ],
  [
    'Salesforce',
    { country: 'DE' },
    [
      'Salesforce ID,Salutation,First Name,Last Name,Title,Account Name,Account Phone,Phone,Mobile,Email,Contact Owner Email',
      '0035g00000AbCdE,Ms.,Anna,Müller,CEO,Acme,030 999888,,0171 2345678,anna@example.org,olga@seller.example',
      '0035g00000AbCdF,Mr.,Ben,Miller,,Acme,030 999888,030 999888,+1 555 100 2852,ben@example.com,olga@seller.example',
      '0035g00000AbCdG,Mr.,Otto,Braun,,Acme,030 999888,,(0171) 9999999,,olga@seller.example',
    ],
    [1, 'several', 'none'],
  ],
  [
    'Zendesk',
    {},
    [
      'ID,Name,Email,Phone,Organization,Role,Agent email',
      '11,Anna Müller,anna@example.org,+491712345678,Acme,end-user,olga@seller.example',
      '12,ben,ben@example.com,,,end-user,olga@seller.example',
      '13,Nobody,nobody@example.net,,Acme,end-user,olga@seller.example',
    ],
    [1, 2, 'none'],
  ],
  [
    'Google Contacts',
    { phone: ['Phone 1 - Value'], email: ['E-mail 1 - Value', 'e-mail 2 - value'] },
    [
      'First Name,Last Name,Organization Name,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Relation 1 - Value',
      'Anna,Müller,Acme,home,anna@example.org,work,info@acme.example,mobile,+49 171 2345678,Olga Owner',
      'Ben,Miller,,home,ben@example.com,,,mobile,+1 555-100-2852 ::: +1 555-100-2853,',
      'Ben,,,home,ben@example.com,,,,,',
    ],
    // The company's address is somebody else's, and " ::: " is between no values.
    ['several', 'check', 2],
  ],
  [
    'Mailchimp',
    { email: ['Email Address'], phone: ['Phone Number'] },
    [
      'Email Address,First Name,Last Name,Address,Phone Number,Birthday,Account manager',
      'anna@example.org,Anna,Müller,"Hauptstr. 12, 10115 Berlin",,01/02,olga@seller.example',
      'ben@example.com,,,,(555) 100-2852,,olga@seller.example',
      'nora@example.net,Nora,New,,,,olga@seller.example',
    ],
    // A number that needs a country was not compared.
    [1, 'check', 'none'],
  ],
  [
    'Shopify',
    {},
    [
      'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Phone,Phone,Note',
      '7001,Anna,Müller,anna@example.org,yes,Acme,+4930999888,+491712345678,',
      "7002,Ben,Miller,ben@example.com,no,,,'+15551002852,",
      '7003,Olga,New,,no,,+4930111222,,"sold by olga@seller.example"',
    ],
    [1, 'check', 'check'],
  ],
])('%s', async (_, options, lines, expected) => {
  expect(await decisions(`${lines.join('\n')}\n`, options)).toEqual(expected)
})

test('the column "Contact ID" of Salesforce has no decisions', async () => {
  const error = await refusal(decisions('Contact ID,Email\n0035g00000AbCdE,ben@example.com\n', {}))
  expect(error.details.lines?.join()).toContain('if it has others, rename the column')
})
