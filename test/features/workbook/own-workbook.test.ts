/** `--annotate` from a workbook to a workbook: the user's own one with columns more, and nothing else in it changed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  inline,
  main,
  rowsOf,
  workbook,
  type Packing,
  type WorkbookXml,
  workbookParts,
} from '../../input/workbooks.ts'
import { zipParts } from '../../output/opened.ts'
import { createBulkWorld } from '../../runs/bulk-world.ts'

const { svc, folder, sandbox } = await createBulkWorld()
const absent = 'aaaaaaaaaaaaaaaaaaaaaaaa'
const sheetPath = 'xl/worksheets/sheet0.xml'
let files = 0

function input(xml: WorkbookXml, packing: Packing = {}): string {
  const path = join(folder, `${(files += 1)}.xlsx`)
  writeFileSync(path, workbook(xml, packing))
  return path
}

/** The changes of the sheet that is read. Every other part keeps its bytes. */
async function annotated(from: string, more = '', sheet = sheetPath): Promise<string> {
  const out = join(folder, `${(files += 1)}-out.xlsx`)
  const { stderr } = await svc(
    `contacts delete --file ${from} --yes --skip-invalid --annotate ${out} ${more}`,
  )
  if (!existsSync(out)) throw new Error(stderr)
  const [before, after] = [zipParts(readFileSync(from)), zipParts(readFileSync(out))]
  expect([...after.keys()]).toEqual([...before.keys()])
  const changed = [...before].filter(([path, { raw }]) => after.get(path)?.raw.equals(raw) !== true)
  expect(changed.map(([path]) => path).filter((path) => path !== 'xl/workbook.xml')).toEqual([
    sheet,
  ])
  return after.get(sheet)?.text ?? ''
}

const text = (cell: string, value: string, style = '', prefix = ''): string =>
  `<${prefix}c r="${cell}"${style} t="inlineStr"><${prefix}is><${prefix}t xml:space="preserve">${value}</${prefix}t></${prefix}is></${prefix}c>`
const outcome = (
  row: number,
  columns: string | readonly string[] = 'CD',
  style = '',
  prefix = '',
): string =>
  text(`${columns[0] ?? ''}${row}`, 'not-found', style, prefix) +
  text(`${columns[1] ?? ''}${row}`, 'there is no contact with this id', '', prefix)
const heading = (row: number, columns = 'CD', style = '', prefix = ''): string =>
  text(`${columns[0] ?? ''}${row}`, 'OUTCOME', style, prefix) +
  text(`${columns[1] ?? ''}${row}`, 'REASON', style, prefix)
const cols = (first: number): string =>
  `<col min="${first}" max="${first}" width="16" customWidth="1"/><col min="${first + 1}" max="${first + 1}" width="60" customWidth="1"/>`
const extension = '<extLst><ext uri="x"><c r="A9"/></ext></extLst>'
const plain = [
  inline('A1', 'id') + inline('B1', 'n'),
  inline('A2', absent) + inline('B2', 'x'),
] as const

