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
