/** Workbooks: which sheet is read, which cells count, and what is said of all others. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { readWorkbook } from '../../src/workbook/workbook.ts'
import { idOf, idsOf, read, refusal } from '../support/inputs.ts'
import {
  inline,
  rowsOf,
  stylesOf,
  workbook,
  workbookParts,
  type SheetXml,
  type WorkbookXml,
} from '../support/workbooks.ts'
import { zip } from '../../tools/harness/zip.mjs'
import { table } from '../support/table.ts'
import { shownText } from '../support/shown-text.ts'
import { root } from '../support/svc.ts'

const [a, b] = [idOf(1), idOf(2)] as const
const styles = stylesOf(['yyyy\\-mm\\-dd', '#,##0', '00000', '0', '@', '0.00'])
const heading = `<row r="1">${inline('A1', 'id')}${inline('B1', 'x')}</row>`

/** What is said of a workbook: the ids with their rows, or the refusal. */
async function said(xml: WorkbookXml | Buffer, sheet?: string): Promise<string> {
  const bytes = Buffer.isBuffer(xml) ? xml : workbook({ styles, ...xml })
  try {
    const { items, notes } = await read(bytes, { allowEmpty: false, sheet })
    return items
      .map(({ id, line }) => `${id} ${line}`)
      .concat(notes)
      .join('\n')
  } catch {
    const error = await refusal(read(bytes, { allowEmpty: false, sheet }))
    return ['!', shownText(error), ...(error.details.lines ?? [])].join('\n')
  }
}

/** A sheet with a cell A2 below the heading. */
const cell = (xml: string, more: Partial<SheetXml> = {}): WorkbookXml => ({
  sheets: [{ rows: `${heading}<row r="2">${xml}</row>`, ...more }],
})

