/** What is kept in few bytes comes back as it was. */
import fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { nodeHost } from '../../src/host.ts'
import { valueReader } from '../../src/directory/identity.ts'
import { Numbers, Records, Texts } from '../../src/directory/packed.ts'
import {
  packPhone,
  phoneReader,
  phoneText,
  unpackPhone,
  type Phone,
} from '../../src/directory/phone.ts'
import { ValueIndex } from '../../src/directory/value-index.ts'

test.each([
  [Uint8Array, 255],
  [Uint32Array, 2 ** 32 - 1],
  [Float64Array, 2 ** 53 - 1],
])('numbers of a %o', (Kind, largest) => {
  const numbers = new Numbers(Kind)
  for (let n = 0; n < 5000; n += 1) numbers.push(n % 200)
  numbers.set(4999, largest)
  expect(numbers.length).toBe(5000)
  expect([numbers.at(0), numbers.at(1024), numbers.at(4998)]).toEqual([0, 1024 % 200, 4998 % 200])
  expect(numbers.at(4999)).toBe(largest)
})

test('texts of any characters, half a pair of surrogates included', () => {
  const some = [
    '',
    'anna@example.org',
    'Zoë',
    'ÿ',
    'Ā',
    '\ud800',
    'a\udc00b',
    '😀',
    '\0\n',
    '王小明',
  ]
  // More than the bytes that are there at first, and one that is longer than all of them.
  const many = Array.from({ length: 20_000 }, (_, n) => `${some[n % some.length] ?? ''}${n}`)
  const all = [...some, ...many, 'é'.repeat(1 << 21), 'ł'.repeat(1 << 17)]
  const texts = new Texts()
  for (const text of all) texts.push(text)
  expect(all.filter((text, index) => texts.at(index) !== text)).toEqual([])
})

test('records, and the file of them is gone once they are closed', () => {
  const disk = { ...fs }
  const opened = vi.spyOn(disk, 'openSync')
  const closed = vi.spyOn(disk, 'closeSync')
  const host = { ...nodeHost(process), disk }
  const records = new Records<{ n: number; text: string }>(host)
  const recordOf = (n: number) => ({ n, text: `${n} ü`.repeat(50) })
  for (let n = 0; n < 3000; n += 1) records.push(recordOf(n))
  expect(records.size).toBe(3000)
  for (const n of [0, 2999, 1, 1500, 1501]) expect(records.at(n)).toEqual(recordOf(n))
  records.close()
  const [file] = opened.mock.results
  expect(closed).toHaveBeenCalledWith(file?.value)
})

const asPlain = (phone: Phone) => ({
  e164: phone.e164,
  readings: phone.readings,
  extension: phone.extension,
  digits: phone.digits,
  national: phone.national,
  isPossible: phone.isPossible,
  text: phoneText(phone),
})

test.each([undefined, 'DE', 'US', 'BR', 'AR', 'MX', 'IT'])(
  'phone numbers of %s',
  async (country) => {
    const read = await phoneReader(country)
    const typed = [
      ...[
        '+49 171 2345678',
        '030 5556677 ext. 5',
        '0049305556677',
        '5511912345678',
        '+54 9 11 12345678',
      ],
      ...[
        '+52 1 55 12345678',
        '06 698 12345',
        '4915112345678',
        '12345',
        '555 0100',
        '+1 555',
        '00',
      ],
    ]
    const phones = typed.flatMap((text) => read(text))
    expect(phones.length).toBeGreaterThan(8)
    for (const phone of phones)
      expect(asPlain(unpackPhone(packPhone(phone)))).toEqual(asPlain(phone))
  },
)

test('an index of thousands of values finds each, and what fits it', async () => {
  const read = valueReader(await phoneReader('DE'))
  const index = new ValueIndex(read)
  const numberOf = new Map<string, number>()
  for (let n = 0; n < 5000; n += 1) {
    const texts = [
      ['email', `person${n}@example.org`],
      ['phone', `+49 30 ${1_000_000 + n}`],
    ] as const
    for (const [kind, text] of texts) {
      const [value = -1] = index.add({ kind, key: kind, text })
      numberOf.set(text, value)
    }
  }
  expect(new Set(numberOf.values()).size).toBe(10_000)
  expect(index.add({ kind: 'email', key: 'email', text: 'PERSON4999@example.org' })).toEqual([
    numberOf.get('person4999@example.org'),
  ])
  const fits: unknown[] = []
  const identities = {
    email: ['person7@example.org', 'nobody@example.org'],
    phone: ['030 1000012'],
  }
  index.visit({ id: 'a', identities }, (value, fit) => fits.push([value, fit]))
  expect(fits).toEqual([
    [numberOf.get('+49 30 1000012'), 'exact'],
    [numberOf.get('person7@example.org'), 'exact'],
  ])
})

test('of contacts that a value fits the best count, each once', async () => {
  const index = new ValueIndex(valueReader(await phoneReader(undefined)))
  const [value = -1] = index.add({ kind: 'phone', key: 'phone', text: '+49 171 2345678' })
  const state = () => ({ fit: index.at(value).fit, contacts: [...index.at(value).contacts] })
  expect(state()).toEqual({ fit: undefined, contacts: [] })
  for (const contact of [1, 1, 2]) index.addFit(value, 'abroad', contact)
  expect(state()).toEqual({ fit: 'abroad', contacts: [1, 2] })
  for (const contact of [3, 4, 4, 9]) index.addFit(value, 'variant', contact)
  index.addFit(value, 'abroad', 10)
  expect(state()).toEqual({ fit: 'variant', contacts: [3, 4, 9] })
  // A table may ask for the contacts of a company's desk ten thousand times.
  expect(index.at(value).contacts).toBe(index.at(value).contacts)
  index.addFit(value, 'exact', 5)
  index.addFit(value, 'variant', 6)
  expect(state()).toEqual({ fit: 'exact', contacts: [5] })
})
