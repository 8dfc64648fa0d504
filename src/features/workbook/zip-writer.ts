/**
 * A zip archive that is written from front to back, in flat memory: the sizes and the checksum of a part follow it. The same parts give the same
 * bytes.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { SvcError } from '../../errors.ts'

/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** The sizes follow; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

/** Sizes in bytes. */
interface WrittenPart {
  readonly name: Buffer
  readonly crc32: number
  readonly compressedSize: number
  readonly uncompressedSize: number
}

/** Its parts come one after the other, and then its directory. */
export class ZipWriter {
  readonly #directory: Buffer[] = []
  #length = 0
  /** The present part, and where it begins. */
  #part: WrittenPart = partOf('')
  #at = 0

  /** Begins a part. */
  begin(name: string): Buffer {
    this.#part = partOf(name)
    this.#at = this.#length
    return this.#count(numbers(4, 0x04034b50), factsOf(this.#part), this.#part.name)
  }

  /** A piece of the part; about 100 KB are best, because each is packed for itself. Throws exit 10 beyond 4 GB. */
  add(text: string, finishFlush = constants.Z_SYNC_FLUSH): Buffer {
    const bytes = Buffer.from(text)
    // Each piece ends at a byte, so that the next one can follow it.
    const packed = deflateRawSync(bytes, { finishFlush })
    const { name, crc32: sum, compressedSize, uncompressedSize } = this.#part
    this.#part = {
      name,
      // The checksum of nothing is always 0.
      crc32: text === '' ? sum : crc32(bytes, sum),
      compressedSize: compressedSize + packed.length,
      uncompressedSize: uncompressedSize + bytes.length,
    }
    return this.#count(packed)
  }

  /** The last piece of the part. */
  *end(text: string): Generator<Buffer> {
    yield this.add(text, constants.Z_FINISH)
    this.#directory.push(directoryEntry(this.#part, this.#at))
    const { crc32: sum, compressedSize, uncompressedSize } = this.#part
    yield this.#count(numbers(4, 0x08074b50, sum, compressedSize, uncompressedSize))
  }

  directory(): Buffer {
    const count = this.#directory.length
    const entries = Buffer.concat(this.#directory)
    return Buffer.concat([
      entries,
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, entries.length, this.#length),
      numbers(2, 0),
    ])
  }

  #count(...pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(pieces)
    this.#length += bytes.length
    if (Math.max(this.#length, this.#part.uncompressedSize) < most) return bytes
    throw new SvcError('local', 'the workbook would have more than 4 GB', {
      hint: 'use csv: -o csv',
    })
  }
}

/** A part of which nothing was written yet. */
function partOf(name: string): WrittenPart {
  return { name: Buffer.from(name), crc32: 0, compressedSize: 0, uncompressedSize: 0 }
}

/** Numbers of two or four bytes each, the lowest byte first. */
function numbers(bytes: 2 | 4, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries())
    buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}

/** The bytes that stand in front of a part and in the directory alike. */
function factsOf({
  name,
  crc32: sum,
  compressedSize,
  uncompressedSize,
}: WrittenPart): Buffer {
  return Buffer.concat([
    numbers(2, version, flags, deflated, 0, firstDay),
    numbers(4, sum, compressedSize, uncompressedSize),
    numbers(2, name.length, 0),
  ])
}

/** `at`: where the part is. */
function directoryEntry(part: WrittenPart, at: number): Buffer {
  return Buffer.concat([
    numbers(4, 0x02014b50),
    numbers(2, version),
    factsOf(part),
    numbers(2, 0, 0, 0, 0, 0),
    numbers(4, at),
    part.name,
  ])
}