describe('a cell below the heading of ids', () => {
  const second = (xml: string) => `${heading}<row r="2">${xml}</row>`
  const noNames = (text: string) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`
  const third = `<row r="3"><c r="A3" t="str"><v>${b}</v></c></row>`
  const shared = `<row r="3"><c r="A3" t="str"><f t="shared" si="0"/><v>${b}</v></c></row>`
  const formula = (attributes: string) =>
    `<c r="A2" t="str"><f t="${attributes}" ref="A2:A3">B2</f><v>${a}</v></c>`

  it.each(
    table(`
      a text                              | ${second(inline('A2', a))}               | ${a} 2
      no cell names                       | ${noNames('id')}${noNames(a)}            | ${a} 2
      a number of 24 digits               | ${second('<c r="A2"><v>640000000000000000000001</v></c>')} | cell A2: "6.4e+23": a number that is not shown as it is
      a whole number                      | ${second('<c r="A2"><v>64</v></c>')}     | cell A2: "64": 2 hexadecimal digits; an id has 24
      a number with a thousands separator | ${second('<c r="A2" s="2"><v>6400</v></c>')}  | cell A2: "6400": a number that is not shown as it is
      a date                              | ${second('<c r="A2" s="1"><v>46082</v></c>')} | cell A2: "2026-03-01": a date or time, not a text
      a formula                           | ${second(`<c r="A2" t="str"><f>B2</f><v>${a}</v></c>`)} | cell A2: "${a}": a formula
      a formula without its value         | ${second('<c r="A2"><f>B2</f></c>')}     | cell A2: "": a formula
      a shared formula                    | ${second(formula('shared" si="0'))}${shared} | cell A3: "${b}": a formula
      a text in the range of a shared one | ${second(`${inline('A2', a)}<c r="B2" t="str"><f t="shared" si="0" ref="A2:B2">C2</f><v>x</v></c>`)} | ${a} 2
      the result of one for several cells | ${second(formula('array'))}${third}      | cell A3: "${b}": a formula
      true                                | ${second('<c r="A2" t="b"><v>1</v></c>')} | cell A2: "TRUE": true or false, not a text
      an error                            | ${second('<c r="A2" t="e"><v>#N/A</v></c>')} | cell A2: "#N/A": an error or a date, not a text
      a hidden row                        | ${heading}<row r="2" hidden="1">${inline('A2', a)}</row> | in a hidden row
      an empty cell                       | ${second(inline('B2', 'x'))}             | cell A2: "": empty`),
  )('%s', async (_, rows, words) => {
    expect(await said({ sheets: [{ rows: rows ?? '' }] })).toContain(words)
  })

  const merge = '<mergeCells><mergeCell ref="A2:B3"/></mergeCells>'
  const hidden = '<cols><col min="1" max="1" hidden="1"/></cols>'
  const rich = `<si><r><t>${a.slice(0, 9)}</t></r><r><rPr><b/></rPr><t>${a.slice(9)}</t></r></si>`
  const sharedText = (n: number, ...texts: string[]) => ({
    ...cell(`<c r="A2" t="s"><v>${n}</v></c>`),
    texts,
  })
  test.each<[string, WorkbookXml, string]>([
    ['a shared text', sharedText(1, '<si/>', `<si><t>${a}</t></si>`), `${a} 2`],
    ['rich text', sharedText(0, rich), `${a} 2`],
    [
      'no such text',
      sharedText(7, '<si><t>x</t></si>'),
      'xl/worksheets/sheet0.xml: "7" is not a number up to 0',
    ],
    ['merged cells', cell(inline('A2', a), { after: merge }), `cell A2: "${a}": in merged cells`],
    ['a hidden column', cell(inline('A2', a), { before: hidden }), 'in a hidden column; show the'],
    [
      'a width of 0 for all',
      cell(inline('A2', a), { before: '<sheetFormatPr defaultColWidth="0"/>' }),
      'in a hidden column; show the',
    ],
    ['columns after the rows', cell(inline('A2', a), { after: hidden }), 'in a hidden column'],
    ...(
      [
        ['heights after the rows', { after: '<sheetFormatPr/>' }, 'describes its rows after them'],
        ['rows hidden by default', { before: '<sheetFormatPr zeroHeight="1"/>' }, 'hides its rows'],
        [
          'an own element around cells',
          { before: `<o:x xmlns:o="o"><sheetData>${heading}</sheetData></o:x>` },
          'has an unexpected element "sheetData"',
        ],
        [
          'rows in two places',
          { after: `<sheetData><row r="3">${inline('A3', b)}</row></sheetData>` },
          'has an unexpected element "sheetData"',
        ],
        [
          'one around merges, deeper',
          { after: '<o:x xmlns:o="o"><b><mergeCells/></b></o:x>' },
          'has an unexpected element "mergeCells"',
        ],
        [
          'others around what does not matter',
          { after: '<o:x xmlns:o="o"><o:y><controls/></o:y></o:x>' },
          a,
        ],
      ] as const
    ).map(([name, more, words]): [string, WorkbookXml, string] => [
      name,
      cell(inline('A2', a), more),
      words,
    ]),
    [
      'a text of its own in a cell of another type',
      cell(`<c r="A2" t="str"><is><t>${a}</t></is></c>`),
      'a cell has two values, or one of another type',
    ],
    [
      'a newer code of a format',
      {
        ...cell(`<c r="A2" s="1" t="inlineStr"><is><t>${a}</t></is></c>`),
        styles: stylesOf(['0']).replace('<numFmt ', '<numFmt xmlns:n="n" n:formatCode16=";;;" '),
      },
      'a text whose format may show another one',
    ],
    [
      'a heading that its format hides',
      {
        sheets: [
          {
            rows: `<row r="1"><c r="A1" s="1" t="inlineStr"><is><t>id</t></is></c></row><row r="2">${inline('A2', a)}${inline('B2', 'x')}</row>`,
          },
        ],
        styles: stylesOf([';;;']),
      },
      'the heading A1 of standard input is a text whose format may show another one',
    ],
    [
      'a heading under a usual format of a column, and a formula above another',
      {
        sheets: [
          {
            rows: `<row r="1"><c r="A1" s="1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="str"><f>A1</f><v>x</v></c></row><row r="2">${inline('A2', a)}</row>`,
          },
        ],
        styles: stylesOf(['_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-']),
      },
      `${a} 2`,
    ],
    ['days from 1904', { ...cell(inline('A2', a)), is1904: true }, 'days are counted from 1904'],
  ])('%s', async (_, xml, words) => {
    expect(await said(xml)).toContain(words)
  })

  it('--where looks at texts and whole numbers that are shown as they are', async () => {
    const row = (line: number, xml: string): string =>
      `<row r="${line}">${inline(`A${line}`, idOf(line))}${xml}</row>`
    const rows = `${heading}${row(2, '<c r="B2"><v>491712345678</v></c>')}${row(3, inline('B3', '491712345678'))}${row(4, '<c r="B4" s="4"><v>7</v></c>')}`
    const ids = await idsOf(workbook({ sheets: [{ rows }], styles }), {
      where: ['x=491712345678'],
    })
    expect(ids).toEqual([idOf(2), idOf(3)])
    const dates = workbook({
      sheets: [{ rows: `${rows}${row(5, '<c r="B5" s="1"><v>46082</v></c>')}` }],
      styles,
    })
    const { details } = await refusal(read(dates, { where: ['x=7'] }))
    expect(details.lines).toEqual(['cell B5: "2026-03-01": a date or time, not a text'])
  })
})

