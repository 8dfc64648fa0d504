/** Bytes become text, or are refused with what they are; and how a text is written: as a list, csv or JSON. Pure. */
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { isHeading, type Table, type TableRule } from './table.ts'

/** Files that people give instead of a text: their beginnings or names, what each is, and what to do. */
const otherFiles: readonly (readonly [pattern: RegExp, what: string, hint: string])[] = [
  // oxlint-disable-next-line no-control-regex -- archives begin with one
  [/^\x1f\x8b/, 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  [/^%PDF-/, 'a PDF document', 'export the ids as text or csv'],
  [
    /^(?:\xef\xbb\xbf)?\s*begin:vcard\b/i,
    'a vCard',
    'save the address book as csv, with a heading and a row for each person',
  ],
  [
    /^\xd0\xcf.\xe0\xa1\xb1/s,
    'an old Office file, such as an .xls workbook, or one with a password',
    'save it as .xlsx without a password',
  ],
  [
    /[\\/"]~\$[^\\/\n]*$/,
    'the lock file of a workbook that is open in Excel',
    'name the workbook itself, without ~$',
  ],
]

/** Whether this is a zip archive, as every workbook is. */
export function isZip(bytes: Buffer) {
  // oxlint-disable-next-line no-control-regex -- archives have one
  return /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
}

/** Encodings by their byte order marks. */
const encodings: Readonly<Record<string, string>> = {
  '\xff\xfe': 'utf-16le',
  '\xfe\xff': 'utf-16be',
}

/**
 * Decodes bytes. Line ends become line feeds, and a byte order mark is removed. `needsMark`: whether a copy as csv begins
 * with one. `isWindows`: the bytes are not UTF-8, and the text is Windows-1252. Throws exit 2 for what is no text.
 */
export function decode(name: string, bytes: Buffer) {
  const beginning = bytes.toString('latin1', 0, 4096)
  const other = otherFiles.find(([pattern]) => pattern.test(`${beginning}\n${name}`))
  if (other !== undefined)
    throw usageError(`${name} is not a table: it is ${other[1]}`, other[2])
  const encoding = encodings[beginning.slice(0, 2)] ?? 'utf-8'
  const decoded = decodedAs(encoding, bytes)
  if (decoded?.includes('\0') === true) refuseBytes(name, bytes)
  const isWindows = decoded === undefined
  const text = (decoded ?? windowsText(bytes)).replace(/\r\n?/g, '\n')
  const hasMark = encoding !== 'utf-8' || beginning.startsWith('\xef\xbb\xbf')
  return { text, needsMark: hasMark || isWindows, isWindows }
}

function decodedAs(encoding: string, bytes: Buffer) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Throws exit 2, naming the first byte that is no text. */
function refuseBytes(name: string, bytes: Buffer): never {
  const [good = ''] = bytes.toString('utf8').split(/[\0\ufffd]/, 1)
  const at = groupDigits(Buffer.byteLength(good))
  const line = groupDigits(good.split(/\r\n?|\n/).length)
  throw usageError(
    `${name} is not text in UTF-8: byte ${at} (line ${line})`,
    'save it as UTF-8, or as a csv or JSON file',
  )
}

/** The characters of the bytes 80 to 9F in Windows-1252; five bytes have none. Node 20 decodes these bytes as Latin-1. */
const windows1252Upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function windowsText(bytes: Buffer) {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? byte)
}

/** A note about csv that is not UTF-8. Throws exit 2 unless it is csv, and each of its bytes is a character of Windows-1252. */
export function encodingNote({ name, format }: Table, text: string, bytes: Buffer) {
  // oxlint-disable-next-line no-control-regex -- controls, and the bytes that have no character
  const isText = !/[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/.test(text)
  if (format !== 'csv' || !isText) refuseBytes(name, bytes)
  return `${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`
}

interface Layout extends Pick<Table, 'format' | 'delimiter'> {
  /** The place of the first line that is neither blank nor a comment. */
  start: number
  /** Excel's `sep=;` above csv. */
  separatorLine: string
}

/**
 * Finds how a text is written by its first line that is neither blank nor a comment. JSON begins with a bracket, and is one
 * value per line if that line is a whole object. Without a delimiter it is a list, unless the line has quotes.
 */
export function layoutOf(text: string, rule: TableRule): Layout {
  const found = text.search(/^(?![^\S\n]*(?:#|$))/m)
  const start = found < 0 ? text.length : found
  const rest = text.slice(start)
  const layout = { start, delimiter: ',', separatorLine: '' }
  if (/^\s*\{.*\}[^\S\n]*(?:\n|$)/.test(rest)) return { ...layout, format: 'ndjson' }
  if (/^\s*[[{]/.test(rest)) return { ...layout, format: 'json' }
  const [line = '', separator] = /^"?sep=([^\w\s"]|\t)"? *\n/i.exec(rest) ?? []
  if (separator !== undefined)
    return { start, format: 'csv', delimiter: separator, separatorLine: line }
  const [first = ''] = rest.split('\n', 1)
  // A delimiter that makes a known heading comes before any other, then the one that makes the most cells.
  const cuts = [',', ';', '\t', '|']
    .map((delimiter) => ({ delimiter, cells: cellsOf(first, delimiter) }))
    .toSorted((one, other) => other.cells.length - one.cells.length)
  const best = cuts.find(({ cells }) => isHeading(cells, rule)) ?? cuts[0]
  const isList = best?.cells.length === 1 && !first.includes('"')
  return { ...layout, ...best, format: isList ? 'lines' : 'csv' }
}

/** The cells of a line as csv, roughly: it may have quotes that are wrong. */
function cellsOf(line: string, delimiter: string) {
  return line
    .replace(/"([^"]*)"?/g, (_, inside: string) => inside.replaceAll(delimiter, ' '))
    .split(delimiter)
    .map((cell) => cell.trim())
}
