import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  checkCountry,
  formsOfName,
  identityReader,
  readValues,
  tracesIn,
} from '../../src/people/compare.ts'
import { table } from '../support/table.ts'

/** The values of a string, or `?` with the problem. */
function shownIn(text: string, code?: string): string {
  const { values, problem } = readValues(text, checkCountry(code), { canBeEmail: true })
  if (problem?.includes('--country') === true) return '? country'
  if (problem?.includes('fewer than eight') === true) return '? short'
  if (problem !== undefined) return '?'
  const shownOf = (form: string) => form.replace(/^(?:phone|email) /, '')
  return values.map((forms) => forms.map(shownOf).join(' or ')).join(' ')
}

/** The country, what is read, and strings; ⏎ is a line break, ¦ is `|`. */
test.each(
  table(`
     | +491712345678 | +491712345678 | +49 171 234-56-78 | +49 (0) 171 2345678 | +4901712345678
     | +491712345678 | 0049 (171) 234 56 78 | 0049 171/2345678 | <+49-171-2345678> | '+491712345678
     | +491712345678 | +491712345678.0 | +491712345678.00 | ＋４９ １７１ ２３４５６７８
     | +491712345678 | \u202a+49\u00a0171\u20112345678\u202c | ⏎+49 171 2345678\r⏎
  DE | +491712345678 | 0171/2345678 | '0171 2345678
     | +491712345678 | tel:+491712345678 | tel:+49-171-2345678
     | +491712345678 | (+49) 171 2345678 | (0049) 171/2345678 | (+49)(0)171 2345678 | (+49)171-2345678 | '(+49) 171 2345678
     | ? short | +49 (0)171 / 2345678
     | ? | +49 171 / 2345678
  DE | ? short | 0171 / 2345678 | 04551 123 / 04551 124
  DE | ? | 04551 123 04551 124 | 04551 123/04551 124 | 040 1234 040 1235 | 040 1234/040 1235 | 040 123 - 040 124
  DE | ? | 0451 123 - 0451 124 | 040-1234 040-1235 | 123456/123457 | 030/1234/5678 | 030/12345-6/12347
  DE | ? | 030 123456-72/-73 | 030 123456-72/73 | 030 123456/-73
  DE | +493012340567 | 030 1234 0567 | 030/1234-0567 | 030/12340567
  DE | +493320312345 | 033203/12345 | 033203 12345
  FR | +33102030405 | 01 02 03 04 05 | 01.02.03.04.05 | 0102030405
  DE | +491712345678 | tel:0171-2345678 | 1712345678 | 1712345678.0
  DE | +49301234560 | 030 123456-0
  DE | +49491712345678 or +491712345678 | 491712345678 | 49 171 2345678 | 491712345678.0
  DE | +4930123456 or +494930123456 | 4930123456
  DE | +49491234567 | 491234567
     | +4532123456 | +45 (0)32 12 34 56 | +45(0) 32123456
     | +390669821234 or +39669821234 | +39 (0)6 6982 1234
  AT | +4312345678 or +434312345678 | 4312345678
  IT | +393921234567 or +3921234567 | 392 1234567 | 3921234567
  IN | +919123456789 or +9123456789 | 9123456789
  GB | +447911123456 | 07911 123456 | 447911123456
  KZ | +77011234567 | 87011234567 | 77011234567
  FR | +33612345678 | 06 12 34 56 78 | 33612345678
  BR | +5511987654321 | (11) 98765-4321 | 5511987654321.0
  RU | +79123456789 | 8 (912) 345-67-89
  AR | +5491123456789 | 011 15 2345-6789
  US | +15551000025 | (555) 100-0025 | 15551000025
  IT | +3906698212 | 06 698212
  BG | +35918881970 | 35918881970
     | +4532123456 | +45 32 12 34 56
     | +15551002852 +15551002853 | +1 555 100 2852 / +1 555 100 2853 | +1 555 100 2852;+1 555 100 2853
     | +15551002852 ann@example.org | +1 555 100 2852, ann@example.org
  US | +15551000025 +15551000026 | (555) 100-0025⏎(555) 100-0026
  DE | ? short | 2345678
  IT | ? short | 06 6982
     | ? short | +354 581 2345
     | ? country | 0171 2345678 | 100 1490
     | ? | Tel: +1 555 100 2852 | +49 171 2345678 (9-17 Uhr) | +49 171 2345678 privat | n/a | +
     | ? | +49 171 234**** | +49 171 23456XX | +49 171 234 56 7? | +49 171 234_5678 | see notes
     | ? | +49 30 5556677/2672 | +1 555 100 0025 ext. 5 | (+49 171 2345678 | +49 171⏎2345678
     | ? | +1 555 100 28 | +49 1 | ☎ +49 171 2345678 | +49 171 2345678¹ | +49 171 234567²
     | ? | +49 171 2345678 (2) | 1. +49 171 2345678 | +49 1512 345… | +49 1512 345.. | 1-800-FLOWERS
     | ? | +49 171 2345678 ::: +49 171 2345679 | +491712345678, ask Ann
     | ? | +٤٩ ١٧١ ٢٣٤٥٦٧٨ | +49 171 ۲۳۴۵۶۷۸ | +49171234567८ | 0171 ٢٣٤٥٦٧٨
     | ? | +49 171 2345678${' '.repeat(200)}x
  DE | ? | 0171 2345678 Uhr 9 | 4.91712345678E+11 | 1234567890123456789 | 0171 23X5678 | 110
  GB | ? | 491712345678
  US | ? | 41791234567
  DE | ? short | 2345678 / 3456789
     | ? | +49 171 2345678-1 | +49 171 2345678 (12 | +491712345678.5 | ++49 171 2345678 | +49 +49 171 2345678
     | ? | +49 171 2345678.05 | +491712345678.50 | +491712345678.9 | +49 171 (0) 2345678
     | ? | +49 171 2345678;ext=12 | +49 171 2345678 / 8x | <+49 171 2345678
     | ? | 'ann@example.org | Ann¦ann@example.org | •ann@example.org | ann@example.org>
     | ann@example.org | ANN@Example.org | MAILTO:ann@example.org | ａｎｎ＠example.org
     | ann@example.org | an\ufeffn@exa\u200bmple.org
     | ann@example.org bob@example.org | <ann@example.org>; bob@example.org
     | o'neill+x@exa-mple.org | o'neill+x@exa-mple.org
     | ann@xn--strae-oqa.de | Ann@Straße.de | ann@xn--strae-oqa.de
     | ? | Ann <ann@example.org> | "Ann" ann@example.org | (ann@example.org) | ann@example.org!
     | ? | an**@example.org | ann@exam… | ann@example.org.. | ann@example.org. | a@b@c.org
     | ? | ann¹@example.org | ann@exa¹mple.org | ann@ | @ann | ann@example | ann at x.de
     | ? | ann@example.org/x | mailto://ann@example.org | ann@example.org bob@example.org
     | ? | ann@example.org, bob@ | MAILTO:ann@example.org?subject=Hi | ann@ex_ample..org`),
)('of %s, %s is in %s', (country, shown, ...texts) => {
  for (const text of texts) {
    const cell = text.replaceAll('⏎', '\n').replaceAll('¦', '|')
    expect([text, shownIn(cell, country || undefined)]).toEqual([text, shown])
  }
})

