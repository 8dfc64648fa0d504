/** Reads a workbook back with code of its own: parts by the zip's directory, checksums and sizes compared, cells by their place. */
import { crc32, inflateRawSync } from 'node:zlib'

interface OpenedCell {
  readonly type: string
  readonly style: number
  readonly text: string
}

/** Parts by their names, and the rows of each sheet, by number; cells by place. */
export function openedWorkbook(bytes: Buffer) {
  const parts = new Map([...zipParts(bytes)].map(([name, { text }]) => [name, text]))
  const paths = [
    ...(parts.get('xl/_rels/workbook.xml.rels') ?? '').matchAll(/Target="(worksheets\/[^"]+)"/g),
  ]
  const shared = parts.get('xl/sharedStrings.xml') ?? ''
  const texts = Array.from(shared.matchAll(/<t[^>]*>([^]*?)<\/t>/g), ([, text = '']) => text)
  const sheets = paths.map(([, path]) => {
    const xml = parts.get(`xl/${path}`) ?? ''
    return { xml, rows: rowsOf(xml, texts) }
  })
  return { parts, sheets }
}

/** The texts of a sheet, row by row. */
export function textsOf(bytes: Buffer, sheet = 0): string[][] {
  const { rows } = openedWorkbook(bytes).sheets[sheet] ?? { rows: [] }
  return Array.from(rows, (cells) => Array.from(cells ?? [], (cell) => cell?.text ?? ''))
}

/** Parts by their names, in their order. `raw`: as they lie there, packed, with what stands before and behind them. */
export function zipParts(bytes: Buffer): Map<string, { text: string; raw: Buffer }> {
  const parts = new Map<string, { text: string; raw: Buffer }>()
  const end = bytes.length - 22
  if (bytes.readUInt32LE(end) !== 0x06054b50) throw new Error('no end of a zip directory')
  const directory = bytes.readUInt32LE(end + 16)
  const entries: number[] = []
  for (let at = directory; entries.length < bytes.readUInt16LE(end + 10);) {
    entries.push(at)
    at += 46 + [28, 30, 32].reduce((sum, place) => sum + bytes.readUInt16LE(at + place), 0)
  }
  const places = entries.map((at) => bytes.readUInt32LE(at + 42))
  for (const [n, at] of entries.entries()) {
    const [crc, packed = 0, size] = [16, 20, 24].map((place) => bytes.readUInt32LE(at + place))
    const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28))
    const local = places[n] ?? 0
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const data = bytes.subarray(begin, begin + packed)
    const content = bytes.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data)
    if (content.length !== size || crc32(content) !== crc)
      throw new Error(`${name} is not what its entry says`)
    const isBehind = (bytes.readUInt16LE(local + 6) & 8) !== 0
    if (isBehind && bytes.readUInt32LE(begin + packed + 4) !== crc)
      throw new Error(`${name} has another checksum behind it`)
    parts.set(name, {
      text: content.toString('utf8'),
      raw: bytes.subarray(local, places[n + 1] ?? directory),
    })
  }
  return parts
}

function rowsOf(xml: string, texts: readonly string[]): (OpenedCell | undefined)[][] {
  const rows: (OpenedCell | undefined)[][] = []
  for (const [, number, cells] of xml.matchAll(/<row r="(\d+)"[^>]*>([^]*?)<\/row>/g)) {
    const row: (OpenedCell | undefined)[] = (rows[Number(number) - 1] = [])
    for (const [, name = '', at, attributes = '', inner = ''] of (cells ?? '').matchAll(
      /<c r="([A-Z]+)(\d+)"([^>]*)>([^]*?)<\/c>/g,
    )) {
      if (at !== number) throw new Error(`the cell ${name}${at} stands in row ${number}`)
      const type = /t="(\w+)"/.exec(attributes)?.[1] ?? 'n'
      const value = /<(?:t|v)[^>]*>([^]*)<\/(?:t|v)>/.exec(inner)?.[1] ?? ''
      row[columnOf(name)] = {
        type,
        style: Number(/s="(\d+)"/.exec(attributes)?.[1] ?? 0),
        text: unescaped(type === 's' ? (texts[Number(value)] ?? '') : value),
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
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
}
