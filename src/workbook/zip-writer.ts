/**
 * Writes a zip archive from front to back. A part is written as soon as it is packed whole. The same parts give the same
 * bytes.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { SvcError } from '../errors.ts'

/** The most bytes of an archive, and of a part. More would need zip64, which not every program reads. */
const mostBytes = 0xffff_ffff
const version = 20
/** Names are UTF-8. */
const flags = 0x0800
const deflated = 8
/** 1980-01-01, the first day that the format knows. */
const firstDay = 0x21

/** Writes the parts one after the other, and then the directory. */
export class ZipWriter {
  readonly #directory: Buffer[] = []
  /** The bytes and the number of the parts that have ended. */
  #length = 0
  #count = 0
  /** The packed pieces of the current part, and the checksum and the number of its unpacked bytes. */
  #packed: Buffer[] = []
  #sum = 0
  #size = 0

  /** Adds a piece of the part; about 100 KB are best, because each piece is packed separately. */
  add(text: string, finishFlush = constants.Z_SYNC_FLUSH) {
    const bytes = Buffer.from(text)
    // Each piece ends at a byte, so that the next one can follow it.
    this.#packed.push(deflateRawSync(bytes, { finishFlush }))
    this.#sum = crc32(bytes, this.#sum)
    this.#size += bytes.length
  }

  /** Ends the part with its last piece, and returns all its bytes. Throws exit 1 beyond 4 GB. */
  end(path: string, text: string): readonly Buffer[] {
    this.add(text, constants.Z_FINISH)
    const name = Buffer.from(path)
    const length = this.#packed.reduce((sum, piece) => sum + piece.length, 0)
    // Checked first: a larger number has no place in the fields below.
    this.#checkLength(this.#length + length)
    // The local file header and the central directory entry share these fields.
    const facts = Buffer.concat([
      numbers(2, version, flags, deflated, 0, firstDay),
      numbers(4, this.#sum, length, this.#size),
      numbers(2, name.length, 0),
    ])
    // Local file header
    const pieces = [numbers(4, 0x04034b50), facts, name, ...this.#packed]
    const unusedFields = numbers(2, 0, 0, 0, 0, 0)
    // Central directory entry
    this.#directory.push(
      numbers(4, 0x02014b50),
      numbers(2, version),
      facts,
      unusedFields,
      numbers(4, this.#length),
      name,
    )
    this.#length += pieces.reduce((sum, piece) => sum + piece.length, 0)
    this.#checkLength(this.#length)
    this.#count += 1
    this.#packed = []
    this.#sum = 0
    this.#size = 0
    return pieces
  }

  #checkLength(length: number) {
    if (Math.max(length, this.#size) <= mostBytes) return
    const hint = 'use csv: -o csv'
    throw new SvcError('local', 'the workbook would have more than 4 GB', { hint })
  }

  /** The directory of all parts, with which the archive ends. */
  directory(): Buffer {
    const count = this.#count
    const entries = Buffer.concat(this.#directory)
    return Buffer.concat([
      entries,
      // End of central directory
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, entries.length, this.#length),
      numbers(2, 0),
    ])
  }
}

/** The bytes of numbers, two or four each, the lowest byte first. */
function numbers(bytes: 2 | 4, ...values: readonly number[]) {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries())
    buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}