describe('the cells that are added', () => {
  const sheetOf = (rows: string, before = '', after = ''): string =>
    `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${main}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`

  it.each<[what: string, given: string, wanted: string]>([
    [
      'behind the last heading, with a width each; a title, a gap and a row without an id stay',
      sheetOf(
        `<row r="1">${inline('A1', 'Title')}${inline('F1', 'May')}</row><row r="3">${inline('A3', 'id')}${inline('B3', 'n')}</row>` +
          `<row r="4"><c r="A4" t="inlineStr"><is><t>${absent}</t></is></c><c r="B4"><f>1+1</f><v>2</v></c></row><row r="5"/>`,
      ),
      sheetOf(
        `<row r="1">${inline('A1', 'Title')}${inline('F1', 'May')}</row><row r="3">${inline('A3', 'id')}${inline('B3', 'n')}${heading(3)}</row>` +
          `<row r="4"><c r="A4" t="inlineStr"><is><t>${absent}</t></is></c><c r="B4"><f>1+1</f><v>2</v></c>${outcome(4)}</row><row r="5"/>`,
        `<cols>${cols(3)}</cols>`,
      ),
    ],
    [
      'in the heading’s style and that of the cells that are there; spans and the dimension go, widths further on stay',
      sheetOf(
        `<row spans="1:2" r="1" ht="20"><c r="A1" s="1" t="inlineStr"><is><t>id</t></is></c></row><row r='2' spans='1:2'>${inline('A2', absent)}<c r="B2" s="3"/><c r="E2" s="4"/></row>`,
        '<dimension ref="A1:A2"/><cols><col min="1" max="1" width="30"/><col min="5" max="9" width="1.5"/></cols>',
      ),
      sheetOf(
        `<row r="1" ht="20"><c r="A1" s="1" t="inlineStr"><is><t>id</t></is></c>${heading(1, 'BC', ' s="1"')}</row><row r='2'>${inline('A2', absent)}${outcome(2, 'BC', ' s="3"')}<c r="E2" s="4"/></row>`,
        '<cols><col min="1" max="1" width="30"/><col min="5" max="9" width="1.5"/></cols>',
      ),
    ],
    [
      'behind the furthest column that is used, where something stands behind the last heading',
      sheetOf(`<row r="1">${plain[0]}</row><row r="2">${plain[1]}${inline('D2', 'far')}</row>`),
      sheetOf(
        `<row r="1">${plain[0]}${heading(1, 'EF')}</row><row r="2">${plain[1]}${inline('D2', 'far')}${outcome(2, 'EF')}</row>`,
        `<cols>${cols(5)}</cols>`,
      ),
    ],
    [
      'behind merged cells, and columns that are hidden; a width that is there stays',
      sheetOf(
        `<row r="1">${plain[0]}</row><row r="2">${plain[1]}</row>`,
        '<cols><col min="3" max="3" hidden="1"/><col min="6" max="6" hidden="1"/><col min="7" max="16384" width="9"/></cols>',
        '<mergeCells><mergeCell ref="D2:E2"/></mergeCells>',
      ),
      sheetOf(
        `<row r="1">${plain[0]}${heading(1, 'GH')}</row><row r="2">${plain[1]}${outcome(2, 'GH')}</row>`,
        '<cols><col min="3" max="3" hidden="1"/><col min="6" max="6" hidden="1"/><col min="7" max="16384" width="9"/></cols>',
        '<mergeCells><mergeCell ref="D2:E2"/></mergeCells>',
      ),
    ],
    [
      'beside the table, though a merged title above it reaches further',
      sheetOf(
        `<row r="1">${inline('A1', 'Title')}</row><row r="3">${inline('A3', 'id')}${inline('B3', 'n')}</row><row r="4">${inline('A4', absent)}</row>`,
        '',
        '<mergeCells><mergeCell ref="A1:F2"/></mergeCells>',
      ),
      sheetOf(
        `<row r="1">${inline('A1', 'Title')}</row><row r="3">${inline('A3', 'id')}${inline('B3', 'n')}${heading(3)}</row><row r="4">${inline('A4', absent)}${outcome(4)}</row>`,
        `<cols>${cols(3)}</cols>`,
        '<mergeCells><mergeCell ref="A1:F2"/></mergeCells>',
      ),
    ],
    [
      'with widths behind those that are there',
      sheetOf(
        `<row r="1">${plain[0]}</row><row r="2">${plain[1]}</row>`,
        '<cols><col min="1" max="1" width="9"/></cols>',
      ),
      sheetOf(
        `<row r="1">${plain[0]}${heading(1)}</row><row r="2">${plain[1]}${outcome(2)}</row>`,
        `<cols><col min="1" max="1" width="9"/>${cols(3)}</cols>`,
      ),
    ],
    [
      'behind a heading that is merged',
      sheetOf(
        `<row r="1">${plain[0]}</row><row r="2">${plain[1]}</row>`,
        '',
        '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>',
      ),
      sheetOf(
        `<row r="1">${plain[0]}${heading(1, 'DE')}</row><row r="2">${plain[1]}${outcome(2, 'DE')}</row>`,
        `<cols>${cols(4)}</cols>`,
        '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>',
      ),
    ],
    [
      'in front of a cell that stands further; of rows and cells that do not say where they are',
      sheetOf(
        `<row><c t="inlineStr"><is><t>id</t></is></c></row><row><c t="inlineStr"><is><t>${absent}</t></is></c><c s="1"/><c/><c s="2"/></row>`,
      ),
      sheetOf(
        `<row><c r="A1" t="inlineStr"><is><t>id</t></is></c>${heading(1, 'BC')}</row><row><c r="A2" t="inlineStr"><is><t>${absent}</t></is></c>${outcome(2, 'BC', ' s="1"')}<c r="D2" s="2"/></row>`,
        `<cols>${cols(2)}</cols>`,
      ),
    ],
    [
      'with the prefix of the sheet, and in its filter; nothing in a table, or what is not known',
      `<x:worksheet xmlns:x="${main}" xmlns:y="urn:y"><y:row r="1"/><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>id</x:t></x:is></x:c></x:row><x:row r="2"><x:c r="A2" t="inlineStr"><x:is><x:t>${absent}</x:t></x:is></x:c></x:row></x:sheetData><x:autoFilter ref="A1:A2"/><x:tableParts count="1"/></x:worksheet>`,
      `<x:worksheet xmlns:x="${main}" xmlns:y="urn:y"><y:row r="1"/><x:cols>${cols(2).replaceAll('<col', '<x:col')}</x:cols><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>id</x:t></x:is></x:c>${heading(1, 'BC', '', 'x:')}</x:row><x:row r="2"><x:c r="A2" t="inlineStr"><x:is><x:t>${absent}</x:t></x:is></x:c>${outcome(2, 'BC', '', 'x:')}</x:row></x:sheetData><x:autoFilter ref="A1:C2"/><x:tableParts count="1"/></x:worksheet>`,
    ],
    [
      'in place of those that an earlier one added; a row below that has no cell with a value stays',
      sheetOf(
        `<row r="1">${inline('A1', 'id')}${inline('B1', 'OUTCOME')}${inline('C1', 'REASON')}</row><row r="2">${inline('A2', absent)}${inline('B2', 'old')}${inline('C2', 'old')}</row><row r="3"><c r="B3" s="2"/><c r="D3" s="2"/></row>`,
      ),
      sheetOf(
        `<row r="1">${inline('A1', 'id')}${heading(1, 'BC')}</row><row r="2">${inline('A2', absent)}${outcome(2, 'BC')}</row><row r="3"><c r="B3" s="2"/><c r="D3" s="2"/></row>`,
        `<cols>${cols(2)}</cols>`,
      ),
    ],
    [
      'beside rows without a heading, which get none',
      sheetOf(`<row r="1">${inline('A1', absent)}</row>`),
      sheetOf(
        `<row r="1">${inline('A1', absent)}${outcome(1, 'BC')}</row>`,
        `<cols>${cols(2)}</cols>`,
      ),
    ],
  ])('%s', async (_, given, wanted) => {
    expect(
      await annotated(
        input({
          parts: { [sheetPath]: given },
          styles: '<cellXfs><xf/><xf/><xf/><xf/><xf/></cellXfs>',
        }),
      ),
    ).toBe(wanted)
  })

  it('stand in the sheet that was named', async () => {
    const sheets = [
      { name: 'Old', rows: rowsOf(['id'], [absent]) },
      { name: 'New', rows: rowsOf(['id'], [absent]) },
    ]
    const out = await annotated(input({ sheets }), '--sheet new', 'xl/worksheets/sheet1.xml')
    expect(out).toContain(outcome(2, 'BC'))
  })

  const absolute = (ref: string): string => ref.replaceAll(/[A-Z]+(?=\d)/g, '$$$&$$')
  /** A table in columns A and B, with its heading in row 2. */
  const filtered = (ref: string): WorkbookXml => {
    const rows = rowsOf(['Title'], ['id', 'n'], [absent, 'x'])
    const xml = { sheets: [{ name: 'A', rows, after: `<autoFilter ref="${ref}"/>` }] }
    const book = workbookParts(xml)['xl/workbook.xml']?.toString() ?? ''
    const names = `<definedNames><definedName name="other">A!$A$1</definedName><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">A!${absolute(ref)}</definedName></definedNames>`
    return {
      ...xml,
      parts: { 'xl/workbook.xml': book.replace('</sheets>', () => `</sheets>${names}`) },
    }
  }
  const give = async (xml: WorkbookXml): Promise<{ sheet: string; book: string; note: string }> => {
    const out = join(folder, `${(files += 1)}-out.xlsx`)
    const { stderr } = await svc(`contacts delete --file ${input(xml)} --yes --annotate ${out}`)
    const parts = zipParts(readFileSync(out))
    const [sheet = '', book = ''] = [sheetPath, 'xl/workbook.xml'].map((at) => parts.get(at)?.text)
    return { sheet, book, note: /if its filter.*/.exec(stderr)?.[0] ?? '' }
  }

  it.each([
    ['A2:B3', 'A2:D3'],
    ['B2:C9', 'B2:D9'],
    ['A2:H9', 'A2:H9'],
  ])('make the filter %s of the table %s, by its name too', async (ref, widened) => {
    const { sheet, book, note } = await give(filtered(ref))
    expect(sheet).toContain(`</sheetData><autoFilter ref="${widened}"/>`)
    expect(book).toContain(`hidden="1">A!${absolute(widened)}</definedName>`)
    expect(book).toContain('<definedName name="other">A!$A$1</definedName>')
    expect(note).toBe('')
  })

  it.each(['A1:B3', 'D2:H9', 'A3:H9'])(
    'are not part of the filter %s, which a note says',
    async (ref) => {
      const { sheet, book, note } = await give(filtered(ref))
      expect(sheet).toContain(`</sheetData><autoFilter ref="${ref}"/>`)
      expect(book).toContain(`hidden="1">A!${absolute(ref)}</definedName>`)
      expect(note).toContain('set it again before you sort by it')
    },
  )

  it('are not part of a table of the sheet, which a note says', async () => {
    const rows = rowsOf(['id', 'n'], [absent, 'x'])
    const { note } = await give({ sheets: [{ rows, after: '<tableParts count="1"/>' }] })
    expect(note).toContain('set it again before you sort by it')
  })

  it('are text, whatever the service says', async () => {
    sandbox.setFaults('contacts.delete=400,message==1+1%20&%20<b>_x0041_')
    const out = await annotated(input({ sheets: [{ rows: rowsOf(['id'], [absent]) }] }))
    sandbox.setFaults()
    expect(out).toContain(
      text('B2', 'error') + text('C2', 'not done: =1+1 &amp; &lt;b&gt;_x005F_x0041_'),
    )
  })
})

