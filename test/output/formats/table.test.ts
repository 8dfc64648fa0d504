import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { ContactList } from '../../../src/api/schemas.ts'
import { one, rows, type PrintOptions, type View } from '../../../src/output/result.ts'
import { oneContactListView } from '../../../src/views/resources.ts'
import { employeeView } from '../../../src/commands/employees/list.ts'
import { printed } from '../printed.ts'

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

test('one thing: title and value, nothing cut, times exact', async () => {
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
  expect(local.stdout).toMatch(/UPDATED {6}2026-03-01T\d\d:15:00[+-]\d\d:\d\d\n/)
})

const narrowView: View<{ id: string; text: string; end: string }> = {
  columns: ['id', 'text', 'end'].map((field) => ({ title: field.toUpperCase(), field })),
}

test('all rows have the same widths, however many there are', async () => {
  const data = Array.from({ length: 501 }, (_, index) => ({
    id: `${index}`,
    text: index === 500 ? 'a longer text than all others' : 'x',
    end: 'e',
  }))
  const lastOf = async (more: Partial<PrintOptions>): Promise<string[]> =>
    (await printed(rows(data), narrowView, more)).stdout.split('\n').slice(-3)
  const blanks = ' '.repeat(28)
  expect(await lastOf({})).toEqual([
    `499  x${blanks}  e`,
    '500  a longer text than all others  e',
    '',
  ])
  expect(await lastOf({ width: 26 })).toEqual([
    '499  x                 e',
    '500  a longer text t…  e',
    '',
  ])
})

test('off a terminal a very long cell is whole, and moves the rest of its row alone', async () => {
  const text = 'a very long text '.repeat(20)
  const data = ['x', text, 'y'].map((each, index) => ({ id: `${index}`, text: each, end: 'e' }))
  const { stdout } = await printed(rows(data), narrowView)
  const [title = '', before = '', long, after] = stdout.split('\n')
  expect(title.indexOf('END')).toBe(before.indexOf('e'))
  expect(long).toBe(`1   ${text}  e`)
  expect(after?.indexOf('e')).toBe(before.indexOf('e'))
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
