/** Workbooks: which sheet is read, which cells count, and what is said of all others. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readWorkbook } from '../../src/workbook/workbook.ts'
import { workbookOf } from '../../src/workbook/writer.ts'
import { idOf, read, refusal } from '../support/inputs.ts'
import {
  inline,
  rowsOf,
  workbook,
  workbookParts,
  type SheetXml,
  type WorkbookXml,
} from '../support/workbooks.ts'
import { zip } from '../support/zip.ts'
import { shownText } from '../support/shown-text.ts'
import { root } from '../support/svc.ts'
import { table } from '../support/table.ts'

const a = idOf(1)
const fixture = (name: string) => readFileSync(join(root, 'test/input/fixtures', `${name}.xlsx`))
const heading = `<row r="1">${inline('A1', 'id')}${inline('B1', 'x')}</row>`

/** What is said of a workbook: the ids with their rows and the notes, or the refusal. */
async function said(xml: WorkbookXml | Buffer, sheet?: string): Promise<string> {
  const bytes = Buffer.isBuffer(xml) ? xml : workbook(xml)
  try {
    const { items } = await read(bytes, { sheet })
    return items.map(({ id, line }) => `${id} ${line}`).join('\n')
  } catch {
    return shownText(await refusal(read(bytes, { sheet })))
  }
}