test('the values of a contact, and how many contacts have some that cannot be read', () => {
  const read = (identities: Record<string, string[]>, country?: 'DE') => {
    const reader = identityReader(country)
    return { ...reader.read({ id: 'a', identities, lists: [] }), notes: reader.notes() }
  }
  const identities = {
    phone: ['+49 171 2345678', '0172 3456789'],
    messengerA_phone: ['+4930555667'],
    email: ['V@Straße.de'],
    messengerB_username: ['@Vera', ' '],
  }
  const known = ['phone +491712345678', 'phone +4930555667', 'email v@xn--strae-oqa.de']
  const forms = (country?: 'DE') => read(identities, country).values.flat()
  expect(forms().toSorted()).toEqual([...known, 'messengerB_username @vera'].toSorted())
  // A number that is not understood can still fit by eight of its digits.
  expect(read(identities).traces).toContain('phone …23456789')
  const words = 'svc could not read a phone number or email address of 1 contact'
  expect(read(identities).notes).toEqual([`${words}: a "0172 3456789"; try --country`])
  for (const text of ['+49 171 234****', '491712345678@c.us', '+491712345678@s.whatsapp.net'])
    expect(read({ messengerA_phone: [text] }).notes).toEqual([`${words}: a "${text}"`])
  // A short number of a contact is known, although a row with it is not compared.
  const short = { values: [['phone +3545812345']], notes: [] }
  expect(read({ phone: ['+354 581 2345'] })).toMatchObject(short)
  expect(forms('DE')).toContain('phone +491723456789')
  expect(read(identities, 'DE').notes).toEqual([])
})

/** What contacts may have of a string. */
test.each(
  table(`
  +49 171 2345678 (privat)  | phone …12345678
  0171.2345678              | phone …12345678
  M01712345678              | phone …12345678
  2345678                   |
  0171 2345678 12           | phone …12345678 phone …34567812
  491712345678@c.us         | address 491712345678@c.us phone …12345678
  Ann <ANN@Straße.de>.      | address ann@xn--strae-oqa.de
  (ann@x.de), o'neill@x.de  | address ann@x.de address o'neill@x.de
  @ann, ann@, 2024-01-05    | phone …20240105`),
)('of %s: %s', (text = '', expected = '') => {
  expect([...tracesIn(text)].join(' ')).toBe(expected)
})

const byHand = readFileSync(new URL('names-by-hand.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .flatMap((line) => {
    const [, one = '', sign = '', others = ''] = /^(.*?) ?([=≠]) ?(.*)$/.exec(line) ?? []
    return others.split(' | ').map((other) => [one, sign, other] as const)
  })

test('names that were judged by hand, on either side', () => {
  const wrong = byHand.filter(([one, sign, other]) => {
    const forms = formsOfName(other)
    return formsOfName(one).some((each) => forms.includes(each)) !== (sign === '=')
  })
  expect(wrong).toEqual([])
})
