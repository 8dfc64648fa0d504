/** Tables that are given back: the columns as they were read, ours in their places or behind, and nothing that was hidden. */
import { describe, expect, it } from 'vitest'
import { idReader } from '../../src/input/ids.ts'
import { copyTable } from '../../src/input/table-copy.ts'
import { findRows, readTable, type TableReader } from '../../src/input/table.ts'
import { partsOf, rowsOf as cellsOf, textsOf } from '../support/opened.ts'
import { hostOf, idOf } from '../support/inputs.ts'
import { inline, stylesOf, workbook } from '../support/workbooks.ts'

const [a, b] = [idOf(1), idOf(2)] as const
const headings = ['OUTCOME', 'REASON']

/** A rule that refuses no row, as that of people does. */
const people: TableReader = {
  kind: 'people',
  isKnown: () => false,
  isValue: () => false,
  readingOf: () => ({ columns: [0] }),
}

/** Gives a table back with an outcome and a reason for each row. */
async function copied(content: string | Buffer, isWorkbook = false, options = {}) {
  const note = () => undefined
  const rule = Buffer.isBuffer(content) ? people : idReader('contact', '1')
  const table = await readTable(hostOf(content), '-', rule, { note, ...options })
  const bytes = copyTable({
    table,
    rows: [...findRows(table)],
    addedHeadings: headings,
    addedTextsOf: ({ row }) =>
      row.reasons?.[0] ? { OUTCOME: '', REASON: '=why' } : { OUTCOME: 'done', REASON: '' },
    format: isWorkbook ? 'xlsx' : 'csv',
  })
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const asCsv = async (content: string | Buffer, options = {}) =>
  (await copied(content, false, options)).toString()

describe('csv', () => {
  it.each([
    ['its delimiter', `id;x\n${a};"1;2"\n`, `id;x;OUTCOME;REASON\n${a};"1;2";done;\n`],
    ['its mark', `\ufeffid,x\n${a},1\n`, `\ufeffid,x,OUTCOME,REASON\n${a},1,done,\n`],
    [
      'columns of ours, in their places',
      `id,REASON,x,OUTCOME\n${a},old,1,old\n`,
      `id,REASON,x,OUTCOME\n${a},,1,done\n`,
    ],
    ['one column of ours', `id,OUTCOME,x\n${a},old,1\n`, `id,OUTCOME,x,REASON\n${a},done,1,\n`],
    [
      'columns of other letters',
      `id,Outcome,reason\n${a},x,y\n`,
      `id,Outcome,reason,OUTCOME,REASON\n${a},x,y,done,\n`,
    ],
    [
      'a short row, a blank one, and a formula',
      `id,x\n\n${a}\n${b},=1+1\n`,
      `id,x,OUTCOME,REASON\n${a},,done,\n${b},"'=1+1",done,\n`,
    ],
    ['an empty column', `id,,x\n${a},,1\n`, `id,x,OUTCOME,REASON\n${a},1,done,\n`],
  ])('%s', async (_, content, expected) => {
    expect(await asCsv(content)).toBe(expected)
  })

  it('begins with its heading', async () => {
    const content = `Report of today\nid,x\n${a},1\n`
    expect(await asCsv(content, { headingRow: 2 })).toBe(`id,x,OUTCOME,REASON\n${a},1,done,\n`)
    expect(await asCsv(`${a},1\n`, { headingRow: 0 })).toBe(`1,2,OUTCOME,REASON\n${a},1,done,\n`)
  })

  it('in Windows-1252 becomes UTF-8 with a mark', async () => {
    const content = Buffer.from(`id;N\xfc\n${a};x\n`, 'latin1')
    expect(await asCsv(content)).toBe(`\ufeffid;Nü;OUTCOME;REASON\n${a};x;done;\n`)
  })
})

describe('workbooks', () => {
  /** Rows with a gap, a day, a price, a formula, merged cells, a text in a format that changes it, and a hidden row and column. */
  const rows = [
    `<row r="1">${inline('A1', 'contactId')}${inline('B1', 'Since')}${inline('C1', 'Price')}${inline('D1', 'Note')}${inline('E1', 'Secret')}</row>`,
    `<row r="3">${inline('A3', a)}<c r="B3" s="1"><v>46082</v></c><c r="C3" s="2"><v>1234.5</v></c>${inline('E3', b)}</row>`,
    `<row r="4"><c r="A4" t="str"><f>B1</f><v>${a}</v></c><c r="B4" s="1"><v>46082.5</v></c><c r="C4" t="str"><f>B1</f><v>${b}</v></c></row>`,
    `<row r="5">${inline('A5', a)}${inline('B5', 'shown')}${inline('C5', b)}<c r="D5" t="inlineStr" s="3"><is><t>${b}</t></is></c></row>`,
    `<row r="6" hidden="1">${inline('A6', b)}</row>`,
    `<row r="7" ht="0">${inline('A7', b)}</row>`,
    `<row r="8"><c r="A8"><v>5.07E+23</v></c><c r="B8" t="b"><v>1</v></c>${inline('XFD8', 'far')}</row>`,
  ].join('')
  const styles = stylesOf(['dd.mm.yyyy', '"$"#,##0.00', ';;;'])
  const before = '<cols><col min="5" max="5" width="0"/></cols>'
  const after = '<mergeCells><mergeCell ref="B5:C5"/></mergeCells>'
  const book = workbook({ sheets: [{ rows, before, after }], styles })

  it('as csv: numbers as such, days in the form of ISO, nothing hidden, and no id that was refused', async () => {
    expect(await asCsv(book)).toBe(
      [
        '\ufeffcontactId,Since,Price,Note,,OUTCOME,REASON',
        `${a},2026-03-01,1234.5,,,done,`,
        `,2026-03-01 12:00:00,${b},,,,"'=why"`,
        `${a},shown,,,,done,`,
        `,TRUE,,,far,,"'=why"`,
        '',
      ].join('\n'),
    )
  })

  it('as a workbook: numbers and days with their formats, every other cell a text', async () => {
    const bytes = await copied(book, true)
    const text = (value: string) => ['s', value]
    const number = (value: string) => ['n', value]
    expect(cellsOf(bytes)).toEqual([
      ['contactId', 'Since', 'Price', 'Note', undefined, 'OUTCOME', 'REASON'].map(
        (each) => each && text(each),
      ),
      [text(a), number('46082'), number('1234.5'), undefined, undefined, text('done')],
      [undefined, number('46082.5'), text(b), undefined, undefined, undefined, text('=why')],
      [text(a), text('shown'), undefined, undefined, undefined, text('done')],
      [undefined, text('TRUE'), undefined, undefined, text('far'), undefined, text('=why')],
    ])
    const xml = partsOf(bytes)
    expect(xml.get('xl/styles.xml')).toContain('formatCode="dd.mm.yyyy"')
    expect(xml.get('xl/worksheets/sheet1.xml')).not.toMatch(/<f[ >]/)
  })

  it('of csv: every cell is text', async () => {
    const bytes = await copied(`id,Betrag\n${a},007\n`, true)
    expect(textsOf(bytes)[1]).toEqual([a, '007', 'done'])
  })
})
