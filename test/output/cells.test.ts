/** csv as readers and spreadsheets take it, whichever character separates the cells for them. */
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvCells } from '../../src/output/cells.ts'

const csvRow = (cells: readonly string[]) => `${csvCells(cells)}\n`

/** The cell as it is read back from a row of its own. */
function readCell(text: string): string {
  const [[read = ''] = []] = parse(`x\n${csvRow([text])}`, { from_line: 2 })
  return read
}

test('any text comes back, whatever stands beside it', () => {
  const cell = fc.string({
    unit: fc.constantFrom(...Array.from('abc=+-@;,"\'\n 1é客')),
    maxLength: 8,
  })
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (row) => {
      const [read = []] = parse(`x\n${csvRow(row)}`, { from_line: 2 })
      expect(read).toEqual(row.map(readCell))
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
])('the formula %j becomes %j', (text, guarded) => {
  expect(readCell(text)).toBe(guarded)
})
