/**
 * Small archives that unpack to a thousand times their size: they are refused, or end, in bounded
 * memory.
 */
import { expect, test } from 'vitest'
import { zip } from '../../support/zip.ts'
import { idOf, read, refusal } from '../../support/inputs.ts'
import { rowsOf, workbookParts } from '../../support/workbooks.ts'

const parts = workbookParts({
  sheets: [{ rows: rowsOf(['id'], [idOf(1)]) }],
  texts: ['<si><t>x</t></si>'],
})
const sheet = 'xl/worksheets/sheet0.xml'
const texts = 'xl/sharedStrings.xml'

/** A part with a text so many times behind a mark. */
function filled(path: string, mark: string, text: string, count: number): Buffer {
  const [before = '', after = ''] = String(parts[path]).split(mark, 2)
  const inside = Buffer.alloc(text.length * count, text)
  return Buffer.concat([Buffer.from(before + mark), inside, Buffer.from(after)])
}

test.each([
  ['six million rows', sheet, '<sheetData>', '<row/>', 6e6, 'it is damaged'],
  ['six million cells', sheet, '<row r="1">', '<c/>', 6e6, 'has too many parts'],
  ['six million elements in a cell', sheet, '<is>', '<r/>', 6e6, 'has too many parts'],
  [
    'many elements in many elements',
    sheet,
    '<is>',
    `<r>${'<r/>'.repeat(10_000)}</r>`,
    1000,
    'has too many parts',
  ],
  ['elements within elements', sheet, '<sheetData>', '<x>', 30e6, 'has too many parts'],
  ['20 million shared texts', texts, '<si>', '<t/></si><si>', 18e6, 'it has too many texts'],
  ['a long text', sheet, '<sheetData>', 'x', 200e6, 'it has too long a text'],
  ['many comments', sheet, '<sheetData>', '<!-- -->', 20e6, 'it has too long a text'],
  ['a long tag', sheet, '<row ', 'x', 200e6, 'it has too long a text'],
  ['300 MB', sheet, '<is><t>', 'x', 300e6, 'unpacks to too many bytes'],
] as const)('%s', async (_, path, mark, text, count, words) => {
  const bomb = zip({ ...parts, [path]: filled(path, mark, text, count) })
  const before = process.memoryUsage().rss
  expect(await refusal(read(bomb))).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(words) as string,
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
})

test('a long comment', async () => {
  const [before = '', after = ''] = String(parts[sheet]).split('<sheetData>')
  const comment = [Buffer.from(`${before}<sheetData><!--`), Buffer.alloc(200e6, 'x')]
  const bytes = zip({ ...parts, [sheet]: Buffer.concat([...comment, Buffer.from(`-->${after}`)]) })
  const rss = process.memoryUsage().rss
  expect((await refusal(read(bytes))).message).toContain('it has too long a text')
  expect(process.memoryUsage().rss - rss).toBeLessThan(150e6)
})

test('a long number format', async () => {
  const formats = (code: string) =>
    `<numFmts><numFmt numFmtId="170" formatCode="${code}"/></numFmts>`
  const styles = `${formats('['.repeat(200_000))}<cellXfs><xf numFmtId="170"/></cellXfs>`
  const rows = rowsOf(['id'], [idOf(1)])
  const bytes = zip(workbookParts({ sheets: [{ rows }], styles }))
  expect((await refusal(read(bytes))).message).toContain('it has too long a number format')
})

test('cells in the last column of many rows', async () => {
  const rows = Array.from(
    { length: 31_000 },
    (_, n) => `<row r="${n + 2}"><c r="XFD${n + 2}"><v>1</v></c></row>`,
  )
  const bomb = zip(workbookParts({ sheets: [{ rows: rowsOf(['id']) + rows.join('') }] }))
  expect((await refusal(read(bomb))).message).toContain('has no ids to use')
})

test('a part that is larger than its directory says is not unpacked', async () => {
  const bytes = zip({ ...parts, [sheet]: filled(sheet, '<sheetData>', '<row/>', 1e6) })
  const entry = bytes.lastIndexOf(sheet) - 46
  bytes.writeUInt32LE(1000, entry + 24)
  expect((await refusal(read(bytes))).message).toContain('too many bytes')
})
