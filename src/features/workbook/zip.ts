/**
 * A zip archive whose parts lie one after the other, as its directory names them, so that all programs read
 * it alike.
 *
 * * Zip says many things twice: in the directory and in front of each part. Some programs believe the one,
 * and some the other, so an archive that says two things is refused.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { SvcError, messageOf, usageError } from '../../errors.ts'
import { fromBufferPromise, parseExtraFields, validateFileName } from './packages.js'
import type { Entry, ExtraField, LocalFileHeader, ZipFile } from './packages.js'
import { shorten } from '../../safe-text.ts'

const mostParts = 20_000
/** A few kilobytes can unpack to terabytes. So unpacked data is limited to so many bytes for each byte of the archive. */
const mostUnpacked = { perByte: 100, always: 16 << 20, ever: 1 << 29 }
const full = 0xffffffff
/** Extra field with numbers of more than 32 bits. */
const largeNumbers = 1
/** Extra field with the name once more. */
const otherName = 0x7075
/** Bytes of the end of a large archive, with the record that says where it is. */
const largeEnd = 76
/** Flags: the part is encrypted; checksum and lengths follow the part, in one of these numbers of bytes. */
const isEncrypted = 1
const hasTrailer = 8
const trailerSizes = [0, 12, 16, 20, 24]

interface ArchivePart {
  entry: Entry
  /** Where its bytes begin and end. */
  from: number
  end: number
}

const saveAgain = 'open it in a spreadsheet program and save it again as .xlsx'

function damageError(name: string, what: string) {
  return usageError(`${name} is damaged: ${what}`, saveAgain)
}

/** An archive in memory. */
export class Archive {
  readonly name: string
  readonly #bytes: Buffer
  /** By their names. */
  readonly #parts: ReadonlyMap<string, ArchivePart>
  #unpacked = 0

  private constructor(
    name: string,
    bytes: Buffer,
    parts: ReadonlyMap<string, ArchivePart>,
  ) {
    this.name = name
    this.#bytes = bytes
    this.#parts = parts
  }

  /** Reads the directory. Throws exit 2 when there is none, or one that programs may read in different ways. */
  static async open(name: string, bytes: Buffer): Promise<Archive> {
    try {
      const zip = await fromBufferPromise(bytes, { autoClose: false, decodeStrings: false })
      return new Archive(name, bytes, await readParts(zip, bytes, name))
    } catch (error) {
      if (error instanceof SvcError) throw error
      throw damageError(name, `it may be cut off (${messageOf(error)})`)
    }
  }

  has(path: string): boolean {
    return this.#parts.has(path)
  }

  damage(what: string): SvcError {
    return damageError(this.name, what)
  }

  /** Well formed, and perhaps not the same in two programs. */
  ambiguous(what: string): SvcError {
    const words = `${this.name} is ambiguous: ${what}, which programs read in different ways`
    return usageError(words, saveAgain)
  }

  tooLarge(): SvcError {
    const words = `${this.name} unpacks to more than a workbook of its size should`
    return usageError(words, 'save that sheet as a separate workbook or csv')
  }

  /** A part as text, without a byte order mark. Throws exit 2 if it is missing, damaged, no UTF-8, or more than a workbook can have. */
  text(path: string): string {
    const bytes = this.#unpack(path)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw this.damage(`"${path}" is not valid UTF-8`)
    }
  }

  #unpack(path: string) {
    const part = this.#parts.get(path)
    if (part === undefined) throw this.damage(`it has no part "${path}"`)
    const { entry, from, end } = part
    const size = entry.uncompressedSize
    this.#unpacked += size
    const { perByte, always, ever } = mostUnpacked
    if (this.#unpacked > Math.min(ever, always + perByte * this.#bytes.length)) {
      throw this.tooLarge()
    }
    const packed = this.#bytes.subarray(from, end)
    let bytes = packed
    try {
      if (entry.compressionMethod !== 0) {
        bytes = inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
      }
    } catch (error) {
      throw this.damage(`"${path}" cannot be unpacked (${messageOf(error)})`)
    }
    if (bytes.length === size && crc32(bytes) === entry.crc32) return bytes
    throw this.damage(`the checksum of "${path}" is wrong`)
  }
}

