import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isId } from '../../src/ids/id.ts'
import { openInput } from '../../src/ids/input.ts'
import { Line } from '../../src/ids/text/line.ts'
import { readDelimited } from '../../src/ids/text/rows.ts'
import { idOf, stdin } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

interface Record {
  readonly cells: readonly string[]
  readonly line: number
}

/** The records of a text that arrives in pieces of `size` bytes. */
async function records(text: string, delimiter: string, size: number): Promise<Record[]> {
  const found: Record[] = []
  const skip = { bytes: 0, lines: 0 }
  for await (const rows of readDelimited(await openInput(stdin(text, size)), skip, delimiter))
    found.push(...rows.filter(({ kind }) => kind === 'data').map(({ cells, line }) => ({ cells, line })))
  return found
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
          const expected: Record[] = []
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

  it('an id is found in the bytes of a line, or left to the cells', () => {
    const lineOf = (text: string, delimiter: string): Line => {
      const bytes = Buffer.from(text)
      const line = new Line(delimiter)
      line.set(bytes, 0, bytes.length)
      return line
    }
    fc.assert(
      fc.property(
        fc.array(cells, { minLength: 1, maxLength: 4 }),
        delimiters,
        fc.boolean(),
        (row, delimiter, always) => {
          const text = row.map((cell) => written(cell, delimiter, always)).join(delimiter)
          fc.pre(!text.includes('\n'))
          const line = lineOf(text, delimiter)
          for (const index of [...row.keys(), row.length]) {
            const at = line.idAt(index)
            const found = line.bytes.toString('latin1', at, at + 24)
            expect(at >= 0 && isId(found) ? found : undefined).toBe(isId(row[index] ?? '') ? row[index] : undefined)
          }
        },
      ),
      { numRuns: atRandom(400) },
    )
    const id = idOf(1)
    for (const text of [`"${id}"b,c`, `"${id}`, `"${id.slice(2)}"",c`]) expect(lineOf(text, ',').idAt(0)).toBe(-1)
  })
})
