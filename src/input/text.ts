/** Bytes become text, or are refused with what they are; and how a text is written: as a list, csv or JSON. Pure. */
import { isUtf8 } from 'node:buffer'
import { usageError } from '../errors.ts'
import { isJson } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { TableRule } from './columns.ts'

/** Files that people give instead of a text: their beginnings, what each is, and what to do. */
const otherFiles: readonly (readonly [beginning: RegExp, what: string, hint: string])[] = [
  // oxlint-disable-next-line no-control-regex -- archives begin with one
  [/^\x1f\x8b/, 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  // oxlint-disable-next-line no-control-regex -- so does an empty archive
  [/^PK\x05\x06/, 'an empty zip archive', 'save the table as .xlsx or csv'],
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
]

/** Whether this is a zip archive, as every workbook is. */
export function isZip(bytes: Buffer) {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004'
}

/**
 * Decodes bytes. Line ends become line feeds, and a byte order mark is removed; `hasMark`: whether there was one. `badByte`:
 * the place of the first byte that is not UTF-8; the text is Windows-1252 then. Throws exit 2 for what is no text.
 */
export function decode(name: string, bytes: Buffer) {
  const beginning = bytes.toString('latin1', 0, 4096)
  const [, what, hint] = otherFiles.find(([pattern]) => pattern.test(beginning)) ?? []
  if (what !== undefined) throw usageError(`${name} is not a table: it is ${what}`, hint)
  if (/(?:^|[\\/"])~\$[^\\/]*$/.test(name))
    throw usageError(
      `${name} is not a table: it marks a workbook that is open in Excel`,
      'name the workbook itself, without ~$',
    )
  if (/^(?:\xff\xfe|\xfe\xff)/.test(beginning)) {
    const text = decodeUtf16(name, bytes)
    return { text: withLineFeeds(text), hasMark: true }
  }
  const nul = bytes.indexOf(0)
  if (nul >= 0)
    throw usageError(
      `${name} is not text: NUL byte at ${placeOf(bytes, nul)}`,
      'use a text file in UTF-8, a csv file or a JSON file',
    )
  const text = bytes.toString('utf8')
  const hasMark = text.startsWith('\ufeff')
  if (isUtf8(bytes)) return { text: withLineFeeds(hasMark ? text.slice(1) : text), hasMark }
  const at = Buffer.byteLength(text.slice(0, text.indexOf('\ufffd')))
  const windows = withLineFeeds(windowsText(bytes))
  return { text: windows, hasMark: true, badByte: placeOf(bytes, at) }
}

function decodeUtf16(name: string, bytes: Buffer) {
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw usageError(`${name} is not valid UTF-16 throughout`, 'save it as UTF-8')
  }
}

function withLineFeeds(text: string) {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** A byte of a file in words, with its line. */
function placeOf(bytes: Buffer, at: number) {
  const lines = bytes.toString('latin1', 0, at).split(/\r\n?|\n/)
  return `byte ${groupDigits(at)} (line ${groupDigits(lines.length)})`
}

/** The characters of the bytes 80 to 9F in Windows-1252; five bytes have none. Node 20 decodes these bytes as Latin-1. */
const windows1252Upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function windowsText(bytes: Buffer) {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? byte)
}

/** A note about csv that is not UTF-8. Throws exit 2 unless it is csv, and each of its bytes is a character of Windows-1252. */
export function encodingNote(name: string, text: string, badByte: string, isCsv: boolean) {
  // oxlint-disable-next-line no-control-regex -- controls, and the bytes that have no character
  const isWindows = !/[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/.test(text)
  if (isCsv && isWindows)
    return `${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`
  const what = isCsv ? 'neither UTF-8 nor Windows-1252' : 'not valid UTF-8'
  throw usageError(`${name} is ${what}: ${badByte}`, 'save it as UTF-8')
}

/** How a text is written. */
export interface Layout {
  format: 'lines' | 'csv' | 'json' | 'ndjson'
  delimiter: string
  /** The place of the first line that is neither blank nor a comment, behind Excel's line `sep=;`. */
  start: number
  hasSeparatorLine: boolean
}

/**
 * Finds how a text is written by its first line that is neither blank nor a comment: JSON begins with a bracket, and is one
 * value per line if that line is whole. Without a delimiter it is a list, unless the line has quotes.
 */
export function layoutOf(text: string, rule: TableRule): Layout {
  const found = text.search(/^(?![^\S\n]*(?:#|$))/m)
  const start = found < 0 ? text.length : found
  const [first = ''] = text.slice(start, start + longestLine).split('\n', 1)
  const layout = { delimiter: ',', start, hasSeparatorLine: false }
  if (/^\s*[[{]/.test(first)) {
    const [whole = ''] = text.slice(start).split('\n', 1)
    const isLines = whole.trim().startsWith('{') && isJson(whole)
    return { ...layout, format: isLines ? 'ndjson' : 'json' }
  }
  const separator = /^"?sep=([^\w\s"]|\t)"? *$/i.exec(first)?.[1]
  if (separator !== undefined)
    return {
      format: 'csv',
      delimiter: separator,
      start: start + first.length + 1,
      hasSeparatorLine: true,
    }
  const { delimiter, width } = bestCut(first, rule)
  const isList = width === 1 && !first.includes('"')
  return { ...layout, format: isList ? 'lines' : 'csv', delimiter }
}

/** Longer lines are cut here: the rest tells nothing more. */
const longestLine = 1 << 16

/** A cell in quotes, perhaps without its end. */
const quotedCell = /(?<=^|[,;\t|])"(?:[^"]|"")*"?/g

/** The delimiter that makes the most cells; one that makes a known heading comes before any other. */
function bestCut(line: string, rule: TableRule) {
  const cuts = [',', ';', '\t', '|'].map((delimiter) => {
    const cells = line
      .replace(quotedCell, (cell) => cell.slice(1, -1).replaceAll(delimiter, ' '))
      .split(delimiter)
    return { delimiter, width: cells.length, isHeading: isHeading(rule, cells) }
  })
  const known = cuts.filter((cut) => cut.isHeading)
  const [best] = (known.length > 0 ? known : cuts).toSorted((a, b) => b.width - a.width)
  return best ?? { delimiter: ',', width: 1 }
}

/** Whether a row would be the heading, perhaps one that is refused later. */
export function isHeading(rule: TableRule, cells: readonly string[]) {
  try {
    return rule.columnsOf(cells.map((cell) => cell.trim())) !== undefined
  } catch {
    return true
  }
}
