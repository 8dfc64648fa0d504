/** Workbooks made of XML, and zip archives made of parts, as good or as bad as a test needs them. */
import { crc32, deflateRawSync } from 'node:zlib'

export type Parts = Readonly<Record<string, string | Uint8Array>>

/** Where an archive says something else than an ordinary one does. */
export interface Packing {
  /** Not packed. */
  readonly stored?: boolean
  /** All its numbers in the fields for large archives. */
  readonly zip64?: boolean
  /** Checksums and lengths behind the parts, as programs write that do not go back. */
  readonly descriptors?: boolean
  /** The part that is packed already, its length and its checksum. */
  readonly packed?: readonly [path: string, length: number, sum: number]
  /** Changes the header of a part, without its name, or its entry in the directory, with what stands behind its name. */
  readonly local?: (head: Buffer, path: string) => void
  readonly entry?: (entry: Buffer, path: string) => Buffer
  /** Bytes after the directory, instead of its end. */
  readonly end?: (end: Buffer, place: { offset: number; size: number; count: number }) => Buffer
}

/** A zip archive; of two parts with one path when they are given as a list. */
export function zip(
  parts: Parts | readonly (readonly [string, string | Uint8Array])[],
  packing: Packing = {},
): Buffer {
  const {
    stored = false,
    zip64 = false,
    descriptors = false,
    packed: [ready, length, sum] = ['', 0, 0],
  } = packing
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Array.isArray(parts) ? parts : Object.entries(parts)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content as string)]
    const packed = stored || path === ready ? bytes : deflateRawSync(bytes)
    const numbers = [path === ready ? length : bytes.length, packed.length, offset] as const
    const facts = Buffer.alloc(24)
    ;[zip64 ? 45 : 20, descriptors ? 8 : 0, stored ? 0 : 8, 0, 0x21].forEach((n, at) =>
      facts.writeUInt16LE(n, at * 2),
    )
    const sizes = zip64 ? [0xffffffff, 0xffffffff] : [numbers[1], numbers[0]]
    ;[path === ready ? sum : crc32(bytes), ...sizes].forEach((n, at) =>
      facts.writeUInt32LE(n, 10 + at * 4),
    )
    facts.writeUInt16LE(name.length, 22)
    const entry = directoryEntry(name, facts, zip64 ? zip64Field(numbers) : numbers[2])
    // Unless they stand behind, checksum and lengths are those of the directory.
    const before = Buffer.from(facts)
    if (descriptors) before.fill(0, 10, 22)
    const extra = zip64 && !descriptors ? zip64Field(numbers.slice(0, 2)) : Buffer.alloc(0)
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), before, Buffer.from([extra.length, 0])])
    packing.local?.(head, path)
    const behind = Buffer.alloc(descriptors ? 16 : 0)
    if (descriptors)
      [0x08074b50, crc32(bytes), packed.length, bytes.length].forEach((n, at) =>
        behind.writeUInt32LE(n, at * 4),
      )
    const body = Buffer.concat([head, name, extra, packed, behind])
    bodies.push(body)
    directory.push(packing.entry?.(entry, path) ?? entry)
    offset += body.length
  }
  const place = {
    offset,
    size: directory.reduce((sum, { length }) => sum + length, 0),
    count: directory.length,
  }
  const end = endOf(place, zip64)
  return Buffer.concat([...bodies, ...directory, packing.end?.(end, place) ?? end])
}

/** `where`: offset of the part, or the field that has it. */
function directoryEntry(name: Buffer, facts: Buffer, where: number | Buffer): Buffer {
  const rest = Buffer.alloc(16)
  const extra = typeof where === 'number' ? Buffer.alloc(0) : where
  rest.writeUInt16LE(extra.length, 0)
  rest.writeUInt32LE(typeof where === 'number' ? where : 0xffffffff, 12)
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), facts, rest, name, extra])
}

/** An extra field of an entry, for large archives. */
export function zip64Field(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + numbers.length * 8)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(numbers.length * 8, 2)
  numbers.forEach((number, index) => field.writeBigUInt64LE(BigInt(number), 4 + index * 8))
  return field
}

type Place = Parameters<NonNullable<Packing['end']>>[1]

function endOf({ offset, size, count }: Place, zip64: boolean): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(zip64 ? 0xffff : count, 8)
  end.writeUInt16LE(zip64 ? 0xffff : count, 10)
  end.writeUInt32LE(zip64 ? 0xffffffff : size, 12)
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16)
  return zip64 ? Buffer.concat([end64Of({ offset, size, count }, offset + size), end]) : end
}

/** The end record of large archives with its locator, for a place in the archive. */
export function end64Of({ offset, size, count }: Place, at: number): Buffer {
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(45, 12)
  end64.writeUInt16LE(45, 14)
  ;[count, count, size, offset].forEach((number, n) =>
    end64.writeBigUInt64LE(BigInt(number), 24 + n * 8),
  )
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator])
}

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
  /** The insides of the `si` of the shared strings. */
  readonly texts?: readonly string[]
  readonly styles?: string
  readonly is1904?: boolean
  /** Other parts, or others instead of those above. */
  readonly parts?: Parts
}

