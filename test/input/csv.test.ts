import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isId } from '../../src/input/id.ts'
import { openInput } from '../../src/input/input.ts'
import { Line } from '../../src/input/text/lines.ts'
import { readDelimited } from '../../src/input/rows.ts'
import { idOf, stdin } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

/** The cells of each record. */
async function records(text: string): Promise<(readonly string[])[]> {
  const found: (readonly string[])[] = []
  for await (const rows of readDelimited(
    await openInput(stdin(text, 7)),
    { bytes: 0, lines: 0 },
    ',',
  ))
    found.push(...rows.filter(({ kind }) => kind === 'data').map(({ cells }) => cells))
  return found
}

const pieces = fc.constantFrom('a', 'ü', '"', ',', ';', '\n', '\r\n', ' ', '=', idOf(1), '')
const cells = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(''))
const delimiters = fc.constantFrom(',', ';', '\t', '|')

function written(cell: string, delimiter: string, always: boolean): string {
  const isSpecial = ['"', '\n', delimiter].some((character) => cell.includes(character))
  return isSpecial || always ? `"${cell.replaceAll('"', '""')}"` : cell
}

describe('records', () => {
  it('are those of csv-parse, for quotes inside cells too', async () => {
    const loose = fc.array(
      fc.constantFrom('a', 'b"', '="1"', 'ObjectId("x")', '"q"', '"a,b"', ',', '\n', ' '),
      {
        maxLength: 12,
      },
    )
    await fc.assert(
      fc.asyncProperty(loose, async (parts) => {
        // A quoted cell that goes on behind its quotes is nobody's standard.
        const text = parts.join('').replaceAll(/(^|,|\n)("[^"]*")[^,\n]*/g, '$1$2')
        const options = {
          relax_quotes: true,
          relax_column_count: true,
          record_delimiter: '\n',
          skip_empty_lines: true,
        }
        const parsed = parse(text, options).filter((row) => row.some((cell) => cell.trim() !== ''))
        expect(await records(text)).toEqual(parsed)
      }),
      { numRuns: atRandom(400) },
    )
  })

  const lineOf = (text: string, delimiter: string): Line => {
    const bytes = Buffer.from(text)
    const line = new Line(delimiter)
    line.set(bytes, 0, bytes.length)
    return line
  }

  it('one cell is that of all cells: the last one too, empty, and none behind it', () => {
    for (const text of ['', 'a', 'a,', ',', 'a,,', ',b', 'a,"b,c"', '"",']) {
      const cells = lineOf(text, ',').cells
      const places = [...cells.keys(), cells.length]
      expect(places.map((place) => lineOf(text, ',').cellAt(place))).toEqual([...cells, undefined])
    }
  })

  it('an id is found in the bytes of a line, or left to the cells', () => {
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
            expect(at >= 0 && isId(found) ? found : undefined).toBe(
              isId(row[index] ?? '') ? row[index] : undefined,
            )
          }
        },
      ),
      { numRuns: atRandom(400) },
    )
    const id = idOf(1)
    for (const text of [`"${id}"b,c`, `"${id}`, `"${id.slice(2)}"",c`])
      expect(lineOf(text, ',').idAt(0)).toBe(-1)
  })
})
