/** Cells that decide something else than an id: a name, MATCH, DECISION, a phone number, a value of `--where`. */
import type { CellUse } from '../../src/workbook/cells.ts'
import type { Crafted } from './crafted.ts'
import {
  inline,
  main,
  office,
  packageSpace,
  stylesOf,
  workbook,
  type WorkbookXml,
} from '../input/workbooks.ts'

const headings: Readonly<Record<string, CellUse>> = {
  Name: 'word',
  MATCH: 'word',
  DECISION: 'word',
  Phone: 'phone',
  State: 'value',
}

/** By use: the text that is read, or words of the reason. One verdict: for all. */
type Verdicts = string | Readonly<Partial<Record<CellUse | 'others', string>>>

type More = Omit<WorkbookXml, 'sheets'> & { after?: string; row?: string }

/** `cell`: content of B2. `more`: the format of style 1, or what stands around it. */
type Variant = readonly [name: string, cell: string, verdict: Verdicts, more?: string | More]

const number = (value: string, more = 's="1"'): string => `<c r="B2" ${more}><v>${value}</v></c>`
const bare = (value: string): string => number(value, '')
const text = (value: string, more = ''): string =>
  `<c r="B2" ${more} t="inlineStr"><is><t>${value}</t></is></c>`
const merge = text('merge')
const yes = (value: string, more = ''): string => `<c r="B2" ${more} t="b"><v>${value}</v></c>`
const truth = (value: string): Verdicts => ({ value, others: 'true or false' })
const date = (value: string): Verdicts => ({ value, others: 'a date' })
const notWhole = date('a day with a time')
const plain = 'is not plain'

const styles = (format: string, inside: string): string =>
  stylesOf([format], `<dxfs count="1"><dxf>${inside}</dxf></dxfs>`)
const formatted = '<numFmt numFmtId="165" formatCode="&quot;x&quot;"/>'
const conditional = (ref: string, inside = formatted, id = '0'): More => ({
  styles: styles('0', inside),
  after: `<conditionalFormatting sqref="${ref}"><cfRule type="expression" dxfId="${id}" priority="1"><formula>TRUE</formula></cfRule></conditionalFormatting>`,
})
const extended = `<extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}"><x14:conditionalFormattings xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:conditionalFormatting><x14:cfRule><x14:dxf>${formatted}</x14:dxf></x14:cfRule></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>`
const pivot = (ref: string): More => ({
  parts: {
    'xl/worksheets/_rels/sheet0.xml.rels': `<Relationships xmlns="${packageSpace}"><Relationship Id="r1" Type="${office}/pivotTable" Target="../pivotTables/one.xml"/></Relationships>`,
    'xl/pivotTables/one.xml': `<pivotTableDefinition xmlns="${main}" name="P" cacheId="1"><location ref="${ref}" firstHeaderRow="1" firstDataRow="1" firstDataCol="0"/></pivotTableDefinition>`,
  },
})
const covers = (ref: string): More => ({
  after: `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`,
})
const runs = '<r><t>王</t></r><r><t>小</t></r><rPh sb="0" eb="1"><t>wang</t></rPh>'

const american = '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####'
const phones: [format: string, value: string, shown: string][] = [
  [american, '5551234567', '(555) 123-4567'],
  [american, '5551234', '555-1234'],
  [american, '15551234567', '(1555) 123-4567'],
  ['"+"0', '4915112345678', '+4915112345678'],
  ['+0', '4915112345678', '+4915112345678'],
  ['00\\ 00\\ 00\\ 00\\ 00', '612345678', '06 12 34 56 78'],
  ['000"."000"."0000', '5551234567', '555.123.4567'],
  ['0000"/"000000', '30123456', '0030/123456'],
  ['\\(###\\)\\ 0000\\-0000', '11187654321', '(111) 8765-4321'],
  ['000 000 0000', '5551234567', '555 123 4567'],
  ['###-###-####', '5551234567', '555-123-4567'],
]
const ofPhones = (shown: string): Verdicts => ({
  phone: `read ${shown}`,
  others: 'in a format that is not plain',
})
const odd =
  '0.00|0%|0.00E+00|"x"0|0"0"|"1"0|0;;;|;;;|0,|0/0|0.000|[$€]0|0_x|0*x|[<9]0;[>9]0|[=5551234567]"1";0|0;0;0|[Red]0|\\(0##\\)\\ ####\\-####|00#|###\\ ###\\ ###\\ ###|000.0000.000|000/000\\ 0000|000\\/0000000|_W0|0*x0|[$€-407]0|0;0'
