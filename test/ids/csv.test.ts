import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../src/ids/row.ts'
import { cellIn, readCsv } from '../../src/ids/csv.ts'
import { openInput } from '../../src/ids/input.ts'
import { idOf, read, refusal, stdin } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

/** The records of a text that arrives in pieces of `size` bytes. */
async function records(text: string, delimiter: string, size: number): Promise<Row[]> {
  const rows: Row[] = []
  const input = stdin(text, size)
  if (input.kind === 'argument') throw new Error('an argument is no stream')
  const detected = { format: 'csv', delimiter, skip: { bytes: 0, lines: 0 }, note: undefined } as const
  const onRow = ({ cells, line }: Row): void => void rows.push({ cells, line })
  for await (const _ of readCsv(await openInput(input), detected, { onRow }));
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

const pieces = fc.constantFrom('a', 'ü', '"', ',', ';', '\n', '\r\n', ' ', '=', idOf(1), '')
const cells = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(''))
const tables = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
const delimiters = fc.constantFrom(',', ';', '\t', '|')

function written(cell: string, delimiter: string, always: boolean): string {
  const isSpecial = ['"', '\n', delimiter].some((character) => cell.includes(character))
  return isSpecial || always ? `"${cell.replaceAll('"', '""')}"` : cell
}

describe('records', () => {
  it('are those that were written, each with the line on which it begins, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        delimiters,
        fc.boolean(),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 50 }),
        async (table, delimiter, always, end, size) => {
          let text = ''
          const expected: Row[] = []
          for (const row of table) {
            const read = { cells: row.map((cell) => cell.replaceAll('\r\n', '\n')), line: text.split('\n').length }
            if (row.some((cell) => cell.trim() !== '')) expected.push(read)
            text += row.map((cell) => written(cell, delimiter, always)).join(delimiter) + end
          }
          expect(await records(text, delimiter, size)).toEqual(expected)
        },
      ),
      { numRuns: atRandom(400) },
    )
  })

  it('are those of csv-parse, for quotes inside cells too', async () => {
    const loose = fc.array(fc.constantFrom('a', 'b"', '="1"', 'ObjectId("x")', '"q"', '"a,b"', ',', '\n', ' '), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(loose, async (parts) => {
        // A quoted cell that goes on behind its quotes is nobody's standard.
        const text = parts.join('').replaceAll(/(^|,|\n)("[^"]*")[^,\n]*/g, '$1$2')
        const options = { relax_quotes: true, relax_column_count: true, record_delimiter: '\n', skip_empty_lines: true }
        const parsed = parse(text, options).filter((row) => row.some((cell) => cell.trim() !== ''))
        expect((await records(text, ',', 7)).map((row) => row.cells)).toEqual(parsed)
      }),
      { numRuns: atRandom(400) },
    )
  })

  it('a cell is found in the bytes of a line, or left to the slow way', () => {
    fc.assert(
      fc.property(
        fc.array(cells, { minLength: 1, maxLength: 4 }),
        delimiters,
        fc.boolean(),
        (row, delimiter, always) => {
          const text = row.map((cell) => written(cell, delimiter, always)).join(delimiter)
          const lines = text.split('\n')
          for (const index of [...row.keys(), row.length]) {
            const place = cellIn(Buffer.from(lines[0] ?? ''), delimiter.charCodeAt(0), index)
            const found = place && Buffer.from(text).toString('utf8', place.from, place.to).replaceAll('""', '"')
            expect(found).toBe(lines.length > 1 ? undefined : row[index])
          }
        },
      ),
      { numRuns: atRandom(400) },
    )
    for (const line of ['"a"b,c', 'a,"b"c', '"a', 'a,"b""']) {
      expect(cellIn(Buffer.from(line), 0x2c, 0)).toBeUndefined()
    }
  })
})

it('an id in a quoted cell that goes on over lines is not taken for the whole record', async () => {
  const [a, b] = [idOf(1), idOf(2)]
  const found = await read(`id,note\n${a},"see\n${b},and\n${idOf(3)}"\n"${b}","x"\n`)
  expect([...found.ids]).toEqual([a, b])
  expect([found.ids.line(0), found.ids.line(1)]).toEqual([2, 5])
})

it('a record of many lines costs no more than its length', async () => {
  const note = 'x\n'.repeat(250_000)
  const start = performance.now()
  const { ids } = await read(`id,note\n${idOf(1)},"${note}"\n`)
  expect(ids.size).toBe(1)
  expect(performance.now() - start).toBeLessThan(5_000)
  const error = await refusal(read(`id,note\n${idOf(1)},"${note}${note}${note}"\n`))
  expect(error.message).toContain('line 2: a record of more than 1 MB')
})
