/** Phone numbers as people write them, and which of them are the same. */
import { describe, expect, test } from 'vitest'
import {
  doubtOf,
  e164Of,
  phoneFit,
  phoneReader,
  writeNumber,
  type PhoneFit,
} from '../../src/people/phone.ts'
import { indexValues, valueReader } from '../../src/people/values.ts'

test.each([
  ['+493055566777', '+49 30 55566777'],
  ['+5511912345678', '+55 11 91234 5678'],
  // No country has its code.
  ['+99912345678', '+99912345678'],
])('%s is written as %s', (e164, written) => {
  expect(writeNumber(e164)).toBe(written)
})

test.each([
  ['100 1490', undefined, 'has fewer than eight digits'],
  ['1001490', 'DE', 'has fewer than eight digits'],
  ['+683 4002', undefined, 'has fewer than eight digits'],
  ['+49 12', undefined, 'has fewer than eight digits'],
  ['00012345678', undefined, 'needs its country'],
  ['555 999 9999', undefined, 'needs its country'],
  ['0171 9999999', 'US', 'is not a number of US'],
  ['+1 555 100 285', undefined, 'is not a phone number'],
  ['0171 9999999', 'DE', undefined],
  ['+1 555 999 9999', undefined, undefined],
])('%s, with %s: nobody can be said not to have it, because it %s', (typed, country, doubt) => {
  const [phone] = phoneReader(country)(typed)
  expect(phone && doubtOf(phone)).toBe(doubt)
})

describe('the numbers in a text', () => {
  test.each<[text: string, country: string | undefined, found: readonly string[]]>([
    ...[
      ...'+491712345678 | +49 171 234-56-78 | +49 (0) 171 2345678 | +4901712345678'.split(' | '),
      ...'(+49) 171 2345678 | 0049 (171) 234 56 78 | 00 49 171/2345678'.split(' | '),
      ...'tel:+49-171-2345678 | Tel. 0049 171 2345678 (priv.) | ＋４９ １７１ ２３４５６７８'.split(
        ' | ',
      ),
      ...'+٤٩ ١٧١ ٢٣٤٥٦٧٨ | \u202a+49\u00a0171\u20112345678\u202c'.split(' | '),
      '\ufe0e+49\u034f 171\ufe0f 234\u115f5678\u00ad',
    ].map((typed): [string, undefined, string[]] => [typed, undefined, ['+491712345678']]),
    ...['0171/2345678', '(0171) 2345678', '171 2345678', '+49 171 2345678 seit 2024'].map(
      (typed): [string, string, string[]] => [typed, 'de', ['+491712345678']],
    ),
    // With its 0 it is German, though +1 712 345 6789 is a number too.
    ['017123456789', 'DE', ['+4917123456789']],
    // +49 171 2345678, or +49 4917 12345678; too long for a British number.
    ['491712345678', 'DE', ['491712345678']],
    ['491712345678', 'GB', ['+491712345678']],
    // +1 361 526 4577, or a Hungarian number.
    ['3615264577', 'US', ['3615264577']],
    ['1 415 555 2671', 'US', ['+14155552671']],
    ['(555) 100-0025', 'US', ['+15551000025']],
    ['8 (912) 345-67-89', 'RU', ['+79123456789']],
    ['011 15 2345-6789', 'AR', ['+5491123456789']],
    ['123456789012345', undefined, ['123456789012345']],
    ['1234567890123456', undefined, []],
    [`+49 171 2345678 ${'x'.repeat(984)}`, undefined, ['+491712345678']],
    [`+49 171 2345678 ${'x'.repeat(985)}`, undefined, []],
    ['06 6982', 'IT', ['+39066982']],
    ['020 7946 0385', 'GB', ['+442079460385']],
    ['+1 555 100 0025 ext. 5', undefined, ['+15551000025 ext. 5']],
    ['+52 1 55 1234 5678', undefined, ['+5215512345678']],
    ['Tel: +1 555 100 2852 (after 5 pm)', undefined, ['+15551002852']],
    ...[' / ', ';', ', ', '|', '\n', ' ', ' ::: '].map((between): [string, undefined, string[]] => [
      `+1 555 100 2852${between}+1 555 100 2853`,
      undefined,
      ['+15551002852', '+15551002853'],
    ]),
    ['+49 171 2345678 or +49 172 3456789', undefined, ['+491712345678', '+491723456789']],
    ['mobile 555-100-2852 home (555) 100-2853', 'US', ['+15551002852', '+15551002853']],
    ['5551002852/5551002853', 'US', ['+15551002852', '+15551002853']],
    ['0171/2345678, 0172/3456789', 'DE', ['+491712345678', '+491723456789']],
    ['0171 2345678 oder 0172 3456789', 'DE', ['+491712345678', '+491723456789']],
    ['+1 555 100 2852 ext 5 / +1 555 100 2853', undefined, ['+15551002852 ext. 5', '+15551002853']],
    [
      '+44 20 7946 0385;ext=6; +44 20 7946 0386',
      undefined,
      ['+442079460385 ext. 6', '+442079460386'],
    ],
    ['Büro: 491712345678', 'DE', ['491712345678']],
    // Without a country their digits are what is known.
    ['Tel: 0171 2345678', undefined, ['1712345678']],
    ['0171 2345678 / 0172 3456789', undefined, ['1712345678', '1723456789']],
    ['555 100 2852 or 555 100 2853', undefined, ['5551002852', '5551002853']],
    // Which of these digits are a number nobody knows.
    ['+1 555 100 2852 12:30', 'DE', []],
    ['+1 (0) 555 100 2852', undefined, ['+15551002852']],
    ['+34 (0) 912 345 678', undefined, ['+34912345678']],
    ['+352 (0) 27 12 34 56', undefined, ['+35227123456']],
    ['+44 (0)20 7946 0385', undefined, ['+442079460385']],
    ['+39 (0)6 6982 1234', undefined, ['+390669821234']],
  ])('the numbers in %j, of %s', (text, country, found) => {
    const shown = phoneReader(country)(text).map(
      (phone) =>
        `${e164Of(phone) ?? phone.digits}${phone.extension === undefined ? '' : ` ext. ${phone.extension}`}`,
    )
    expect(shown).toEqual(found)
  })

  test.each(['', ' ', '-', 'none', '4.91712E+11', '4,9E11', '+0000000', 'see notes', 'room 12'])(
    'no numbers in %j',
    (text) => {
      for (const country of ['US', undefined]) expect(phoneReader(country)(text)).toEqual([])
    },
  )

  test.each(['XX', 'Germany', '', '49'])('%j is no country', (country) => {
    expect(() => phoneReader(country)).toThrow('there is no country')
  })
})