const oddDays =
  `dd\\.mm\\.yyyy "days"|mmm|"merge"dd.mm.yyyy|[>9]"merge";yyyy-mm-dd|yy-mm-dd|yyyy-dd-mm|` +
  `d-mmm-yyyy|e-mm-dd|[$-1070000]yyyy-mm-dd|yyyy-mm|yyyy-mm-dd_W|yyyy-mm-dd;yyyy|` +
  `[$-F800]yyyy-mm-dd`
const goodDays = `[$-407]dd\\.mm\\.yyyy|yyyy-mm-dd|YYYY-MM-DD|yyyy"-"mm"-"dd|d/m/yyyy;@|mm/dd/yyyy hh:mm:ss`
/** Formats of one section, in which every program shows a text as it is. */
const shown = `#,##0.00 "€"|+0|(###) ###-####|0.00E+00|[Red]0|_-0|"x"0|${american}|${american};@`
const hiding = `;;;|;;;"merge"|"merge"@|;;\\;|0;0;0*""@;"merge"|@_W_W|[Red]@|\\;@|0_;@|*;@`

const conditioned = 'has a conditional format that shows numbers in another way'

const builtIn = (id: number) => ({
  styles: stylesOf(['x']).replace('xf numFmtId="164"', `xf numFmtId="${id}"`),
})

/** The same cell in each of these formats, which `|` separates. */
const inEach = (what: string, cell: string, verdict: Verdicts, formats: string): Variant[] =>
  formats.split('|').map((format) => [`${what} in ${format}`, cell, verdict, format])
const inBuiltIn = (verdict: Verdicts, ids: readonly number[]): Variant[] =>
  ids.map((id) => [`in built-in format ${id}`, number('5'), verdict, builtIn(id)])

