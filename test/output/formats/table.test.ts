import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { ContactList } from '../../../src/api/schemas.ts'
import { one, rows, type View } from '../../../src/output/result.ts'
import { tableText } from '../../../src/output/formats/table.ts'
import { contactListView, oneContactListView } from '../../../src/views/contact-list.ts'
import { employeeView } from '../../../src/commands/employees/list.ts'
import { options, printed } from '../printed.ts'

const lists: ContactList[] = [
  {
    id: '64b000000000000000000001',
    name: 'VIP',
    description: 'everybody who has bought something for more than a thousand since March',
    contactsCount: 1234,
    createdAt: '2026-02-01T09:15:00.000Z',
    updatedAt: '2026-03-01T09:15:00.000Z',
  },
  {
    id: '64b000000000000000000002',
    name: '客户名单',
    description: null,
    contactsCount: 7,
    updatedAt: 'soon',
  },
]

test('colours mean something and change nothing else', async () => {
  const people = [{ id: '64b000000000000000000001', firstName: 'A', kind: 'ai', status: 'active' }]
  const { stdout } = await printed(rows(people), employeeView, { width: 100, color: true })
  expect(stdout).toContain('\u001b[35mai\u001b[39m')
  expect(stdout).toContain('\u001b[32mactive\u001b[39m')
  const plain = await printed(rows(people), employeeView, { width: 100 })
  expect(stripVTControlCharacters(stdout)).toBe(plain.stdout)
})

test('one thing: title and value, nothing cut, on a terminal also how long ago', async () => {
  const [list] = lists
  if (list === undefined) throw new Error('no list')
  const { stdout } = await printed(one(list), oneContactListView, { width: 50, utc: true })
  expect(stdout).toBe(`ID           64b000000000000000000001
NAME         VIP
DESCRIPTION  everybody who has bought something for more than a thousand since March
CONTACTS     1234
CREATED      2026-02-01T09:15:00Z
UPDATED      2026-03-01T09:15:00Z
`)
  const local = await printed(one(list), oneContactListView, { width: 50, utc: false })
  expect(local.stdout).toMatch(/UPDATED {6}2026-03-01T\d\d:15:00[+-]\d\d:\d\d \(3d ago\)\n/)
})

const narrowView: View<{ id: string; text: string; end: string }> = {
  columns: ['id', 'text', 'end'].map((field) => ({ title: field.toUpperCase(), field })),
}

test('however many rows, no piece is drawn of more than 500: the cost of a piece grows with its square', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => ({
    ...(lists[index % 2] as ContactList),
    contactsCount: index,
  }))
  const pieces: number[] = []
  for await (const piece of tableText(many, contactListView, { ...options, width: 120 })) {
    pieces.push(piece.split('\n').length - 1)
  }
  // The first has the header too.
  expect(pieces).toEqual([501, ...Array.from({ length: 3 }, () => 500)])
})

test('later rows keep the widths of the first; off a terminal a wider cell is whole all the same', async () => {
  const data = Array.from({ length: 501 }, (_, index) => ({
    id: `${index}`,
    text: index === 500 ? 'a longer text' : 'x',
    end: 'e',
  }))
  const whole = await printed(rows(data), narrowView)
  expect(whole.stdout.split('\n').slice(-3)).toEqual(['499  x     e', '500  a longer text  e', ''])
  const cut = await printed(rows(data), narrowView, { width: 40 })
  expect(cut.stdout.split('\n').slice(-3)).toEqual(['499  x     e', '500  a l…  e', ''])
})

test('a record with a word that has no room breaks no other word', async () => {
  const value = {
    id: 'x',
    name: `see ${'a/'.repeat(30)} and the folder beside it for all the other words`,
  }
  const { stdout } = await printed(
    one(value),
    { columns: [{ title: 'NAME', field: 'name' }] },
    { width: 40 },
  )
  const lines = stdout.trimEnd().split('\n')
  expect(lines.filter((line) => line.length > 40)).toHaveLength(1)
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toBe(`NAME ${value.name}`)
})
