import { describe, expect, test } from 'vitest'
import { mostRows, serialOf, type Cell } from '../../src/workbook/cells.ts'
import { columnsOf } from '../../src/output/columns.ts'
import { workbookOf } from '../../src/output/writers/xlsx.ts'
import { limits, workbook } from '../../src/workbook/writer.ts'
import { columnName } from '../../src/words.ts'
import { openedWorkbook, textsOf } from '../output/opened.ts'

interface Thing {
  readonly id: string
  readonly text?: unknown
  readonly count?: unknown
  readonly at?: unknown
}

const columns = columnsOf<Thing>({ ID: 'id', TEXT: 'text', COUNT: 'count', SENT: 'at' }, undefined)

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const tableOf = (things: readonly Thing[]): Promise<Buffer> => bytesOf(workbookOf(things, columns))

const sheetOf = async (things: readonly Thing[]) => openedWorkbook(await tableOf(things)).sheets[0]

const id = '640005edd5aad2927b000029'

describe('cells', () => {
  test('ids and phone numbers are text, numbers are numbers, times are dates in UTC', async () => {
    const at = '2026-03-01T10:15:00+01:00'
    const sheet = await sheetOf([{ id, text: '+4915112345678', count: 12, at }])
    const [heading, row] = sheet?.rows ?? []
    expect(heading?.map((cell) => cell?.text)).toEqual(['ID', 'TEXT', 'COUNT', 'SENT (UTC)'])
    expect(row?.map((cell) => [cell?.type, cell?.style, cell?.text])).toEqual([
      ['inlineStr', 1, id],
      ['inlineStr', 1, '+4915112345678'],
      ['n', 0, '12'],
      ['n', 3, String(Date.parse('2026-03-01T09:15:00Z') / 86_400_000 + 25_569)],
    ])
  })

  test.each<[unknown, string]>([
    [undefined, ''],
    [null, ''],
    [['a', 'b'], 'a;b'],
    // A spreadsheet would round it.
    [1234567890123456, '1234567890123456'],
    ['=1+1', '=1+1'],
    ['<b>&amp;</b>', '<b>&amp;</b>'],
    [' a\nb\tc ', ' a\nb\tc '],
    ['a\u{1b}[2Jb\r', 'a\\u{1b}[2Jb\\u{d}'],
    // The form that workbooks have for characters which XML has not.
    ['_x000D_', '_x000D_'],
    ['Jürgen 王小明 👩‍👩‍👧', 'Jürgen 王小明 👩‍👩‍👧'],
  ])('%j is the text %j', async (given, text) => {
    const bytes = await tableOf([{ id, text: given }])
    expect(textsOf(bytes)[1]?.[1] ?? '').toBe(text)
    expect(openedWorkbook(bytes).sheets[0]?.xml).not.toMatch(/<f[ >]/)
  })

  test('a number of 16 digits, which a spreadsheet would round, is text', async () => {
    const counts = [0.5, -999_999_999_999_999, 1e15, -1e15]
    const sheet = await sheetOf(counts.map((count) => ({ id, count })))
    expect(sheet?.rows.slice(1).map((row) => [row[2]?.type, row[2]?.text])).toEqual([
      ['n', '0.5'],
      ['n', '-999999999999999'],
      ['inlineStr', '1000000000000000'],
      ['inlineStr', '-1000000000000000'],
    ])
  })

  test('no time, and one that spreadsheets disagree on, are text', async () => {
    const times = ['soon', '1850-01-01T00:00:00Z']
    const sheet = await sheetOf(times.map((at) => ({ id, at })))
    expect(sheet?.rows.slice(1).map((row) => row[3])).toEqual(
      times.map((text) => ({ type: 'inlineStr', style: 1, text })),
    )
  })

  test('characters that XML cannot hold are escaped as workbooks do', async () => {
    const text = 'a\0b\rc\u{fffe}_x0041_'
    const bytes = await bytesOf(workbook([[text]], 0))
    expect(openedWorkbook(bytes).sheets[0]?.xml).toContain(
      '>a_x0000_b_x000D_c_xFFFE__x005F_x0041_<',
    )
  })

  test('one of more than 32,767 characters is exit 10, which names it', async () => {
    const things = [
      { id },
      { id, text: 'x'.repeat(limits.cell) },
      { id, text: 'x'.repeat(limits.cell + 1) },
    ]
    expect(textsOf(await tableOf(things.slice(0, 2)))[2]?.[1]).toHaveLength(limits.cell)
    await expect(tableOf(things)).rejects.toMatchObject({
      exitCode: 1,
      message: 'cell B4 (TEXT) would have 32,768 characters, and a workbook takes 32,767',
    })
  })
})

