/** A zip file written from front to back: the sizes and the checksum of a part follow it. The same parts give the same bytes. */
import { constants, crc32, deflateRaw } from 'node:zlib'
import { promisify } from 'node:util'
import { SvcError } from '../../errors.ts'

const deflate = promisify(deflateRaw)
/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** The sizes follow; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

interface Part {
  readonly name: Buffer
  readonly at: number
  readonly crc: number
  readonly packed: number
  readonly size: number
}

export class ZipWriter {
  readonly #parts: Part[] = []
  #length = 0

  /** The bytes of a part. Pieces of about 100 KB are best: each is packed for itself. Throws exit 10 beyond 4 GB. */
  async *part(name: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
    const at = this.#length
    const part = { name: Buffer.from(name), at, crc: 0, packed: 0, size: 0 }
    yield this.#count(localHeader(part.name))
    const begin = this.#length
    for await (const piece of pieces) {
      part.crc = crc32(piece, part.crc)
      part.size += piece.length
      yield this.#count(await deflate(piece, { finishFlush: constants.Z_SYNC_FLUSH }), part.size)
    }
    yield this.#count(await deflate(Buffer.alloc(0)))
    part.packed = this.#length - begin
    this.#parts.push(part)
    yield this.#count(fields([4, 0x08074b50], ...sizesOf(part)))
  }

  /** What comes behind the last part. */
  end(): Buffer {
    const entries = Buffer.concat(this.#parts.map(centralHeader))
    const count = this.#parts.length
    const end: readonly Field[] = [
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, count],
      [2, count],
    ]
    return Buffer.concat([entries, fields(...end, [4, entries.length], [4, this.#length], [2, 0])])
  }

  #count(bytes: Buffer, size = 0): Buffer {
    this.#length += bytes.length
    if (Math.max(this.#length, size) < most) return bytes
    throw new SvcError('local', 'the workbook would have more than 4 GB', { hint: 'use csv: -o csv' })
  }
}

type Field = readonly [bytes: 2 | 4, value: number]

/** Numbers of two and four bytes, the lowest byte first. */
function fields(...values: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(values.reduce((sum, [length]) => sum + length, 0))
  let at = 0
  for (const [length, value] of values) at = bytes.writeUIntLE(value, at, length)
  return bytes
}

const common: readonly Field[] = [
  [2, version],
  [2, flags],
  [2, deflated],
  [2, 0],
  [2, firstDay],
]

function sizesOf({ crc, packed, size }: Part): readonly Field[] {
  return [
    [4, crc],
    [4, packed],
    [4, size],
  ]
}

function localHeader(name: Buffer): Buffer {
  return Buffer.concat([fields([4, 0x04034b50], ...common, [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]), name])
}

function centralHeader(part: Part): Buffer {
  const { name, at } = part
  const rest: readonly Field[] = [
    [2, name.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, at],
  ]
  return Buffer.concat([fields([4, 0x02014b50], [2, version], ...common, ...sizesOf(part), ...rest), name])
}
