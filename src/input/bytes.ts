/**
 * Reads the bytes of an input, and decodes those of a text. An input is read whole, because the files that people have are small.
 */
import { isUtf8 } from 'node:buffer'
import { usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'

/** Whether the path of an input names standard input. */
export function isStdin(path: string) {
  return path === '-' || path === '/dev/stdin'
}

/** Returns the name of an input for messages: its path in quotes, or "standard input". */
export function inputName(path: string): string {
  return isStdin(path) ? 'standard input' : `"${shorten(path, 200)}"`
}

const maxBytes = 256 << 20

/** Returns all bytes of an input. Throws a usage error if it cannot be read, or is too large: `/dev/zero` never ends. */
export async function readWhole(host: Host, path: string): Promise<Buffer> {
  const name = inputName(path)
  if (isStdin(path) && host.isTerminal.stdin)
    throw usageError(
      'standard input is a terminal: there is nothing to read',
      'pipe the input in, or name a file',
    )
  const stream: AsyncIterable<Buffer> = isStdin(path)
    ? host.stdin
    : host.disk.createReadStream(path)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      length += chunk.length
      if (length > maxBytes)
        throw usageError(`${name} is larger than 256 MiB`, 'split it into several files')
      chunks.push(chunk)
    }
  } catch (error) {
    // fileError returns the usage error above as it is.
    throw fileError('usage', `${name} cannot be read`, error)
  }
  return Buffer.concat(chunks)
}

const encodingByMark = new Map([
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
])

// oxlint-disable-next-line no-control-regex -- controls, and bytes that have no character in Windows-1252
const neverInWindows1252 = /[\x01-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/

/** The characters of the bytes 80 to 9F in Windows-1252. Five bytes have no character. Node 20 wrongly decodes all as Latin-1. */
const windows1252Upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Decodes a text, with line feeds at the ends of its lines. `needsMark` says whether a csv that is given back begins with a byte
 * order mark, by which Excel recognizes UTF-8. A table that is not UTF-8 is read as Windows-1252, with a note. Throws a usage error
 * for all other bytes that are no text, and for HTML and XML.
 */
export function decodeText(name: string, bytes: Buffer, note: (text: string) => void) {
  const beginning = bytes.toString('latin1', 0, 3)
  const encoding = encodingByMark.get(beginning.slice(0, 2)) ?? 'utf-8'
  const isWindows = encoding === 'utf-8' && !isUtf8(bytes)
  const text = isWindows
    ? bytes
        .toString('latin1')
        .replace(
          /[\x80-\x9f]/g,
          (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? byte,
        )
    : new TextDecoder(encoding).decode(bytes)
  if (/^\s*<[!?a-z]/i.test(text))
    throw usageError(
      `${name} is HTML or XML, not a table`,
      'open it in a spreadsheet program and save it as .xlsx or csv',
    )
  // Delimiters in the comments of a list make no table.
  const isTable = /^(?! *#).*[,;\t|]/m.test(text) && !isJson(text)
  const isBad = isWindows
    ? !isTable || neverInWindows1252.test(text)
    : encoding !== 'utf-8' && text.includes('\ufffd')
  if (isBad || text.includes('\0')) refuseBytes(name, bytes, encoding)
  if (isWindows)
    note(`${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`)
  return {
    text: text.replace(/\r\n?/g, '\n'),
    needsMark: isWindows || encoding !== 'utf-8' || beginning === '\xef\xbb\xbf',
  }
}

/** Whether a text can only be JSON. */
export const isJson = (text: string) => /^\s*[[{]/.test(text)

/** Throws a usage error that says where the first byte is that is no text. */
export function refuseBytes(name: string, bytes: Buffer, encoding = 'utf-8'): never {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const [goodText = ''] = text.split(/[\0\ufffd]/, 1)
  const goodBytes = encoding === 'utf-8' ? Buffer.byteLength(goodText) : 2 * goodText.length
  const line = goodText.split(/\r\n?|\n/).length
  throw usageError(
    `${name} is not ${encoding.toUpperCase()} text: byte ${groupDigits(goodBytes)} (line ${groupDigits(line)})`,
    'save it as csv in UTF-8, or a workbook as .xlsx without a password',
  )
}
