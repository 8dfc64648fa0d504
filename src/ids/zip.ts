/** A zip archive by its directory, and its parts unpacked as streams. */
import { open } from 'node:fs/promises'
import { Readable, pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { fileError } from '../errno.ts'
import { usageError, type SvcError } from '../errors.ts'
import { encryptedError } from './encoding.ts'

/** All parts of an archive together, as they are unpacked: a few kilobytes can be packed so that they become terabytes. */
const mostUnpacked = 1 << 30
const largestDirectory = 16 << 20
const readAtOnce = 1 << 18

const signature = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50 }
/** Stands in place of a number that is in a zip64 field. */
const isIn64 = 0xffffffff

/** Bytes that can be read at any place: those of a file, or of a stream that was read to its end. */
interface Bytes {
  readonly size: number
  /** All of them, or fewer where there are no more. */
  readonly read: (at: number, length: number) => Promise<Buffer>
  readonly close: () => Promise<void>
}

/** A file or what a stream held. `name` is what messages call it. */
export interface ArchiveSource {
  readonly name: string
  readonly from: { readonly path: string } | { readonly bytes: Buffer }
  readonly signal?: AbortSignal | undefined
}

interface Entry {
  readonly isEncrypted: boolean
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}

/** What is wrong with a workbook that a program did not write like this. */
export function damaged(name: string, what: string): SvcError {
  return usageError(`${name} is damaged: ${what}`, 'open it in a spreadsheet program and save it again as .xlsx')
}

export class Archive {
  readonly name: string
  readonly #bytes: Bytes
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #signal: AbortSignal | undefined
  #unpacked = 0

  private constructor({ name, signal }: ArchiveSource, bytes: Bytes, entries: ReadonlyMap<string, Entry>) {
    this.name = name
    this.#signal = signal
    this.#bytes = bytes
    this.#entries = entries
  }

  /** Reads the directory. Throws exit 2 when there is none, or a damaged one. */
  static async open(source: ArchiveSource): Promise<Archive> {
    const bytes =
      'path' in source.from ? await fileBytes(source.from.path, source.name) : bufferBytes(source.from.bytes)
    try {
      return new Archive(source, bytes, await readDirectory(bytes, source.name))
    } catch (error) {
      await bytes.close()
      throw error
    }
  }

  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase())
  }

  close(): Promise<void> {
    return this.#bytes.close()
  }

  /**
   * The bytes of a part; its checksum is compared when all were taken. Throws exit 2 for a part that is not there, damaged,
   * encrypted, or longer than `most` bytes.
   */
  async *unpack(path: string, most = mostUnpacked): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(path.toLowerCase())
    if (entry === undefined) throw damaged(this.name, `it has no part "${path}"`)
    if (entry.isEncrypted) throw encryptedError(this.name)
    if (entry.method !== 0 && entry.method !== 8) {
      throw damaged(this.name, `"${path}" is packed in a way that workbooks are not (method ${entry.method})`)
    }
    let crc = 0
    let size = 0
    for await (const chunk of this.#inflated(entry, path)) {
      this.#signal?.throwIfAborted()
      size += chunk.length
      this.#unpacked += chunk.length
      if (size > most || this.#unpacked > mostUnpacked) throw this.#tooLong(path, most)
      crc = crc32(chunk, crc)
      yield chunk
    }
    if (crc !== entry.crc || size !== entry.size) throw damaged(this.name, `the checksum of "${path}" is wrong`)
  }

  #tooLong(path: string, most: number): SvcError {
    return usageError(
      `${this.name} is too large: unpacked, "${path}" has more than ${Math.min(most, mostUnpacked) >> 20} MB`,
      'save the column with the ids as a workbook or csv of its own',
    )
  }

  async *#inflated(entry: Entry, path: string): AsyncGenerator<Buffer> {
    const packed = this.#packed(entry, path)
    if (entry.method === 0) {
      yield* packed
      return
    }
    const inflate = createInflateRaw({ chunkSize: 1 << 16 })
    // An error of either is thrown where the chunks are taken.
    pipeline(Readable.from(packed), inflate, () => undefined)
    try {
      for await (const chunk of inflate) yield chunk as Buffer
    } catch (error) {
      if (error instanceof Error && 'errno' in error && !('syscall' in error)) {
        throw damaged(this.name, `"${path}" cannot be unpacked (${error.message})`)
      }
      throw error
    }
  }

  async *#packed({ offset, packed }: Entry, path: string): AsyncGenerator<Buffer> {
    const header = await this.#bytes.read(offset, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== signature.local) {
      throw damaged(this.name, `"${path}" is not where its directory says`)
    }
    let at = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const end = at + packed
    while (at < end) {
      const chunk = await this.#bytes.read(at, Math.min(readAtOnce, end - at))
      if (chunk.length === 0) throw damaged(this.name, 'it is cut off')
      at += chunk.length
      yield chunk
    }
  }
}