test.each<[typed: string, stored: string, country: string | undefined, fit: PhoneFit | undefined]>([
  ['+49 171 2345678', '+491712345678', undefined, 'exact'],
  ['0171 2345678', '+491712345678', 'DE', 'exact'],
  ['0171 2345678', '0171/2345678', 'DE', 'exact'],
  ['0171 2345678', '+431712345678', 'DE', 'abroad'],
  ['+43 171 2345678', '0171 2345678', 'DE', 'abroad'],
  ['+49 171 2345678', '+431712345678', 'DE', undefined],
  // Without a country.
  ['0171 2345678', '+491712345678', undefined, 'variant'],
  ['0171 2345678', '0171/2345678', undefined, 'variant'],
  ['+49 171 2345678', '0171/2345678', undefined, 'variant'],
  ['491712345678', '+491712345678', undefined, 'variant'],
  ['12345678', '+491712345678', undefined, 'variant'],
  ['012345678', '+491712345678', undefined, 'variant'],
  ['0012345678', '+491712345678', undefined, undefined],
  ['11345678', '+491712345678', undefined, undefined],
  ['2345678', '+491712345678', undefined, 'variant'],
  ['345678', '+491712345678', undefined, undefined],
  // Two readings.
  ['491712345678', '+491712345678', 'DE', 'variant'],
  ['491712345678', '+49491712345678', 'DE', 'variant'],
  ['491712345678', '491712345678', 'DE', 'variant'],
  // Extensions.
  ['+1 555 100 0025 x5', '+15551000025;ext=5', undefined, 'exact'],
  ['+1 555 100 0025 x5', '+15551000025 ext. 6', undefined, 'variant'],
  ['+1 555 100 0025 x5', '+15551000025', undefined, 'variant'],
  // Digits that countries have changed or drop.
  ['+55 41 98765-4321', '+554187654321', undefined, 'variant'],
  ['(41) 8765-4321', '+5541987654321', 'BR', 'variant'],
  ['+54 9 11 2345-6789', '+541123456789', undefined, 'variant'],
  ['011 15 2345-6789', '+541123456789', 'AR', 'variant'],
  ['+52 1 55 1234 5678', '+525512345678', undefined, 'variant'],
  ['55 1234 5678', '+5215512345678', 'MX', 'variant'],
  ['+229 01 96 11 22 33', '+22996112233', undefined, 'variant'],
  ['96 11 22 33', '+2290196112233', 'BJ', 'variant'],
  ['+225 07 07 12 34 56', '+22507123456', undefined, 'variant'],
  ['+57 601 2345678', '+5712345678', undefined, 'variant'],
  ['+241 062 12 34 56', '+2412123456', undefined, 'variant'],
  ['+237 6 71 23 45 67', '+23771234567', undefined, 'variant'],
  ['+39 6 1234567', '+39061234567', undefined, 'variant'],
  ['06 1234567', '+3961234567', 'IT', 'variant'],
  ['+1 555 100 0025', '+11000025', undefined, 'variant'],
  // None of these.
  ['+1 555 100 0025', '+1000025', undefined, undefined],
  ['+229 01 96 11 22 33', '+22896112233', undefined, undefined],
  ['+57 601 2345678', '+5722345679', undefined, undefined],
  ['+49 171 2345678', '+49 171 2345679', undefined, undefined],
  ['+1 555 100 0025', '+44 555 100 0025', undefined, undefined],
  ['12345', '12345', undefined, 'variant'],
  ['12345', '+4912345', undefined, undefined],
  // Short behind a carrier's code.
  ['+352 11999', '+352 15400 11999', undefined, 'exact'],
])('fit %s and %s in %s: %s', (typed, stored, country, fit) => {
  const read = phoneReader(country)
  const [[one], [other]] = [read(typed), read(stored)]
  if (one === undefined || other === undefined) throw new Error('no digits')
  expect(phoneFit(one, other)).toBe(fit)
  expect(phoneFit(other, one)).toBe(fit)
  // A fitting number is found by its last digits.
  const contact = { id: 'a', identities: { phone: [stored] }, lists: [] }
  const findBest = indexValues([contact], valueReader(country), new Set(['phone']))
  const [value] = valueReader(country)({ key: 'phone', text: typed })
  expect(value && findBest(value)?.fit).toBe(fit)
})