/** The parts, each of which begins where the one before it ends. */
async function readParts(
  zip: ZipFile,
  bytes: Buffer,
  name: string,
): Promise<ReadonlyMap<string, ArchivePart>> {
  const start = zip.readEntryCursor
  const parts = new Map<string, ArchivePart>()
  const names = new Set<string>()
  let last: ArchivePart | undefined
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileNameRaw.toString()
    if (entry.isEncrypted()) {
      throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
    }
    // Some programs tell capitals apart, and others do not.
    names.add(path.toLowerCase())
    const isOne = names.size === parts.size + 1 && names.size <= mostParts
    const isNamed = validateFileName(path) === null && !path.includes('\0')
    const header = await zip.readLocalFileHeaderPromise(entry)
    const isSaidOnce = isSame(header, entry) && isSameAgain(entry)
    const offset = entry.relativeOffsetOfLocalHeader
    if (!isOne || !isNamed || !isSaidOnce || !follows(last, offset)) {
      throw damageError(
        name,
        `"${shorten(path)}" does not match the directory of the archive`,
      )
    }
    const from = header.fileDataStart
    last = { entry, from, end: from + entry.compressedSize }
    parts.set(path, last)
  }
  if (follows(last, start) && isEndPlain(zip, bytes, start)) return parts
  throw damageError(name, 'its directory does not match its end record')
}

/** Whether a place is the end of a part, perhaps after its checksum and lengths. */
function follows(part: ArchivePart | undefined, next: number) {
  const gap = next - (part?.end ?? 0)
  const flags = part?.entry.generalPurposeBitFlag ?? 0
  return gap === 0 || ((flags & hasTrailer) !== 0 && trailerSizes.includes(gap))
}

/** Whether the header of a part says what the directory says of it. */
function isSame(header: LocalFileHeader, entry: Entry) {
  const large = numbersOf(parseExtraFields(header.extraField))
  const { generalPurposeBitFlag: flags } = entry
  if (!header.fileName.equals(entry.fileNameRaw)) return false
  if (header.compressionMethod !== entry.compressionMethod) return false
  if (((header.generalPurposeBitFlag ^ flags) & (hasTrailer | isEncrypted)) !== 0)
    return false
  // Then the header may have any numbers, because the right ones follow the part.
  if ((flags & hasTrailer) !== 0) return true
  return (['crc32', 'compressedSize', 'uncompressedSize'] as const).every(
    (key) =>
      header[key] === entry[key] || (header[key] === full && large.includes(entry[key])),
  )
}

/** Numbers of 64 bits, of the fields that have such. */
function numbersOf(fields: readonly ExtraField[]) {
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

/** Whether the extra fields of an entry say its numbers again, in their order, and no other name. */
function isSameAgain(entry: Entry) {
  const { extraFields, uncompressedSize, compressedSize } = entry
  const own = [uncompressedSize, compressedSize, entry.relativeOffsetOfLocalHeader]
  let from = 0
  for (const number of numbersOf(extraFields)) {
    const at = own.indexOf(number, from)
    if (at < 0) return false
    from = at + 1
  }
  return extraFields.every(({ id }) => id !== otherName)
}

/**
 * Whether nothing is between the directory and its end, nothing after that, and each end says the same of it: the one of every archive, and the
 * one for large archives in front of it.
 */
function isEndPlain(zip: ZipFile, bytes: Buffer, start: number) {
  const { readEntryCursor: end, entryCount: count } = zip
  const size = end - start
  const tail = bytes.subarray(end)
  const numbers = [count, count, size, start, end]
  const isLarge =
    tail.length > largeEnd &&
    [24, 32, 40, 48, 64].every((at, n) => Number(tail.readBigUInt64LE(at)) === numbers[n])
  const last = tail.subarray(isLarge ? largeEnd : 0)
  if (last.length !== 22) return false
  return [8, 10, 12, 16].every((at, n) => {
    const length = n < 2 ? 2 : 4
    const number = last.readUIntLE(at, length)
    // Then the number is in the other end.
    const isFull = isLarge && number === 2 ** (8 * length) - 1
    return isFull || number === numbers[n]
  })
}