/** A sheet with these rows below the heading. */
const below = (rows: string, more: Partial<SheetXml> = {}): WorkbookXml => ({
  sheets: [{ rows: heading + rows, ...more }],
})
const second = (cells: string, attributes = '') => `<row r="2" ${attributes}>${cells}</row>`
const unnamed = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`

const cells: [name: string, cell: string, text: string, counts?: boolean][] = [
  ['a text', inline('A2', a), a],
  ['a text in pieces', `<c r="A2" t="inlineStr"><is><r><t>6</t></r><r><t>4</t></r></is></c>`, '64'],
  ['an escape', '<c r="A2" t="str"><v>_x0066_</v></c>', 'f'],
  ['a whole number', '<c r="A2"><v>64</v></c>', '64'],
  ['one with zeros behind the point', '<c r="A2" s="2"><v>491712345678</v></c>', '491712345678'],
  ['one of five digits or more', '<c r="A2" s="3"><v>46082</v></c>', '46082'],
  ['one that is shown with zeros in front', '<c r="A2" s="3"><v>82</v></c>', '00082', false],
  ['a formula with zeros in front', '<c r="A2" s="3"><f>B2</f><v>82</v></c>', '00082', false],
  ['a percentage', '<c r="A2" s="4"><v>0.05</v></c>', '0.05 (0%)', false],
  ['one with the code of a country', '<c r="A2" s="5"><v>171</v></c>', '171 ("+49"0)', false],
  ['a text under a format', '<c r="A2" s="5" t="str"><v>64</v></c>', '64'],
  ['one with an exponent', '<c r="A2"><v>12e3</v></c>', '12000'],
  ['a negative one', '<c r="A2"><v>-7.0</v></c>', '-7'],
  ['the largest', `<c r="A2"><v>${2 ** 53 - 1}</v></c>`, '9007199254740991'],
  ['a larger one', `<c r="A2"><v>${2 ** 53}</v></c>`, '9007199254740992', false],
  ['an id that was rounded', '<c r="A2"><v>6.4E+23</v></c>', '6.4E+23', false],
  ['a fraction', '<c r="A2"><v>1.5</v></c>', '1.5', false],
  ['a date', '<c r="A2" s="1"><v>46082</v></c>', '2026-03-01', false],
  ['a date with a time', '<c r="A2" s="1"><v>46082.5</v></c>', '2026-03-01T12:00:00', false],
  ['a formula', `<c r="A2" t="str"><f>B2</f><v>${a}</v></c>`, a, false],
  ['a formula with a date', '<c r="A2" s="1"><f>B2</f><v>46082</v></c>', '2026-03-01', false],
  ['a formula without its value', '<c r="A2"><f>B2</f></c>', '', false],
  ['true', '<c r="A2" t="b"><v>1</v></c>', 'TRUE', false],
  ['a date as ISO', '<c r="A2" t="d"><v>2026-03-01</v></c>', '2026-03-01', false],
  ['an error', '<c r="A2" t="e"><v>#N/A</v></c>', '#N/A', false],
]
/** Strings that the workbook does not have. */
const missing = ['9', '-1', '0.5', 'x'].map((text) => `<c r="A2" t="s"><v>${text}</v></c>`)

test.each(cells)('the cell A2 is %s', async (_, cell, text, counts = true) => {
  const ids = [0, 14, 2, 170, 9, 171].map((id) => `<xf numFmtId="${id}"/>`)
  const codes = ['00000', '&quot;+49&quot;0'].map(
    (code, n) => `<numFmt numFmtId="${170 + n}" formatCode="${code}"/>`,
  )
  const styles = `<numFmts>${codes.join('')}</numFmts><cellXfs>${ids.join('')}</cellXfs>`
  const xml = { ...below(second(cell)), styles }
  const rows = await readWorkbook('it', workbook(xml), { fits: () => true, hide: String })
  expect(rows[1]?.cells[0] ?? '').toBe(text)
  const reason =
    'a formula, a date, or a number that is not whole or is shown in another form; paste a formula as its value, and export a number again, as text'
  expect(rows[1]?.reasons?.[0]).toBe(counts ? undefined : reason)
  expect(await said(xml)).toContain(counts ? text : `cell A2: "${text}": `)
})

test.each(missing)('a text that is not there is a bad cell: %s', async (cell) => {
  const told = 'cell A2: "": a reference to text that is missing from the workbook'
  expect(await said({ ...below(second(cell)), texts: ['<si><t>x</t></si>'] })).toContain(told)
  const beside = second(good + cell.replace('A2', 'B2'))
  expect(await said({ ...below(beside), texts: ['<si><t>x</t></si>'] })).toBe(`${a} 2`)
})

/** What a cell with 46082 becomes, and formats as codes or as the ids of those without a definition. */
test.each([
  [
    'the number',
    String.raw`0-8 | 12-13 | 23-26 | 37-44 | 49-49 | 81-81 | General | GENERAL | 0 | @ | 00000 | #,##0
      | # ?/? | 0" days" | [<=9999999]###\-####;\(###\)\ ###\-#### | [$-407]0 | "Tel. "0 | [Red]0 | \d0
      | _-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_- | #,##0 [$р.-419] | 0_d | 0;;; | 0.00 | #
      | #,##0.00\ [$€-407];[Red]\-#,##0.00\ [$€-407] | [Color10]0 | _0# | [>=100]0;0 | ??0 | General" days"`,
  ],
  [
    'a date',
    String.raw`14-22 | 27-36 | 45-47 | 50-58 | yyyy\-mm\-dd | dd.mm.yyyy | [h]:mm | mmm
      | [$-409]d-mmm-yy | h:mm AM/PM | D/M/Y | [DBNum1][$-804]yyyy"年"m"月" | ;;;yyyy`,
  ],
  [
    'other digits',
    String.raw`9-11 | 48-48 | 0% | 0.00E+00 | ;;; | ;;;@ | "x" | \+0 | "+"0 | +0 | "+49 "0 | \4\90 | 490
      | "00"0 | 0"49" | [$+49]0 | [$49-407]0 | *0# | 0, | #,##0,, | 0,"k" | [<1000]0;0,"k" | 0\% | "%"0
      | [DBNum1]0 | [DBNum2][$-804]General | "[5]"0 | # ??/16 | [=1]"yes";0 | [>9]0;00000 | 0;"49"0 | 0E-0`,
  ],
  ['zeros in front', String.raw`000000 | 000000.00 | 000-000 | 000000;\-0 | 00"-"0000`],
])('formats that show %s', async (kind, listed) => {
  const formats = listed.split(/\s*\|\s*/).flatMap((format): (string | number)[] => {
    const [, from, to] = /^(\d\d?)-(\d\d?)$/.exec(format) ?? []
    if (from === undefined) return [format]
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => Number(from) + n)
  })
  const idOfFormat = (format: string | number, n: number) =>
    typeof format === 'number' ? format : 200 + n
  const escaped = (format: string) => format.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const codes = formats.map((format, n) =>
    typeof format === 'number'
      ? ''
      : `<numFmt numFmtId="${200 + n}" formatCode="${escaped(format)}"/>`,
  )
  const xfs = formats.map((format, n) => `<xf numFmtId="${idOfFormat(format, n)}"/>`)
  const styles = `<numFmts>${codes.join('')}</numFmts><cellXfs>${xfs.join('')}</cellXfs>`
  const rows = formats.map((_, n) => `<row><c s="${n}"><v>46082</v></c></row>`).join('')
  const bytes = workbook({ sheets: [{ rows }], styles })
  const found = await readWorkbook('it', bytes, { fits: () => true, hide: String })
  const kinds: Readonly<Record<string, string>> = {
    '46082 true': 'the number',
    '2026-03-01 false': 'a date',
    '046082 false': 'zeros in front',
  }
  const said = found.map(({ cells, reasons }, n) => {
    const shown = `${cells[0]} ${reasons?.[0] === undefined}`
    return [formats[n], kinds[shown] ?? (shown.startsWith('46082 (') ? 'other digits' : shown)]
  })
  expect(said).toEqual(formats.map((format) => [format, kind]))
})