describe('sheets', () => {
  const ids = rowsOf(['id'], [a])
  const other = rowsOf(['Name'], ['x'])
  const kinds: Readonly<Record<string, Partial<SheetXml>>> = {
    ...{ empty: {}, ids: { rows: ids }, other: { rows: other } },
    ...{ hidden: { rows: ids, state: 'hidden' }, deep: { rows: ids, state: 'veryHidden' } },
  }
  /** Sheets, the one that is named, and what is said. */
  it.each(
    table(`
      the only one with content           | A empty, B ids    |   | ${a} 2
      the one with the column is proposed | A other, B_b ids  |   | name one with --sheet: "A", "B b"
      several without one                 | A other, B other  |   | name one with --sheet: "A", "B"
      the named one, in any letter case   | A other, Ü ids    | ü | ${a} 2
      an exact name before another look   | a ids, A other    | a | ${a} 2
      a look that two names have          | a ids, A other    | ａ | has no single sheet
      an unknown one                      | A ids             | B | has no single sheet "B"; name one with --sheet: "A"
      a hidden one is not read            | A ids, B hidden   |   | ${a} 2
      only a hidden one                   | A deep            |   | no single visible sheet with content; name one with --sheet: "A"
      a hidden one that is named          | A hidden          | A | ${a} 2
      none with content                   | A empty           |   | standard input has no ids`),
  )('%s', async (_, names = '', sheet, words = '') => {
    const sheets = names.split(', ').map((each): SheetXml => {
      const [name = '', kind = ''] = each.split(' ')
      return { name: name.replace('_', ' '), ...kinds[kind] }
    })
    const told = await said({ sheets }, sheet === '' ? undefined : sheet)
    for (const part of words.split('; ')) expect(told).toContain(part)
  })
})

