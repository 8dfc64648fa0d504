import { expect, it } from 'vitest'
import { findId, findTicketId, parseId } from '../src/identifiers.ts'

const id = '64b000000000000000000abc'
const other = '64b000000000000000000abd'
const app = 'https://app.example.com'

/** The space characters of Unicode, and the blanks of ASCII. */
const blanks = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680],
  ...Array.from({ length: 11 }, (_, n) => 0x2000 + n),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((code) => String.fromCharCode(code))

const bare = ['5e1234567890123456789012', '123456789012345678901234', '64f0a1b2c3d4e5f600000000']
it.each(bare)('%s is one', (text) => {
  expect(findId(text)).toEqual({ id: text })
})

const around = [...blanks.map((blank) => `${blank}${id}${blank}`), `"${id}"`, ` ' ${id} ' `]
it.each(around)('%j is read without what is around it', (text) => {
  expect(findId(text)).toEqual({ id })
})

it.each([
  ['', 'empty'],
  ['123456789012345'.padEnd(24, '0'), 'rounded by a spreadsheet'],
  ['5.07E+23', 'rounded by a spreadsheet'],
  ['6,4e23', 'rounded by a spreadsheet'],
  [id.slice(1), '23 hexadecimal digits; an id has 24'],
  [`${id}0`, '25 hexadecimal digits; an id has 24'],
  [`${id},`, 'contains more than an id'],
  [`${id};${id}`, 'contains more than an id'],
  [`<${id}>`, 'contains more than an id'],
  [`${app}/contacts/${id}`, 'contains more than an id'],
  [`="${id}"`, 'contains more than an id'],
  ['1712345678.0', 'not an id; an id has 24 characters, 0-9 and a-f'],
  [`\u200b${id.slice(1)}`, 'contains "\u200b"'],
  [id.replace('6', '\uff16'), 'contains "６"'],
  [id.replace('a', '\u0430'), 'contains "\u0430"'],
  ['f'.repeat(201), '201 hexadecimal digits; an id has 24'],
])('%j is none: %s', (text, words) => {
  expect(findId(text).reason).toContain(words)
  expect(() => parseId(text, '--into')).toThrow('--into is "')
})

it.each([
  `${app}/tickets/${id}`,
  ` ${app.toUpperCase()}/tickets/${id.toUpperCase()}?tab=1 `,
  `http://app.example.com:8080/t/${id}#${id}0`,
])('the web address %j of a ticket has one', (text) => {
  expect(findTicketId(text).id?.toLowerCase()).toBe(id)
})

it.each([
  [`${app}/inbox`, 'the URL must contain exactly one id'],
  [`${app}/${id}0`, 'the URL must contain exactly one id'],
  [`${app}/${id}/${other}`, 'the URL must contain exactly one id'],
  [`${app}/${id}?again=${id}`, 'the URL must contain exactly one id'],
  [`${app}/123456789012345000000000`, 'rounded'],
  [`see ${app}/${id}`, 'contains more than an id'],
  [`<${app}/${id}>`, 'contains more than an id'],
  [`app.example.com/${id}`, 'contains more than an id'],
])('the address %j has none: %s', (text, words) => {
  expect(findTicketId(text).reason).toContain(words)
})