export const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
export const packageSpace = 'http://schemas.openxmlformats.org/package/2006/relationships'
export const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`,
  )
  return `<Relationships xmlns="${packageSpace}">${each.join('')}</Relationships>`
}

function contentTypes(sheets: number): string {
  const type = (path: string, kind: string): string =>
    `<Override PartName="/xl/${path}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  const each = Array.from({ length: sheets }, (_, n) => type(`worksheets/sheet${n}`, 'worksheet'))
  const others = [
    type('workbook', 'sheet.main'),
    type('sharedStrings', 'sharedStrings'),
    type('styles', 'styles'),
  ]
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${[...others, ...each].join('')}</Types>`
}

/** The parts of a workbook. */
export function workbookParts({
  sheets = [{}],
  texts,
  styles,
  is1904 = false,
  parts = {},
}: WorkbookXml): Parts {
  const targets = sheets.map((_, n) => ['worksheet', `worksheets/sheet${n}.xml`] as const)
  const states = sheets.map(
    ({ name = `Sheet${sheets.length}`, state = 'visible' }, n) =>
      `<sheet name="${name}" sheetId="${n + 1}" state="${state}" r:id="r${n}"/>`,
  )
  const sheetParts = sheets.map(({ rows = '', before = '', after = '' }, n) => [
    `xl/worksheets/sheet${n}.xml`,
    `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${main}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
  ])
  return {
    '[Content_Types].xml': contentTypes(sheets.length),
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${states.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...targets,
      ...(texts === undefined ? [] : [['sharedStrings', '/xl/sharedStrings.xml'] as const]),
      ...(styles === undefined ? [] : [['styles', 'styles.xml'] as const]),
    ]),
    ...(texts === undefined
      ? {}
      : {
          'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((si) => `<si>${si}</si>`).join('')}</sst>`,
        }),
    ...(styles === undefined
      ? {}
      : { 'xl/styles.xml': `<styleSheet xmlns="${main}">${styles}</styleSheet>` }),
    ...Object.fromEntries(sheetParts),
    ...parts,
  }
}

export function workbook(xml: WorkbookXml, packing: Packing = {}): Buffer {
  return zip(workbookParts(xml), packing)
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
export function stylesOf(formats: readonly string[], more = ''): string {
  const code = (format: string): string => format.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const numFmts = formats.map(
    (format, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code(format)}"/>`,
  )
  const xfs = formats.map((_, n) => `<xf numFmtId="${164 + n}" xfId="0" applyNumberFormat="1"/>`)
  return (
    `<numFmts>${numFmts.join('')}</numFmts><fonts><font/></fonts><fills><fill/></fills><borders><border/></borders>` +
    `<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0" xfId="0"/>${xfs.join('')}</cellXfs>${more}`
  )
}

const microsoft = 'http://schemas.microsoft.com/office'
const compatible = `xmlns:r="${office}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac xr x15" xmlns:x14ac="${microsoft}/spreadsheetml/2009/9/ac" xmlns:xr="${microsoft}/spreadsheetml/2014/revision" xmlns:x15="${microsoft}/spreadsheetml/2010/11/main"`

/** Texts of the first column, laid out as Excel does it or as Google Sheets does. */
export function laidOut(texts: readonly string[], isGoogle: boolean): Parts {
  const more = isGoogle ? '' : ' spans="1:4" x14ac:dyDescent="0.3"'
  const rows = texts.map(
    (_, n) => `<row r="${n + 1}"${more}><c r="A${n + 1}" s="1" t="s"><v>${n}</v></c></row>`,
  )
  const rich =
    '<r><rPr><sz val="11"/><rFont val="Calibri"/></rPr><t xml:space="preserve">%</t></r><phoneticPr fontId="1"/>'
  const [before, after] = isGoogle
    ? [
        '<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/>',
        '<drawing r:id="rId1"/>',
      ]
    : [
        '<dimension ref="A1:D9"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetFormatPr baseColWidth="10" defaultColWidth="9.109375" defaultRowHeight="14.4" x14ac:dyDescent="0.3"/><cols><col min="1" max="2" width="26.6640625" style="1" bestFit="1" customWidth="1"/></cols>',
        `<phoneticPr fontId="1" type="noConversion"/><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><mc:AlternateContent><mc:Choice Requires="x14"><controls><mc:AlternateContent><mc:Choice Requires="x14"/></mc:AlternateContent></controls></mc:Choice></mc:AlternateContent><extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="${microsoft}/spreadsheetml/2009/9/main"><x14:dataValidations/></ext></extLst>`,
      ]
  const parts = workbookParts({
    sheets: [{ rows: rows.join(''), before, after }],
    texts: texts.map((text) => (isGoogle ? `<t>${text}</t>` : rich.replace('%', text))),
    styles: stylesOf(['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)']),
  })
  const path = `<mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath url="C:\\Users\\" xmlns:x15ac="${microsoft}/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent><xr:revisionPtr revIDLastSave="0"/><bookViews><workbookView/></bookViews>`
  const changed = Object.entries(parts).map(([name, xml]) => [
    name,
    String(xml)
      .replace(`xmlns:r="${office}"`, '')
      .replace(new RegExp(`(<\\w+) xmlns="${main}"`), `$1 xmlns="${main}" ${compatible}`)
      .replace('<sheets>', `${path}<sheets>`),
  ])
  return Object.fromEntries(changed)
}
