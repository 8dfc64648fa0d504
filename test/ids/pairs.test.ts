import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chainOf, checkAssignPairs, type Chain } from '../../src/bulk/operations/merge-order.ts'
import { pairsSetSha256 } from '../../src/ids/checksum.ts'
import { readPairs, type Pair, type PairOptions } from '../../src/ids/pairs.ts'
import { SvcError } from '../../src/errors.ts'
import { buildBulk } from '../bulk/child.ts'
import { idOf, refusal, stdin } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const merge: PairOptions = { format: 'auto', skipInvalid: false, columns: ['source', 'target'] }
const assign: PairOptions = { ...merge, columns: ['ticket', 'employee'] }

function pair(id: string, other: string, line = 1): Pair {
  return { id, other, line }
}

describe('reading', () => {
  const cases: [name: string, content: string, pairs: Pair[]][] = [
    ['an empty file', '', []],
    ['a header', `source,target\n${a},${b}\n${c},${d}\n`, [pair(a, b, 2), pair(c, d, 3)]],
    ['columns in another order, among others', `note;target;source\nx;${b};${a}\n`, [pair(a, b, 2)]],
    ['no header, two columns', `${a},${b}\n`, [pair(a, b, 1)]],
    ['tabs and comments', `# pairs\n${a}\t${b}\r\n`, [pair(a, b, 2)]],
    ['a pair twice', `${a},${b}\n${a.toUpperCase()},${b}\n`, [pair(a, b, 1)]],
    ['NDJSON', `{"source":"${a}","target":"${b}"}\n`, [pair(a, b, 1)]],
    ['a JSON array', JSON.stringify([{ target: b, source: a }]), [pair(a, b, 1)]],
  ]
  it.each(cases)('%s', async (_, content, pairs) => {
    const found = await readPairs([stdin(content)], merge)
    expect(found.pairs).toEqual(pairs)
    expect(found.read).toBe(found.pairs.length + found.duplicates)
  })

  it('each takes no more than its two ids and a line: nothing of its row is kept', async () => {
    const program = buildBulk('ids/pairs.ts')
    const child = program.start(
      `import { setFlagsFromString } from 'node:v8'
      import { runInNewContext } from 'node:vm'
      import { Readable } from 'node:stream'
      import { readPairs } from './bulk.mjs'
      setFlagsFromString('--expose-gc')
      const collect = runInNewContext('gc')
      const id = (n) => n.toString(16).padStart(24, 'a')
      const text = Array.from({ length: 100_000 }, (_, n) => id(n) + ',' + id(n + 100_000) + '\\n').join('')
      const stream = Readable.from([Buffer.from(text)])
      collect()
      const before = process.memoryUsage().heapUsed
      const options = { format: 'auto', skipInvalid: false, columns: ['source', 'target'] }
      const { pairs } = await readPairs([{ kind: 'stdin', stream, isTerminal: false }], options)
      collect()
      console.log((process.memoryUsage().heapUsed - before) / pairs.length)`,
    )
    const { stdout, stderr } = await child.finished
    program.remove()
    expect(stderr).toBe('')
    expect(Number(stdout)).toBeGreaterThan(0)
    expect(Number(stdout)).toBeLessThan(200)
  })

  it('an employee is an id or a name, left as it stands', async () => {
    const { pairs } = await readPairs(
      [stdin(`ticket,employee\n${a},${b}\n${c}, Ann "A." Smith \n${d},"Müller, Zoë"\n`)],
      assign,
    )
    expect(pairs).toEqual([pair(a, b, 2), pair(c, 'Ann "A." Smith', 3), pair(d, 'Müller, Zoë', 4)])
  })

  const refused: [name: string, content: string, ...fragments: string[]][] = [
    ['one column', `${a}\n${b}\n`, 'begins with', 'source and target'],
    ['three columns without a header', `${a},${b},${c}\n`, 'source and target'],
    ['a header of other names', 'from,to\n', '"from", "to"'],
    ['half a header', `source,x\n${a},${b}\n`, '"source", "x"'],
    ['a header twice', `source,target,target\n${a},${b},${c}\n`, 'two columns for the target'],
    [
      'bad ids, all of them',
      `source,target\nx,${b}\n${a},\n${a},y\n`,
      '3 ids are invalid',
      'line 2',
      'source: contains "x"',
      'line 3',
      'target: empty',
      'line 4',
    ],
    ['a document that is no array', '{\n"source":1\n}', 'not an array'],
    ['an item that is no object', '["x"]', 'item 1', 'not an object with source and target'],
    ['a number', `[{"source":1,"target":"${b}"}]`, 'source: empty'],
  ]
  it.each(refused)('%s is refused', async (_, content, ...fragments) => {
    const error = await refusal(readPairs([stdin(content)], merge))
    expect(error.exitCode).toBe(2)
    for (const fragment of fragments) expect(`${error.message}\n${error.details.hint}`).toContain(fragment)
  })
})

