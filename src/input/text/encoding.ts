/**
 * Whether bytes are text, and if not, what they are. `input.ts` asks when it opens an input, and decodes UTF-16 here; all readers behind it
 * get UTF-8. `detect.ts` asks for zip archives, and `lines.ts` refuses NUL bytes in the words of this file. A refusal names the file as what it
 * is, with what to do about it.
 */
import { usageError, type SvcError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'

/** First bytes of files that people give instead of a text, in hexadecimal digits. */
const signatures: readonly (readonly [bytes: string, what: string, hint: string])[] = [
  ['1f8b', 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  ['504b0506', 'an empty zip archive', 'use a text file'],
  ['255044462d', 'a PDF document', 'export the ids as text or csv'],
  ['7b5c727466', 'an RTF document', 'save it as plain text'],
]

/** The encoding that a byte order mark at the beginning names, and the mark's length. Throws exit 2 for UTF-32. */
export function markedEncoding(head: Buffer, name: string): { encoding: string; length: number } {
  const [first, second, third, fourth] = head
  const isUtf8 = first === 0xef && second === 0xbb && third === 0xbf
  if (isUtf8) return { encoding: 'utf-8', length: 3 }
  const isBigEndian = first === 0xfe && second === 0xff
  if (isBigEndian) return { encoding: 'utf-16be', length: 2 }
  const isLittleEndian = first === 0xff && second === 0xfe
  if (!isLittleEndian) return { encoding: 'utf-8', length: 0 }
  // The mark of UTF-32 begins as that of UTF-16 does; no text has a NUL as its first character.
  if (third === 0 && fourth === 0) throw usageError(`${name} is UTF-32`, 'save it as UTF-8')
  return { encoding: 'utf-16le', length: 2 }
}

/** Whether this is the beginning of a zip archive, as a workbook is one. */
export function isZip(head: Buffer): boolean {
  if (head.length < 4) return false
  return head.readUInt32BE(0) === 0x504b0304
}

const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const encryptedPart = Buffer.from('EncryptedPackage', 'utf16le')

/** Whether this is the beginning of a compound file: an Office file from before .xlsx, or one of today that is encrypted. */
export function isCompound(head: Buffer): boolean {
  const beginning = head.subarray(0, compoundFile.length)
  return beginning.equals(compoundFile)
}

/** Which of them it is. Its directory can stand anywhere, so all of it is looked through, in the memory of one chunk. */
export async function compoundError(
  chunks: AsyncIterable<Buffer>,
  name: string,
): Promise<SvcError> {
  let end = Buffer.alloc(0)
  for await (const chunk of chunks) {
    // The end of the chunk before, because the name may begin there.
    const bytes = Buffer.concat([end, chunk])
    if (bytes.includes(encryptedPart)) return encryptedError(name)
    // Copied, because the reader uses its buffer again.
    end = Buffer.from(chunk.subarray(-encryptedPart.length))
  }
  return usageError(
    `${name} is not text: it is an old Office file, such as an .xls workbook`,
    'save it as .xlsx',
  )
}

function encryptedError(name: string): SvcError {
  return usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
}

/** Throws exit 2, saying what it is, when this is the beginning neither of a text in UTF-8 that may be a table nor of a zip archive. */
export function refuseBinary(head: Buffer, name: string): void {
  if (isZip(head)) return
  for (const [digits, what, hint] of signatures) {
    const bytes = Buffer.from(digits, 'hex')
    const beginning = head.subarray(0, bytes.length)
    if (beginning.equals(bytes)) throw usageError(`${name} is not text: it is ${what}`, hint)
  }
  // Many a program exports it under the name of a workbook.
  const beginning = head.toString('utf8', 0, 1024)
  if (/^\s*<(?:!doctype|html|head|meta|style|table|\?xml)\b/i.test(beginning)) {
    throw usageError(
      `${name} is no table: it is HTML or XML`,
      'if a spreadsheet program opens it, save it there as .xlsx or csv',
    )
  }
  const nul = head.indexOf(0)
  if (nul < 0) return
  const line = lineAt(head, nul)
  refuseNul(name, nul, line)
}

/**
 * UTF-16 of every script has digits, delimiters and line ends, whose upper byte is NUL: the second one in little-endian. The lower byte is
 * seldom NUL too, as it is in words that NUL bytes separate, and the text has no control characters, as other binary data would.
 */
export function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head.length < 4) return undefined
  const pairs = head.length >> 1
  /** How many first and second bytes of the pairs are NUL. */
  let first = 0
  let second = 0
  for (let i = 0; i + 1 < head.length; i += 2) {
    if (head[i] === 0) first += 1
    if (head[i + 1] === 0) second += 1
  }
  const upper = Math.max(first, second)
  const lower = Math.min(first, second)
  // An eighth of the characters are of ASCII in any script.
  if (upper * 8 < pairs || lower * 4 > upper) return undefined
  const encoding = second > first ? 'utf-16le' : 'utf-16be'
  const decoder = new TextDecoder(encoding)
  const text = decoder.decode(head, { stream: true })
  const hasControl = /[^\P{Cc}\t\n\f\r]|\ufffd/u.test(text)
  return hasControl ? undefined : encoding
}

/** Refuses a text with a NUL byte, as many a device and binary file has. `offset`: in the file, from 0. */
export function refuseNul(name: string, offset: number, line: number): never {
  throw usageError(
    `${name} is not text: NUL byte at byte ${groupDigits(offset)} (line ${groupDigits(line)})`,
    'use a text file, a csv file or a JSON file',
  )
}

/** Number of the line that has the byte at `at`, when the one at `from` is on line 1. */
export function lineAt(bytes: Buffer, at: number, from = 0): number {
  let line = 1
  for (let i = from; i < at; i += 1) {
    const byte = bytes[i]
    // The line feed behind a carriage return is counted, and not both.
    const isReturn = byte === 0x0d && bytes[i + 1] !== 0x0a
    if (byte === 0x0a || isReturn) line += 1
  }
  return line
}

/** UTF-16 as UTF-8. Throws exit 2 where it is damaged. */
export async function* decodeUtf16(
  chunks: AsyncGenerator<Buffer>,
  encoding: string,
  name: string,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  const decode = (chunk: Buffer, isLast: boolean): Buffer => {
    try {
      const text = decoder.decode(chunk, { stream: !isLast })
      return Buffer.from(text)
    } catch {
      throw usageError(
        `${name} is damaged: it begins as UTF-16, but is not valid UTF-16 throughout`,
        'save it as UTF-8',
      )
    }
  }
  for await (const chunk of chunks) yield decode(chunk, false)
  // Throws for half a character at the end of the file.
  decode(Buffer.alloc(0), true)
}
