/** Cells of a table of people and texts of contacts, each by itself: the numbers and addresses in them, and how two fit. */
import { expect, test } from 'vitest'
import {
  contactReader,
  countryOf,
  fitOf,
  keyOfFits,
  looksLikeValue,
  readValues,
  requireCountry,
  type PersonReading,
} from '../../src/people/person-values.ts'

/** The values of a reading, and `?` behind them if the text was not understood. */
const shownOf = ({ values, problem }: PersonReading): string =>
  [...values.map(({ shown }) => shown), ...(problem === undefined ? [] : ['?'])].join(' ')

const shownIn = (text: string, country?: string): string =>
  shownOf(readValues(text, requireCountry(country)))

test.each([
  ...['+491712345678', '+49 171 234-56-78', '+49 (0) 171 2345678', '+4901712345678'],
  ...['(+49) 171 2345678', '0049 (171) 234 56 78', '00 49 171/2345678', '<+49-171-2345678>'],
  ...['+491712345678.0', '☎ +49 171 2345678', '＋４９ １７１ ２３４５６７８'],
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
  ['Tel: +1 555 100 2852', undefined, '+15551002852'],
  ['Telefon 0171 2345678; Mobil.: 0172 3456789', 'DE', '+491712345678 +491723456789'],
  ['T: +1 555 100 2852', undefined, '+15551002852 ?'],
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
  // Digits that are none, that stand apart, or that were cut.
  ['+49 171 2345678¹', undefined, '+491712345678 ?'],
  ['+49 171 234567²', undefined, '+49171234567 ?'],
  ['+٤٩ ١٧١ ٢٣٤٥٦٧٨', undefined, '?'],
  ['+49 171 2345678 2', undefined, '+4917123456782 ?'],
  ['+49 171 2345678 (2)', undefined, '+491712345678 ?'],
  ['1. 0171 2345678', 'DE', '+491712345678 ?'],
  ['+49 1512 345…', undefined, '+491512345 ?'],
  ['+49 1512 345..', undefined, '+491512345 ?'],
  ['0171 23X5678', 'DE', '+4917123 +495678 ?'],
  [`+49 171 2345678${' '.repeat(200)}x`, undefined, '+491712345678 ?'],
  ...['', '-', 'see notes', '1', '+49 1'].map((text) => [text, undefined, '?'] as const),
])('the numbers in %j, of %s: %s', (text, country, shown) => {
  expect(shownIn(text, country)).toBe(shown)
})

test.each([
  ['+49 171 2345678', '+491712345678', undefined, 'exact'],
  ['0171 2345678', '+491712345678', 'DE', 'exact'],
  ['0171 2345678', '0171/2345678', 'DE', 'exact'],
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
  // Short national numbers, on either side.
  ['12345', '+49 8151 12345', 'DE', 'nearly'],
  ['+49 8151 12345', '12345', 'DE', 'nearly'],
  ['0345678', '+49 171 2345678', undefined, 'nearly'],
  ['345678', '+49 171 3345679', undefined, undefined],
  ['+49 171 2345678', '+491712345679', undefined, undefined],
] as const)('%s and %s, of %s, fit: %s', (typed, stored, countryText, fit) => {
  const country = requireCountry(countryText)
  const contact = { id: 'a', identities: { phone: [stored] }, lists: [] }
  const [own] = contactReader(country).read(contact)
  const [value] = readValues(typed, country).values
  const found = own && value && fitOf(own, value)
  const isCompared = own && value && keyOfFits(own) === keyOfFits(value)
  expect([found, fit === undefined || isCompared]).toEqual([fit, true])
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
    const reader = contactReader(country)
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
    '1 contact has a phone number or email address that cannot be read: add --country',
  ])
  expect(read({ email: ['v at x.de'] }, 'DE').notes).toEqual([
    '1 contact has a phone number or email address that cannot be read',
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
  ['„ann@example.org“, bob@example.org!', 'ann@example.org bob@example.org'],
  ['ann@example.org, 0171 2345678', 'ann@example.org …12345678 ?'],
  ['write to: ann@example.org.', 'ann@example.org'],
  ["o'neill+x@exa-mple.org", "o'neill+x@exa-mple.org"],
  ['an\ufeffn@exa\u200bmple.org\u00a0bob@example.org', 'ann@example.org bob@example.org'],
  // An @ that is not understood.
  ['an**@example.org', '?'],
  ['ann@exam…', '?'],
  ['ann@example.org..', 'ann@example.org ?'],
  ['ann¹@example.org', '?'],
  ['ann@exa¹mple.org', '?'],
  ['ann@exampleº.org', 'ann@exampleº.org ?'],
  ...['a@b@c.org', 'ann@', '@ann', 'ann@example', 'ann@example.org/x', 'x=ann@example.org'].map(
    (text) => [text, '?'] as const,
  ),
  ['ann@example.org, bob@', 'ann@example.org ?'],
  ['mailto://ann@example.org', '?'],
  ['no address', '?'],
])('the addresses in %j: %s', (text, shown) => {
  expect(shownOf(readValues(text, undefined))).toBe(shown)
})

const exactOf = (text: string) => readValues(text, undefined).values[0]?.exact

test('an international domain is one address, whichever way it is spelled', () => {
  for (const [one = '', other = ''] of [
    ['Ann@Straße.de', 'ann@xn--strae-oqa.de'],
    ['ann@MÜNCHEN.example', 'ann@xn--mnchen-3ya.example'],
  ])
    expect(exactOf(one)).toBe(exactOf(other))
})

test.each([
  [true, ['+49 171 2345678', '0171/2345678', '030 5556677', '0049 171 2345678']],
  [true, ['ann@example.org', 'Ann <ann@example.org>']],
  [true, ['0171 2345678, 0172 3456789', 'call 0171 2345678', '1712345678901', '2345678 / 3456789']],
  [false, ['2026-03-01', '01.03.2026', '2026-03-01 10:15', '10115 Berlin', 'Ann', '12']],
  [false, ['Hauptstr. 12, 10115 Berlin', '12345678', '@ann', 'DE89 3704 0044 0532 0130 00']],
])('a cell looks like a number or an address: %s', (expected, texts) => {
  expect(texts.filter((text) => looksLikeValue(text) !== expected)).toEqual([])
})
