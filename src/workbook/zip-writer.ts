/** A zip file written from front to back: the sizes and the checksum of a part follow it. The same parts give the same bytes. */
import { constants, crc32, deflateRaw } from 'node:zlib'
import { promisify } from 'node:util'
import { SvcError } from '../errors.ts'

const deflate = promisify(deflateRaw)
/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** The sizes follow; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

interface Part extends Readonly<Record<'at' | 'crc' | 'packed' | 'size', number>> {
  readonly name: Buffer
}

export class ZipWriter {
  readonly #directory: Buffer[] = []
  #length = 0

  /** The bytes of a part. Pieces of about 100 KB are best: each is packed for itself. Throws exit 10 beyond 4 GB. */
  async *part(
    name: string | Buffer,
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    const at = this.#length
    const part = {
      name: typeof name === 'string' ? Buffer.from(name) : name,
      at,
      crc: 0,
      packed: 0,
      size: 0,
    }
    yield this.#count(localHeader(part.name))
    const begin = this.#length
    for await (const piece of pieces) {
      part.crc = crc32(piece, part.crc)
      part.size += piece.length
      yield this.#count(await deflate(piece, { finishFlush: constants.Z_SYNC_FLUSH }), part.size)
    }
    yield this.#count(await deflate(Buffer.alloc(0)))
    part.packed = this.#length - begin
    this.#directory.push(centralHeader(part))
    yield this.#count(numbers(4, 0x08074b50, ...sizesOf(part)))
  }

  /** A part as it lies in another archive, header and all. `entry`: what the directory says of it at its new place. */
  async *copy(entry: (at: number) => Buffer, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.#directory.push(entry(this.#length))
    for await (const piece of bytes) yield this.#count(piece)
  }

  end(): Buffer {
    const entries = Buffer.concat(this.#directory)
    const count = this.#directory.length
    const end = [
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, entries.length, this.#length),
    ]
    return Buffer.concat([entries, ...end, numbers(2, 0)])
  }

  #count(bytes: Buffer, size = 0): Buffer {
    this.#length += bytes.length
    if (Math.max(this.#length, size) < most) return bytes
    throw new SvcError('local', 'the workbook would have more than 4 GB', {
      hint: 'use csv: -o csv',
    })
  }
}

/** Numbers of two or four bytes each, the lowest byte first. */
export function numbers(bytes: 2 | 4, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries()) buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}

const common = numbers(2, version, flags, deflated, 0, firstDay)

function sizesOf({ crc, packed, size }: Part): [number, number, number] {
  return [crc, packed, size]
}

function localHeader(name: Buffer): Buffer {
  return Buffer.concat([
    numbers(4, 0x04034b50),
    common,
    numbers(4, 0, 0, 0),
    numbers(2, name.length, 0),
    name,
  ])
}

function centralHeader(part: Part): Buffer {
  const { name, at } = part
  const start = [numbers(4, 0x02014b50), numbers(2, version), common, numbers(4, ...sizesOf(part))]
  return Buffer.concat([...start, numbers(2, name.length, 0, 0, 0, 0), numbers(4, 0, at), name])
}
