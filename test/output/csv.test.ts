/** Rows of csv as a parser reads them back. What a spreadsheet could run is guarded, also where ";" separates the cells. */
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvCells } from '../../src/output/csv.ts'

const csvRow = (cells: readonly string[]) => `${csvCells(cells)}\n`

/** A row as a parser reads it back, below a heading: alone, an empty cell would be a blank line. */
function readRow(cells: readonly string[]): string[] {
  const [, read = []] = parse(`x\n${csvRow(cells)}`, { relax_column_count: true })
  return read
}

/** The cell as it is read back from a row of its own. */
const readCell = (text: string): string => readRow([text])[0] ?? ''

test('a cell is read back the same, whatever stands beside it', () => {
  const cell = fc.string({
    unit: fc.constantFrom(...Array.from('abc=+-@;,"\'\n 1é客')),
    maxLength: 8,
  })
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (row) => {
      expect(readRow(row)).toEqual(row.map(readCell))
    }),
    { numRuns: 600 },
  )
})

test('a long cell is guarded in all of it', () => {
  const blanks = ' '.repeat(40_000)
  const [[read = ''] = []] = parse(
    csvRow([`a;${blanks}=1\n${'"'.repeat(40_000)}@x${';+1'.repeat(40_000)}`]),
  )
  expect(read).toBe(`a;${blanks}'=1\n${'"'.repeat(40_000)}'@x${";'+1".repeat(40_000)}`)
})

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\\u{d}=1"],
  ['＝1', "'＝1"],
  ['+49 (0) 30-12.34', '+49 (0) 30-12.34'],
  ['-5', '-5'],
  ['+(49) 30', '+(49) 30'],
  ['+49 (30)', '+49 (30)'],
  ['a=1', 'a=1'],
  ['a;b', 'a;b'],
  ["a;=cmd|'/C calc'!A0", "a;'=cmd|'/C calc'!A0"],
  ['a; "=1', 'a; "\'=1'],
  ['a;;@b', "a;;'@b"],
  ['+4930;+4940;-x', "'+4930;'+4940;'-x"],
  ['+4930;+49 40', '+4930;+49 40'],
  ['+49 30\r\n+49 40', '+49 30\r\n+49 40'],
  ['-1\r+1', "'-1\\u{d}+1"],
  ['a\n=1', "a\n'=1"],
  ['a\r\n- b\r\n+49 30\r\n', "a\r\n'- b\r\n'+49 30\r\n"],
  ['"=1"', '"\'=1"'],
])('%j becomes %j', (text, guarded) => {
  expect(readCell(text)).toBe(guarded)
})
