/** A zip archive that is written from front to back. A part waits until it is packed whole. The same parts give the same bytes. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { SvcError } from '../../errors.ts'

/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** Names are UTF-8. */
const flags = 0x0800
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

/** Its parts come one after the other, and then its directory. */
export class ZipWriter {
  readonly #directory: Buffer[] = []
  #length = 0
  /** The pieces of the present part, their checksum, and how many bytes they had. */
  #packed: Buffer[] = []
  #sum = 0
  #size = 0

  /** A piece of the part; about 100 KB are best, because each is packed for itself. */
  add(text: string, finishFlush = constants.Z_SYNC_FLUSH) {
    const bytes = Buffer.from(text)
    // Each piece ends at a byte, so that the next one can follow it.
    this.#packed.push(deflateRawSync(bytes, { finishFlush }))
    this.#sum = crc32(bytes, this.#sum)
    this.#size += bytes.length
  }

  /** The part whole, with its last piece. Throws exit 10 beyond 4 GB. */
  end(path: string, text: string): readonly Buffer[] {
    this.add(text, constants.Z_FINISH)
    const name = Buffer.from(path)
    const length = this.#packed.reduce((sum, piece) => sum + piece.length, 0)
    // They stand in front of a part and in the directory alike.
    const facts = Buffer.concat([
      numbers(2, version, flags, deflated, 0, firstDay),
      numbers(4, this.#sum, length, this.#size),
      numbers(2, name.length, 0),
    ])
    const pieces = [numbers(4, 0x04034b50), facts, name, ...this.#packed]
    const [entry, place] = [numbers(4, 0x02014b50), numbers(4, this.#length)]
    const nothing = numbers(2, 0, 0, 0, 0, 0)
    this.#directory.push(entry, numbers(2, version), facts, nothing, place, name)
    this.#length += pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (Math.max(this.#length, this.#size) > most)
      throw new SvcError('local', 'the workbook would have more than 4 GB', {
        hint: 'use csv: -o csv',
      })
    this.#packed = []
    this.#sum = 0
    this.#size = 0
    return pieces
  }

  /** `count`: of the parts. */
  directory(count: number): Buffer {
    const entries = Buffer.concat(this.#directory)
    return Buffer.concat([
      entries,
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, entries.length, this.#length),
      numbers(2, 0),
    ])
  }
}

/** Numbers of two or four bytes each, the lowest byte first. */
function numbers(bytes: 2 | 4, ...values: readonly number[]) {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries())
    buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}
