/** Reads back a workbook that svc wrote, by the XML that its writer makes. */
import { inflateRawSync } from 'node:zlib'

/** The parts of the archive, as texts by their names. */
export function partsOf(bytes: Buffer): Map<string, string> {
  const parts = new Map<string, string>()
  let at = bytes.readUInt32LE(bytes.lastIndexOf('PK\x05\x06') + 16)
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [method, size, nameLength] = [10, 20, 28].map((offset) => bytes.readUInt16LE(at + offset))
    const [extra, comment] = [30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    const nameEnd = at + 46 + (nameLength ?? 0)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
    const content = method === 0 ? packed.subarray(0, size) : inflateRawSync(packed)
    parts.set(bytes.toString('utf8', at + 46, nameEnd), content.toString())
    at = nameEnd + (extra ?? 0) + (comment ?? 0)
  }
  return parts
}

const unescaped = (xml: string) =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')

/** The rows of the first sheet: the type and the text of each cell, undefined where there is none. */
export function rowsOf(bytes: Buffer): ([type: string, text: string] | undefined)[][] {
  const parts = partsOf(bytes)
  const texts = Array.from(
    (parts.get('xl/sharedStrings.xml') ?? '').matchAll(/<si>(.*?)<\/si>/gs),
    ([, inner = '']) => unescaped(inner.replace(/<[^>]*>/g, '')),
  )
  const sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
  return Array.from(sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs), ([, row = '']) => {
    const cells: ([string, string] | undefined)[] = []
    for (const [, name = '', more = '', inner = ''] of row.matchAll(
      /<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs,
    )) {
      const column = Array.from(name).reduce(
        (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
        0,
      )
      const value = inner.replace(/<[^>]*>/g, '')
      if (inner === '') continue
      cells[column - 1] = more.includes('t="s"')
        ? ['s', texts[Number(value)] ?? '']
        : [more.includes('Str"') ? 's' : 'n', unescaped(value)]
    }
    return Array.from(cells)
  })
}