describe('sheets', () => {
  test('the heading stays in sight', async () => {
    const sheet = await sheetOf([{ id }])
    expect(sheet?.xml).toContain(
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    )
    expect(sheet?.xml).toContain('</sheetData><autoFilter ref="A1:D2"/>')
  })

  test('columns are as wide as their content, within bounds', async () => {
    const pages: Cell[][] = [
      ['N', 'TEXT', 'LINES', 'DAY', ''],
      [
        { kind: 'number', raw: 1 },
        'x'.repeat(99),
        `a\n${'b'.repeat(20)}`,
        { kind: 'day', raw: 99 },
      ],
    ]
    const bytes = await bytesOf(workbook(pages, 1))
    const widths = openedWorkbook(bytes).sheets[0]?.xml.matchAll(/<col [^>]*width="(\d+)"/g) ?? []
    expect(Array.from(widths, ([, width]) => Number(width))).toEqual([12, 60, 23, 12, 8])
  })

  test('a column to decide in has a list; a day, a time and a text have their formats, also where the heading is not the first row', async () => {
    const row: Cell[] = ['a', '', { kind: 'day', raw: 46082 }, { kind: 'time', raw: 46082.5 }]
    const bytes = await bytesOf(workbook([[], ['ID', 'merge'], row], 2))
    const { parts, sheets } = openedWorkbook(bytes)
    expect(sheets[0]?.xml).toContain(
      '<autoFilter ref="A2:D3"/><dataValidations count="1"><dataValidation type="list" allowBlank="1" sqref="B3:B3"><formula1>"yes"</formula1></dataValidation></dataValidations></worksheet>',
    )
    const formats = [...(parts.get('xl/styles.xml') ?? '').matchAll(/<xf numFmtId="(\d+)"/g)]
    const codes = ['numFmtId="164" formatCode="yyyy\\-mm\\-dd"', 'numFmtId="165" formatCode="yyyy']
    for (const code of codes) expect(parts.get('xl/styles.xml')).toContain(code)
    // The first is that of named styles.
    const formatAt = (style = 0): string | undefined => formats[style + 1]?.[1]
    expect(sheets[0]?.rows[2]?.map((cell) => cell && formatAt(cell.style))).toEqual([
      ...['49', undefined, '164', '165'],
    ])
    expect(sheets[0]?.rows[1]?.map((cell) => formatAt(cell?.style))).toEqual(['49', '49'])
  })

  test('no rows: the heading alone; the same rows give the same bytes', async () => {
    expect(textsOf(await tableOf([]))).toEqual([['ID', 'TEXT', 'COUNT', 'SENT (UTC)']])
    const things = Array.from({ length: 5000 }, (_, n) => ({ id, count: n, text: `text ${n}` }))
    expect((await tableOf(things)).equals(await tableOf(things))).toBe(true)
  })

  test('past 1,048,576 rows it goes on in a further sheet, under the same heading', async () => {
    function* many(count: number): Generator<Cell[]> {
      for (let row = 1; row <= count; row += 1)
        yield row < 3 || row > mostRows - 3 ? [String(row)] : []
    }
    function* below(count: number): Generator<Cell[]> {
      yield ['N']
      yield* many(count)
    }
    const two = openedWorkbook(await bytesOf(workbook(below(mostRows + 1), 1))).sheets
    expect(two.map(({ rows: all }) => [all.length, all.at(-1)?.[0]?.text])).toEqual([
      [mostRows, String(mostRows - 1)],
      [3, String(mostRows + 1)],
    ])
    expect(two[1]?.rows[0]?.[0]?.text).toBe('N')
    const one = openedWorkbook(await bytesOf(workbook(below(mostRows - 1), 1)))
    expect(one.sheets).toHaveLength(1)
  })

  test('columns have names, and days are counted as spreadsheets do', () => {
    const names = [0, 25, 26, 701, 702, 16_383].map(columnName).join(' ')
    expect(names).toBe('A Z AA ZZ AAA XFD')
    expect(serialOf(Date.parse('1900-03-01T00:00:00Z'))).toBe(61)
    expect(serialOf(Date.parse('2026-03-01T12:00:00Z'))).toBe(46_082.5)
    expect(serialOf(Date.parse('1900-02-28T00:00:00Z'))).toBeUndefined()
  })
})
