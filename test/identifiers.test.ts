/** Texts with an id in them, and why others have none. Ids that are typed as options are in values.test.ts. */
import { describe, expect, it } from 'vitest'
import { findId } from '../src/identifiers.ts'

const id = '64b000000000000000000abc'
const app = 'https://app.example.com'

/** The space characters of Unicode, and the blanks of ASCII. */
const blanks = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680],
  ...Array.from({ length: 11 }, (_, n) => 0x2000 + n),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((code) => String.fromCharCode(code))

describe('an id in a file or an argument', () => {
  it.each([...blanks.map((blank) => `${blank}${id}${blank}`), `"${id}"`, ` ' ${id} ' `])(
    '%j is read without what is around it',
    (text) => {
      expect(findId(text)).toEqual({ id })
    },
  )

  it.each(['5e1234567890123456789012', '123456789012345678901234', '64f0a1b2c3d4e5f600000000'])(
    '%s is one',
    (text) => {
      expect(findId(text)).toEqual({ id: text })
    },
  )

  it.each([
    ['', 'empty'],
    ['123456789012345'.padEnd(24, '0'), 'rounded by a spreadsheet'],
    ['5.07E+23', 'rounded by a spreadsheet'],
    ['6,4e23', 'rounded by a spreadsheet'],
    [id.slice(1), '23 hexadecimal digits; an id has 24'],
    [`${id}0`, '25 hexadecimal digits; an id has 24'],
    [`${id},`, 'more than just an id'],
    [`${id};${id}`, 'more than just an id'],
    [`ObjectId("${id}")`, 'contains "O"'],
    [`'${id}`, `contains "'"`],
    [`\u200b${id}`, 'not a hexadecimal digit'],
    [id.replace('6', '\uff16'), 'contains "６"'],
    ['f'.repeat(201), '201 hexadecimal digits; an id has 24'],
  ])('%j is none: %s', (text, words) => {
    expect(findId(text).reason).toContain(words)
  })

  const other = '64b000000000000000000abd'

  it.each([
    `${app}/contacts/${id}`,
    `<${app}/tickets/${id.toUpperCase()}?tab=1>`,
    `[Anna Müller](${app}/contacts/${id}/chats)`,
    `[${app}/${id}](${app}/${id})`,
    `app.example.com:8080/t/${id}#end`,
    `${app}/to%2F${id}`,
    `"${app}/${id}"`,
  ])('the web address %j has one', (text) => {
    expect(findId(text).id?.toLowerCase()).toBe(id)
  })

  it.each([
    [`${app}/inbox`, 'no id in it'],
    [`${app}/${id}0`, 'no id in it'],
    [`${app}/${id}/${other}`, 'several ids in it'],
    [`${app}/${id}?again=${id}`, 'several ids in it'],
    [`[${other}](${app}/${id})`, 'several ids in it'],
    [`${app}/123456789012345000000000`, 'was rounded'],
    [`see ${app}/${id}`, 'contains "s"'],
    [`${app}/${id} and more`, 'contains "h"'],
    [`[x](${id})`, 'contains "["'],
  ])('the text %j has none: %s', (text, words) => {
    expect(findId(text).reason).toContain(words)
  })
})
