/** Cells that decide something else than an id: a name, MATCH, DECISION, a phone number, a value of `--where`. */
import type { CellUse } from '../../src/ids/row.ts'
import type { Crafted } from './crafted.ts'
import { inline, main, office, workbook, type WorkbookXml } from './workbooks.ts'

const headings: Readonly<Record<string, CellUse>> = {
  Name: 'word',
  MATCH: 'word',
  DECISION: 'word',
  Phone: 'phone',
  State: 'value',
}

/** By use: the text that is read, or words of the reason. One verdict: for all. */
type Verdicts = string | Readonly<Partial<Record<CellUse | 'others', string>>>

interface Variant {
  readonly name: string
  /** Content of B2, with `s="1"` where it has a style. */
  readonly cell: string
  readonly format?: string
  readonly verdict: Verdicts
  readonly more?: Omit<WorkbookXml, 'sheets'> & { before?: string; after?: string; row?: string }
}

const number = (value: string, more = 's="1"'): string => `<c r="B2" ${more}><v>${value}</v></c>`
const text = (value: string, more = ''): string => `<c r="B2" ${more} t="inlineStr"><is><t>${value}</t></is></c>`

const styles = (format: string, more = ''): string =>
  `<numFmts count="1"><numFmt numFmtId="164" formatCode="${format.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></numFmts>` +
  '<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>' +
  `<cellXfs count="2"><xf numFmtId="0" xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/></cellXfs>${more}`

const american = '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####'
const dxf = (inside: string): string => `<dxfs count="1"><dxf>${inside}</dxf></dxfs>`
const formatted = '<numFmt numFmtId="165" formatCode="&quot;x&quot;"/>'
const rule = (ref: string, id = '0'): string =>
  `<conditionalFormatting sqref="${ref}"><cfRule type="expression" dxfId="${id}" priority="1"><formula>TRUE</formula></cfRule></conditionalFormatting>`
const pivotSpace = 'http://schemas.openxmlformats.org/package/2006/relationships'
const pivot = (ref: string): Variant['more'] => ({
  parts: {
    'xl/worksheets/_rels/sheet0.xml.rels': `<Relationships xmlns="${pivotSpace}"><Relationship Id="r1" Type="${office}/pivotTable" Target="../pivotTables/one.xml"/></Relationships>`,
    'xl/pivotTables/one.xml': `<pivotTableDefinition xmlns="${main}" name="P" cacheId="1"><location ref="${ref}" firstHeaderRow="1" firstDataRow="1" firstDataCol="0"/></pivotTableDefinition>`,
  },
})
const notText = { word: 'in a format that is not plain', value: 'in a format that is not plain' }
const phones: [format: string, value: string, shown: string][] = [
  [american, '5551234567', '(555) 123-4567'],
  [american, '5551234', '555-1234'],
  [american, '15551234567', '(1555) 123-4567'],
  ['"+"0', '4915112345678', '+4915112345678'],
  ['+0', '4915112345678', '+4915112345678'],
  ['00\\ 00\\ 00\\ 00\\ 00', '612345678', '06 12 34 56 78'],
  ['000"."000"."0000', '5551234567', '555.123.4567'],
  ['0000\\/000000', '30123456', '0030/123456'],
  ['\\(0##\\)\\ ####\\-####', '1187654321', '(011) 8765-4321'],
  ['000 000 0000', '5551234567', '555 123 4567'],
  ['###-###-####', '5551234567', '555-123-4567'],
]
const plain = 'is not plain'

