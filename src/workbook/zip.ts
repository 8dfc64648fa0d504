/**
 * A zip archive whose parts lie one behind the other and are named once, so that all programs read it alike. `workbook.ts` opens one to read
 * it, `own-workbook.ts` to give it back; every other file of this folder that reads a part is handed the archive.
 *
 * Zip says many things twice: in the directory and in front of each part. Some programs believe the one, and some the other, so an archive that
 * says two things is refused.
 */
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { fileError } from '../errno.ts'
import { SvcError, messageOf, usageError } from '../errors.ts'
import { fromBufferPromise, openPromise, parseExtraFields, validateFileName } from './packages.js'
import type { Entry, ExtraField, LocalFileHeader, ZipFile } from './packages.js'
import { shorten } from '../safe-text.ts'

/** A part as it is unpacked: a few kilobytes can be packed so that they become terabytes. */
const mostUnpacked = 1 << 30
const mostParts = 20_000
/** Work for each byte of an archive, and for one of any size. A character of XML is 1, a byte that is unpacked an eighth; sheets are read twice. */
const mostWork = { perByte: 128, always: 64 << 20 }
const full = 0xffffffff
/** Extra field with numbers of more than 32 bits. */
export const largeNumbers = 1
/** Extra field with the name in Unicode. */
const otherName = 0x7075
/** Flags: the part is encrypted; checksum and lengths stand behind the part, in so many bytes. */
const isEncrypted = 1
const isBehind = 8
const behind = [0, 12, 16, 20, 24]

/** A file or the content of a stream. `name` is used in messages. */
export interface ArchiveSource {
  readonly name: string
  readonly from: { readonly path: string } | { readonly path?: undefined; readonly bytes: Buffer }
  readonly signal?: AbortSignal | undefined
}

interface Part {
  readonly path: string
  readonly entry: Entry
  /** Where the next one begins. */
  readonly next: number
}

function damageError(name: string, what: string): SvcError {
  return usageError(
    `${name} is damaged: ${what}`,
    'open it in a spreadsheet program and save it again as .xlsx',
  )
}

/** An open archive. `workbook.ts` and `own-workbook.ts` open one, and close it when they have read it. */
export class Archive {
  readonly name: string
  readonly #signal: AbortSignal | undefined
  readonly #zip: ZipFile
  readonly #parts: ReadonlyMap<string, Part>
  #work = 0

  private constructor(
    { name, signal }: ArchiveSource,
    zip: ZipFile,
    parts: ReadonlyMap<string, Part>,
  ) {
    this.name = name
    this.#signal = signal
    this.#zip = zip
    this.#parts = parts
  }

  /** Reads the directory. Throws exit 2 when there is none, or one that programs may read in different ways. */
  static async open(source: ArchiveSource): Promise<Archive> {
    const { name } = source
    const zip = await openZip(source)
    try {
      const parts = await readParts(zip, name)
      return new Archive(source, zip, parts)
    } catch (error) {
      zip.close()
      throw archiveError(name, error)
    }
  }

  has(path: string): boolean {
    return this.#parts.has(path)
  }

