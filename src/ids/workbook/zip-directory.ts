/** The directory of a zip archive, read as every program reads it, or not at all. */
import { usageError, type SvcError } from '../../errors.ts'

const largestDirectory = 16 << 20
const signature = { entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50 }
/** Stands instead of a number that is in a zip64 field. */
const full = 0xffffffff
const fullCount = 0xffff
/** An extra field with the name in Unicode. */
const otherName = 0x7075

/** Bytes that can be read at any place: those of a file, or of a stream that was read to its end. */
export interface ArchiveBytes {
  readonly size: number
  /** All of them, or fewer where there are no more. */
  readonly read: (at: number, length: number) => Promise<Buffer>
  readonly close: () => Promise<void>
}

export interface Entry extends Readonly<Record<'flags' | 'method' | 'crc' | 'packed' | 'size' | 'offset', number>> {
  readonly record: Buffer
}

export type Directory = Awaited<ReturnType<typeof readDirectory>>

/** What is wrong with a workbook that a program did not write like this. */
export function damaged(name: string, what: string): SvcError {
  return usageError(`${name} is damaged: ${what}`, 'open it in a spreadsheet program and save it again as .xlsx')
}

/** The parts by their names. Throws exit 2 for a directory that is damaged, or that another program might read differently. */
export async function readDirectory(bytes: ArchiveBytes, name: string) {
  const place = await findDirectory(bytes, name)
  if (place.size > largestDirectory) throw damaged(name, 'its directory is too long')
  const directory = await bytes.read(place.offset, place.size)
  const entries = new Map<string, Entry>()
  const names = new Set<string>()
  let at = 0
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === signature.entry) {
    const next =
      at + 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    if (next > directory.length) throw damaged(name, 'its directory is cut off')
    const { path, entry } = readEntry(directory.subarray(at, next), name)
    // Of two parts with one name, one program shows the first and another the second; capitals count for some of them.
    const folded = path.toLowerCase()
    if (names.has(folded)) throw damaged(name, `it has two parts "${folded}"`)
    names.add(folded)
    entries.set(path, entry)
    at = next
  }
  if (entries.size === 0 && place.count === 0) throw damaged(name, 'its directory is empty')
  if (at !== place.size || entries.size !== place.count) throw damaged(name, 'its directory is not what its end says')
  // The directory begins behind the parts.
  return { entries, offset: place.offset }
}

/** The end of the directory is at the end of the archive, before a comment of at most 64 KB. */
async function findDirectory(bytes: ArchiveBytes, name: string) {
  const start = Math.max(0, bytes.size - 22 - 0xffff)
  const tail = await bytes.read(start, bytes.size - start)
  const ends: number[] = []
  for (let at = tail.length - 22; at >= 0; at -= 1) if (isEnd(tail, at)) ends.push(at)
  const [at] = ends
  if (at === undefined) throw damaged(name, 'it is cut off')
  if (ends.length > 1) throw damaged(name, 'it has two ends')
  const place = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const large = await findLarge(bytes, tail.subarray(0, at), name)
  const found = large ?? { ...place, at: start + at }
  // Nothing asks for the other record where no field is full: then it must say the same.
  const isSame =
    is(place.count, found.count, large && fullCount) &&
    is(place.size, found.size, large && full) &&
    is(place.offset, found.offset, large && full)
  if (!isSame || found.offset + found.size !== found.at) throw damaged(name, 'its directory is not where it says')
  return found
}

function is(small: number, large: number, elsewhere: number | undefined): boolean {
  return small === large || small === elsewhere
}

function isEnd(tail: Buffer, at: number): boolean {
  return tail.readUInt32LE(at) === signature.end && at + 22 + tail.readUInt16LE(at + 20) === tail.length
}

/** The end record of large archives, by its locator, which stands right before the other end record. */
async function findLarge(bytes: ArchiveBytes, before: Buffer, name: string) {
  const locator = before.length - 20
  if (locator < 0 || before.readUInt32LE(locator) !== signature.locator64) return undefined
  const at = Number(before.readBigUInt64LE(locator + 8))
  const end = await bytes.read(at, 56)
  if (end.length < 56 || end.readUInt32LE(0) !== signature.end64)
    throw damaged(name, 'its directory is not where it says')
  const number = (field: number): number => Number(end.readBigUInt64LE(field))
  return { count: number(32), size: number(40), offset: number(48), at }
}

export function entryName(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\\', '/')
}

function readEntry(bytes: Buffer, name: string): { path: string; entry: Entry } {
  const nameEnd = 46 + bytes.readUInt16LE(28)
  const path = entryName(bytes.subarray(46, nameEnd))
  const extra = bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(30))
  const large = zip64Numbers(extra)
  // In this order; only those that do not fit into 32 bits, or what is the same in both.
  const small = [24, 20, 42].map((field) => bytes.readUInt32LE(field))
  const isSame = large.every((number, n) => number === small[n])
  const numbers = small.map((number) => (number === full ? large.shift() : number))
  if (numbers.includes(undefined) || (large.length > 0 && !isSame)) {
    throw damaged(name, `its directory says two things of "${path}"`)
  }
  const other = extraFields(extra).find(([id, field]) => id === otherName && entryName(field.subarray(5)) !== path)
  if (other !== undefined) throw damaged(name, `its directory has another name for "${path}"`)
  const [size = 0, packed = 0, offset = 0] = numbers
  const [flags, method, crc] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10), bytes.readUInt32LE(16)]
  return { path, entry: { flags, method, crc, size, packed, offset, record: bytes } }
}

export function zip64Numbers(extra: Buffer): number[] {
  const numbers: number[] = []
  for (const [id, field] of extraFields(extra)) {
    for (let at = 0; id === 1 && at + 8 <= field.length; at += 8) numbers.push(Number(field.readBigUInt64LE(at)))
  }
  return numbers
}

/** A record with other numbers, each in its place of 32 bits. */
export function recordOf({ record, packed, size }: Entry, offset: number): Buffer {
  const [nameEnd, extraLength] = [46 + record.readUInt16LE(28), record.readUInt16LE(30)]
  const fields = extraFields(record.subarray(nameEnd, nameEnd + extraLength)).filter(([id]) => id !== 1)
  const extra = fields.flatMap(([id, field]) => {
    const head = Buffer.alloc(4)
    head.writeUInt16LE(id, 0)
    head.writeUInt16LE(field.length, 2)
    return [head, field]
  })
  const all = Buffer.concat([record.subarray(0, nameEnd), ...extra, record.subarray(nameEnd + extraLength)])
  all.writeUInt16LE(Buffer.concat(extra).length, 30)
  for (const [field, number] of [
    [20, packed],
    [24, size],
    [42, offset],
  ] as const)
    all.writeUInt32LE(number, field)
  return all
}

function extraFields(extra: Buffer): [id: number, field: Buffer][] {
  const fields: [number, Buffer][] = []
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    fields.push([extra.readUInt16LE(at), extra.subarray(at + 4, end)])
    at = end
  }
  return fields
}