async function fileBytes(path: string, name: string): Promise<Bytes> {
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw fileError('usage', `${name} cannot be read`, error)
    }
  }
  const file = await guarded(open(path, 'r'))
  const { size } = await guarded(file.stat())
  return {
    size,
    async read(at, length) {
      const buffer = Buffer.allocUnsafe(Math.min(length, Math.max(0, size - at)))
      const { bytesRead } = await guarded(file.read(buffer, 0, buffer.length, at))
      return buffer.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}

function bufferBytes(bytes: Buffer): Bytes {
  return {
    size: bytes.length,
    read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    close: () => Promise.resolve(),
  }
}

interface DirectoryPlace {
  readonly offset: number
  readonly size: number
}

async function readDirectory(bytes: Bytes, name: string): Promise<Map<string, Entry>> {
  const place = await findDirectory(bytes, name)
  if (place.size > largestDirectory) throw damaged(name, 'its directory is too long')
  const directory = await bytes.read(place.offset, place.size)
  if (directory.length < place.size) throw damaged(name, 'it is cut off')
  const entries = new Map<string, Entry>()
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === signature.entry;) {
    const next =
      at + 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    if (next > directory.length) throw damaged(name, 'its directory is cut off')
    const { path, entry } = readEntry(directory.subarray(at, next))
    // Of two parts with one name, one program shows the first and another the second.
    if (entries.has(path)) throw damaged(name, `it has two parts "${path}"`)
    entries.set(path, entry)
    at = next
  }
  if (entries.size === 0) throw damaged(name, 'its directory is empty')
  return entries
}

/** The end of the directory stands at the end of the archive, before a comment of at most 64 KB. */
async function findDirectory(bytes: Bytes, name: string): Promise<DirectoryPlace> {
  const start = Math.max(0, bytes.size - 22 - 0xffff)
  const tail = await bytes.read(start, bytes.size - start)
  let at = tail.length - 22
  while (at >= 0 && !isEnd(tail, at)) at -= 1
  if (at < 0) throw damaged(name, 'it is cut off')
  const place = { size: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) }
  const locator = at - 20
  if (locator < 0 || tail.readUInt32LE(locator) !== signature.locator64) return place
  const end = await bytes.read(Number(tail.readBigUInt64LE(locator + 8)), 56)
  if (end.length < 56 || end.readUInt32LE(0) !== signature.end64)
    throw damaged(name, 'its directory is not where it says')
  return { size: Number(end.readBigUInt64LE(40)), offset: Number(end.readBigUInt64LE(48)) }
}

function isEnd(tail: Buffer, at: number): boolean {
  return tail.readUInt32LE(at) === signature.end && at + 22 + tail.readUInt16LE(at + 20) <= tail.length
}

function readEntry(bytes: Buffer): { path: string; entry: Entry } {
  const nameEnd = 46 + bytes.readUInt16LE(28)
  const large = zip64Numbers(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(30)))
  // In this order, and only those that do not fit into 32 bits.
  const [size = 0, packed = 0, offset = 0] = [24, 20, 42].map((field) => {
    const small = bytes.readUInt32LE(field)
    return small === isIn64 ? (large.shift() ?? small) : small
  })
  const entry = {
    isEncrypted: (bytes.readUInt16LE(8) & 1) !== 0,
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    size,
    packed,
    offset,
  }
  return { path: bytes.toString('utf8', 46, nameEnd).replaceAll('\\', '/').toLowerCase(), entry }
}

function zip64Numbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = Math.min(extra.length, at + 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) {
      const numbers: number[] = []
      for (let field = at + 4; field + 8 <= end; field += 8) numbers.push(Number(extra.readBigUInt64LE(field)))
      return numbers
    }
    at = end
  }
  return []
}
