/** Cells of a table of people and texts of contacts, each by itself: the numbers and addresses in them, and how two fit. */
import { expect, test } from 'vitest'
import { isEmptyCell, isNumbered, kindOfCell, meaningOf } from '../../src/people/people-columns.ts'
import {
  ContactReader,
  countryOf,
  readAddresses,
  readPhones,
  requireCountry,
  type Reading,
} from '../../src/people/person-values.ts'

/** The values of a reading, and `?` behind them if the text was not understood. */
const shownOf = ({ values, problem }: Reading): string =>
  [...values.map(({ shown }) => shown), ...(problem === undefined ? [] : ['?'])].join(' ')

const shownIn = (text: string, country?: string): string =>
  shownOf(readPhones(text, requireCountry(country)))

test.each([
  ...['+491712345678', '+49 171 234-56-78', '+49 (0) 171 2345678', '+4901712345678'],
  ...['(+49) 171 2345678', '0049 (171) 234 56 78', '00 49 171/2345678', '<+49-171-2345678>'],
  ...['+491712345678.0', '☎ +49 171 2345678', '＋４９ １７１ ２３４５６７８', '+٤٩ ١٧١ ٢٣٤٥٦٧٨'],
  ...['\u202a+49\u00a0171\u20112345678\u202c', '\n+49 171 2345678\r\n'],
])('one German number: %j', (text) => {
  expect(shownIn(text)).toBe('+491712345678')
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
  ['017123456789', 'DE', '+4917123456789'],
  ['+1 555 100 0025 ext. 5', undefined, '+15551000025 x5'],
  ['+1 555 100 0025;ext=5', undefined, '+15551000025 x5'],
  ['+1 555 100 2852 / +1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['+1 555 100 2852;+1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['+1 555 100 2852\n+1 555 100 2853', undefined, '+15551002852 +15551002853'],
  ['(555) 100-0025\n(555) 100-0026', 'US', '+15551000025 +15551000026'],
  ['0171 2345678 / 0172 3456789', 'DE', '+491712345678 +491723456789'],
  ['+683 4002', undefined, '+6834002'],
  // The + that a program dropped, and its .0.
  ['5511987654321.0', 'BR', '+5511987654321'],
  ['35918881970', 'BG', '+35918881970'],
  ['33612345678', 'FR', '+33612345678'],
  ['15551000025', 'US', '+15551000025'],
  // A number of another country, perhaps.
  ['491712345678', 'GB', '…12345678 ?'],
  ['491712345678.0', 'GB', '…12345678 ?'],
  ['77011234567', 'RU', '…11234567 ?'],
  // Without a country.
  ['0171 2345678', 'US', '…12345678 ?'],
  ['0171 2345678', undefined, '…12345678 ?'],
  ['100 1490', undefined, '…1001490 ?'],
  // Letters, digits or a mask beside a number, a line break within one, and numbers that are not possible.
  ['Tel: +1 555 100 2852', undefined, '+15551002852 ?'],
  ['+49 171 2345678 (9-17 Uhr)', undefined, '+491712345678 ?'],
  ['mobil 0171/2345678, privat 030 5556677', 'DE', '+491712345678 +49305556677 ?'],
  ['+49 171 234****', undefined, '+49171234 ?'],
  ['+49 171 23456XX', undefined, '+4917123456 ?'],
  ['+49 171 234 56 7?', undefined, '+49171234567 ?'],
  ['+49 171 234_5678', undefined, '+49171234 …5678 ?'],
  ['+49 30 5556677/2672', undefined, '+493055566772672 +49305556677 …2672 ?'],
  ['06131/123456', 'DE', '+496131123456'],
  ['+5511987654321/2672', 'DE', '+5511987654321 +492672 ?'],
  ['+49 30 5556677, 2672', 'DE', '+49305556677 +492672 ?'],
  ['+49 171\n2345678', undefined, '+491712345678 …49171 …2345678 ?'],
  ['+49 171\n2345678', 'DE', '+491712345678 …49171 +492345678 ?'],
  ['0171\r\n2345678', 'DE', '+491712345678 +490171 +492345678 ?'],
  ['+1 555 100 28', undefined, '…55510028 ?'],
  ['4.91712345678E+11', 'DE', '+49491712345678 ?'],
  ['1234567890123456789', 'DE', '…23456789 ?'],
  ...['', '-', 'see notes', '1', '+49 1'].map((text) => [text, undefined, '?'] as const),
])('the numbers in %j, of %s: %s', (text, country, shown) => {
  expect(shownIn(text, country)).toBe(shown)
})

test.each([
  ['+49 171 2345678', '+491712345678', undefined, 'equal'],
  ['0171 2345678', '+491712345678', 'DE', 'equal'],
  ['0171 2345678', '0171/2345678', 'DE', 'equal'],
  ['0171 2345678', '+491712345678', undefined, 'nearly'],
  ['0171 2345678', '0171 2345678', undefined, 'nearly'],
  ['+49 171 2345678', '+49 171 2345678 (privat)', undefined, 'nearly'],
  ['+44 20 7946 0385 x5', '+442079460385', undefined, 'nearly'],
  ['+44 20 7946 0385 x5', '+442079460385 ext. 6', undefined, 'nearly'],
  // Digits that a country has added, dropped or replaced.
  ['+55 11 98765-4321', '+551187654321', undefined, 'nearly'],
  ['+54 9 11 2345-6789', '+541123456789', undefined, 'nearly'],
  ['+52 1 55 1234 5678', '+525512345678', undefined, 'nearly'],
  ['+225 07 07 12 34 56', '+22507123456', undefined, 'nearly'],
  ['+49 171 2345678', '+1 712 345 678', undefined, 'nearly'],
  ['+49 171 2345678', '+491712345679', undefined, undefined],
] as const)('%s and %s, of %s, fit: %s', (typed, stored, countryText, fit) => {
  const country = requireCountry(countryText)
  const contact = { id: 'a', identities: { phone: [stored] }, lists: [] }
  const [own] = new ContactReader(['phone'], country).read(contact)
  const [value] = readPhones(typed, country).values
  const isEqual = value?.exact !== undefined && value.exact === own?.exact
  const isNear = value?.near === own?.near
  expect(isEqual ? 'equal' : isNear ? 'nearly' : undefined).toBe(fit)
})

test('the values of a contact, and the kinds of those that cannot be read', () => {
  const identities = {
    phone: ['+49 171 2345678', '0172 3456789'],
    messengerA_phone: ['+4930555667'],
    email: ['Vera <V@Straße.de>'],
    messengerB_username: ['@Vera', ' '],
  }
  const read = (own: Record<string, string[]>, country?: 'DE') => {
    const contact = { id: 'a', identities: own, lists: [] }
    const kinds = ['phone', 'email', 'messenger'] as const
    const reader = new ContactReader(kinds, country)
    const values = reader.read(contact)
    return { values, notes: reader.notes() }
  }
  const { values } = read(identities)
  expect(values.flatMap(({ exact }) => exact ?? [])).toEqual([
    ...['phone +491712345678', 'email v@xn--strae-oqa.de', 'phone +4930555667'],
    'messengerB_username vera',
  ])
  expect(values.map(({ near }) => near)).toEqual(
    expect.arrayContaining(['12345678', '23456789', '30555667']),
  )
  expect(read(identities).notes).toEqual([
    '1 contact has a phone number that cannot be read: add --country',
  ])
  expect(read({ email: ['v at x.de'] }, 'DE').notes).toEqual([
    '1 contact has an email address that cannot be read',
  ])
  expect(read(identities, 'DE').notes).toEqual([])
})

test.each([
  ['DE', ['de', ' DE ', 'Germany', 'DEUTSCHLAND', 'Allemagne', 'Alemania', 'Alemanha']],
  ['GB', ['gb', 'UK', 'United Kingdom', 'Vereinigtes Königreich', 'Royaume-Uni']],
  ['CI', ["Côte d'Ivoire".replace("'", '’')]],
  [undefined, ['', 'Mars', 'Bayern', 'D', 'xx']],
])('the country %s', (country, texts) => {
  expect(texts.map(countryOf)).toEqual(texts.map(() => country))
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
  // An @ that is not understood.
  ...['a@b@c.org', 'ann@', '@ann', 'ann@example', 'ann@example.org/x', 'x=ann@example.org'].map(
    (text) => [text, '?'] as const,
  ),
  ['ann@example.org, bob@', 'ann@example.org ?'],
  ['mailto://ann@example.org', '?'],
  ['no address', '?'],
])('the addresses in %j: %s', (text, shown) => {
  expect(shownOf(readAddresses(text))).toBe(shown)
})

test('an international domain is one address, whichever way it is spelled', () => {
  for (const [one = '', other = ''] of [
    ['Ann@Straße.de', 'ann@xn--strae-oqa.de'],
    ['ann@MÜNCHEN.example', 'ann@xn--mnchen-3ya.example'],
  ])
    expect(readAddresses(one).values[0]?.exact).toBe(readAddresses(other).values[0]?.exact)
})

test.each([
  ['phone', ['+49 171 2345678', '0171/2345678', '030 5556677', '0049 171 2345678']],
  ['email', ['ann@example.org', 'Ann <ann@example.org>']],
  [undefined, ['2026-03-01', '01.03.2026', '2026-03-01 10:15', '10115 Berlin', 'Ann', '12']],
])('a cell of any column surely has: %s', (kind, texts) => {
  expect(texts.filter((text) => kindOfCell(text, 'DE') !== kind)).toEqual([])
})

test.each([
  [
    true,
    'Kundennummer; Customer no; Order ID; orderId; Birth date; Geburtsdatum; PLZ; Rechnungsnr.; Código',
  ],
  [false, 'Ruf; Fon; Kontakt 2; Erreichbar; Ansprechbar'],
])('an id, a number of something or a date: %s', (expected, texts) => {
  expect(texts.split('; ').filter((heading) => isNumbered(heading) !== expected)).toEqual([])
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
  country: Country; Land; Pays; País
  lastName: lastName; Nachname; Apellidos; Sobrenome; Family Name; Nom de famille
  nothing: Company name; Email sent; Phone verified; Note; id; ; Address; Number; Mailing list; 1; Filename; Phone / E-mail
  nothing: Phone 1 - Label; E-mail 1 - Type; Phonetic First Name; Name Prefix; Organization Name; Customer no; contactId`
test.each(headings.trim().split(/\n */))('a heading says %s', (line) => {
  const [meaning, texts = ''] = line.split(/: (.*)/)
  for (const heading of texts.split('; '))
    expect([heading, meaningOf(heading) ?? 'nothing']).toEqual([heading, meaning])
})
