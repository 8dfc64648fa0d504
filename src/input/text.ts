/**
 * Bytes of an input as text, or as what they are in place of it: a refusal names a wrong file as what it is,
 * with what to do about it. Pure.
 */
import { isUtf8 } from 'node:buffer'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'

/** First bytes of files that people give instead of a text, in hexadecimal digits. */
const signatures: readonly (readonly [bytes: string, what: string, hint: string])[] = [
  ['1f8b', 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  ['255044462d', 'a PDF document', 'export the ids as text or csv'],
  ['d0cf11e0a1b11ae1', 'an old Office file, such as an .xls workbook', 'save it as .xlsx'],
]

/** Beginnings of texts that have people or messages in them, but no table. */
const otherTexts: readonly (readonly [beginning: RegExp, what: string])[] = [
  [/^BEGIN:VCARD\b/i, 'vCards'],
  [/^BEGIN:VCALENDAR\b/i, 'an iCalendar file'],
  [/^(?:version: ?\d+\s+)?(?:#.*\s+)*dn::? /i, 'an LDIF file'],
  [/^From \S+ .*\d{4}\r?\n[\w-]+: /, 'a mailbox of e-mails'],
  [
    /^(?:[\w-]+: .*\r?\n(?:[ \t].*\r?\n)*)*(?:message-id|mime-version|received|return-path): /i,
    'an e-mail',
  ],
]

/** The part of a compound file that has an encrypted workbook. */
const encryptedPart = Buffer.from('EncryptedPackage', 'utf16le')

/** Whether this is a zip archive, as a workbook is one. */
export function isZip(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004'
}

/**
 * Decodes bytes. Line ends are line feeds; a byte order mark is taken off, and `needsMark` says whether a spreadsheet program needs one to read a
 * copy as UTF-8. `invalid`: where the bytes are no UTF-8; then the text is what they are in Windows-1252, if that is possible. Throws exit 2 for
 * bytes that are no text.
 */
export function decode(name: string, bytes: Buffer) {
  refuseBinary(name, bytes)
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  if (isLittle || (first === 0xfe && second === 0xff)) {
    return {
      text: decodeUtf16(name, bytes, isLittle ? 'utf-16le' : 'utf-16be'),
      needsMark: true,
    }
  }
  const nul = bytes.indexOf(0)
  if (nul >= 0) {
    throw usageError(
      `${name} is not text: NUL byte at ${placeOf(bytes, nul)}`,
      'use a text file in UTF-8, a csv file or a JSON file',
    )
  }
  const text = bytes.toString('utf8')
  const needsMark = text.startsWith('\ufeff')
  if (isUtf8(bytes))
    return { text: withLineFeeds(text.slice(needsMark ? 1 : 0)), needsMark }
  const at = Buffer.byteLength(text.slice(0, text.indexOf('\ufffd')))
  const place = placeOf(bytes, at)
  const latin = bytes.toString('latin1')
  const isWindows = !notWindows.test(latin)
  return {
    text: withLineFeeds(decodeWindows(latin)),
    needsMark: true,
    invalid: { place, isWindows },
  }
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

function refuseBinary(name: string, bytes: Buffer): void {
  if (/(?:^|[\\/"])~\$[^\\/]*$/.test(name)) {
    const what = 'it marks a workbook that is open in Excel'
    throw usageError(
      `${name} is not a table: ${what}`,
      'name the workbook itself, without ~$',
    )
  }
  const beginning = bytes.toString('hex', 0, 8)
  const [, what, hint] = signatures.find(([digits]) => beginning.startsWith(digits)) ?? []
  if (what !== undefined && bytes.includes(encryptedPart)) {
    throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
  }
  if (what !== undefined) throw usageError(`${name} is not text: it is ${what}`, hint)
  const start = bytes.toString('utf8', 0, 4096).replace(/^\ufeff?\s*/, '')
  const [, text] = otherTexts.find(([pattern]) => pattern.test(start)) ?? []
  if (text !== undefined)
    throw usageError(`${name} is not a table: it is ${text}`, 'export it as csv or .xlsx')
  // Many programs export it under the name of a workbook.
  const isMarkup = /^<(?:!doctype|html|head|meta|style|table|\?xml)\b/i
  if (!isMarkup.test(start)) return
  throw usageError(
    `${name} is not a table: it is HTML or XML`,
    'if a spreadsheet program opens it, save it there as .xlsx or csv',
  )
}

function decodeUtf16(name: string, bytes: Buffer, encoding: string): string {
  try {
    return withLineFeeds(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw usageError(
      `${name} is damaged: it begins as UTF-16, but is not valid UTF-16 throughout`,
      'save it as UTF-8',
    )
  }
}

/** A byte of a file in words, with its line. */
function placeOf(bytes: Buffer, at: number): string {
  const lines = bytes.toString('latin1', 0, at).split(/\r\n?|\n/)
  return `byte ${groupDigits(at)} (line ${groupDigits(lines.length)})`
}

/** Characters of the bytes 80 to 9F; five bytes have none. Node 20 decodes these bytes as Latin-1. */
const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
/** Bytes that are no Windows-1252 text: controls, undefined ones, and characters of UTF-8, since half a text in either puts wrong names beside good ids. */
const notWindows =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

function decodeWindows(latin: string): string {
  return latin.replace(/[\x80-\x9f]/g, (byte) => upper[byte.charCodeAt(0) - 0x80] ?? byte)
}

/** Throws exit 2 unless the text is UTF-8, or may be Windows-1252: returns a note that shows the first cell with such a character. */
export function noteOnEncoding(
  name: string,
  { text, invalid }: ReturnType<typeof decode>,
  delimiter: string | undefined,
): string[] {
  if (invalid === undefined) return []
  const { place, isWindows } = invalid
  if (delimiter === undefined || !isWindows) {
    const words =
      delimiter === undefined ? 'not valid UTF-8' : 'neither UTF-8 nor Windows-1252'
    throw usageError(`${name} is ${words}: ${place}`, 'save it as UTF-8')
  }
  const at = text.search(/[^\0-\x7f]/)
  const around = text.slice(Math.max(0, at - 200), at + 200)
  const other = `[^"\n\\${delimiter}]*`
  const [first = ''] = new RegExp(`${other}[^\\0-\\x7f]${other}`).exec(around) ?? []
  const cell = shorten(first.trim())
  return [
    `${name} is read as Windows-1252, with "${cell}" in it; if that is wrong, save it as UTF-8`,
  ]
}
