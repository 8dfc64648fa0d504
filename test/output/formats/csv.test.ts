/** csv as readers and spreadsheets take it, whichever character separates the cells for them. */
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCells } from '../../../src/output/writers/csv.ts'
import { safe } from '../../../src/safe-text.ts'

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
  ['\t=1', "'\\u{9}=1"],
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

/** As a spreadsheet opens a file: a quote means something only where a cell begins, and what follows the closing one is text. */
function opened(text: string, separators: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; at += 1) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] === '"' && text[at + 1] !== '"') break
        if (text[at] === '"') at += 1
        cell += text[at] ?? ''
      }
      at += 1
    }
    for (; at < text.length && text[at] !== '\n' && !separators.includes(text[at] ?? ''); at += 1)
      cell += text[at] ?? ''
    found.push(cell)
  }
  return found
}

describe('no cell is run', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(...Array.from('=+-@＝＋;;,"\'\t\r\n  a1|()')),
    maxLength: 12,
  })
  /** A dash alone and phone numbers; what may stand behind them makes no formula of them. */
  const harmless = /^[\s"]*(?:-|[+-][\d ().-]*\d[ ).]*)(?:$|["\r\n;]|,")/

  test.each([',', ';', '\t', ',;', ',;\t'])('where %j separates', (separators) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(hostile, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
        (rows) => {
          const text = rows.map((row) => csvRow(row)).join('')
          const formulas = opened(text, separators).filter((cell) =>
            /^[\s"]*[=+\-@＝＋－＠]/.test(cell),
          )
          for (const cell of formulas) expect(cell).toMatch(harmless)
          expect(parse(text, { relax_column_count: true, skip_empty_lines: false })).toHaveLength(
            rows.length,
          )
          expect(safe(text.replaceAll('\r\n', '\n'), { newlines: 'keep' })).toBe(
            text.replaceAll('\r\n', '\n'),
          )
        },
      ),
      { numRuns: 600 },
    )
  })
})
