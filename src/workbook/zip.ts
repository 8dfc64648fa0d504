/**
 * Reads a zip archive whose parts follow each other without gaps, in the order of its directory, so that all
 * programs read it alike.
 *
 * Zip stores many facts twice: in the directory and in a header before each part. Some programs believe the
 * one and some the other, so an archive in which they differ is refused.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { SvcError, messageOf, usageError } from '../errors.ts'
import { fromBufferPromise, parseExtraFields, validateFileName } from './packages.js'
import type { Entry, ExtraField, LocalFileHeader, ZipFile } from './packages.js'
import { shorten } from '../safe-text.ts'

const mostParts = 20_000
/**
 * A few kilobytes can unpack to terabytes. So the limit for all parts together is `min` bytes, and `perByte` more for each
 * byte of the archive, up to `max`.
 */
const mostUnpacked = { perByte: 100, min: 16 << 20, max: 1 << 29 }
/** A 32-bit field with this value has its real one in the zip64 field. */
const seeZip64Field = 0xffffffff
/** Id of the extra field with 64-bit numbers. */
const zip64Field = 1
/** Id of the extra field that repeats the name in UTF-8. */
const unicodePathField = 0x7075
/** Bytes of the end record of a zip64 archive and of its locator. */
const zip64EndSize = 76
/** Flag: the part is encrypted. */
const isEncrypted = 1
/** Flag: the checksum and lengths follow the part. */
const hasDataDescriptor = 8
/** The bytes of a data descriptor: with or without its signature, with 32-bit or 64-bit lengths. */
const dataDescriptorSizes = [12, 16, 20, 24]

interface ArchivePart {
  entry: Entry
  /** Where its packed bytes begin and end. */
  from: number
  end: number
}

const saveAgain = 'open it in a spreadsheet program and save it again as .xlsx'

/** An archive in memory. */
export class Archive {
  readonly name: string
  readonly #bytes: Buffer
  /** The parts by their names. */
  #parts: ReadonlyMap<string, ArchivePart> = new Map()
  #unpacked = 0

  private constructor(name: string, bytes: Buffer) {
    this.name = name
    this.#bytes = bytes
  }

  /** Reads the directory. Throws exit 2 if there is none, or if programs may read it in different ways. */
  static async open(name: string, bytes: Buffer): Promise<Archive> {
    const archive = new Archive(name, bytes)
    try {
      const zip = await fromBufferPromise(bytes, { autoClose: false, decodeStrings: false })
      archive.#parts = await readParts(zip, bytes, archive)
      return archive
    } catch (error) {
      if (error instanceof SvcError) throw error
      throw archive.damage(`it may be cut off (${messageOf(error)})`)
    }
  }

  has(path: string) {
    return this.#parts.has(path)
  }

  damage(what: string): SvcError {
    return usageError(`${this.name} is damaged: ${what}`, saveAgain)
  }

  /** The error of a well-formed workbook that programs may read in different ways. */
  ambiguous(what: string): SvcError {
    return usageError(
      `${this.name} is ambiguous: ${what}, which programs read in different ways`,
      saveAgain,
    )
  }

  tooLarge(): SvcError {
    return usageError(
      `${this.name} unpacks to more than a workbook of its size should`,
      'save that sheet as a separate workbook or csv',
    )
  }

