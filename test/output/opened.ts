/** Reads a workbook back with code of its own: parts by the zip's directory, checksums and sizes compared, cells by their place. */
import { crc32, inflateRawSync } from 'node:zlib'

export interface OpenedCell {
  readonly type: string
  readonly style: number
  readonly text: string
}

export interface Opened {
  readonly parts: ReadonlyMap<string, string>
  /** Rows of each sheet, by number; cells by place. */
  readonly sheets: readonly { readonly xml: string; readonly rows: readonly (readonly (OpenedCell | undefined)[])[] }[]
}

export function openedWorkbook(bytes: Buffer): Opened {
  const parts = partsOf(bytes)
  const paths = [...(parts.get('xl/_rels/workbook.xml.rels') ?? '').matchAll(/Target="(worksheets\/[^"]+)"/g)]
  const sheets = paths.map(([, path]) => {
    const xml = parts.get(`xl/${path}`) ?? ''
    return { xml, rows: rowsOf(xml) }
  })
  return { parts, sheets }
}

/** The texts of a sheet, row by row. */
export function textsOf(bytes: Buffer, sheet = 0): string[][] {
  const { rows } = openedWorkbook(bytes).sheets[sheet] ?? { rows: [] }
  return Array.from(rows, (cells) => Array.from(cells ?? [], (cell) => cell?.text ?? ''))
}

function partsOf(bytes: Buffer): Map<string, string> {
  const parts = new Map<string, string>()
  const end = bytes.length - 22
  if (bytes.readUInt32LE(end) !== 0x06054b50) throw new Error('no end of a zip directory')
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [crc, packed, size] = [16, 20, 24].map((place) => bytes.readUInt32LE(at + place))
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const begin = local + 30 + bytes.readUInt16LE(local + 26)
    const content = inflateRawSync(bytes.subarray(begin, begin + (packed ?? 0)))
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is not what its entry says`)
    if (bytes.readUInt32LE(begin + (packed ?? 0) + 4) !== crc) throw new Error(`${name} has another checksum behind it`)
    parts.set(name, content.toString('utf8'))
    at += 46 + nameLength
  }
  return parts
}

function rowsOf(xml: string): (OpenedCell | undefined)[][] {
  const rows: (OpenedCell | undefined)[][] = []
  for (const [, number, cells] of xml.matchAll(/<row r="(\d+)">([^]*?)<\/row>/g)) {
    const row: (OpenedCell | undefined)[] = (rows[Number(number) - 1] = [])
    for (const [, name = '', at, attributes = '', inner = ''] of (cells ?? '').matchAll(
      /<c r="([A-Z]+)(\d+)"([^>]*)>([^]*?)<\/c>/g,
    )) {
      if (at !== number) throw new Error(`the cell ${name}${at} stands in row ${number}`)
      row[columnOf(name)] = {
        type: /t="(\w+)"/.exec(attributes)?.[1] ?? 'n',
        style: Number(/s="(\d+)"/.exec(attributes)?.[1] ?? 0),
        text: unescaped(/<(?:t|v)[^>]*>([^]*)<\/(?:t|v)>/.exec(inner)?.[1] ?? ''),
      }
    }
  }
  return rows
}

function columnOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function unescaped(xml: string): string {
  const text = xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}