  /** The parts in their order, each with all its bytes up to the next one. Throws exit 2 for a part that is too large. */
  *contents(): Generator<{
    path: string
    entry: Entry
    bytes: AsyncIterable<Buffer>
  }> {
    for (const { path, entry, next } of this.#parts.values()) {
      if (entry.uncompressedSize >= mostUnpacked) {
        throw this.tooLarge(`"${path}" has more than ${mostUnpacked >> 20} MB`)
      }
      const bytes = bytesOf(this.#zip, entry.relativeOffsetOfLocalHeader, next)
      yield { path, entry, bytes }
    }
  }

  /** Throws exit 2 when more was read than a spreadsheet of this size can have. */
  work(units: number): void {
    this.#work += units
    const ofSize = mostWork.perByte * this.#zip.fileSize
    const most = mostWork.always + ofSize
    if (this.#work > most) throw this.tooLarge('it has more in it than a spreadsheet of its size')
  }

  damage(what: string): SvcError {
    return damageError(this.name, what)
  }

  /** Well formed, and perhaps not the same in two programs. */
  ambiguous(what: string): SvcError {
    const hint = 'open it in a spreadsheet program and save it again as .xlsx'
    return usageError(
      `${this.name} is ambiguous: ${what}, which programs read in different ways`,
      hint,
    )
  }

  tooLarge(what: string): SvcError {
    const hint = 'save the sheet that is meant as a workbook or csv of its own'
    return usageError(`${this.name} is too large: ${what}`, hint)
  }

  close(): void {
    this.#zip.close()
  }

  async text(path: string): Promise<string> {
    const pieces: Buffer[] = []
    for await (const piece of this.unpack(path, 1 << 24)) pieces.push(piece)
    return Buffer.concat(pieces).toString('latin1')
  }

  /** A part's bytes, whose length and sum are checked. Throws exit 2 if it is missing, damaged, encrypted, or over `most` bytes. */
  async *unpack(path: string, most = mostUnpacked): AsyncGenerator<Buffer> {
    const entry = this.#parts.get(path)?.entry
    if (entry === undefined) throw this.damage(`it has no part "${path}"`)
    let crc = 0
    let size = 0
    try {
      const packed = await this.#zip.openReadStreamPromise(entry, { decodeFileData: false })
      const unpacked = createInflateRaw({ chunkSize: 1 << 16 })
      const stream =
        entry.compressionMethod === 0 ? packed : pipeline(packed, unpacked, () => undefined)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#signal?.throwIfAborted()
        size += chunk.length
        this.work(chunk.length >> 3)
        if (size > most) throw this.tooLarge(`unpacked, "${path}" has more than ${most >> 20} MB`)
        crc = crc32(chunk, crc)
        yield chunk
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw archiveError(this.name, error, `"${path}" cannot be unpacked`)
    }
    if (crc !== entry.crc32 || size !== entry.uncompressedSize) {
      throw this.damage(`the checksum of "${path}" is wrong`)
    }
  }
}

async function openZip({ name, from }: ArchiveSource): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false } as const
  try {
    if (from.path !== undefined) return await openPromise(from.path, options)
    return await fromBufferPromise(from.bytes, options)
  } catch (error) {
    throw archiveError(name, error)
  }
}

/** An error of yauzl, of zlib, or of the system. */
function archiveError(
  name: string,
  error: unknown,
  what = 'its directory cannot be read',
): SvcError {
  if (error instanceof SvcError) return error
  if (error instanceof Error && 'syscall' in error) {
    return fileError('usage', `${name} cannot be read`, error)
  }
  const message = messageOf(error)
  const isCutOff = message.includes('record signature not found')
  return damageError(name, isCutOff ? 'it is cut off' : `${what} (${message})`)
}

/** A part of the directory, with the place behind its bytes. */
type FoundPart = Pick<Part, 'path' | 'entry'> & { readonly end: number }

/** The parts by their names, in the order of their bytes. */
async function readParts(zip: ZipFile, name: string): Promise<ReadonlyMap<string, Part>> {
  const start = zip.readEntryCursor
  const names = new Set<string>()
  const parts: FoundPart[] = []
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileNameRaw.toString()
    const isNamed = validateFileName(path) === null && !path.includes('\0')
    if (!isNamed) {
      throw damageError(name, `its part "${shorten(path)}" is not named as parts of workbooks are`)
    }
    // Some programs tell capitals apart, and others do not.
    const folded = path.toLowerCase()
    if (names.has(folded)) throw damageError(name, `it has two parts "${folded}"`)
    names.add(folded)
    if (names.size > mostParts) throw damageError(name, 'its directory is too long')
    if (entry.isEncrypted()) {
      throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
    }
    if (!isSaidOnce(entry, path)) {
      throw damageError(name, `its directory says two things of "${path}"`)
    }
    const header = await zip.readLocalFileHeaderPromise(entry)
    if (!isSame(header, entry)) throw damageError(name, `"${path}" is not what its directory says`)
    const end = header.fileDataStart + entry.compressedSize
    parts.push({ path, entry, end })
  }
  await checkEnd(zip, start, name)
  return inOrder(parts, start, name)
}

