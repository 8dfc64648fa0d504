/** Unpacks the parts of a workbook, which is a zip archive. Their size is limited, because a few kilobytes can unpack to terabytes. */
import { crc32, inflateRawSync } from 'node:zlib'
import { usageError } from '../errors.ts'
import { fromBufferPromise } from './packages.js'

/**
 * The limits for the unpacked bytes of all parts together: those that every archive has, more for each of its bytes, and at most
 * so many. The XML of a million ids has 130 MB, which is 10 to 30 times the size of its archive.
 */
const unpackedBytes = { base: 16 << 20, perByte: 100, max: 256 << 20 }

/** The XML parts of a workbook. Those of other office documents are left out: SheetJS would read them and show hidden rows. */
const workbookPart = /^(?!META-INF\/).*\.(?:xml|rels)$/i

/** A shared text without content, written as one element. */
const emptyText = /<((?:\w+:)?si)\s*\/>/g

/**
 * Returns the unpacked XML parts by their paths, with a character for each byte. Throws a usage error if they are too large or
 * encrypted. Any other error says what is damaged.
 */
export async function partsOf(name: string, bytes: Buffer) {
  const parts: Record<string, { name: string; data: string }> = {}
  const { base, perByte, max } = unpackedBytes
  let bytesLeft = Math.min(max, base + perByte * bytes.length)
  const zip = await fromBufferPromise(bytes, { autoClose: false })
  for await (const entry of zip.eachEntry()) {
    const { fileName: path, uncompressedSize, compressedSize } = entry
    if (!workbookPart.test(path)) continue
    bytesLeft -= uncompressedSize
    if (bytesLeft < 0)
      throw usageError(
        `${name} unpacks to more than a workbook of its size should`,
        'save that sheet as a separate workbook or csv',
      )
    if (entry.isEncrypted())
      throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
    const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry)
    const packed = bytes.subarray(start, start + compressedSize)
    // Throws an error for a part that is larger than it says.
    const unpacked =
      entry.compressionMethod === 0
        ? packed
        : inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
    if (crc32(unpacked) !== entry.crc32)
      throw new Error(`the checksum of "${path}" is wrong`)
    // SheetJS does not count a shared text that is one element, so the numbers of all later texts would be wrong.
    const data = unpacked.toString('latin1').replace(emptyText, '<$1></$1>')
    parts[path] = { name: path, data }
  }
  return parts
}
