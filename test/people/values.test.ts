/** Cells of a table of people and texts of contacts, each by itself: the numbers and addresses in them, and how two fit. */
import { expect, test } from 'vitest'
import { meaningOf } from '../../src/people/columns.ts'
import {
  readPhones,
  requireCountry,
  indexValues,
  isEmptyCell,
  kindOfCell,
  readAddresses,
} from '../../src/people/values.ts'

const shownIn = (text: string, country?: string): string[] =>
  readPhones(text, requireCountry(country)).map(({ shown }) => shown)

test.each([
  ...['+491712345678', '+49 171 234-56-78', '+49 (0) 171 2345678', '+4901712345678'],
  ...['(+49) 171 2345678', '0049 (171) 234 56 78', '00 49 171/2345678', 'tel:+49-171-2345678'],
  ...['Tel. 0049 171 2345678 (priv.)', '＋４９ １７１ ２３４５６７８', '+٤٩ ١٧١ ٢٣٤٥٦٧٨'],
  ...['\u202a+49\u00a0171\u20112345678\u202c', '+49 171 2345678 seit 2024'],
])('one German number: %j', (text) => {
  expect(shownIn(text)).toEqual(['+491712345678'])
})

test.each<readonly [text: string, country: string | undefined, shown: string]>([
  ['0171/2345678', 'de', '+491712345678'],
  ['0171 / 234 56 78', 'DE', '+491712345678'],
  ['06 12 34 56 78', 'FR', '+33612345678'],
  ['(11) 98765-4321', 'BR', '+5511987654321'],
  ['0 15 11 98765-4321', 'BR', '+5511987654321'],
  ['8 (912) 345-67-89', 'RU', '+79123456789'],
  ['011 15 2345-6789', 'AR', '+5491123456789'],
  ['(555) 100-0025', 'US', '+15551000025'],
  ['06 6982', 'IT', '+39066982'],
  // With its 0 it is German, though +1 712 345 6789 is a number too.
  ['017123456789', 'DE', '+4917123456789'],
  // Digits that are a number with and without the country: the country is not known.
  ['491712345678', 'DE', '…12345678'],
  ['491712345678', 'GB', '+491712345678'],
  ['0171 2345678', 'US', '…12345678'],
  ['0171 2345678', undefined, '…12345678'],
  ['+1 555 100 0025 ext. 5', undefined, '+15551000025 x5'],
  ['+1 555 100 0025;ext=5', undefined, '+15551000025 x5'],
  ['Tel: +1 555 100 2852 (after 5 pm)', undefined, '+15551002852'],
  ['+1 555 100 2852 / +1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['+1 555 100 2852;+1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['+1 555 100 2852\n+1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['mobil 0171/2345678, privat 030 5556677', 'DE', '+491712345678 +49305556677'],
  ['0171 2345678 / 0172 3456789', 'DE', '+491712345678 +491723456789'],
  // No number of eight digits.
  ...['', '-', 'see notes', 'room 12', '02852', '100 1490', '+49 12', '+683 4002', '+0000000'].map(
    (text) => [text, undefined, ''] as const,
  ),
  ['12345', 'DE', ''],
  ['4.91712345678E+11', 'DE', ''],
  ['1234567890123456', undefined, ''],
])('the numbers in %j, of %s: %s', (text, country, shown) => {
  expect(shownIn(text, country).join(' ')).toBe(shown)
})

test.each([
  ['+49 171 2345678', '+491712345678', undefined, 'equal'],
  ['0171 2345678', '+491712345678', 'DE', 'equal'],
  ['0171 2345678', '+491712345678', undefined, 'nearly'],
  ['0171 2345678', '0171 2345678', undefined, 'nearly'],
  ['+44 20 7946 0385 x5', '+442079460385', undefined, 'nearly'],
  ['+44 20 7946 0385 x5', '+442079460385 ext. 6', undefined, 'nearly'],
  // Digits that a country has added, dropped or replaced.
  ['+55 11 98765-4321', '+551187654321', undefined, 'nearly'],
  ['+54 9 11 2345-6789', '+541123456789', undefined, 'nearly'],
  ['+52 1 55 1234 5678', '+525512345678', undefined, 'nearly'],
  ['+225 07 07 12 34 56', '+22507123456', undefined, 'nearly'],
  ['+49 171 2345678', '+1 712 345 678', undefined, 'nearly'],
  ['+49 171 2345678', '+491712345679', undefined, undefined],
] as const)('%s and %s, of %s, fit: %s', (typed, stored, country, fit) => {
  const contact = { id: 'a', identities: { phone: [stored] }, lists: [] }
  const [owners] = indexValues([contact], requireCountry(country))(readPhones(typed, country))
  expect(owners && (owners.isNear ? 'nearly' : 'equal')).toBe(fit)
})

test.each<readonly [text: string, shown: string]>([
  ['ann@example.org', 'ann@example.org'],
  ['Ann <ann@example.org>; "Bob" (bob@example.org)', 'ann@example.org bob@example.org'],
  ['MAILTO:ann@example.org?subject=Hi', 'ann@example.org'],
  ["'ann@example.org'", 'ann@example.org'],
  ['„ann@example.org“, *bob@example.org*!', 'ann@example.org bob@example.org'],
  ['write to: ann@example.org.', 'ann@example.org'],
  ["o'neill+x@exa-mple.org", "o'neill+x@exa-mple.org"],
  ['an\ufeffn@exa\u200bmple.org\u00a0bob@example.org', 'ann@example.org bob@example.org'],
  // An @ that is not understood makes the whole cell unreadable.
  ...['a@b@c.org', 'ann@', '@ann', 'ann@example', 'ann@example.org/x', 'x=ann@example.org'].map(
    (text) => [text, ''] as const,
  ),
  ['ann@example.org, bob@', ''],
  ['mailto://ann@example.org', ''],
  ['no address', ''],
])('the addresses in %j: %s', (text, shown) => {
  expect(
    readAddresses(text)
      .map((each) => each.shown)
      .join(' '),
  ).toBe(shown)
})

test('an international domain has one key, whichever way it is spelled', () => {
  for (const [one = '', other = ''] of [
    ['Ann@Straße.de', 'ann@xn--strae-oqa.de'],
    ['ann@MÜNCHEN.example', 'ann@xn--mnchen-3ya.example'],
  ])
    expect(readAddresses(one)[0]?.key).toBe(readAddresses(other)[0]?.key)
})

test.each([
  [
    'phone',
    ['+49 171 2345678', '0171/2345678', '5551002852', 'Büro 030 5556677', '06.12.34.56.78'],
  ],
  ['email', ['ann@example.org', 'Ann <ann@example.org>']],
  [undefined, ['2026-03-01', '01.03.2026', '2026-03-01 10:15', '1234567', '10115 Berlin', 'Ann']],
])('a cell of any column looks like: %s', (kind, texts) => {
  expect(texts.filter((text) => kindOfCell(text) !== kind)).toEqual([])
})

test('cells that say that there is nothing', () => {
  const empty = ['', '-', '–', '?', ' N/A ', 'None', "'-", '\tUNKNOWN ']
  expect(empty.filter((text) => !isEmptyCell(text))).toEqual([])
  expect(['0', 'x', '--', 'no', 'none of these'].filter(isEmptyCell)).toEqual([])
})

const headings = `
  phone: Phone; PHONE NUMBER; Mobile; Tel.; Cell phone; phone 2; Work Phone; identities.phone; PhoneNumber; Phone 1 - Value
  phone: Telefon; Handynummer; Telefon (privat); Mobil; Telefon Kunde; Tel. Büro; Telefon / Handy; Telefon/Mobil; Festnetz
  phone: Téléphone; Portable; N° de téléphone; Tél. fixe; Tél. portable; Mobile / Fixe; Téléphone domicile; GSM
  phone: Teléfono oficina; Teléfono móvil; Móvil personal; Celular; Telemóvel; Telefone comercial; Celular/WhatsApp
  phone: Contact number; Callback number; Rückrufnummer
  email: Email; E-Mail; mail; E-mail address; identities.email; E-Mail-Adresse; Courriel; Adresse e-mail; E-mail 1 - Value
  email: Adresse électronique; Correo electrónico; Correio eletrônico; Endereço de e-mail; E-mail pessoal
  name: Name; Full Name; Nom; Nombre; Nome completo; Vor- und Nachname; Name, Vorname; Nom et prénom; Prénom NOM
  name: Nombre y apellidos; Nome e sobrenome; Contact; Contact name; Ansprechpartner; Kunde; Nom du client; Cliente
  firstName: First name; Vorname; Prénom; Given Name; Nombre de pila; Primeiro nome
  lastName: lastName; Nachname; Apellidos; Sobrenome; Family Name; Nom de famille
  nothing: Company name; Email sent; Phone verified; Note; id; ; Address; Number; Mailing list; 1; Filename; Phone / E-mail
  nothing: Phone 1 - Label; E-mail 1 - Type; Phonetic First Name; Name Prefix; Organization Name; Customer no; contactId`
test.each(headings.trim().split(/\n */))('a heading says %s', (line) => {
  const [meaning, texts = ''] = line.split(/: (.*)/)
  for (const heading of texts.split('; '))
    expect([heading, meaningOf(heading) ?? 'nothing']).toEqual([heading, meaning])
})
