/** A zip, made by code that is not the program's. */
import { crc32, deflateRawSync } from 'node:zlib'

/** Flags of a part: a data descriptor follows it (bit 3), and its name is UTF-8 (bit 11). */
const descriptorAndUtf8 = 0x808
/** The version that a reader needs, 2.0, deflate, and 1980-01-01 as MS-DOS has it. */
const [version, deflate, time] = [20, 8, 0x210000]

/** Makes a zip. With data descriptors, sizes follow each part, as Google Sheets writes them. */
export function zip(
  parts: Readonly<Record<string, string | Uint8Array>>,
  { hasDataDescriptors = false } = {},
): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(parts)) {
    const name = Buffer.from(path)
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const packed = deflateRawSync(bytes)
    const sizes = uint32s(crc32(bytes), packed.length, bytes.length)
    const noSizes = uint32s(0, 0, 0)
    const begin = [
      uint16s(version, hasDataDescriptors ? descriptorAndUtf8 : 0, deflate),
      uint32s(time),
    ]
    // Without extra fields.
    const end = uint16s(name.length, 0)
    const body = Buffer.concat([
      Buffer.from('PK\x03\x04'),
      ...begin,
      ...[hasDataDescriptors ? noSizes : sizes, end, name, packed],
      ...(hasDataDescriptors ? [Buffer.from('PK\x07\x08'), sizes] : []),
    ])
    directory.push(
      Buffer.from('PK\x01\x02'),
      uint16s(version),
      ...[...begin, sizes, end],
      ...[uint16s(0, 0, 0), uint32s(0, offset), name],
    )
    bodies.push(body)
    offset += body.length
  }
  const index = Buffer.concat(directory)
  const count = Object.keys(parts).length
  // On disk 0 of one disk, and without a comment.
  const end = [uint16s(0, 0, count, count), uint32s(index.length, offset), uint16s(0)]
  return Buffer.concat([...bodies, index, Buffer.from('PK\x05\x06'), ...end])
}

const uint16s = (...numbers: readonly number[]) => Buffer.from(Uint16Array.from(numbers).buffer)
const uint32s = (...numbers: readonly number[]) => Buffer.from(Uint32Array.from(numbers).buffer)
