/** Tables of many rows and long cells, at every width. What commands show is in the transcripts. */
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import {
  address,
  id,
  name,
  number,
  one,
  rows,
  text,
  time,
  type ColumnKind,
} from '../../src/output/result.ts'
import { printed } from '../support/printed.ts'
import { verbs } from '../support/tree.ts'

const narrowView = { columns: { ID: id('id'), TEXT: text('text'), END: text('end') } }

test('all rows have the same widths, however many there are', async () => {
  const data = Array.from({ length: 501 }, (_, index) => ({
    id: `${index}`,
    text: index === 500 ? 'a longer text than all others' : 'x',
    end: 'e',
  }))
  const lastOf = async (width?: number) =>
    (await printed(rows(data), narrowView, { width })).stdout.split('\n').slice(-3)
  expect(await lastOf()).toEqual([
    `499  x${' '.repeat(28)}  e`,
    '500  a longer text than all others  e',
    '',
  ])
  expect(await lastOf(26)).toEqual([`499  x${' '.repeat(15)}  e`, '500  a longer text t…  e', ''])
})

test('off a terminal a very long cell is whole, and changes its own row alone', async () => {
  const long = 'a very long text '.repeat(20)
  const data = ['x', long, 'y'].map((each, index) => ({ id: `${index}`, text: each, end: 'e' }))
  const { stdout } = await printed(rows(data), narrowView)
  const [title = '', before = '', whole, after] = stdout.split('\n')
  expect(title.indexOf('END')).toBe(before.indexOf('e'))
  expect(whole).toBe(`1  ${long}  e`)
  expect(after?.indexOf('e')).toBe(before.indexOf('e'))
})

test('one thing is never cut', async () => {
  const long = 'a very long text '.repeat(30).trim()
  const thing = one({ id: 1, text: long, end: ['a', 'b'] })
  const { stdout } = await printed(thing, narrowView, { width: 40 })
  expect(stdout).toBe(`ID    1\nTEXT  ${long}\nEND   a, b\n`)
})

test.each<[cell: unknown, seen: string, elsewhere: string]>([
  ['one\r\ntwo\tthree\rfour', 'one ↵ two\\u{9}three\\u{d}four', 'one ↵ two\\u{9}three\\u{d}four'],
  [['a', 'b', 'c'], 'a +2', 'a, b, c'],
  [['a'], 'a', 'a'],
  [[], '', ''],
  [true, 'yes', 'yes'],
  [null, '', ''],
])('the cell %j is %j on a terminal, and elsewhere %j', async (cell, seen, elsewhere) => {
  const columns = { A: id('id'), B: text('cell') }
  const shown = async (width?: number) =>
    (await printed(rows([{ id: '-', cell }]), { columns }, { width })).stdout
  expect(await shown(80)).toBe(`A  B\n-  ${seen}`.trimEnd() + '\n')
  expect(await shown()).toBe(`A  B\n-  ${elsewhere}`.trimEnd() + '\n')
})

test.each([
  ['abcdefghijklm', 'abcdefghijk…'],
  ['客户名单客户名单', '客户名单客…'],
  ['e\u0301'.repeat(14), 'e\u0301'.repeat(11) + '…'],
  ['abcdef😀😀😀😀', 'abcdef😀😀…'],
  ['😀'.repeat(300), '😀😀😀😀😀…'],
])('%j is cut to twelve cells: %j', async (long, cut) => {
  const { stdout } = await printed(rows([{ id: 1, text: long, end: '' }]), narrowView, {
    width: 20,
  })
  expect(stdout.split('\n')[1]?.trimEnd().replace('1   ', '').replace(/ +…/, '…')).toBe(cut)
})

const longRow = {
  id: '64b000000000000000000010',
  name: '客户名单 客户名单 客户名单',
  phones: ['+49 171 1234567890', '+1 2'],
  email: 'somebody.with.a.long.name@example.com',
  count: 1_234_567,
  at: '2026-03-01T10:15:00.000Z',
  text: 'one text of some words',
  note: 'another text of words',
}
const longColumns = {
  ID: id('id'),
  NAME: name('name'),
  PHONE: address('phones'),
  EMAIL: address('email'),
  COUNT: number('count'),
  AT: time('at'),
  TEXT: text('text'),
  NOTE: text('note'),
}

