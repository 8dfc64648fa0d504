/** Small archives that unpack to a thousand times their size end in bounded memory. */
import { expect, test } from 'vitest'
import { zip } from '../../support/zip.ts'
import { idOf, read, refusal } from '../../support/inputs.ts'
import { table } from '../../support/table.ts'
import { rowsOf, workbook, workbookParts } from '../../support/workbooks.ts'

const parts = workbookParts({
  sheets: [{ rows: rowsOf(['id'], [idOf(1)]) }],
  texts: ['<si><t>x</t></si>'],
})
const sheet = 'xl/worksheets/sheet0.xml'
const texts = 'xl/sharedStrings.xml'

/** A part with a string so many times behind a mark, perhaps inside something. */
function filled(path: string, mark: string, text: string, count: number, inside = ''): Buffer {
  const [before = '', after = ''] = String(parts[path]).split(mark, 2)
  const [open = '', close = ''] = inside.split('…')
  const many = Buffer.alloc(text.length * count, text)
  return Buffer.concat([Buffer.from(before + mark + open), many, Buffer.from(close + after)])
}

/** A part, a mark in it, what comes behind the mark and how often, what is said, and around it. */
test.each(
  table(`
  two million rows               | ${sheet} | <sheetData> | <row/> | 2e6 | it is damaged
  two million cells              | ${sheet} | <row r="1"> | <c/> | 2e6 | has too many parts
  two million elements in a cell | ${sheet} | <is> | <r/> | 2e6 | has too many parts
  many elements in many elements | ${sheet} | <is> | <r>${'<r/>'.repeat(10_000)}</r> | 200 | has too many parts
  elements within elements       | ${sheet} | <sheetData> | <x> | 5e6 | has too many parts
  three million shared texts     | ${texts} | <si> | <t/></si><si> | 3e6 | it has too many text values
  a long text                    | ${sheet} | <sheetData> | x | 200e6 | it has a text value that is too long
  many comments                  | ${sheet} | <sheetData> | <!-- --> | 5e6 | it has a text value that is too long
  a long comment                 | ${sheet} | <sheetData> | x | 200e6 | it has a text value that is too long | <!--…-->
  a long tag                     | ${sheet} | <row | x | 200e6 | it has a text value that is too long
  300 MB                         | ${sheet} | <is><t> | x | 300e6 | too large when it is unpacked`),
)('%s', async (_, path = '', mark = '', text = '', count, words, inside) => {
  const bomb = zip({ ...parts, [path]: filled(path, mark, text, Number(count), inside) })
  const before = process.memoryUsage().rss
  expect(await refusal(read(bomb))).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(words) as string,
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
})

const tooSmall = zip({ ...parts, [sheet]: filled(sheet, '<sheetData>', '<row/>', 1e6) })
tooSmall.writeUInt32LE(1000, tooSmall.lastIndexOf(sheet) - 46 + 24)
const ids = { rows: rowsOf(['id']) }
/** A workbook with a number format of so many brackets, which so many styles have. */
function formatted(brackets: number, count: number) {
  const format = `<numFmt numFmtId="170" formatCode="${'['.repeat(brackets)}"/>`
  const xfs = '<xf numFmtId="170"/>'.repeat(count)
  const styles = `<numFmts>${format}</numFmts><cellXfs>${xfs}</cellXfs>`
  return workbook({ sheets: [ids, ids], styles })
}
const manySheets = workbook({ sheets: Array.from({ length: 3000 }, () => ids) })
const lastCells = Array.from(
  { length: 31_000 },
  (_, n) => `<row r="${n + 2}"><c r="XFD${n + 2}"><v>1</v></c></row>`,
)
const wide = workbook({ sheets: [{ rows: ids.rows + lastCells.join('') }] })
const sharing = Array.from(
  { length: 6000 },
  (_, n) => `<row r="${n + 2}"><c r="B${n + 2}" t="s"><v>0</v></c></row>`,
)
const texted = workbook({
  sheets: [{ rows: ids.rows + sharing.join('') }],
  texts: [`<si><t>${'x'.repeat(1e6)}</t></si>`],
})

test.each([
  ['a part that is larger than its directory says', tooSmall, 'too many bytes'],
  ['a long number format', formatted(200_000, 1), 'it has a number format that is too long'],
  ['a format of many brackets under many styles', formatted(1000, 250_000), 'cannot be used as it'],
  ['many sheets', manySheets, 'cannot be used as it is'],
  ['cells in the last column of many rows', wide, 'has no ids to use'],
  ['a long text in many cells', texted, 'too large when it is unpacked'],
])('%s', async (_, bytes, words) => {
  const before = process.cpuUsage()
  expect((await refusal(read(bytes))).message).toContain(words)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(10)
})
