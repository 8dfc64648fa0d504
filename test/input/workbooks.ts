/** Workbooks made of XML, as spreadsheet programs write them. */
import { zip } from '../../tools/harness/zip.mjs'

export type Parts = Readonly<Record<string, string | Uint8Array>>

export interface SheetXml {
  readonly name?: string
  readonly state?: 'hidden' | 'veryHidden'
  /** The inside of `sheetData`. */
  readonly rows?: string
  /** XML before it (`cols`) and after it (`mergeCells`). */
  readonly before?: string
  readonly after?: string
}

export interface WorkbookXml {
  readonly sheets?: readonly SheetXml[]
  /** The shared strings, each with its element `si`. */
  readonly texts?: readonly string[]
  readonly styles?: string
  readonly is1904?: boolean
  /** Other parts, or others instead of those above. */
  readonly parts?: Parts
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageSpace = 'http://schemas.openxmlformats.org/package/2006'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`,
  )
  return `<Relationships xmlns="${packageSpace}/relationships">${each.join('')}</Relationships>`
}

/** The parts of a workbook. */
export function workbookParts(xml: WorkbookXml): Record<string, string | Uint8Array> {
  const { sheets = [{}], texts = [], styles = '', is1904 = false, parts = {} } = xml
  const type = (path: string, kind: string): string =>
    `<Override PartName="/xl/${path}.xml" ContentType="${contentType}.${kind}+xml"/>`
  const types = [
    ...[type('workbook', 'sheet.main'), type('sharedStrings', 'sharedStrings')],
    ...[
      type('styles', 'styles'),
      ...sheets.map((_, n) => type(`worksheets/sheet${n}`, 'worksheet')),
    ],
  ]
  const states = sheets.map(
    ({ name = `Sheet${sheets.length}`, state = 'visible' }, n) =>
      `<sheet name="${name}" sheetId="${n + 1}" state="${state}" r:id="r${n}"/>`,
  )
  const sheetParts = sheets.map(({ rows = '', before = '', after = '' }, n) => [
    `xl/worksheets/sheet${n}.xml`,
    `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${main}" xmlns:r="${office}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
  ])
  return {
    '[Content_Types].xml': `<Types xmlns="${packageSpace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${states.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, n) => ['worksheet', `worksheets/sheet${n}.xml`] as const),
      ...[['sharedStrings', 'sharedStrings.xml'] as const, ['styles', 'styles.xml'] as const],
    ]),
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}">${styles}</styleSheet>`,
    ...Object.fromEntries(sheetParts),
    ...parts,
  }
}

export function workbook(xml: WorkbookXml, isBehind = false): Buffer {
  return zip(workbookParts(xml), { isBehind })
}

/** A cell with a text of its own. */
export function inline(cell: string, text: string): string {
  return `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** Rows of texts, from A1. */
export function rowsOf(...rows: readonly (readonly string[])[]): string {
  return rows
    .map((cells, n) => {
      const each = cells.map((text, column) =>
        text === '' ? '' : inline(`${String.fromCharCode(65 + column)}${n + 1}`, text),
      )
      return `<row r="${n + 1}">${each.join('')}</row>`
    })
    .join('')
}

/** Styles of which the n-th is in the n-th of these formats, the first in General. */
export function stylesOf(formats: readonly string[]): string {
  const code = (format: string): string => format.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const numFmts = formats.map(
    (format, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code(format)}"/>`,
  )
  const xfs = formats.map((_, n) => `<xf numFmtId="${164 + n}" xfId="0" applyNumberFormat="1"/>`)
  return (
    `<numFmts>${numFmts.join('')}</numFmts><fonts><font/></fonts><fills><fill><patternFill patternType="none"/></fill></fills><borders><border/></borders>` +
    `<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0" xfId="0"/>${xfs.join('')}</cellXfs>`
  )
}

/** Rows of cells: their XML by the address of the cell and the place of its text among the shared ones. */
export type CellXml = (address: string, share: (text: string) => number) => string

