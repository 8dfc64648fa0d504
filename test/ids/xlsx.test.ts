import { afterAll, describe, expect, test } from 'vitest'
import { readPairs } from '../../src/ids/pairs.ts'
import { openWorkbook } from '../../src/ids/workbook/workbook.ts'
import { fileInput, idOf, read, refusal, stdin, temporaryFolder } from './inputs.ts'
import { inline, main, rowsOf, workbook, workbookParts, zip, type WorkbookXml } from './workbooks.ts'

const folder = temporaryFolder()
afterAll(() => {
  folder.remove()
})

const [a, b, c] = [idOf(1), idOf(2), idOf(3)] as const

/** Ids with the rows that they stand in, and what was left out. */
async function readWorkbook(xml: WorkbookXml | Buffer, options: Parameters<typeof read>[1] = {}) {
  const found = await read(Buffer.isBuffer(xml) ? xml : workbook(xml), options)
  const ids = [...found.ids].map((id, n) => `${id} ${found.ids.line(n)}`)
  return { ids, notes: found.notes, bad: found.bad.map(({ where, text, reason }) => `${where}: ${text}: ${reason}`) }
}

async function refused(xml: WorkbookXml | Buffer, options: Parameters<typeof read>[1] = {}): Promise<string> {
  const error = await refusal(readWorkbook(xml, options))
  expect(error.exitCode).toBe(2)
  return [error.message, error.details.hint].join('\n')
}

/** One sheet with these rows. */
const sheet = (rows: string, more: { before?: string; after?: string } = {}): WorkbookXml => ({
  sheets: [{ rows, ...more }],
})

