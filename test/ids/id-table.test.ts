import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { setSha256, sha256 } from '../../src/ids/checksum.ts'
import { IdTable } from '../../src/ids/id-table.ts'
import { idOf } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

const hexId = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'.split('')), minLength: 24, maxLength: 24 })
/** Few enough keys that ids meet again, in other letter cases. */
const fewIds = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.boolean()).map(([n, isUpper]) => {
  const id = idOf(n * 0xabcdef)
  return isUpper ? id.toUpperCase() : id
})

it('behaves as a Map from the lower-case id to the first spelling and its line', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hexId, fewIds), { maxLength: 200 }), (ids) => {
      const table = new IdTable()
      const model = new Map<string, { id: string; line: number }>()
      ids.forEach((id, line) => {
        const isNew = !model.has(id.toLowerCase())
        if (isNew) model.set(id.toLowerCase(), { id, line })
        expect(table.addText(id, line)).toBe(isNew)
      })
      const expected = [...model.values()]
      expect(table.size).toBe(model.size)
      expect([...table]).toEqual(expected.map(({ id }) => id))
      expect(expected.map((_, index) => table.id(index).toLowerCase())).toEqual([...model.keys()])
      expect(expected.map((_, index) => table.line(index))).toEqual(expected.map(({ line }) => line))
      expected.forEach(({ id }, index) => {
        expect(table.indexOf(id.toUpperCase())).toBe(index)
      })
      expect(table.has('ffffffffffffffffffffffff')).toBe(model.has('ffffffffffffffffffffffff'))
      const sum = createHash('sha256')
        .update(expected.map(({ id }) => `${id}\n`).join(''))
        .digest('hex')
      expect(sha256(table.encode())).toBe(sum)
    }),
    // Each has tables of its own, whose blocks are large.
    { numRuns: atRandom(40) },
  )
})

it('the checksum of the set is that of the sorted ids in lower case, whatever their order, case and repetition', () => {
  const ids = fc.array(fc.oneof(hexId, fewIds), { maxLength: 200 })
  fc.assert(
    fc.property(ids, fc.boolean(), (typed, isUpper) => {
      const table = new IdTable()
      for (const id of typed) table.addText(id, 0)
      const again = new IdTable()
      for (const id of typed.toReversed()) again.addText(isUpper ? id.toUpperCase() : id.toLowerCase(), 7)
      const sorted = [...new Set(typed.map((id) => id.toLowerCase()))].sort()
      const sum = createHash('sha256')
      for (const id of sorted) sum.update(`${id}\n`)
      expect(setSha256(table)).toBe(sum.digest('hex'))
      expect(setSha256(again)).toBe(setSha256(table))
    }),
    { numRuns: atRandom(40) },
  )
})

it('the checksum of a set of 150,000 ids over several blocks, in well under a second of the processor', () => {
  const ids = Array.from({ length: 150_000 }, (_, n) => idOf(Math.imul(n, 0x9e3779b1) >>> 0))
  const table = new IdTable()
  for (const id of ids) table.addText(id, 0)
  const sum = createHash('sha256').update(
    ids
      .sort()
      .map((id) => `${id}\n`)
      .join(''),
  )
  const start = process.cpuUsage()
  expect(setSha256(table)).toBe(sum.digest('hex'))
  // What else the machine does counts for nothing.
  const { user, system } = process.cpuUsage(start)
  expect(user + system).toBeLessThan(1_000_000)
})

it('grows over its blocks and keeps every id', () => {
  const table = new IdTable()
  const count = 150_000
  for (let n = 0; n < count; n += 1) table.addText(n % 70_000 === 0 ? idOf(n).toUpperCase() : idOf(n), n + 1)
  let again = 0
  for (let n = 0; n < count; n += 1) if (!table.addText(idOf(n), 0)) again += 1
  expect(again).toBe(count)
  expect(table.size).toBe(count)
  expect(table.id(70_000)).toBe(idOf(70_000).toUpperCase())
  expect(table.id(70_001)).toBe(idOf(70_001))
  expect([table.line(7), table.line(149_999)]).toEqual([8, 150_000])
  expect(table.slice(65_534, 65_538)).toEqual([65_534, 65_535, 65_536, 65_537].map(idOf))
  expect(Buffer.concat([...table.encode(4_000, 4_200)]).toString()).toBe(
    Array.from({ length: 200 }, (_, n) => `${idOf(4_000 + n)}\n`).join(''),
  )
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
