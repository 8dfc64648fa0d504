/**
 * Decodes the bytes of an input, or refuses a wrong file, saying what it is and what to do. Also detects the
 * format of a text by its first lines. Pure.
 */
import { isUtf8 } from 'node:buffer'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { isJson } from '../values.ts'
import { isId, unwrapId } from './id.ts'
import { mostTitleRows, type TableRule } from './columns.ts'
import type { TableForm } from './table.ts'

/** Files that people give instead of a text: their beginnings, what each is, and what to do. */
const otherFiles: readonly (readonly [beginning: RegExp, what: string, hint: string])[] = [
  // oxlint-disable-next-line no-control-regex -- archives begin with one
  [/^\x1f\x8b/, 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  [
    /^begin:vcard\b/i,
    'a vCard',
    'save the address book as csv, with a heading and a row for each person',
  ],
  // oxlint-disable-next-line no-control-regex -- so does an empty archive
  [/^PK\x05\x06/, 'an empty zip archive', 'save the table as .xlsx or csv'],
  [/^%PDF-/, 'a PDF document', 'export the ids as text or csv'],
  [
    /^\xd0\xcf.\xe0\xa1\xb1/s,
    'an old Office file, such as an .xls workbook, or one with a password',
    'save it as .xlsx without a password',
  ],
  // Many programs export it under the name of a workbook.
  [
    /^<(?:!doctype|html|head|meta|style|table|\?xml)\b/i,
    'HTML or XML',
    'if a spreadsheet program opens it, save it there as .xlsx or csv',
  ],
]

/** Whether this is a zip archive, as every workbook is. */
export function isZip(bytes: Buffer) {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004'
}

/**
 * Decodes bytes. Line ends become line feeds, and a byte order mark is removed. `needsMark`: whether a spreadsheet program
 * needs that mark to read a copy as UTF-8. `invalid`: the first place that is not UTF-8, and whether the bytes may be
 * Windows-1252, as which they are decoded then. Throws exit 2 for bytes that are not text.
 */
export function decode(name: string, bytes: Buffer) {
  const beginning = bytes.toString('latin1', 0, 4096)
  refuseOtherFile(name, beginning)
  if (/^(?:\xff\xfe|\xfe\xff)/.test(beginning)) {
    const text = decodeUtf16(name, bytes)
    refuseOtherFile(name, text.slice(0, 4096))
    return { text: withLineFeeds(text), needsMark: true }
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
  const latin = bytes.toString('latin1')
  return {
    text: withLineFeeds(decodeWindows(latin)),
    needsMark: true,
    invalid: { place: placeOf(bytes, at), isWindows: !notWindows.test(latin) },
  }
}

function refuseOtherFile(name: string, beginning: string) {
  const start = beginning.replace(/^(?:\xef\xbb\xbf)?\s*/, '')
  const [, what, hint] = otherFiles.find(([pattern]) => pattern.test(start)) ?? []
  if (what !== undefined) throw usageError(`${name} is not a table: it is ${what}`, hint)
  if (!/(?:^|[\\/"])~\$[^\\/]*$/.test(name)) return
  throw usageError(
    `${name} is not a table: it marks a workbook that is open in Excel`,
    'name the workbook itself, without ~$',
  )
}

function withLineFeeds(text: string) {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** `bytes` begin with a byte order mark, which the decoder removes. */
function decodeUtf16(name: string, bytes: Buffer) {
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw usageError(
      `${name} is damaged: it begins as UTF-16, but is not valid UTF-16 throughout`,
      'save it as UTF-8',
    )
  }
}

/** A byte of a file in words, with its line. */
function placeOf(bytes: Buffer, at: number) {
  const lines = bytes.toString('latin1', 0, at).split(/\r\n?|\n/)
  return `byte ${groupDigits(at)} (line ${groupDigits(lines.length)})`
}

/** The characters of the bytes 80 to 9F in Windows-1252; five bytes have none. Node 20 decodes these bytes as Latin-1. */
const windows1252Upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
/**
 * Bytes that are not Windows-1252 text: controls, undefined bytes, and characters of UTF-8, since a text in both encodings
 * puts wrong names beside good ids.
 */
const notWindows =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

function decodeWindows(latin: string) {
  return latin.replace(
    /[\x80-\x9f]/g,
    (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? byte,
  )
}

/**
 * Throws exit 2 unless the text is UTF-8 or may be csv in Windows-1252. For the latter, returns a note with the first cell
 * that is not ASCII.
 */
export function checkEncoding(
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
  const hasNonAscii = (part: string) => /[^\0-\x7f]/.test(part)
  const line = text.split('\n').find(hasNonAscii) ?? ''
  const cell = line.split(delimiter).find(hasNonAscii) ?? ''
  const shown = shorten(cell.replaceAll('"', '').trim())
  return [
    `${name} is read as Windows-1252, with "${shown}" in it; if that is wrong, save it as UTF-8`,
  ]
}

/**
 * The lines of a text without their ends. `line`: the number, from 1; `start` and `next`: the places of the line and of the
 * next one.
 */
export function* linesOf(text: string) {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const to = end < 0 ? text.length : end
    yield { line, text: text.slice(start, to), start, next: to + 1 }
    start = to + 1
  }
}

export function isBlankOrComment(line: string) {
  return /^\s*(?:#|$)/.test(line)
}

/** The first lines that are neither blank nor comments. */
function headLines(text: string) {
  const lines = []
  for (const line of linesOf(text)) {
    if (!isBlankOrComment(line.text)) lines.push(line)
    if (lines.length === mostTitleRows + 2) break
  }
  return lines
}

type DetectedForm = Omit<TableForm, 'needsMark'> & { start: number }

/** A line that tells Excel which character separates the cells. */
const excelSeparator = /^"?sep=([!#-/:-@[-`{-~\t])"? *$/i

/**
 * Finds the format from the first line that is neither blank nor a `#` comment:
 *
 * - it begins with `[`: a JSON document
 * - it begins with `{`: NDJSON when the line is a complete value by itself, else a JSON document
 * - it is Excel's `sep=;`, or a column is asked for: csv
 * - otherwise the first line with an id or a heading that is looked for decides, or, without one, the first line: csv when
 *   it has a comma, semicolon, tab or pipe outside quotes (the most frequent counts), else lines. An id alone in quotes or
 *   with a comma after it is a line.
 *
 * `isTable`: whether a text that is no JSON is a table. `start`: the place of the first row, after blank and `#` lines, and
 * Excel's `sep=` line.
 */
export function detectFormat(
  text: string,
  { wantedColumn, isHeading }: TableRule,
  isTable: boolean,
): DetectedForm {
  const lines = headLines(text)
  const [first = { text: '', start: text.length, next: text.length }] = lines
  const { start, next } = first
  const found = { delimiter: ',', start, isSeparatorSkipped: false }
  const beginning = first.text.trim()
  if (beginning.startsWith('[')) return { ...found, format: 'json' }
  if (beginning.startsWith('{'))
    return { ...found, format: isJson(beginning) ? 'ndjson' : 'json' }
  const separator = excelSeparator.exec(first.text)?.[1]
  if (separator !== undefined)
    return { format: 'csv', delimiter: separator, start: next, isSeparatorSkipped: true }
  const { delimiter, isList } = chooseDelimiter(lines, isHeading)
  const isLines = isList && !isTable && wantedColumn === undefined
  return isLines ? { ...found, format: 'lines' } : { ...found, format: 'csv', delimiter }
}

/** A cell in quotes, perhaps without its end. */
const quotedCell = /(?<=^|[,;\t|])"(?:[^"]|"")*"?/g

/** Longer lines are cut here before they are matched: the rest tells nothing more, and patterns have limits. */
const longestLine = 1 << 16

/**
 * Picks the delimiter. The line that counts is the first with an id or a known heading, else the first line. Of the
 * delimiters, the one that makes the most cells wins. `isList`: the line is a single cell or a lone id.
 */
function chooseDelimiter(
  lines: readonly { text: string }[],
  isHeading: (cell: string) => boolean,
) {
  const isWholeId = (cell: string) => isId(unwrapId(cell))
  const cuts = lines.flatMap(({ text }) =>
    [',', ';', '\t', '|'].map((delimiter) => {
      const cells = text
        .slice(0, longestLine)
        .replace(quotedCell, (cell) => cell.replaceAll(delimiter, ' '))
        .split(delimiter)
      const isWanted = cells.some((cell) => isWholeId(cell) || isHeading(cell.trim()))
      return { text, delimiter, width: cells.length, isWanted }
    }),
  )
  const wanted = cuts.filter(({ isWanted }) => isWanted)
  const usual = wanted.length > 0 ? wanted : cuts
  const ofLine = usual.filter(({ text }) => text === usual[0]?.text)
  const [best] = ofLine.toSorted((a, b) => b.width - a.width)
  const { text = '', delimiter = ',', width = 1 } = best ?? {}
  return { delimiter, isList: width === 1 || isWholeId(text) }
}