describe('rows of a sheet', () => {
  async function rowsOfSheet(xml: WorkbookXml): Promise<string[]> {
    const opened = await openWorkbook({ name: 'it', from: { bytes: workbook(xml) } })
    const rows: string[] = []
    const sheet = await opened.sheet(undefined, () => true)
    for await (const some of sheet.rows())
      for (const { line: row, isHidden, stored } of some) {
        const each = stored.map((cell) =>
          [cell.column, cell.show().kind, cell.isFormula ? '=' : '', cell.text].join(' '),
        )
        rows.push([row, ...(isHidden ? ['hidden'] : []), ...each].join(' | '))
      }
    opened.close()
    return rows
  }
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy &quot;days&quot;"/><numFmt numFmtId="165" formatCode="0.0&quot;days&quot;"/>' +
    '<numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>'

  test.each<[string, WorkbookXml, string[]]>([
    ['no row', sheet(''), []],
    ['inline texts', sheet(rowsOf(['x', '', 'y'], [], ['z'])), ['1 | 0 text  x | 2 text  y', '3 | 0 text  z']],
    [
      'shared texts with runs, phonetic runs and escapes',
      {
        ...sheet('<row r="2"><c r="B2" t="s"><v>1</v></c><c r="C2" t="s"><v>0</v></c></row>'),
        texts: [
          '<t xml:space="preserve"> a_x000D_b_x005F_x000D_ </t>',
          '<r><t>王</t></r><r><t>小</t></r><rPh><t>wang</t></rPh>',
        ],
      },
      ['2 | 1 text  王小 | 2 text   a\rb_x000D_ '],
    ],
    [
      'cells and rows without places',
      sheet('<row><c><v>1</v></c></row><row><c/><c t="str"><v>x</v></c></row>'),
      ['1 | 0 number  1', '2 | 1 text  x'],
    ],
    [
      'a number as it stands there',
      sheet('<row r="1"><c r="A1"><v>5.072E+023</v></c></row>'),
      ['1 | 0 number  5.072E+023'],
    ],
    [
      'formulas, truth and errors',
      sheet(
        '<row r="1"><c r="A1" t="str"><f>B1</f><v>x</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" t="e"><v>#N/A</v></c><c r="D1"><f>1</f></c></row>',
      ),
      ['1 | 0 text = x | 1 boolean  TRUE | 2 error  #N/A | 3 number = '],
    ],
    [
      'dates by their styles',
      {
        ...sheet(
          [1, 2, 3, 4]
            .map((s) => `<row><c s="${s}"><v>46082.427083</v></c><c s="${s}"><v>46082</v></c></row>`)
            .join(''),
        ),
        styles,
      },
      [
        '1 | 0 date  2026-03-01 10:15:00 | 1 date  2026-03-01',
        '2 | 0 date  2026-03-01 10:15:00 | 1 date  2026-03-01',
        '3 | 0 number  46082.427083 | 1 number  46082',
        '4 | 0 number  46082.427083 | 1 number  46082',
      ],
    ],
    [
      'dates from 1904 on, a time, the days about the 29th of February 1900, a day before all',
      { ...sheet('<row><c s="1"><v>44620</v></c><c s="1"><v>-1</v></c></row>'), styles, is1904: true },
      ['1 | 0 date  2026-03-01 | 1 date  1903-12-31'],
    ],
    [
      'hidden rows',
      sheet(
        '<row r="1" hidden="1"><c><v>1</v></c></row><row r="2" hidden="true"><c><v>2</v></c></row><row r="3" hidden="false"><c><v>3</v></c></row>',
      ),
      ['1 | hidden | 0 number  1', '2 | hidden | 0 number  2', '3 | 0 number  3'],
    ],
    [
      'rows that are hidden unless they have a height',
      sheet(
        '<row r="1"><c><v>1</v></c></row><row r="2" ht="15"><c><v>2</v></c></row>' +
          '<row r="3" hidden="0"><c><v>3</v></c></row><row r="4" ht="0"><c><v>4</v></c></row>',
        { before: '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>' },
      ),
      ['1 | hidden | 0 number  1', '2 | 0 number  2', '3 | 0 number  3', '4 | hidden | 0 number  4'],
    ],
    [
      'tags with a prefix',
      {
        parts: {
          'xl/worksheets/sheet0.xml': `<x:worksheet xmlns:x="${main}"><x:sheetData><x:row r="1"><x:c r="A1" t="str"><x:v>x</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
        },
      },
      ['1 | 0 text  x'],
    ],
    [
      'the last cell there is',
      sheet('<row r="1048576"><c r="XFD1048576" t="str"><v>x</v></c></row>'),
      ['1048576 | 16383 text  x'],
    ],
  ])('%s', async (_name, xml, rows) => {
    expect(await rowsOfSheet(xml)).toEqual(rows)
  })
})

describe('ids of a workbook', () => {
  test('below a heading, with title rows above it', async () => {
    const rows = rowsOf(
      ['Kündigungen März'],
      [],
      ['Name', 'CONTACT ID'],
      ['Jürgen', a],
      ['王小明', b],
      ['x', a.toUpperCase()],
    )
    expect(await readWorkbook(sheet(rows))).toEqual({
      ids: [`${a} 4`, `${b} 5`],
      notes: ['standard input: skipped 1 title row above the heading in row 3: "Kündigungen März"'],
      bad: [],
    })
  })

  test('from a file, whatever its name ends in', async () => {
    const path = folder.file('contacts.txt', workbook(sheet(rowsOf(['id'], [a]))))
    const { readIds } = await import('../../src/ids/reader.ts')
    const found = await readIds([fileInput(path)], { format: 'auto', skipInvalid: false })
    expect([...found.ids]).toEqual([a])
    expect(found.formats).toEqual(['xlsx'])
  })

  test('each cell that is no id is named with its own text', async () => {
    const rows =
      rowsOf(['id', 'name'], [a, 'x']) +
      '<row r="3"><c r="A3"><v>5.07E+23</v></c></row><row r="4"><c r="A4" t="str"><f>B1</f><v>' +
      b +
      '</v></c></row>' +
      `<row r="5" hidden="1">${inline('A5', c)}</row><row r="6">${inline('B6', 'y')}</row>` +
      `<row r="7"><c r="A7" t="b"><v>0</v></c></row><row r="8"><c r="A8" t="e"><v>#REF!</v></c></row><row r="9">${inline('A9', 'abc')}</row>`
    const { ids, bad, notes } = await readWorkbook(sheet(rows), { skipInvalid: true })
    expect(ids).toEqual([`${a} 2`])
    expect(notes).toEqual(['standard input: 1 row is hidden'])
    expect(bad).toEqual([
      'cell A3: 5.07E+23: a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
      `cell A4: ${b}: a formula, whose result may be out of date; paste the column as values`,
      `cell A5: ${c}: in a hidden row; show the row (a filter may hide it)`,
      'cell A6: : empty',
      'cell A7: FALSE: true or false, not a text',
      'cell A8: #REF!: an error, or no plain value; type it in again as text',
      'cell A9: abc: 3 hexadecimal digits; an id has 24',
    ])
    expect(await refused(sheet(rows))).toMatch(/^7 ids are invalid\n {2}standard input cell A3: "5.07E\+23": a number/)
  })

  test('without a heading every row is data', async () => {
    expect((await readWorkbook(sheet(rowsOf([a], [b])))).ids).toEqual([`${a} 1`, `${b} 2`])
    expect(await refused(sheet(rowsOf(['Contact'], [a])))).toContain('cell A1: "Contact"')
    expect(await refused(sheet('<row r="1"><c r="A1"><v>507199999999999999999999</v></c></row>'))).toContain(
      'cell A1: "507199999999999999999999": a number',
    )
  })

  test('in a column that is named by its heading or number', async () => {
    const rows = rowsOf(['Kunde', 'Ansprechpartner'], ['x', a], ['y', b])
    expect((await readWorkbook(sheet(rows), { column: 'Ansprechpartner' })).ids).toEqual([`${a} 2`, `${b} 3`])
    expect((await readWorkbook(sheet(rowsOf(['x', a])), { column: '2' })).ids).toEqual([`${a} 1`])
    expect(await refused(sheet(rows))).toContain('--column Ansprechpartner')
  })

  test('an empty workbook has none', async () => {
    expect((await readWorkbook({})).ids).toEqual([])
  })

  test('stored instead of packed, and with the numbers of large archives', async () => {
    for (const packing of [{ stored: true }, { zip64: true }]) {
      expect((await readWorkbook(workbook(sheet(rowsOf([a])), packing))).ids).toEqual([`${a} 1`])
    }
  })
})

describe('what a person does not see is not taken', () => {
  const hidden = '<cols><col min="2" max="3" hidden="1"/></cols>'
  test('a hidden column, even if it is named', async () => {
    const xml = sheet(rowsOf(['Name', 'id'], ['x', a]), { before: hidden })
    const message = 'standard input cell B1: the heading is in a hidden column; show the column'
    expect(await refused(xml)).toContain(message)
    expect(await refused(xml, { column: 'id' })).toContain(message)
    expect((await readWorkbook(sheet(rowsOf(['id', 'Name'], [a, 'x']), { before: hidden }))).ids).toEqual([`${a} 2`])
    // Without a heading, and at the end of the search for one.
    const [only] = [rowsOf([a])]
    expect(await refused(sheet(only, { before: '<cols><col min="1" max="1" hidden="true"/></cols>' }))).toContain(
      'cell A1: "64f0a1b2c3d4e5f600000001": in a hidden column',
    )
  })
})

describe('several sheets', () => {
  const full = rowsOf(['id'], [a])
  const two: WorkbookXml = {
    sheets: [
      { name: 'Alle', rows: full },
      { name: 'Löschen 2', rows: rowsOf(['id'], [b], ['x']) },
    ],
  }

  test('with content: one must be named', async () => {
    expect(await refused(two)).toBe('standard input has 2 sheets: "Alle", "Löschen 2"\nname one: --sheet "Alle"')
    expect((await readWorkbook(two, { sheet: 'ALLE' })).ids).toEqual([`${a} 2`])
    const { ids, bad } = await readWorkbook(two, { sheet: 'löschen 2', skipInvalid: true })
    expect(ids).toEqual([`${b} 2`])
    expect(bad).toEqual(['cell \'Löschen 2\'!A3: x: contains "x" at character 1, not a hexadecimal digit'])
    expect(await refused(two, { sheet: 'Neu' })).toBe(
      'standard input has no sheet "Neu"\nits sheets are "Alle", "Löschen 2"',
    )
  })

  test('--sheet means nothing for a file that is no workbook, which a note says', async () => {
    const found = await read(`${a}\n`, { sheet: 'x' })
    expect(found.notes).toEqual(['--sheet is not used: standard input is no workbook'])
    const how = { format: 'auto', skipInvalid: false, columns: ['source', 'target'], sheet: 'x' } as const
    expect((await readPairs([stdin(`${a},${b}\n`)], how)).notes).toEqual(found.notes)
  })

  test('empty ones do not count', async () => {
    const sheets = [
      { name: 'Empty', rows: '<row r="1"><c r="A1" s="1"/></row>' },
      { name: 'Full', rows: full },
    ]
    expect((await readWorkbook({ sheets })).ids).toEqual([`${a} 2`])
  })

  test('a hidden one is read when it is named', async () => {
    const state = 'veryHidden'
    const sheets = [
      { name: 'Full', rows: full },
      { name: 'Old', rows: rowsOf([b]), state },
    ] as const
    expect(await readWorkbook({ sheets })).toEqual({
      ids: [`${a} 2`],
      notes: ['standard input: did not read what is hidden: "Old"'],
      bad: [],
    })
    expect((await readWorkbook({ sheets }, { sheet: 'Old' })).ids).toEqual([`${b} 1`])
    const onlyHidden = { sheets: [{ name: 'Empty' }, { name: 'Old', rows: full, state }] } as const
    expect(await refused(onlyHidden)).toBe(
      'the only content of standard input is hidden\nto read it all the same: --sheet "Old"',
    )
  })
})

describe('pairs', () => {
  const columns = ['ticket', 'employee'] as const
  test('from a sheet', async () => {
    const rows =
      rowsOf(['Employee', 'x', 'Ticket ID'], ['Jürgen Groß', '', a], ['', '', b]) +
      '<row r="4"><c r="A4"><v>7</v></c></row>'
    const found = await readPairs([stdin(workbook(sheet(rows)))], { format: 'auto', skipInvalid: true, columns })
    expect(found.pairs).toEqual([{ id: a, other: 'Jürgen Groß', line: 2 }])
    expect(found.bad.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
      'cell A3: employee: empty',
      'cell C4: ticket: empty',
    ])
  })
})

describe('what is no workbook', () => {
  const parts = workbookParts(sheet(rowsOf([a])))
  const good = zip(parts)
  const at = good.indexOf('xl/workbook.xml') + 'xl/workbook.xml'.length
  test.each<[string, Uint8Array, string]>([
    ['a damaged one', Buffer.from(good).fill(0xff, at, at + 20), '"xl/workbook.xml" cannot be unpacked'],
    ['a plain archive', zip({ 'ids.txt': a }), 'is a zip archive, not an .xlsx workbook'],
    ['a Word document', zip({ ...parts, 'xl/workbook.xml': '<w:document xmlns:w="w"/>' }), 'has no <workbook>'],
    [
      'a binary workbook',
      zip({ '_rels/.rels': parts['_rels/.rels']?.toString().replace('.xml', '.bin') ?? '' }),
      'is a zip archive, not an .xlsx workbook',
    ],
  ])('%s', async (_name, bytes, what) => {
    expect(await refused(Buffer.from(bytes))).toContain(what)
  })

  test('a format that was asked for is kept to', async () => {
    expect(await refused(good, { format: 'csv' })).toBe(
      'standard input is not text: it is a workbook or a zip archive\nleave out --input-format',
    )
    expect(await refused(Buffer.from(a), { format: 'xlsx' })).toBe(
      'standard input is not an .xlsx workbook\nleave out --input-format',
    )
  })
})
