/** Workbooks made of XML, and zip archives made of parts, as good or as bad as a test needs them. */
import { crc32, deflateRawSync } from 'node:zlib'

export type Parts = Readonly<Record<string, string | Uint8Array>>

/** A zip archive. `stored`: not packed. `zip64`: all its numbers in the fields for large archives. */
export function zip(parts: Parts, { stored = false, zip64 = false } = {}): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content as string)
    const packed = stored ? bytes : deflateRawSync(bytes)
    const name = Buffer.from(path)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(stored ? 0 : 8, 8)
    head.writeUInt16LE(name.length, 26)
    bodies.push(head, name, packed)
    directory.push(directoryEntry(name, { bytes, packed, offset, stored, zip64 }))
    offset += head.length + name.length + packed.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([...bodies, ...directory, endOf(directory.length, size, { offset, zip64 })])
}

interface Packed {
  readonly bytes: Buffer
  readonly packed: Buffer
  readonly offset: number
  readonly stored: boolean
  readonly zip64: boolean
}

function directoryEntry(name: Buffer, { bytes, packed, offset, stored, zip64 }: Packed): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(stored ? 0 : 8, 10)
  entry.writeUInt32LE(crc32(bytes), 16)
  const numbers = [bytes.length, packed.length, offset] as const
  const extra = Buffer.alloc(zip64 ? 28 : 0)
  if (zip64) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    numbers.forEach((number, index) => extra.writeBigUInt64LE(BigInt(number), 4 + index * 8))
  }
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[0], 24)
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[1], 20)
  entry.writeUInt32LE(zip64 ? 0xffffffff : numbers[2], 42)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(extra.length, 30)
  return Buffer.concat([entry, name, extra])
}

function endOf(count: number, size: number, { offset, zip64 }: { offset: number; zip64: boolean }): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(zip64 ? 0xffff : count, 10)
  end.writeUInt32LE(zip64 ? 0xffffffff : size, 12)
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16)
  if (!zip64) return end
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(BigInt(size), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  return Buffer.concat([end64, locator, end])
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
  /** Other parts, or others in place of those above. */
  readonly parts?: Parts
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`)
  return `<Relationships>${each.join('')}</Relationships>`
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
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${states.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...targets,
      ...(texts === undefined ? [] : [['sharedStrings', '/xl/sharedStrings.xml'] as const]),
      ...(styles === undefined ? [] : [['styles', 'styles.xml'] as const]),
    ]),
    ...(texts === undefined
      ? {}
      : { 'xl/sharedStrings.xml': `<sst>${texts.map((si) => `<si>${si}</si>`).join('')}</sst>` }),
    ...(styles === undefined ? {} : { 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` }),
    ...Object.fromEntries(sheetParts),
    ...parts,
  }
}

export function workbook(xml: WorkbookXml, packing: Parameters<typeof zip>[1] = {}): Buffer {
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
