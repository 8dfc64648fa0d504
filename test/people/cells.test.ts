/** Cells of a table of people, each by itself: which have something, and what is found in them. */
import { expect, test } from 'vitest'
import { meaningOf } from '../../src/people/heading-words.ts'
import { addedHeadings } from '../../src/people/headings.ts'
import { earlierPlaces } from '../../src/input/annotated.ts'
import { isEmptyCell, textsIn } from '../../src/people/values.ts'

test.each(['', '-', '–', '?', ' N/A ', 'None', "'unknown", '\tUNKNOWN '])(
  'a cell says that it has nothing: %j',
  (text) => {
    expect(isEmptyCell(text)).toBe(true)
  },
)

test.each(['0', 'x', '--', "''-", 'no', 'none of these', 'unknown1'])(
  'a cell has something: %j',
  (text) => {
    expect(isEmptyCell(text)).toBe(false)
  },
)

test.each([
  ['ann@example.org', ['ann@example.org']],
  ['Ann <ann@example.org>; "Bob" (bob@example.org)', ['ann@example.org', 'bob@example.org']],
  ['mailto:ann@example.org', ['ann@example.org']],
  ['MAILTO:ann@example.org|bob@example.org', ['ann@example.org', 'bob@example.org']],
  ['write to: ann@example.org.', ['ann@example.org']],
  ['ann@example.org:\nbob@example.org,', ['ann@example.org', 'bob@example.org']],
  ['an\ufeffn@exa\u200bmple.org\u00a0bob@example.org', ['ann@example.org', 'bob@example.org']],
  ['ann at example.org, @ann, ann@, a@b@c', []],
])('the addresses in %j', (text, addresses) => {
  expect(textsIn('email', text)).toEqual(addresses)
})

test.each([
  [['Phone', 'contactId', 'MATCH', 'BY', 'NAME', 'LISTS', 'CANDIDATES', 'WHY', 'x'], 1, 7],
  [['contactId', 'match', 'By:', 'Note', 'NAME'], 0, 3],
  [['contactId', 'MATCH', 'BY', 'NAME', 'Note', 'CANDIDATES', 'WHY'], 0, 4],
  [['contactId', 'Phone', 'contactId', 'MATCH', 'BY'], 2, 3],
  [['contactId', 'MATCH', 'Note', 'BY'], 0, 0],
  [['MATCH', 'contactId', 'BY'], 0, 0],
  [['Phone', 'Name'], 0, 0],
])('columns that an earlier match added side by side: %j', (headings, first, count) => {
  expect(earlierPlaces(headings, addedHeadings)).toEqual(
    Array.from({ length: count }, (_, n) => first + n),
  )
})

const headings = `
  phone: Phone; PHONE NUMBER; Mobile; Tel.; Tel; Cell phone; phone 2; Work Phone; identities.phone; PhoneNumber
  phone: Telefon; Handynummer; Telefon (privat); Mobil; Telefonnummer; Téléphone; Portable; N° de téléphone
  phone: Teléfono oficina; Teléfono de casa; Móvil personal; Telefone comercial; Telefone residencial; Celular outro; Téléphone domicile; Tél. travail; Mobile autre; Telefon Arbeit; Telefon zuhause; Mobil weitere; Phone other; Direct phone; Teléfono; Móvil; Número de teléfono; Celular; Telefone; Telemóvel; Número de telefone
  phone: Phone 1 - Value; Phone 2 - Value; Telefon Kunde; Tel. Büro; contact number
  email: Email; E-Mail; mail; E-mail address; EMAIL; identities.email; E-Mail-Adresse; Emailadresse; Courriel
  email: Adresse e-mail; Correo electrónico; Correo; Correio eletrônico; Endereço de e-mail
  email: E-mail 1 - Value; E-Mail 2 - Value
  name: Name; NAME; Full Name; Nom; Nombre; Nome; Vor- und Nachname; Nom et prénom; Nombre y apellidos
  firstName: First name; Vorname; Prénom; Given Name
  lastName: lastName; Nachname; Apellidos; Sobrenome; Family Name; Nom de famille
  contact: Contact; Contact name; Ansprechpartner; Persona de contacto; Interlocuteur; Contato
  customer: Customer; Customer name; Kundenname; Kunde; Client; Cliente; Nom du client
  nothing: Company name; Email sent; Phone verified; Note; id; ; Address; Number; Mailing list; 1; Filename
  nothing: Phone 1 - Label; E-mail 1 - Type; Phonetic First Name; Name Prefix; Organization Name
  nothing: Customer no; contactId`
test.each(headings.trim().split(/\n */))('a heading says %s', (line) => {
  const [meaning, texts = ''] = line.split(/: (.*)/)
  for (const heading of texts.split('; '))
    expect([heading, meaningOf(heading) ?? 'nothing']).toEqual([heading, meaning])
})
