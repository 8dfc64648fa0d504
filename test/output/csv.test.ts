/** Rows of csv as a parser reads them back, with what a spreadsheet could run guarded. */
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { render } from '../../src/output/render.ts'
import { rows, text, time } from '../../src/output/result.ts'
import { readWorkbook } from '../../src/workbook/workbook.ts'
import { options, printed } from '../support/printed.ts'

async function csvOf(cells: readonly string[], width?: number): Promise<string> {
  const columns = Object.fromEntries(cells.map((cell, at) => [`C${at}`, text(() => cell)]))
  const print = { format: 'csv', width } as const
  const { stdout } = await printed(rows([{}]), { columns }, print)
  return stdout.slice(stdout.indexOf('\n') + 1)
}

const readRow = (csv: string): string[] => parse(csv)[0] ?? []

test('a row is read back as it was, each cell guarded by itself', async () => {
  const unit = fc.constantFrom(...Array.from('abc=＝+-@;,"\'\n\r\t 1é客\u202e\u200b'))
  const cell = fc.string({ unit, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 4 }), async (row) => {
      const read = readRow(await csvOf(row))
      expect(read.map((each, at) => (each === row[at] ? each : each.slice(1)))).toEqual(row)
      for (const each of read) expect(each).not.toMatch(/^[=＝@\t\r\n]|^[+-](?=.*[^\d ().-])/)
    }),
    { numRuns: 600 },
  )
})

test('csv and workbooks have the same headings: members of JSON, and capitals of receipts', async () => {
  const headings = 'ID NAME contactId sourceName ticketId JOINED OUTCOME REASON AT FORMER ASSIGNEE'
  const columns = Object.fromEntries(headings.split(' ').map((each) => [each, time('at')]))
  const files = 'id name contactId sourceName ticketId joined OUTCOME REASON AT FORMER ASSIGNEE'
  const { stdout } = await printed(rows([{}]), { columns }, { format: 'csv' })
  expect(stdout.split('\n')[0]?.split(',')).toEqual(files.split(' '))
  const { bytes } = await render(rows([{}]), { columns }, { ...options, format: 'xlsx' })
  const workbook = { fits: () => true, hide: String }
  const [heading] = await readWorkbook('it', Buffer.concat(bytes), workbook)
  expect(heading?.cells).toEqual(files.split(' '))
  const table = await printed(rows([{}]), { columns })
  expect(table.stdout.split('\n')[0]?.split(/ +/)).toEqual(files.toUpperCase().split(' '))
})

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['\n=1', "'\n=1"],
  ['＝1+1', "'＝1+1"],
  ['+4930;+4940;-x', "'+4930;+4940;-x"],
  ['-b', "'-b"],
  ['-', '-'],
  ['-5', '-5'],
  ['+49 (0) 30-12.34', '+49 (0) 30-12.34'],
  ['a=1', 'a=1'],
  ["a;=cmd|'/C calc'!A0", "a;=cmd|'/C calc'!A0"],
  ['a\n=1\r\nb', 'a\n=1\r\nb'],
  ['', ''],
  ['a\u001b[2Jb\u0000\u0085', 'a\\u{1b}[2Jb\\u{0}\\u{85}'],
  ['V\u200bI\u202eP \u{e0041}', 'V\u200bI\u202eP \u{e0041}'],
])('%j becomes %j', async (given, read) => {
  expect(readRow(await csvOf([given]))).toEqual([read])
})

test('on a terminal it is safe and in one line', async () => {
  const csv = await csvOf(['a\u001b[2J\r\nb', 'V\u202eIP\t', '=1'], 80)
  expect(csv).toBe("a\\u{1b}[2J ↵ b,V\\u{202e}IP\\u{9},'=1\n")
})