describe('the checksum of a set of pairs', () => {
  const pairs = [pair(a, b, 1), pair(c, d, 2), pair(b, 'Ann Smith', 3)]

  it('has no order, no letter case of ids, no lines and no repetition', () => {
    const same = [pair(b.toUpperCase(), 'Ann Smith', 9), pair(c, d.toUpperCase()), pair(a, b), pair(a.toUpperCase(), b)]
    expect(pairsSetSha256(same)).toBe(pairsSetSha256(pairs))
    expect(pairsSetSha256([])).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ['one pair less', pairs.slice(1)],
    ['the other way round', [pair(b, a), ...pairs.slice(1)]],
    ['a name typed otherwise', [...pairs.slice(0, 2), pair(b, 'ann smith')]],
    ['parties that were exchanged', [pair(a, d), pair(c, b), pair(b, 'Ann Smith')]],
  ])('%s is another set', (_, others) => {
    expect(pairsSetSha256(others)).not.toBe(pairsSetSha256(pairs))
  })
})

describe('the order of merges', () => {
  it('a contact’s own incoming merges come before it is merged away', () => {
    const { order, after } = chainOf([pair(b, c), pair(d, idOf(9)), pair(a, b)])
    expect(order).toEqual([3, 1, 2])
    expect([1, 2, 3].map(after)).toEqual([[3], [], []])
  })

  it('independent pairs keep their order; letter case makes no difference', () => {
    const { order, after } = chainOf([pair(a, c), pair(b, c), pair(c.toUpperCase(), d)])
    expect([order, ...order.map(after)]).toEqual([[1, 2, 3], [], [], [1, 2]])
  })

  it('a chain of 100,000', () => {
    const pairs = Array.from({ length: 100_000 }, (_, n) => pair(idOf(n), idOf(n + 1), n + 1)).toReversed()
    expect(chainOf(pairs).order.slice(0, 2)).toEqual([100_000, 99_999])
  })

  const refused: [name: string, pairs: Pair[], ...fragments: string[]][] = [
    ['into itself', [pair(a, b, 1), pair(c, c.toUpperCase(), 2)], 'line 2', 'into itself'],
    ['a source twice', [pair(a, b, 1), pair(A(a), c, 7)], 'line 7', 'is already merged in line 1'],
    ['a circle of two', [pair(a, b, 1), pair(b, a, 2)], 'these merges form a circle: line 1', 'line 2'],
    [
      'a circle behind a chain',
      [pair(a, b, 1), pair(b, c, 2), pair(c, d, 3), pair(d, b, 4)],
      'these merges form a circle: line 2',
      'line 3',
      'line 4',
    ],
  ]
  it.each(refused)('%s is refused', async (_, pairs, ...fragments) => {
    const error = await refusal(Promise.resolve().then(() => chainOf(pairs)))
    expect(error.exitCode).toBe(2)
    for (const fragment of fragments) expect(error.message).toContain(fragment)
    expect(error.message.includes('these merges form a circle: line 1')).toBe(
      fragments[0] === 'these merges form a circle: line 1',
    )
  })

  it('any pairs: either refused, or every pair once and behind all it waits for', () => {
    const pairs = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })), { maxLength: 12 })
    fc.assert(
      fc.property(pairs, (numbers) => {
        const input = numbers.map(([from, to], index) => pair(idOf(from), idOf(to), index + 1))
        const next = new Map(numbers)
        const isTwice = next.size < numbers.length
        const isCircular = numbers.some(([from]) => {
          let at: number | undefined = next.get(from)
          for (let step = 0; step < 20 && at !== undefined; step += 1) {
            if (at === from) return true
            at = next.get(at)
          }
          return false
        })
        let ordered: Chain | undefined
        try {
          ordered = chainOf(input)
        } catch (error) {
          ordered = undefined
          if (!(error instanceof SvcError)) throw error
        }
        expect(ordered === undefined).toBe(isTwice || isCircular)
        if (ordered === undefined) return
        const { order, after } = ordered
        expect([...order].sort((one, other) => one - other)).toEqual(input.map((_, position) => position + 1))
        const place = new Map(order.map((batch, index) => [batch, index]))
        input.forEach((one, position) => {
          const before = input.flatMap((other, index) => (other.other === one.id ? [index + 1] : []))
          expect(after(position + 1)).toEqual(before)
          for (const index of before) expect(place.get(index)).toBeLessThan(place.get(position + 1) ?? -1)
        })
      }),
      { numRuns: atRandom(800) },
    )
  })
})

function A(id: string): string {
  return id.toUpperCase()
}

it('a ticket with two assignees is refused', async () => {
  checkAssignPairs([pair(a, b), pair(c, b)])
  const error = await refusal(Promise.resolve().then(() => checkAssignPairs([pair(a, 'Ann', 2), pair(A(a), 'Bob', 5)])))
  expect(error.message).toContain(`line 5: ticket ${A(a)} goes to "Bob", in line 2 to "Ann"`)
})