const variants: readonly Variant[] = [
  { name: 'a text', cell: text('merge'), verdict: 'read merge' },
  { name: 'a text in a style', cell: text('merge', 's="1"'), format: '0.00', verdict: 'read merge' },
  { name: 'a number', cell: number('4915112345678', ''), verdict: 'read 4915112345678' },
  { name: 'a number of 15 digits', cell: number('123456789012345', ''), verdict: 'read 123456789012345' },
  { name: 'a number of 16 digits', cell: number('1234567890123456', ''), verdict: 'more than 15 digits' },
  { name: 'a number in another spelling', cell: number('4.915112345678E12', ''), verdict: 'read 4915112345678' },
  { name: 'a number too large', cell: number('5.07E+23', ''), verdict: plain },
  { name: 'a number that is none', cell: number('0x10', ''), verdict: plain },
  { name: 'a number with a blank', cell: number(' 5', ''), verdict: plain },
  { name: 'a number as text', cell: number('5551234567'), format: '@', verdict: 'read 5551234567' },
  { name: 'a whole number', cell: number('5551234567'), format: '0', verdict: 'read 5551234567' },
  { name: 'a whole number with zeros', cell: number('1234'), format: '00000', verdict: 'read 01234' },
  { name: 'a whole number with groups', cell: number('12345'), format: '#,##0', verdict: 'read 12345' },
  { name: 'a part of a whole number', cell: number('1.6'), format: '0', verdict: plain },
  { name: 'a negative number', cell: number('-5', ''), verdict: 'read -5' },
  ...phones.map(([format, value, shown]): Variant => {
    return {
      name: `${value} in ${format}`,
      cell: number(value),
      format,
      verdict: { ...notText, phone: `read ${shown}`, word: 'a number in a format that is not plain' },
    }
  }),
  ...['0.00', '0%', '0.00E+00', '"x"0', '0"0"', '"1"0', '0;;;', ';;;', '0,', '0/0', '0.000', '[$€]0', '0_x', '0*x'].map(
    (format): Variant => ({ name: `a number in ${format}`, cell: number('5551234567'), format, verdict: plain }),
  ),
  ...['[<9]0;[>9]0', '[=5551234567]"1";0', '0;0;0', '[Red]0'].map((format): Variant => ({
    name: `a number in ${format}`,
    cell: number('5551234567'),
    format,
    verdict: plain,
  })),
  ...[';;;', ';;;"merge"', '"merge"@'].map((format): Variant => ({
    name: `a text in ${format}`,
    cell: text('x', 's="1"'),
    format,
    verdict: 'in a number format that shows nothing',
  })),
  { name: 'yes', cell: '<c r="B2" t="b"><v>1</v></c>', verdict: { value: 'read TRUE', others: 'true or false' } },
  {
    name: 'yes that is not shown',
    cell: '<c r="B2" s="1" t="b"><v>1</v></c>',
    format: ';;;',
    verdict: { value: 'shows nothing', others: 'true or false' },
  },
  {
    name: 'yes of another kind',
    cell: '<c r="B2" t="b"><v>2</v></c>',
    verdict: { value: 'neither', others: 'true or false' },
  },
  {
    name: 'a date',
    cell: number('46082'),
    format: 'yyyy\\-mm\\-dd',
    verdict: { value: 'read 2026-03-01', others: 'a date' },
  },
  {
    name: 'a date with its time',
    cell: number('46082.5'),
    format: 'yyyy\\-mm\\-dd\\ hh:mm:ss',
    verdict: { value: 'read 2026-03-01 12:00:00', others: 'a date' },
  },
  {
    name: 'a date without its time',
    cell: number('46082.5'),
    format: 'yyyy\\-mm\\-dd',
    verdict: { value: 'not shown whole', others: 'a date' },
  },
  { name: 'a month', cell: number('46082'), format: 'mmm', verdict: { value: 'not shown whole', others: 'a date' } },
  {
    name: 'a date with a word',
    cell: number('46082'),
    format: '"merge"dd.mm.yyyy',
    verdict: { value: 'not shown whole', others: 'a date' },
  },
  {
    name: 'a date for some',
    cell: number('46082'),
    format: '[>9]"merge";yyyy-mm-dd',
    verdict: { value: 'not shown whole', others: 'a date' },
  },
  { name: 'a date too early', cell: number('60'), format: 'yyyy\\-mm\\-dd', verdict: plain },
  { name: 'a time', cell: number('0.5'), format: 'hh:mm', verdict: plain },
  { name: 'a date as text', cell: '<c r="B2" t="d"><v>2026-03-01</v></c>', verdict: 'an error, or no plain value' },
  { name: 'an error', cell: '<c r="B2" t="e"><v>#N/A</v></c>', verdict: 'an error, or no plain value' },
  { name: 'a formula', cell: '<c r="B2" t="str"><f>"merge"</f><v>merge</v></c>', verdict: 'a formula' },
  { name: 'an escape', cell: text('_x006D_erge'), verdict: 'written with escapes' },
  { name: 'a hidden row', cell: text('merge'), more: { row: ' hidden="1"' }, verdict: 'in a hidden row' },
  {
    name: 'merged cells',
    cell: text('merge'),
    more: { after: '<mergeCells><mergeCell ref="A2:B2"/></mergeCells>' },
    verdict: 'in merged cells',
  },
  {
    name: 'the first of merged cells',
    cell: text('merge'),
    more: { after: '<mergeCells><mergeCell ref="B2:C3"/></mergeCells>' },
    verdict: 'read merge',
  },
  {
    name: 'a conditional format with a number format',
    cell: number('7', ''),
    more: { styles: styles('0', dxf(formatted)), after: rule('B2:B9') },
    verdict: 'under a conditional format',
  },
  {
    name: 'a conditional format with a number format, of a text',
    cell: text('merge'),
    more: { styles: styles('0', dxf(formatted)), after: rule('A1 B1:B2') },
    verdict: 'under a conditional format',
  },
  {
    name: 'a conditional format of cells that are none',
    cell: text('merge'),
    more: { styles: styles('0', dxf(formatted)), after: rule('x') },
    verdict: 'under a conditional format',
  },
  {
    name: 'a conditional format in another spelling',
    cell: text('merge'),
    more: { styles: styles('0', dxf(formatted)), after: rule('B2', '+0') },
    verdict: 'under a conditional format',
  },
  {
    name: 'a conditional format elsewhere',
    cell: text('merge'),
    more: { styles: styles('0', dxf(formatted)), after: rule('B3:B9') },
    verdict: 'read merge',
  },
  {
    name: 'a conditional format of colors',
    cell: text('merge'),
    more: { styles: styles('0', dxf('<font><b/></font>')), after: rule('B2:B9') },
    verdict: 'read merge',
  },
  {
    name: 'a conditional format of an extension',
    cell: text('merge'),
    more: {
      after: `<extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}"><x14:conditionalFormattings xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:conditionalFormatting><x14:cfRule><x14:dxf>${formatted}</x14:dxf></x14:cfRule></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>`,
    },
    verdict: 'under a conditional format',
  },
  { name: 'a pivot table over it', cell: text('merge'), more: pivot('A2:C4') ?? {}, verdict: 'where a pivot table is' },
  {
    name: 'a pivot table that may grow',
    cell: text('merge'),
    more: pivot('A1:A1') ?? {},
    verdict: 'where a pivot table is',
  },
  { name: 'a pivot table of no cells', cell: text('merge'), more: pivot('x') ?? {}, verdict: 'where a pivot table is' },
  { name: 'a pivot table beside it', cell: text('merge'), more: pivot('D1:F9') ?? {}, verdict: 'read merge' },
  { name: 'a pivot table below it', cell: text('merge'), more: pivot('A5:C9') ?? {}, verdict: 'read merge' },
]

function verdictOf(verdict: Verdicts, use: CellUse): string {
  return typeof verdict === 'string' ? verdict : (verdict[use] ?? verdict.others ?? '')
}

/** Each variant under each heading: what is read of row 2, column B, or why it is not. */
export function craftedCells(): Crafted[] {
  return variants.flatMap(({ name, cell, format, verdict, more = {} }) =>
    Object.entries(headings).map(([heading, use]) => {
      const { before, after, row = '', ...others } = more
      const top = `<row r="1">${inline('A1', 'Title')}${inline('B1', heading)}</row>`
      const inside = `${top}<row r="2"${row}>${inline('A2', 'y')}${cell}</row>`
      const bytes = workbook({
        sheets: [{ rows: inside, ...(before && { before }), ...(after && { after }) }],
        ...(format === undefined ? {} : { styles: styles(format) }),
        ...others,
      })
      const wanted = verdictOf(verdict, use)
      return {
        name: `${heading}: ${name}`,
        bytes,
        use,
        verdict: wanted.startsWith('read ') ? [wanted.slice(5)] : wanted,
      }
    }),
  )
}