/** The parts in the order of their bytes. Throws exit 2 when anything is between them. `start`: of the directory, behind the last part. */
function inOrder(parts: FoundPart[], start: number, name: string): ReadonlyMap<string, Part> {
  const offsetOf = ({ entry }: FoundPart): number => entry.relativeOffsetOfLocalHeader
  parts.sort((one, other) => offsetOf(one) - offsetOf(other))
  const ordered = new Map<string, Part>()
  let before = 0
  let isDense = true
  for (const [n, part] of parts.entries()) {
    if (n === 0 && offsetOf(part) !== 0) isDense = false
    const { path, entry, end } = part
    const next = parts[n + 1]?.entry.relativeOffsetOfLocalHeader ?? start
    const gap = next - end
    const hasSumBehind = (entry.generalPurposeBitFlag & isBehind) !== 0
    const isOfSum = hasSumBehind && behind.includes(gap)
    if (gap !== 0 && !isOfSum) isDense = false
    ordered.set(path, { path, entry, next })
    before = next
  }
  if (isDense && before === start) return ordered
  throw damageError(name, 'it has bytes before or between its parts')
}

/** Whether the header of a part says what the directory says of it. */
function isSame(header: LocalFileHeader, entry: Entry): boolean {
  const large = numbersOf(parseExtraFields(header.extraField))
  if (!header.fileName.equals(entry.fileNameRaw)) return false
  if (header.compressionMethod !== entry.compressionMethod) return false
  const otherFlags = header.generalPurposeBitFlag ^ entry.generalPurposeBitFlag
  if ((otherFlags & (isBehind | isEncrypted)) !== 0) return false
  // Then the header may have any numbers: the right ones stand behind the part.
  if ((entry.generalPurposeBitFlag & isBehind) !== 0) return true
  const isNumber = (small: number, wanted: number): boolean =>
    small === wanted || (small === full && large.includes(wanted))
  return (
    isNumber(header.crc32, entry.crc32) &&
    isNumber(header.compressedSize, entry.compressedSize) &&
    isNumber(header.uncompressedSize, entry.uncompressedSize)
  )
}

/** Numbers of 64 bits, of the fields that have such. */
function numbersOf(fields: readonly ExtraField[]): number[] {
  const numbers: number[] = []
  for (const { id, data } of fields) {
    if (id !== largeNumbers) continue
    for (let at = 0; at + 8 <= data.length; at += 8) {
      const number = data.readBigUInt64LE(at)
      numbers.push(Number(number))
    }
  }
  return numbers
}

/** Whether what stands in an entry twice is the same, numbers in their order. */
function isSaidOnce(entry: Entry, path: string): boolean {
  const numbers = [entry.uncompressedSize, entry.compressedSize, entry.relativeOffsetOfLocalHeader]
  let from = 0
  for (const number of numbersOf(entry.extraFields)) {
    const at = numbers.indexOf(number, from)
    if (at < 0) return false
    from = at + 1
  }
  return entry.extraFields.every(({ id, data }) => {
    if (id !== otherName) return true
    // The name is behind a version and a checksum.
    const name = data.toString('utf8', 5)
    return name === path
  })
}

/**
 * Nothing is between the directory and its end, and each end says the same of it: the one of every archive, of 22 bytes, and the one for large
 * archives in front of it, of 76. Throws exit 2.
 */
async function checkEnd(zip: ZipFile, start: number, name: string): Promise<void> {
  const { readEntryCursor: end, entryCount: count, fileSize } = zip
  const at = fileSize - end - 22 - zip.comment.length
  const pieces: Buffer[] = []
  if (at === 0 || at === 76) {
    for await (const piece of bytesOf(zip, end, fileSize)) pieces.push(piece)
  }
  const tail = Buffer.concat(pieces)
  const large = [count, count, end - start, start]
  const largeAt = (place: number): number => Number(tail.readBigUInt64LE(place))
  const isLarge =
    at === 76 &&
    tail.readUInt32LE(0) === 0x06064b50 &&
    largeAt(64) === end &&
    large.every((number, n) => largeAt(24 + n * 8) === number)
  const isSame = [8, 10, 12, 16].every((field, n) => {
    const length = field < 12 ? 2 : 4
    const number = tail.length > 0 && tail.readUIntLE(at + field, length)
    if (number === large[n]) return true
    // Then the number stands in the other end.
    const isFull = number === 2 ** (8 * length) - 1
    return isLarge && isFull
  })
  if (!(at === 0 || isLarge) || !isSame) {
    throw damageError(name, 'its directory is not what its end says')
  }
}

/** The bytes of an archive from one place to another, as they are. */
async function* bytesOf(zip: ZipFile, from: number, to: number): AsyncGenerator<Buffer> {
  const length = to - from
  const stream = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    zip.openReadStreamLowLevel(from, length, 0, length, false, length, (error, opened) => {
      if (error === null) resolve(opened)
      else reject(error)
    })
  })
  yield* stream
}