it('the last two columns of a sheet are as good as any', async () => {
  const rows = ['id', absent].map(
    (cell, n) => `<row r="${n + 1}">${inline(`XFB${n + 1}`, cell)}</row>`,
  )
  const out = await annotated(input({ sheets: [{ rows: rows.join('') }] }))
  expect(out).toContain(outcome(2, ['XFC', 'XFD']))
})

describe('a workbook that cannot be given back as it is', () => {
  const types = (kind: string): WorkbookXml => ({
    sheets: [{ rows: rowsOf(['id'], [absent]) }],
    parts: {
      '[Content_Types].xml': `<Types><Override PartName="/x" ContentType="application/${kind}"/></Types>`,
    },
  })

  it.each<[string, WorkbookXml, string]>([
    ['macros', types('vnd.ms-office.vbaProject'), 'has macros'],
    ['macros in name only', types('vnd.ms-excel.sheet.macroEnabled.main+xml'), 'has macros'],
    ['a signature', types('vnd.openxmlformats-package.digital-signature-origin'), 'is signed'],
    [
      'a comment among its cells',
      { sheets: [{ rows: `${rowsOf(['id'], [absent])}<!-- </row> -->` }] },
      'has comments or extensions',
    ],
    [
      'what extends a row',
      {
        sheets: [{ rows: `<row r="1">${plain[0]}${extension}</row><row r="2">${plain[1]}</row>` }],
      },
      'has comments or extensions',
    ],
    [
      'columns of an earlier one that lack some, with others behind them',
      {
        sheets: [
          {
            rows: rowsOf(['id', 'OUTCOME', 'REASON'], [absent]),
            before: '<cols><col min="3" max="3" hidden="1"/></cols>',
          },
        ],
      },
      'no 2 free columns',
    ],
    [
      'no free columns',
      {
        sheets: [
          {
            rows: rowsOf(['id'], [absent]),
            before: '<cols><col min="2" max="16384" hidden="1"/></cols>',
          },
        ],
      },
      'no 2 free columns',
    ],
  ])('%s: exit 2 before anything is sent', async (_, xml, message) => {
    const out = join(folder, `${(files += 1)}-no.xlsx`)
    const before = sandbox.requests.length
    const { code, stderr } = await svc(
      `contacts delete --file ${input(xml)} --yes --annotate ${out}`,
    )
    expect([code, existsSync(out), sandbox.requests.length]).toEqual([2, false, before])
    expect(stderr).toContain(message)
    expect(stderr).toContain('--annotate <file>.csv')
  })
})
