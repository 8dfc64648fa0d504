/**
 * Bytes of an input as text, or as what they are in place of it: a refusal names a wrong file as what it is,
 * with what to do about it. And which format a text is in, from its first lines. Pure.
 */
import { isUtf8 } from 'node:buffer'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { isJson } from '../values.ts'
import { isId, unwrapId } from './id.ts'
import { mostTitleRows, type TableRule } from './columns.ts'

/** Beginnings of files that people give instead of a text: what each is, and what to do. */
const otherFiles: readonly (readonly [beginning: RegExp, what: string, hint: string])[] = [
  // oxlint-disable-next-line no-control-regex -- archives begin with one
  [/^\x1f\x8b/, 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
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

/** Whether this is a zip archive, as a workbook is one. */
export function isZip(bytes: Buffer) {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004'
}

/**
 * Decodes bytes. Line ends are line feeds; a byte order mark is taken off, and `needsMark` says whether a spreadsheet program needs one to read a
 * copy as UTF-8. `invalid`: where the bytes are no UTF-8; then the text is what they are in Windows-1252, if that is possible. Throws exit 2 for
 * bytes that are no text.
 */
export function decode(name: string, bytes: Buffer) {
  const beginning = bytes.toString('latin1', 0, 4096)
  const start = beginning.replace(/^(?:\xef\xbb\xbf)?\s*/, '')
  const [, what, hint] = otherFiles.find(([pattern]) => pattern.test(start)) ?? []
  if (what !== undefined) throw usageError(`${name} is not a table: it is ${what}`, hint)
  if (/(?:^|[\\/"])~\$[^\\/]*$/.test(name))
    throw usageError(
      `${name} is not a table: it marks a workbook that is open in Excel`,
      'name the workbook itself, without ~$',
    )
  if (beginning.startsWith('\xff\xfe') || beginning.startsWith('\xfe\xff'))
    return { text: withLineFeeds(decodeUtf16(name, bytes)), needsMark: true }
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

function withLineFeeds(text: string) {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** With its mark, which the decoder takes off. */
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

/** Characters of the bytes 80 to 9F; five bytes have none. Node 20 decodes these bytes as Latin-1. */
const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
/** Bytes that are no Windows-1252 text: controls, undefined ones, and characters of UTF-8, since half a text in either puts wrong names beside good ids. */
const notWindows =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

function decodeWindows(latin: string) {
  return latin.replace(/[\x80-\x9f]/g, (byte) => upper[byte.charCodeAt(0) - 0x80] ?? byte)
}

/** Throws exit 2 unless the text is UTF-8, or may be csv in Windows-1252: returns a note that shows the first cell with such a character. */
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
  const isOther = (part: string) => /[^\0-\x7f]/.test(part)
  const line = text.split('\n').find(isOther) ?? ''
  const cell = line.split(delimiter).find(isOther) ?? ''
  const shown = shorten(cell.replaceAll('"', '').trim())
  return [
    `${name} is read as Windows-1252, with "${shown}" in it; if that is wrong, save it as UTF-8`,
  ]
}

/** The lines of a text without their ends: their numbers from 1, and the places of each and of the next one. */
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

/** A line that says to Excel which character separates the cells. */
const excelSeparator = /^"?sep=([!#-/:-@[-`{-~\t])"? *$/i

/**
 * Finds the format from the first line that is neither blank nor a `#` comment:
 *
 * - it begins with `[`: a JSON document
 * - it begins with `{`: NDJSON when the line is a complete value by itself, else a JSON document
 * - it is Excel's `sep=;`, or a column is asked for: csv
 * - otherwise the first line with an id or a heading that is looked for decides, or, without one, the first line: csv when
 *   it has a comma, semicolon, tab or pipe outside quotes (the most frequent counts), else lines. An id alone in quotes or with a
 *   comma after it is a line.
 *
 * `isTable`: whether a text that is no JSON is a table. `start`: the place of the first row,
 * after blank and `#` lines, and Excel's `sep=` line.
 */
export function detectFormat(
  text: string,
  { column, isHeading }: TableRule,
  isTable: boolean,
) {
  const lines = headLines(text)
  const [first = { text: '', start: text.length, next: text.length }] = lines
  const { start, next } = first
  const found = { delimiter: ',', start, isSeparatorSkipped: false }
  const beginning = first.text.trim()
  if (beginning.startsWith('[')) return { ...found, format: 'json' } as const
  if (beginning.startsWith('{')) {
    const format = isJson(beginning) ? 'ndjson' : 'json'
    return { ...found, format } as const
  }
  const separator = excelSeparator.exec(first.text)?.[1]
  if (separator !== undefined) {
    const delimiter = separator
    return { format: 'csv', delimiter, start: next, isSeparatorSkipped: true } as const
  }
  const { delimiter, isList } = cutBest(lines, isHeading)
  if (isList && !isTable && column === undefined)
    return { ...found, format: 'lines' } as const
  return { ...found, format: 'csv', delimiter } as const
}

/** A cell in quotes, perhaps without its end. */
const quotedCell = /(?<=^|[,;\t|])"(?:[^"]|"")*"?/g

/** More of a line says nothing, and patterns do not take any length. */
const longestLine = 1 << 16

/** The delimiter that cuts the line that decides into the most cells, one of which counts if that can be, and whether that line may be of a list. */
function cutBest(lines: readonly { text: string }[], isHeading: (cell: string) => boolean) {
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
