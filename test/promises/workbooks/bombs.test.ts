/** Small archives that unpack to a thousand times their size: they are refused in bounded memory. */
import { expect, test } from 'vitest'
import { zip } from '../../../tools/harness/zip.mjs'
import { idOf, read, refusal } from '../../support/inputs.ts'
import { rowsOf, workbookParts } from '../../support/workbooks.ts'

const parts = workbookParts({ sheets: [{ rows: rowsOf(['id'], [idOf(1)]) }] })
const sheet = 'xl/worksheets/sheet0.xml'

/** A part with a text so many times behind a mark. */
function filled(path: string, mark: string, text: string, count: number): Buffer {
  const [before = '', after = ''] = String(parts[path]).split(mark, 2)
  const inside = Buffer.alloc(text.length * count, text)
  return Buffer.concat([Buffer.from(before + mark), inside, Buffer.from(after)])
}

test.each([
  ['six million rows', sheet, '<sheetData>', '<row/>', 6e6, 'unpacks to too many bytes'],
  ['a text of 40 MB', sheet, '<is><t>', 'x', 40e6, 'unpacks to too many bytes'],
  [
    'two million shared texts',
    'xl/sharedStrings.xml',
    'main">',
    '<si><t>a</t></si>',
    2e6,
    'unpacks to too many bytes',
  ],
] as const)('%s', async (_, path, mark, text, count, words) => {
  const bomb = zip({ ...parts, [path]: filled(path, mark, text, count) })
  const before = process.memoryUsage().rss
  expect(await refusal(read(bomb))).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(words) as string,
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(20e6)
})

test('cells in the last column of many rows', async () => {
  const rows = Array.from(
    { length: 31_000 },
    (_, n) => `<row><c r="XFD${n + 1}"><v>1</v></c></row>`,
  )
  const bomb = zip(workbookParts({ sheets: [{ rows: rows.join('') }] }))
  expect(await refusal(read(bomb))).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('too many cells, or too much text') as string,
  })
})

test('a part that is larger than its directory says is not unpacked', async () => {
  const bytes = zip({ ...parts, [sheet]: filled(sheet, '<sheetData>', '<row/>', 1e6) })
  const entry = bytes.lastIndexOf(sheet) - 46
  bytes.writeUInt32LE(1000, entry + 24)
  expect((await refusal(read(bytes))).message).toContain('too many bytes')
})