test('a format of many brackets is looked at once, however many styles have it', async () => {
  const code = '['.repeat(1000)
  const xfs = '<xf numFmtId="170"/>'.repeat(1000)
  const styles = `<numFmts><numFmt numFmtId="170" formatCode="${code}"/></numFmts><cellXfs>${xfs}</cellXfs>`
  const replace = vi.spyOn(String.prototype, 'replace')
  await readWorkbook('it', workbook({ ...below(second(good)), styles }), {
    fits: () => true,
    hide: String,
  })
  const looks = replace.mock.contexts.filter((text) => String(text) === code)
  replace.mockRestore()
  expect(looks.length).toBeLessThan(4)
})

const hidden = 'has content in hidden rows or columns: unhide or delete them'
const merged = 'has merged cells: unmerge them'
const columns = (...all: string[]) =>
  `<cols>${all.map((attributes) => `<col ${attributes}/>`).join('')}</cols>`
const format = (attributes: string) => `<sheetFormatPr ${attributes}/>`
const good = inline('A2', a)
const row = second(good)
const toTheEnd = columns(
  'min="3" max="16384" hidden="true"',
  'min="1" max="2" width="9" hidden="0"',
)
const merging = (cells: string) => `<mergeCells><mergeCell ref="${cells}"/></mergeCells>`
const foreign = '<o:row xmlns:o="o" hidden="1"><o:c t="str"><o:v>x</o:v></o:c></o:row>'

/** The rows below the heading, XML before and after them, and what is said. */
test.each(
  table(`
  no names of cells           | <row>${unnamed(a)}</row>                | | | ${a} 2
  rows without a number       | <row r="4"/><row>${unnamed(a)}</row>    | | | ${a} 5
  a hidden row                | ${second(good, 'hidden="1"')}           | | | ${hidden}
  a row of no height          | ${second(good, 'ht="0"')}               | | | ${hidden}
  a hidden row without cells  | ${row}<row r="3" hidden="true"/>        | | | ${a} 2
  hidden rows without cells   | ${row} | ${format('zeroHeight="1"')}        | | ${a} 2
  rows of no height           | ${row} | ${format('defaultRowHeight="0"')}  | | ${hidden}
  columns of no width         | ${row} | ${format('defaultColWidth="0"')}   | | ${hidden}
  a hidden column             | ${row} | ${columns('min="2" max="2" hidden="1"')} | | ${hidden}
  a column of no width        | ${row} | ${columns('min="1" max="9" width="0"')}  | | ${hidden}
  columns behind the rows     | ${row} | | ${columns('min="1" max="1" hidden="1"')} | ${hidden}
  hidden columns without cells | ${row} | ${toTheEnd}                      | | ${a} 2
  merged cells                | ${row} | | ${merging('A2:B2')}              | ${merged}
  elements of others          | ${row} | | ${foreign}                       | ${a} 2
  a row of an extension       | ${row} | | <extLst><ext><x><row r="9" hidden="1">${unnamed(a)}</row></x></ext></extLst> | ${a} 2
  a bad id                    | ${second(inline('A2', 'x'))}            | | | cell A2: "x": not an id
  no id, but others           | ${row}<row r="3">${inline('B3', 'x')}</row> | | | ${a} 2
  a formula that is not read  | ${second(`${good}<c r="B2" t="str"><f>A2</f><v>x</v></c>`)} | | | ${a} 2
  a cell that begins with "#" | ${second(`${good}${inline('B2', '#')}`)} | | | ${a} 2
  a row twice                 | ${row}${row}  | | | cannot be read as a workbook: it is damaged
  a row too far               | <row r="4294967295">${unnamed(a)}</row> | | | it is damaged
  a column too far            | ${second(inline('ZZZZZ2', a))}          | | | it is damaged
  a last column too far       | ${second(inline('AAAA2', a))}           | | | it is damaged
  a cell of another row       | ${second(inline('A3', a))}              | | | it is damaged
  a cell twice                | ${second(good + good)}                  | | | it is damaged`),
)('%s', async (_, rows = '', before = '', after = '', words) => {
  expect(await said(below(rows, { before, after }))).toContain(words)
})

