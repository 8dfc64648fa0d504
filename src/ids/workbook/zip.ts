/** A zip archive by its directory, and its parts unpacked as streams. */
import { open } from 'node:fs/promises'
import { Readable, pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { fileError } from '../../errno.ts'
import { usageError, type SvcError } from '../../errors.ts'
import { encryptedError } from '../encoding.ts'
import { damaged, entryName, readDirectory, zip64Numbers } from './zip-directory.ts'
import type { ArchiveBytes, Directory, Entry } from './zip-directory.ts'

/** All parts of an archive together, as they are unpacked: a few kilobytes can be packed so that they become terabytes. */
const mostUnpacked = 1 << 30
/** Elements of all parts together: a sheet of a million rows with ten columns has about 20 million. */
const mostElements = 1 << 25
const readAtOnce = 1 << 18
const localSignature = 0x04034b50

/** A file or what a stream held. `name` is what messages call it. */
export interface ArchiveSource {
  readonly name: string
  readonly from: { readonly path: string } | { readonly bytes: Buffer }
  readonly signal?: AbortSignal | undefined
}

export class Archive {
  readonly name: string
  readonly #signal: AbortSignal | undefined
  readonly #bytes: ArchiveBytes
  readonly #directory: Directory
  #unpacked = 0
  #elements = 0

  private constructor({ name, signal }: ArchiveSource, bytes: ArchiveBytes, directory: Directory) {
    this.name = name
    this.#signal = signal
    this.#bytes = bytes
    this.#directory = directory
  }

  /** Reads the directory. Throws exit 2 when there is none, or a damaged one. */
  static async open(source: ArchiveSource): Promise<Archive> {
    const { name, from } = source
    const bytes = 'path' in from ? await fileBytes(from.path, name) : bufferBytes(from.bytes)
    try {
      return new Archive(source, bytes, await readDirectory(bytes, name))
    } catch (error) {
      await bytes.close()
      throw error
    }
  }

  has(path: string): boolean {
    return this.#directory.entries.has(path)
  }

  /** The parts as they lie there, each with all its bytes up to the next one. Throws exit 2 for some that overlap. */
  *records(): Generator<{ path: string; entry: Entry; bytes: AsyncIterable<Buffer> }> {
    const { entries, offset: end } = this.#directory
    const all = [...entries].sort(([, one], [, other]) => one.offset - other.offset)
    for (const [n, [path, entry]] of all.entries()) {
      const next = all[n + 1]?.[1].offset ?? end
      if (entry.offset + 30 + entry.packed > next) throw this.damaged(`"${path}" is not where its directory says`)
      if (entry.size >= mostUnpacked) throw this.tooLarge(`"${path}" has more than ${mostUnpacked >> 20} MB`)
      yield { path, entry, bytes: this.#read(entry.offset, next) }
    }
  }

  /** Of the elements that were read, so many more. Throws exit 2 for more than a spreadsheet has. */
  count(elements: number): void {
    this.#elements += elements
    if (this.#elements > mostElements) throw this.tooLarge('it has more elements than a spreadsheet')
  }

  damaged(what: string): SvcError {
    return damaged(this.name, what)
  }

  tooLarge(what: string): SvcError {
    const hint = 'save the column with the ids as a workbook or csv of its own'
    return usageError(`${this.name} is too large: ${what}`, hint)
  }

  close(): Promise<void> {
    return this.#bytes.close()
  }

  async text(path: string): Promise<string> {
    const pieces: Buffer[] = []
    for await (const piece of this.unpack(path, 1 << 24)) pieces.push(piece)
    return Buffer.concat(pieces).toString('latin1')
  }

  /** A part's bytes, checked at the end. Throws exit 2 if it is missing, damaged, encrypted, or over `most` bytes. */
  async *unpack(path: string, most = mostUnpacked): AsyncGenerator<Buffer> {
    const entry = this.#directory.entries.get(path)
    if (entry === undefined) throw this.damaged(`it has no part "${path}"`)
    if ((entry.flags & 1) !== 0) throw encryptedError(this.name)
    if (entry.method !== 0 && entry.method !== 8) {
      throw this.damaged(`"${path}" is packed in a way that workbooks are not (method ${entry.method})`)
    }
    let crc = 0
    let size = 0
    for await (const chunk of this.#inflated(entry, path)) {
      this.#signal?.throwIfAborted()
      size += chunk.length
      this.#unpacked += chunk.length
      if (size > most || this.#unpacked > mostUnpacked)
        throw this.tooLarge(`unpacked, "${path}" has more than ${most >> 20} MB`)
      crc = crc32(chunk, crc)
      yield chunk
    }
    if (crc !== entry.crc || size !== entry.size) throw this.damaged(`the checksum of "${path}" is wrong`)
  }

  async *#inflated(entry: Entry, path: string): AsyncGenerator<Buffer> {
    const start = await this.#start(entry, path)
    const packed = this.#read(start, start + entry.packed)
    if (entry.method === 0) return yield* packed
    const inflate = createInflateRaw({ chunkSize: 1 << 16 })
    // An error of either is thrown where the chunks are taken.
    pipeline(Readable.from(packed), inflate, () => undefined)
    try {
      for await (const chunk of inflate) yield chunk as Buffer
    } catch (error) {
      if (error instanceof Error && 'errno' in error && !('syscall' in error)) {
        throw this.damaged(`"${path}" cannot be unpacked (${error.message})`)
      }
      throw error
    }
  }

  async *#read(from: number, end: number): AsyncGenerator<Buffer> {
    for (let at = from; at < end;) {
      const chunk = await this.#bytes.read(at, Math.min(readAtOnce, end - at))
      if (chunk.length === 0) throw this.damaged('it is cut off')
      at += chunk.length
      yield chunk
    }
  }

  /** Where its bytes begin, behind a header that says again what the directory says. Some programs believe the one, some the other. */
  async #start(entry: Entry, path: string): Promise<number> {
    const { offset } = entry
    const header = await this.#bytes.read(offset, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== localSignature) {
      throw this.damaged(`"${path}" is not where its directory says`)
    }
    const [nameLength, extraLength] = [header.readUInt16LE(26), header.readUInt16LE(28)]
    const names = await this.#bytes.read(offset + 30, nameLength + extraLength)
    const flags = header.readUInt16LE(6)
    const isEqual =
      entryName(names.subarray(0, nameLength)) === path &&
      header.readUInt16LE(8) === entry.method &&
      ((flags ^ entry.flags) & 0b1001) === 0 &&
      // Otherwise these stand behind its bytes.
      ((flags & 0b1000) !== 0 || agrees(header, names.subarray(nameLength), entry))
    if (!isEqual) throw this.damaged(`"${path}" is not what its directory says`)
    return offset + 30 + nameLength + extraLength
  }
}

function agrees(header: Buffer, extra: Buffer, entry: Entry): boolean {
  const [size = NaN, packed = NaN] = zip64Numbers(extra)
  const is = (field: number, large: number, wanted: number): boolean => {
    const small = header.readUInt32LE(field)
    return (small === 0xffffffff ? large : small) === wanted
  }
  return header.readUInt32LE(14) === entry.crc && is(22, size, entry.size) && is(18, packed, entry.packed)
}

async function fileBytes(path: string, name: string): Promise<ArchiveBytes> {
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

function bufferBytes(bytes: Buffer): ArchiveBytes {
  return {
    size: bytes.length,
    read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    close: () => Promise.resolve(),
  }
}
