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
  /** What stands behind the directory, instead of its end. */
  readonly end?: (end: Buffer, place: { offset: number; size: number; count: number }) => Buffer
}

/** A zip archive; of two parts with one path when they are given as a list. */
export function zip(parts: Parts | readonly (readonly [string, string | Uint8Array])[], packing: Packing = {}): Buffer {
  const {
    stored = false,
    zip64 = false,
    descriptors = false,
    packed: [ready, length, sum] = ['', 0, 0],
    local,
    entry: changed,
  } = packing
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Array.isArray(parts) ? parts : Object.entries(parts)) {
    const bytes = Buffer.from(content as string)
    const packed = stored || path === ready ? bytes : deflateRawSync(bytes)
    const name = Buffer.from(path)
    const entry = directoryEntry(name, {
      bytes,
      length: path === ready ? length : bytes.length,
      sum: path === ready ? sum : crc32(bytes),
      packed,
      offset,
      stored,
      zip64,
      descriptors,
    })
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    // Version, flags, method, time, and, unless they stand behind, checksum and lengths are those of the directory.
    entry.copy(head, 4, 6, descriptors ? 16 : 28)
    head.writeUInt16LE(name.length, 26)
    const extra =
      zip64 && !descriptors ? Buffer.from(entry.subarray(46 + name.length, 46 + name.length + 20)) : Buffer.alloc(0)
    if (extra.length > 0) extra.writeUInt16LE(16, 2)
    head.writeUInt16LE(extra.length, 28)
    local?.(head, path)
    const behind = Buffer.alloc(descriptors ? 16 : 0)
    if (descriptors)
      [0x08074b50, crc32(bytes), packed.length, bytes.length].forEach((n, at) => behind.writeUInt32LE(n, at * 4))
    bodies.push(head, name, extra, packed, behind)
    directory.push(changed?.(entry, path) ?? entry)
    offset += head.length + name.length + extra.length + packed.length + behind.length
  }
  const place = { offset, size: directory.reduce((sum, { length }) => sum + length, 0), count: directory.length }
  const end = endOf(place, zip64)
  return Buffer.concat([...bodies, ...directory, packing.end?.(end, place) ?? end])
}

interface Packed {
  readonly bytes: Buffer
  readonly length: number
  readonly sum: number
  readonly packed: Buffer
  readonly offset: number
  readonly stored: boolean
  readonly zip64: boolean
  readonly descriptors: boolean
}

function directoryEntry(name: Buffer, packing: Packed): Buffer {
  const { length, sum, packed, offset, stored, zip64, descriptors } = packing
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(20, 4)
  entry.writeUInt16LE(zip64 ? 45 : 20, 6)
  entry.writeUInt16LE(descriptors ? 8 : 0, 8)
  entry.writeUInt16LE(stored ? 0 : 8, 10)
  entry.writeUInt16LE(0x21, 14)
  entry.writeUInt32LE(sum, 16)
  const numbers = [length, packed.length, offset] as const
  const extra = zip64 ? zip64Field(numbers) : Buffer.alloc(0)
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[0], 24)
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[1], 20)
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[2], 42)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(extra.length, 30)
  return Buffer.concat([entry, name, extra])
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
  ;[count, count, size, offset].forEach((number, n) => end64.writeBigUInt64LE(BigInt(number), 24 + n * 8))
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
  /** What stands in front of it (`cols`) and behind it (`mergeCells`). */
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
const packageSpace = 'http://schemas.openxmlformats.org/package/2006/relationships'
export const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`)
  return `<Relationships xmlns="${packageSpace}">${each.join('')}</Relationships>`
}

function contentTypes(sheets: number): string {
  const type = (path: string, kind: string): string =>
    `<Override PartName="/xl/${path}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  const each = Array.from({ length: sheets }, (_, n) => type(`worksheets/sheet${n}`, 'worksheet'))
  const others = [type('workbook', 'sheet.main'), type('sharedStrings', 'sharedStrings'), type('styles', 'styles')]
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${[...others, ...each].join('')}</Types>`
}

/** The parts of a workbook. */
export function workbookParts({ sheets = [{}], texts, styles, is1904 = false, parts = {} }: WorkbookXml): Parts {
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
      : { 'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((si) => `<si>${si}</si>`).join('')}</sst>` }),
    ...(styles === undefined ? {} : { 'xl/styles.xml': `<styleSheet xmlns="${main}">${styles}</styleSheet>` }),
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