test('of many sheets with content, the first twenty are read', async () => {
  const fits = vi.fn<(row: string[]) => boolean>(() => false)
  const sheets = Array.from({ length: 100 }, () => ({ rows: rowsOf(['x'], ['y']) }))
  const read = readWorkbook('it', workbook({ sheets }), { fits, hide: String })
  await expect(read).rejects.toThrow('it cannot be used as it is')
  expect(fits).toHaveBeenCalledTimes(2 * 20)
})

test('one error names all that is wrong', async () => {
  const title = `<row r="1">${inline('A1', 'Report')}</row>`
  const rows = `${title}<row r="3" hidden="1">${inline('A3', 'id')}</row>`
  const first = { name: 'First', rows, after: merging('A1:B1') }
  const told = await said({ sheets: [first, { name: 'Second', rows: rowsOf(['id'], [a]) }] })
  expect(told.split('\n')).toEqual([
    'standard input cannot be used as it is',
    '  several sheets with content; choose one with --sheet: "First", "Second"',
    `  sheet "First" ${hidden}`,
    `  sheet "First" ${merged}`,
    '  sheet "First" has its header row in row 3: delete the rows above it',
  ])
})

test('days that are counted from 1904 are refused', async () => {
  expect(await said({ ...below(row), is1904: true })).toContain('it uses the 1904 date system')
})

const ids = rowsOf(['id'], [a])
const kinds: Readonly<Record<string, Partial<SheetXml>>> = {
  ...{ empty: {}, ids: { rows: ids }, other: { rows: rowsOf(['Name'], ['x']) } },
  ...{ hidden: { rows: ids, state: 'hidden' }, deep: { rows: ids, state: 'veryHidden' } },
}
test.each(
  table(`
    the only one with content     | A empty, B ids  |   | ${a} 2
    several                       | A other, B ids  |   | several sheets with content; choose one with --sheet: "A", "B"
    the named one                 | A other, B ids  | B | ${a} 2
    an unknown one                | A ids           | B | no matching sheet with content; choose one with --sheet: "A"
    a hidden one beside it        | A ids, B hidden |   | ${a} 2
    only a hidden one             | A deep          |   | choose one with --sheet: "A"
    a hidden one that is named    | A hidden        | A | ${a} 2
    none with content             | A empty         |   | no matching sheet with content
    a named one without content   | A empty         | A | no matching sheet with content`),
)('sheets: %s', async (_, names = '', sheet, words) => {
  const sheets = names.split(', ').map((each): SheetXml => {
    const [name = '', kind = ''] = each.split(' ')
    return { name, ...kinds[kind] }
  })
  expect(await said({ sheets }, sheet || undefined)).toContain(words)
})

const transitional = /schemas\.openxmlformats\.org\/(spreadsheetml|officeDocument)\/2006/g
const strict = 'purl.oclc.org/ooxml/$1'

