import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256 } from '../../src/bulk/record/header.ts'
import { Items } from '../../src/bulk/record/items.ts'
import { IdTable } from '../../src/input/id-table.ts'
import { idOf } from './inputs.ts'

const sumOf = (ids: readonly string[]): string =>
  createHash('sha256')
    .update(ids.map((id) => `${id}\n`).join(''))
    .digest('hex')

it('keeps ids in order, with their first spelling and line; its set has no order and no letter case', () => {
  const table = new IdTable()
  const id = (n: number): string => idOf(Math.imul(n, 0x9e3779b1) >>> 0)
  const typed = Array.from({ length: 9_000 }, (_, n) => (n % 7 === 0 ? id(n).toUpperCase() : id(n)))
  for (const [n, each] of typed.entries()) expect(table.addText(each, n + 1)).toBe(true)
  expect(table.addText(id(7), 0)).toBe(false)
  expect([...table]).toEqual(typed)
  expect([table.size, table.id(7), table.line(7)]).toEqual([9_000, typed[7], 8])
  expect([id(7), id(8).toUpperCase(), 'f'.repeat(24)].map((one) => table.indexOf(one))).toEqual([
    7, 8, -1,
  ])
  expect(JSON.parse(table.json(7, 9).toString())).toEqual(typed.slice(7, 9))
  expect(sha256(table.encode(4_000, 8_200))).toBe(sumOf(typed.slice(4_000, 8_200)))
  expect(Items.ofIds([...table], () => 0).setSha256()).toBe(
    sumOf(typed.map((one) => one.toLowerCase()).sort()),
  )
})

it('takes nothing that only looks like an id', () => {
  const id = idOf(1)
  for (const text of ['', id.slice(1), `${id}0`, id.replace('6', '\uff16'), id.replace('6', 'g')])
    expect(() => new IdTable().addText(text, 1)).toThrow(RangeError)
})
