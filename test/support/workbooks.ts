/** Workbooks made of XML, into which strings are put as they are. */
import { columnName } from '../../src/wording.ts'
import { zip } from './zip.ts'

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
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageSpace = 'http://schemas.openxmlformats.org/package/2006'
const sheetSpace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`,
  )
  return `<Relationships xmlns="${packageSpace}/relationships">${each.join('')}</Relationships>`
}

export function workbookParts(xml: WorkbookXml): Record<string, string> {
  const { sheets = [{}], texts = [], styles = '', is1904 = false } = xml
  const type = (path: string, kind: string): string =>
    `<Override PartName="/xl/${path}.xml" ContentType="${contentType}.${kind}+xml"/>`
  const types = [
    type('workbook', 'sheet.main'),
    type('sharedStrings', 'sharedStrings'),
    type('styles', 'styles'),
    ...sheets.map((_, n) => type(`worksheets/sheet${n}`, 'worksheet')),
  ]
  const states = sheets.map(
    ({ name, state = 'visible' }, n) =>
      `<sheet name="${name ?? `Sheet${n + 1}`}" sheetId="${n + 1}" state="${state}" r:id="r${n}"/>`,
  )
  const links = sheets.map((_, n) => ['worksheet', `worksheets/sheet${n}.xml`] as const)
  const sheetParts = sheets.map(({ rows = '', before = '', after = '' }, n) => [
    `xl/worksheets/sheet${n}.xml`,
    `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${sheetSpace}" xmlns:r="${office}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
  ])
  return {
    '[Content_Types].xml': `<Types xmlns="${packageSpace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${sheetSpace}" xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${states.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...links,
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ]),
    'xl/sharedStrings.xml': `<sst xmlns="${sheetSpace}">${texts.join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${sheetSpace}">${styles}</styleSheet>`,
    ...Object.fromEntries(sheetParts),
  }
}

export function workbook(xml: WorkbookXml): Buffer {
  return zip(workbookParts(xml))
}

export function inline(cell: string, text: string): string {
  return `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** Rows of strings, from A1. */
export function rowsOf(...rows: readonly (readonly string[])[]): string {
  const cellOf = (text: string, column: number, row: number) =>
    text === '' ? '' : inline(`${columnName(column)}${row}`, text)
  return rows
    .map((cells, n) => cells.map((text, column) => cellOf(text, column, n + 1)).join(''))
    .map((cells, n) => `<row r="${n + 1}">${cells}</row>`)
    .join('')
}

/** A workbook of one sheet with rows of strings. */
export const bookOf = (...rows: readonly (readonly string[])[]) =>
  workbook({ sheets: [{ rows: rowsOf(...rows) }] })