const variants: readonly Variant[] = [
  ['a text', merge, 'read merge'],
  ['a text in a style', text('merge', 's="1"'), 'read merge', '0.00'],
  ['a text with escapes that it needs', text('a_x000D_b_x005F_x000D_'), 'read a\rb_x000D_'],
  ['a shared text in runs', '<c r="B2" t="s"><v>0</v></c>', 'read 王小', { texts: [runs] }],
  ['a number', bare('4915112345678'), 'read 4915112345678'],
  ['a number of 15 digits', bare('123456789012345'), 'read 123456789012345'],
  ['a number of 16 digits', bare('1234567890123456'), 'more than 15 digits'],
  ['a number in another spelling', bare('4.915112345678E12'), 'read 4915112345678'],
  ['a number too large', bare('5.07E+23'), plain],
  ['a number that is none', bare('0x10'), plain],
  ['a number with a blank', bare(' 5'), plain],
  ['a number as text', number('5551234567'), 'read 5551234567', '@'],
  ['a whole number', number('5551234567'), 'read 5551234567', '0'],
  ['a whole number with zeros', number('1234'), 'read 01234', '00000'],
  ['a whole number with groups', number('12345'), 'read 12345', '#,##0'],
  ['a whole number with zeros before it', number('123'), 'read 00123', '00000;@'],
  ['a part of a whole number', number('1.6'), 'no whole number', '0'],
  ['a number with decimals', bare('1.6'), 'no whole number'],
  ['a negative number', bare('-5'), 'read -5'],
  ...phones.flatMap(([format, value, shown]) =>
    inEach(value, number(value), ofPhones(shown), format),
  ),
  ...inEach('a number', number('5551234567'), plain, odd),
  ...inEach('a text', text('x', 's="1"'), 'format that shows nothing', hiding),
  ...inEach('a text', text('merge', 's="1"'), 'read merge', shown),
  ['yes', yes('1'), truth('read TRUE')],
  ['yes that is not shown', yes('1', 's="1"'), truth('not plain'), ';;;'],
  ...inEach(
    'yes',
    yes('1', 's="1"'),
    truth('not plain'),
    '0|General;@|[$-407]General|0.00|yyyy-mm-dd|"x";"y"|0;0;|[=1]"no"|"no"|@',
  ),
  ...inEach('nothing', number('0'), plain, '##|#|###\\-###'),
  ['yes of another kind', yes('2'), truth('neither')],
  ['a date', number('46082'), date('read 2026-03-01'), 'yyyy\\-mm\\-dd'],
  ...inEach('a date', number('46082'), plain, oddDays),
  ...inEach('a date', number('46082'), date('read 2026-03-01'), goodDays),
  ['a date with its time', number('46082.5'), notWhole, 'yyyy\\-mm\\-dd\\ hh:mm:ss'],
  [
    'a whole date with a time',
    number('46082'),
    date('read 2026-03-01'),
    'yyyy\\-mm\\-dd\\ hh:mm:ss',
  ],
  [
    'a date of 1904',
    number('44620'),
    'counts its days from 1904',
    { styles: stylesOf(['yyyy-mm-dd']), is1904: true },
  ],
  ['a date without its time', number('46082.5'), notWhole, 'yyyy\\-mm\\-dd'],
  ['a date in a built-in format', number('46082'), date('read 2026-03-01'), builtIn(14)],
  ...inBuiltIn('read 5', [1, 3, 49]),
  ...inBuiltIn(plain, [2, 4, 9, 12]),
  ['a date with some of its time', number('46082.50001'), notWhole, 'yyyy-mm-dd hh:mm'],
  ['a date too early', number('60'), plain, 'yyyy\\-mm\\-dd'],
  ['a time', number('0.5'), 'no whole number', 'hh:mm'],
  ['hours', number('46082'), plain, '[h]:mm'],
  ['a date as text', '<c r="B2" t="d"><v>2026-03-01</v></c>', 'an error, or no plain value'],
  ['an error', '<c r="B2" t="e"><v>#N/A</v></c>', 'an error, or no plain value'],
  ['a formula', '<c r="B2" t="str"><f>"merge"</f><v>merge</v></c>', 'a formula'],
  ['a formula without a result', '<c r="B2"><f>1</f></c>', 'a formula without its result'],
  ['an escape', text('_x006D_erge'), 'written with escapes'],
  ['a hidden row', merge, 'in a hidden row', { row: ' hidden="1"' }],
  ['merged cells', merge, 'in merged cells', covers('A2:B2')],
  ['the first of merged cells', merge, 'read merge', covers('B2:C3')],
  ['a number under a format with a number format', bare('7'), conditioned, conditional('B2:B9')],
  ['a text under it', merge, conditioned, conditional('A1 B1:B2')],
  ['a conditional format of no cells', merge, conditioned, conditional('x')],
  ['one in another spelling', merge, conditioned, conditional('B2', formatted, '+0')],
  ['one elsewhere', merge, conditioned, conditional('B3:B9')],
  ['one of colors', merge, 'read merge', conditional('B2:B9', '<font><b/></font>')],
  ['one of an extension', merge, conditioned, { after: extended }],
  ['a pivot table', merge, 'has a pivot table', pivot('D1:F9')],
]

/** Each variant under each heading: what is read of row 2, column B, or why it is not. */
export function craftedCells(): Crafted[] {
  return variants.flatMap(([name, cell, verdict, around = {}]) =>
    Object.entries(headings).map(([heading, use]) => {
      const {
        after = '',
        row = '',
        ...others
      } = typeof around === 'string' ? { styles: stylesOf([around]) } : around
      const top = `<row r="1">${inline('A1', 'Title')}${inline('B1', heading)}</row>`
      const rows = `${top}<row r="2"${row}>${inline('A2', 'y')}${cell}</row>`
      const wanted = typeof verdict === 'string' ? verdict : (verdict[use] ?? verdict.others ?? '')
      const isRead = wanted.startsWith('read ')
      const bytes = workbook({ sheets: [{ rows, after }], ...others })
      return {
        name: `${heading}: ${name}`,
        bytes,
        use,
        verdict: isRead ? [wanted.slice(5)] : wanted,
      }
    }),
  )
}