test('texts are cut from the right, then names, then the last columns are left out', async () => {
  const view = { columns: longColumns }
  for (let width = 1; width <= 220; width += 3) {
    const { stdout, notes } = await printed(rows([longRow]), view, { width })
    const [title = '', line = ''] = stdout.trimEnd().split('\n')
    const shown = title.split(/ {2,}/)
    expect(shown).toEqual(Object.keys(longColumns).slice(0, shown.length))
    const leftOut = Object.keys(longColumns).slice(shown.length)
    const note = `no room for ${leftOut.join(', ')}: choose columns with --fields`
    expect(notes).toEqual(leftOut.length > 0 ? [note] : [])
    expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(width, 24))
    const whole = [
      longRow.id,
      '+49 171 1234567890 +1',
      longRow.email,
      '1234567',
      '2026-03-01 10:15',
    ]
    const at = [0, 2, 3, 4, 5].filter((column) => column < shown.length)
    for (const [n] of at.entries()) expect(line).toContain(whole[n])
  }
})

test('an address is cut only if no other column is left, and never by one that is too long', async () => {
  const emails = ['a@b.de', `${'x'.repeat(90)}@b.de`, `${'y'.repeat(300)}@b.de`]
  const data = emails.map((email) => ({ id: longRow.id, email }))
  const printedOn = async (columns: object) =>
    (await printed(rows(data), { columns: columns as typeof alone }, { width: 80 })).stdout
  const alone = { EMAIL: address('email') }
  const lines = (await printedOn(alone)).trimEnd().split('\n')
  expect(lines.map((line) => stringWidth(line))).toEqual([5, 6, 80, 80])
  expect(await printedOn({ ID: id('id'), ...alone })).toBe(`ID\n${`${longRow.id}\n`.repeat(3)}`)
})

/** Values as others may write them, by the kind of their column. */
const hostile = {
  id: ['64b000000000000000000010'],
  name: ['x'.repeat(100), 'Sixteen signs !!', '客户名单'.repeat(25), '👩🏽‍🚀'.repeat(30), ''],
  address: ['+1234567890123'],
  text: [`${'a'.repeat(48)}@example.com`, '长'.repeat(60), 'word '.repeat(40)],
  number: [1_234_567],
  time: ['2026-03-01T10:15:00.000Z'],
}

const pages = verbs.flatMap(({ path, command }) => {
  const columns = Object.entries(command?.columns ?? {}).filter(([, { isExtra }]) => !isExtra)
  const isTable = columns.some(([, { kind }]) => ['id', 'name', 'number'].includes(kind))
  return isTable ? [[path, Object.fromEntries(columns)] as const] : []
})

test.each(pages)('%s fits from 80 columns on, and names keep 16 signs', async (_, declared) => {
  const valueOf = (kind: ColumnKind) => (row: { n: number }) =>
    hostile[kind][row.n % hostile[kind].length]
  const columns = Object.fromEntries(
    Object.entries(declared).map(([heading, { kind }]) => [
      heading,
      { kind, valueOf: valueOf(kind) },
    ]),
  )
  const kinds = Object.values(declared).map(({ kind }) => kind)
  const names = kinds.filter((kind) => kind === 'name').length
  const tables = [[0, 1, 2, 3, 4], ...[0, 2, 3].map((n) => [n, 1])]
  for (const width of [80, 120])
    for (const data of tables) {
      const shown = rows(data.map((n) => ({ n })))
      const { stdout } = await printed(shown, { columns }, { width })
      const lines = stdout.trimEnd().split('\n')
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(width)
      expect(stdout.split('Sixteen signs !!').length - 1).toBe(names)
      expect(stdout.includes(hostile.id[0] ?? '')).toBe(kinds.includes('id'))
    }
})

test('there are tables of every noun', () => {
  expect(pages.length).toBeGreaterThan(9)
})
