/** Workbooks made of XML, as spreadsheet programs write them. */
import { zip } from '../../tools/harness/zip.mjs'

type Parts = Readonly<Record<string, string | Uint8Array>>

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
