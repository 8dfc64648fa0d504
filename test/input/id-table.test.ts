import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { IdTable } from '../../src/input/id-table.ts'
import { idOf } from './inputs.ts'
import { setSha256, sha256 } from '../../src/bulk/record/items.ts'

const sumOf = (ids: readonly string[]): string =>
  createHash('sha256')
    .update(ids.map((id) => `${id}\n`).join(''))
    .digest('hex')

it('grows over its blocks and keeps every id; their checksum takes well under a second of the processor', () => {
  const table = new IdTable()
  const count = 70_000
  const id = (n: number): string => idOf(Math.imul(n, 0x9e3779b1) >>> 0)
  for (let n = 0; n < count; n += 1)
    table.addText(n === 66_000 ? id(n).toUpperCase() : id(n), n === 500 ? 9 : n + 1)
  // What was given up is made again.
  table.settle()
  for (let n = 0; n < count; n += 1)
    if (table.addText(id(n), 0)) throw new Error(`${n} was not there`)
  expect([table.size, table.id(66_000), table.id(66_001)]).toEqual([
    count,
    id(66_000).toUpperCase(),
    id(66_001),
  ])
  expect([7, 500, 501, 2_000, 69_999].map((n) => table.line(n))).toEqual([8, 9, 502, 2_001, 70_000])
  table.settle()
  expect([id(7), id(8).toUpperCase(), 'f'.repeat(24)].map((each) => table.indexOf(each))).toEqual([
    7, 8, -1,
  ])
  expect(table.slice(65_534, 65_538)).toEqual([65_534, 65_535, 65_536, 65_537].map(id))
  expect(sha256(table.encode(4_000, 4_200))).toBe(
    sumOf(Array.from({ length: 200 }, (_, n) => id(4_000 + n))),
  )
  const sorted = Array.from({ length: count }, (_, n) => id(n)).sort()
  const start = process.cpuUsage()
  expect(setSha256(table)).toBe(sumOf(sorted))
  // What else the machine does counts for nothing.
  const { user, system } = process.cpuUsage(start)
  expect(user + system).toBeLessThan(500_000)
})

it('takes nothing that only looks like an id, and gives the others as JSON as they were first written', () => {
  const [table, id] = [new IdTable(), idOf(1)]
  table.addText(id, 1)
  table.addText('ABCDEFabcdef0123456789AB', 2)
  const digit = (other: string): string => id.replace('6', other)
  for (const text of ['', id.slice(1), `${id}0`, digit('\uff16'), digit('\u0136'), digit('g')])
    expect(table.has(text)).toBe(false)
  expect(JSON.parse(table.json(0, 2).toString())).toEqual([...table])
})

it('keeps the letter case of each digit', () => {
  const table = new IdTable()
  const small = 'abcdef'.repeat(4)
  // Not in the order of the ids, so that no position stands for a digit.
  for (let at = 0; at < 24; at += 1) {
    const id = `${small.slice(0, at)}${at % 10}${small.slice(at + 1)}`
    const capital = (at + 7) % 24
    const letter = id.slice(capital, capital + 1).toUpperCase()
    const typed = `${id.slice(0, capital)}${letter}${id.slice(capital + 1)}`
    table.addText(typed, at + 1)
    expect(table.id(at)).toBe(typed)
  }
})