/** Ways in which programs write the same workbook, as changes of its parts. */
test.each<[name: string, change: (xml: string) => string]>([
  ['the namespaces of the strict standard', (xml) => xml.replaceAll(transitional, strict)],
  [
    'elements with a prefix',
    (xml) => xml.replace(/<(\/?)(?=[a-z])/gi, '<$1x:').replaceAll('xmlns="', 'xmlns:x="'),
  ],
  ['another prefix of ids', (xml) => xml.replace(/\br:id/g, 'q:id').replace('xmlns:r', 'xmlns:q')],
  ['targets from the root', (xml) => xml.replaceAll('"worksheets/', '"/xl/work%73heets/')],
  ['targets from above', (xml) => xml.replaceAll('"worksheets/', '"../xl/worksheets/')],
  [
    'a chart beside the sheet',
    (xml) => xml.replace(/worksheet(?=" Target="[a-z]*\/sheet1)/, 'chartsheet'),
  ],
  ['CDATA', (xml) => xml.replace(/<t>(.*?)<\/t>/g, '<t><![CDATA[$1]]></t>')],
  ['entities', (xml) => xml.replaceAll('<t>6', '<t>&#54;')],
  [
    'texts in pieces, with a pronunciation',
    (xml) =>
      xml.replace(/<t>64(.*?)<\/t>/g, '<r><rPr/><t>64</t></r><r><t>$1</t></r><rPh><t>f</t></rPh>'),
  ],
])('%s', async (_, change) => {
  const shared = '<row r="3"><c r="A3" t="s"><v> 1\n</v></c></row>'
  const texts = ['<si><t>x</t></si>', `<si><t>${idOf(2)}</t></si>`]
  const sheets = [{ rows: heading + second(good) + shared }, {}]
  const parts = Object.entries(workbookParts({ sheets, texts }))
  const changed = parts.map(([path, xml]) => [path, change(xml)])
  expect(parts).not.toEqual(changed)
  expect(await said(zip(Object.fromEntries(changed)))).toBe(`${a} 2\n${idOf(2)} 3`)
})

const xml = below(second(good))
const bytes = workbook(xml)
const flipped = Buffer.from(bytes)
const inSheet = flipped.indexOf('sheet0.xml') + 60
flipped[inSheet] = 255 - (flipped[inSheet] ?? 0)
const twice = zip({ ...workbookParts(xml), 'xl/worksheets/sheet1.xml': 'x' })
twice.forEach((_, at) => {
  if (twice.toString('latin1', at, at + 10) === 'sheet1.xml') twice.write('sheet0.xml', at)
})
/** How a workbook with a password begins: it is no zip. */
const compound = Buffer.from('d0cf11e0a1b11ae1'.padEnd(1024, '0'), 'hex')
const withPart = (part: object) => zip({ ...workbookParts(xml), ...part })
test.each<[string, Buffer, string]>([
  ['sizes behind the parts', zip(workbookParts(xml), { hasDataDescriptors: true }), `${a} 2`],
  ['cut off', bytes.subarray(0, bytes.length - 100), 'cannot be read as a workbook'],
  ['a damaged byte', flipped, 'cannot be read as a workbook'],
  ['a part twice', twice, 'cannot be read as a workbook: it is damaged'],
  ['an empty part', withPart({ 'xl/worksheets/sheet0.xml': '' }), 'cannot be read as a workbook'],
  ['no part of a sheet', withPart({ 'xl/_rels/workbook.xml.rels': '<x/>' }), 'it is damaged'],
  ['another archive', zip({ 'a.txt': 'x' }), 'it is another kind of zip archive'],
  ['a password', compound, 'as .xlsx without a password'],
])('archives: %s', async (_, archive, words) => {
  expect(await said(archive)).toContain(words)
})

test('any word is read as it was written, in headings and in cells', async () => {
  const words = [
    ...Object.getOwnPropertyNames(Object.prototype),
    ...['_x0041_', ' a ', '=1', "'=1", '<a&b>', '#', 'a\nb', '王'],
  ]
  const bytes = await workbookOf(words, [words, words.toReversed()])
  const options = { sheet: undefined, fits: () => true, hide: String }
  const sheet = await readWorkbook('x', bytes, options)
  expect(sheet.map(({ cells }) => cells)).toEqual([words, words, words.toReversed()])
})

test('umlauts, dates and a formula that LibreOffice wrote', async () => {
  const rows = await readWorkbook('it', fixture('customers'), { fits: () => true, hide: String })
  expect(rows.slice(2, 4).map((row) => row.cells)).toEqual([
    ['Anna Müller', '6400057ed5aad2927b000026', '2026-03-01', '7', '14'],
    ['王小明', '640005a3d5aad2927b000027', '2025-12-31', '12', '24'],
  ])
})
