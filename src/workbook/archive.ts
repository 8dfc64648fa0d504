/** The parts of a workbook, which is a zip archive. They are unpacked here, because a few kilobytes can unpack to terabytes. */
import { crc32, inflateRawSync } from 'node:zlib'
import { usageError } from '../errors.ts'
import { fromBufferPromise } from './packages.js'

/** The bound for all parts together. The XML of a million ids has 130 MB, a tenfold to thirtyfold of its archive. */
const mostUnpacked = { free: 16 << 20, perByte: 100, total: 256 << 20 }

/** Parts that are XML, but of no other office document: SheetJS would read those, and show their hidden rows. */
const isOfWorkbook = /^(?!META-INF\/).*\.(?:xml|rels)$/i

const emptyText = /<((?:\w+:)?si)\s*\/>/g

/**
 * The parts that are XML by their paths, unpacked, each byte a character. Throws exit 2 if they are too large or encrypted;
 * any other error says what is damaged.
 */
export async function partsOf(name: string, bytes: Buffer) {
  const parts: Record<string, { name: string; data: string }> = {}
  const { free, perByte, total } = mostUnpacked
  let left = Math.min(total, free + perByte * bytes.length)
  const zip = await fromBufferPromise(bytes, { autoClose: false })
  for await (const entry of zip.eachEntry()) {
    const { fileName: path, uncompressedSize, compressedSize } = entry
    if (!isOfWorkbook.test(path)) continue
    left -= uncompressedSize
    if (left < 0)
      throw usageError(
        `${name} unpacks to more than a workbook of its size should`,
        'save that sheet as a separate workbook or csv',
      )
    if (entry.isEncrypted())
      throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
    const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry)
    const packed = bytes.subarray(start, start + compressedSize)
    // A part that is larger than it says is not unpacked.
    const unpacked =
      entry.compressionMethod === 0
        ? packed
        : inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
    if (crc32(unpacked) !== entry.crc32)
      throw new Error(`the checksum of "${path}" is wrong`)
    // SheetJS counts no shared text that is closed in itself, so the numbers of all others would be wrong.
    const data = unpacked.toString('latin1').replace(emptyText, '<$1></$1>')
    parts[path] = { name: path, data }
  }
  return parts
}