/** How a program writes a sheet: what stands around its rows, and the attributes of each. */
interface Program {
  readonly before: string
  readonly after: string
  readonly rowAttributes: string
  /** A shared text. */
  readonly text: (text: string) => string
  /** Whether sizes and checksums stand behind the parts. */
  readonly isBehind: boolean
}

const microsoft = 'http://schemas.microsoft.com/office/spreadsheetml'

/** As LibreOffice 7, Numbers 14, Google Sheets and WPS 12 write a sheet; by their files, since none of them runs here. */
export const programs: Readonly<Record<string, Program>> = {
  LibreOffice: {
    before:
      '<sheetPr filterMode="false"><pageSetUpPr fitToPage="false"/></sheetPr><dimension ref="A1:D9"/><sheetViews><sheetView showFormulas="false" tabSelected="true" workbookViewId="0"/></sheetViews><sheetFormatPr defaultColWidth="11.53515625" defaultRowHeight="12.8" zeroHeight="false" outlineLevelRow="0" outlineLevelCol="0"/><cols><col collapsed="false" customWidth="false" hidden="false" outlineLevel="0" max="16384" min="1" style="0" width="11.53"/></cols>',
    after: '<printOptions headings="false"/><pageMargins left="0.7875" right="0.7875"/>',
    rowAttributes:
      ' customFormat="false" ht="12.8" hidden="false" customHeight="false" outlineLevel="0" collapsed="false"',
    text: (text) => `<si><t xml:space="preserve">${text}</t></si>`,
    isBehind: false,
  },
  Numbers: {
    before:
      '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension ref="A1:D9"/><sheetViews><sheetView workbookViewId="0" showGridLines="0" defaultGridColor="1"/></sheetViews><sheetFormatPr defaultColWidth="16.3333" defaultRowHeight="19.9" customHeight="1" outlineLevelRow="0" outlineLevelCol="0"/><cols><col min="1" max="4" width="16.3516" style="0" customWidth="1"/></cols>',
    after:
      '<pageMargins left="1" right="1" top="1" bottom="1" header="0.25" footer="0.25"/><headerFooter><oddFooter>&amp;C&amp;P</oddFooter></headerFooter>',
    rowAttributes: ' ht="20.25" customHeight="1"',
    text: (text) => `<si><t>${text}</t></si>`,
    isBehind: false,
  },
  Google: {
    before:
      '<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/>',
    after: '<drawing r:id="rId1"/>',
    rowAttributes: '',
    text: (text) => `<si><t>${text}</t></si>`,
    isBehind: true,
  },
  WPS: {
    before: `<sheetPr/><dimension ref="A1:D9"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"/></sheetViews><sheetFormatPr defaultColWidth="9" defaultRowHeight="14.4" outlineLevelCol="3"/>`,
    after: `<pageMargins left="0.75" right="0.75"/><headerFooter/><extLst><ext xmlns:x14="${microsoft}/2009/9/main" uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"><x14:dataValidations count="0"/></ext></extLst>`,
    rowAttributes: ' spans="1:4"',
    text: (text) =>
      `<si><r><rPr><sz val="11"/><rFont val="宋体"/></rPr><t xml:space="preserve">${text}</t></r><phoneticPr fontId="1" type="noConversion"/></si>`,
    isBehind: true,
  },
}

/** A workbook of these rows as a program writes it. */
export function writtenBy(
  program: Program,
  rows: readonly (readonly CellXml[])[],
  styles: string,
): Buffer {
  const texts: string[] = []
  const share = (text: string): number => texts.push(program.text(text)) - 1
  const xml = rows.map((cells, n) => {
    const each = cells.map((cell, column) =>
      cell(`${String.fromCharCode(65 + column)}${n + 1}`, share),
    )
    return `<row r="${n + 1}"${program.rowAttributes}>${each.join('')}</row>`
  })
  const { before, after, isBehind } = program
  return workbook({ sheets: [{ rows: xml.join(''), before, after }], texts, styles }, isBehind)
}