describe('archives', () => {
  const xml = cell(inline('A2', a))
  const good = workbook(xml)
  const flipped = Buffer.from(good)
  const inSheet = flipped.indexOf('sheet0.xml') + 60
  flipped[inSheet] = 255 - (flipped[inSheet] ?? 0)
  test.each<[string, Buffer, string]>([
    ['sizes behind the parts', zip(workbookParts(xml), { hasDataDescriptors: true }), `${a} 2`],
    ['cut off', good.subarray(0, good.length - 100), 'no .xlsx workbook, or a damaged one'],
    ['a damaged byte', flipped, 'no .xlsx workbook, or a damaged one'],
    [
      'a part that is missing',
      zip({ ...workbookParts(xml), 'xl/worksheets/sheet0.xml': '' }),
      'no .xlsx workbook, or a damaged one',
    ],
    ['another archive', zip({ 'a.txt': 'x' }), 'no .xlsx workbook, or a damaged one'],
  ])('%s', async (_, bytes, words) => {
    expect(await said(bytes)).toContain(words)
  })

  test('the XML of other programs: prefixes, strict namespaces, other places, comments, pieces of texts', async () => {
    const office = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
    const spaces = `xmlns:x='http://purl.oclc.org/ooxml/spreadsheetml/main' xmlns:r='${office}'`
    const links = (...all: [kind: string, target: string][]) =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
        .map(([kind, to]) => `<Relationship Id="${kind}" Type="${office}/${kind}" Target="${to}"/>`)
        .join('')}</Relationships>`
    const sound = '<x:rPh sb="0" eb="1"><x:t>ff</x:t></x:rPh>'
    const bytes = zip({
      '_rels/.rels': links(['officeDocument', '/deep/Book.xml']),
      'deep/Book.xml': `\ufeff<x:workbook ${spaces}><x:sheets><x:sheet name='S' sheetId='1' r:id='worksheet'/></x:sheets></x:workbook>`,
      'deep/_rels/Book.xml.rels': links(
        ['worksheet', '../other/sheet%201.xml'],
        ['theme', 'theme.xml'],
        ['sharedStrings', '/deep/texts.xml'],
      ),
      'other/sheet 1.xml': `<?xml version="1.0"?>\n<x:worksheet ${spaces}> <x:sheetFormatPr defaultRowHeight="15"/><x:sheetData><!-- <c r="A1"/> --><x:row\n r = '1'><x:c t='s'><x:v> 0\n</x:v></x:c></x:row><?x y?><x:row r="4"><x:c r="A4" t="s"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
      'deep/texts.xml': `<x:sst ${spaces}><x:si><x:t>id</x:t></x:si><x:si><x:r><x:rPr><x:b/></x:rPr><x:t><![CDATA[64]]>_x0066_</x:t></x:r><x:r><x:t>&#x30;${a.slice(4)}</x:t></x:r>${sound}</x:si></x:sst>`,
      'xl/worksheets/sheet9.xml': 'a part that nothing refers to',
    })
    expect(await said(bytes)).toBe(`${a} 4`)
  })

  test('a password', async () => {
    const bytes = readFileSync(join(root, 'test/input/fixtures/encrypted.xlsx'))
    expect(await said(bytes)).toContain(
      'save it as csv in UTF-8, or a workbook as .xlsx without a password',
    )
  })
})

describe('files that LibreOffice wrote', () => {
  const bytesOf = (name: string): Buffer =>
    readFileSync(join(root, 'test/input/fixtures', `${name}.xlsx`))
  const c = '640005edd5aad2927b000029'

  test('umlauts, Chinese names, dates and a formula beside the ids', async () => {
    const { rows } = await readWorkbook('it', bytesOf('customers'), undefined)
    expect(rows.slice(2, 4).map(({ cells }) => cells)).toEqual([
      ['Anna Müller', '6400057ed5aad2927b000026', '2026-03-01', '7', '14'],
      ['王小明', '640005a3d5aad2927b000027', '2025-12-31', '12', '24'],
    ])
  })

  test('ids that look like numbers, formulas, days and hidden rows', async () => {
    const { details } = await refusal(read(bytesOf('ruined')))
    const told = details.lines?.map((line) => {
      const [, cell, what] = /cell (\w+).*: (?:in )?(an? \w+|\w+)/.exec(line) ?? []
      return `${cell} ${what}`
    })
    expect(told?.join(', ')).toBe(
      'B3 a spreadsheet, B4 a spreadsheet, B5 a formula, B6 a date, B7 a hidden, B8 a hidden, B9 empty',
    )
  })

  test('several sheets, one of them empty and one hidden', async () => {
    expect(await said(bytesOf('sheets'))).toContain('no single visible sheet with content')
    expect(await said(bytesOf('sheets'), 'Alt')).toBe(`${c} 2`)
  })
})
