import { expect, it } from 'vitest'
import { IdTable } from '../../src/input/reader.ts'
import { idOf } from './inputs.ts'

it('keeps ids in order, with their first spelling and line', () => {
  const table = new IdTable()
  const id = (n: number): string => idOf(Math.imul(n, 0x9e3779b1) >>> 0)
  const typed = Array.from({ length: 9_000 }, (_, n) => (n % 7 === 0 ? id(n).toUpperCase() : id(n)))
  for (const [n, each] of typed.entries()) expect(table.add(each, n + 1)).toBe(true)
  expect(table.add(id(7), 0)).toBe(false)
  expect([...table]).toEqual(typed)
  expect([table.size, table.line(7)]).toEqual([9_000, 8])
  expect([id(7), id(8).toUpperCase(), 'f'.repeat(24)].map((one) => table.has(one))).toEqual([
    true,
    true,
    false,
  ])
})

it('takes nothing that only looks like an id', () => {
  const id = idOf(1)
  for (const text of ['', id.slice(1), `${id}0`, id.replace('6', '\uff16'), id.replace('6', 'g')])
    expect(() => new IdTable().add(text, 1)).toThrow(RangeError)
})