  /** A part as text, without a byte order mark. Throws exit 2 if it is missing, damaged, not UTF-8, or too large. */
  text(path: string) {
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
    const { perByte, min, max } = mostUnpacked
    if (this.#unpacked > Math.min(max, min + perByte * this.#bytes.length)) {
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

/** Reads the parts. Throws exit 2 unless each part begins where the one before it ends, and its headers agree. */
async function readParts(
  zip: ZipFile,
  bytes: Buffer,
  archive: Archive,
): Promise<ReadonlyMap<string, ArchivePart>> {
  const directoryStart = zip.readEntryCursor
  const parts = new Map<string, ArchivePart>()
  const names = new Set<string>()
  let last: ArchivePart | undefined
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileNameRaw.toString()
    if (entry.isEncrypted()) {
      throw usageError(
        `${archive.name} is encrypted`,
        'save it as .xlsx without a password',
      )
    }
    // Some programs ignore letter case in names.
    names.add(path.toLowerCase())
    const isUnique = names.size === parts.size + 1 && names.size <= mostParts
    const hasValidName = validateFileName(path) === null && !path.includes('\0')
    const header = await zip.readLocalFileHeaderPromise(entry)
    const headersAgree = headerAgrees(header, entry) && extraFieldsAgree(entry)
    const offset = entry.relativeOffsetOfLocalHeader
    if (!isUnique || !hasValidName || !headersAgree || !follows(last, offset)) {
      throw archive.damage(`"${shorten(path)}" does not match the directory of the archive`)
    }
    const from = header.fileDataStart
    last = { entry, from, end: from + entry.compressedSize }
    parts.set(path, last)
  }
  if (follows(last, directoryStart) && isEndPlain(zip, bytes, directoryStart)) return parts
  throw archive.damage('its directory does not match its end record')
}

/** Whether `next` is where a part ends, perhaps after its data descriptor. Without a part: the beginning of the file. */
function follows(part: ArchivePart | undefined, next: number) {
  const gap = next - (part?.end ?? 0)
  const flags = part?.entry.generalPurposeBitFlag ?? 0
  return (
    gap === 0 || ((flags & hasDataDescriptor) !== 0 && dataDescriptorSizes.includes(gap))
  )
}

/** Whether the header of a part agrees with its directory entry. */
function headerAgrees(header: LocalFileHeader, entry: Entry) {
  const zip64Numbers = numbersOf(parseExtraFields(header.extraField))
  const { generalPurposeBitFlag: flags } = entry
  if (!header.fileName.equals(entry.fileNameRaw)) return false
  if (header.compressionMethod !== entry.compressionMethod) return false
  if (((header.generalPurposeBitFlag ^ flags) & (hasDataDescriptor | isEncrypted)) !== 0)
    return false
  // The header may have any numbers here, because the right ones follow the part.
  if ((flags & hasDataDescriptor) !== 0) return true
  return (['crc32', 'compressedSize', 'uncompressedSize'] as const).every(
    (key) =>
      header[key] === entry[key] ||
      (header[key] === seeZip64Field && zip64Numbers.includes(entry[key])),
  )
}

/** The 64-bit numbers of the zip64 fields. */
function numbersOf(fields: readonly ExtraField[]) {
  const numbers: number[] = []
  for (const { id, data } of fields) {
    if (id !== zip64Field) continue
    for (let at = 0; at + 8 <= data.length; at += 8)
      numbers.push(Number(data.readBigUInt64LE(at)))
  }
  return numbers
}

/**
 * Whether the zip64 numbers of an entry are some of its own, in the order of the format (unpacked size, packed size,
 * offset), and no field gives the part a second name.
 */
function extraFieldsAgree(entry: Entry) {
  const { extraFields, uncompressedSize, compressedSize } = entry
  const own = [uncompressedSize, compressedSize, entry.relativeOffsetOfLocalHeader]
  let from = 0
  for (const number of numbersOf(extraFields)) {
    const at = own.indexOf(number, from)
    if (at < 0) return false
    from = at + 1
  }
  return extraFields.every(({ id }) => id !== unicodePathField)
}

/**
 * Whether the directory is followed by nothing but its end record, and perhaps the zip64 end record before that, and both
 * describe the directory as it is.
 */
function isEndPlain(zip: ZipFile, bytes: Buffer, start: number) {
  const { readEntryCursor: end, entryCount: count } = zip
  const size = end - start
  const tail = bytes.subarray(end)
  const numbers = [count, count, size, start, end]
  const isLarge =
    tail.length > zip64EndSize &&
    [24, 32, 40, 48, 64].every((at, n) => Number(tail.readBigUInt64LE(at)) === numbers[n])
  const last = tail.subarray(isLarge ? zip64EndSize : 0)
  if (last.length !== 22) return false
  return [8, 10, 12, 16].every((at, n) => {
    const length = n < 2 ? 2 : 4
    const number = last.readUIntLE(at, length)
    // The number is in the zip64 end record.
    const isFull = isLarge && number === 2 ** (8 * length) - 1
    return isFull || number === numbers[n]
  })
}
