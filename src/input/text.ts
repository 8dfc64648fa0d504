/** Bytes become text, or are refused with what they are; and how a text is written: as a list, csv or JSON. Pure. */
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { isHeading, type Table } from './table.ts'

/** Files that people give instead of a text: their beginnings or names, what each is, and what to do. */
const otherFiles = [
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
] as const

/** Encodings by their byte order marks. */
const encodings = new Map([
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
])

/**
 * Decodes bytes, and finds how the text is written: `table` is told. Returns the text with line feeds, the blank lines
 * and comments `above` its first row, and the `body`, which is behind Excel's `sep=;`. Throws exit 2 for what is no text.
 */
export function openText(bytes: Buffer, table: Table) {
  const { name, options } = table
  const beginning = bytes.toString('latin1', 0, 4096)
  const other = otherFiles.find(([pattern]) => pattern.test(`${beginning}\n${name}`))
  if (other !== undefined)
    throw usageError(`${name} is not a table: it is ${other[1]}`, other[2])
  const encoding = encodings.get(beginning.slice(0, 2)) ?? 'utf-8'
  const decoded = decodedAs(encoding, bytes)
  const text = (decoded ?? windowsText(bytes)).replace(/\r\n?/g, '\n')
  const [above = ''] = /^(?:[^\S\n]*(?:#.*)?\n)*/.exec(text) ?? []
  const body = findLayout(text.slice(above.length), table)
  const isPlain = encoding === 'utf-8' && decoded !== undefined
  table.needsMark = !isPlain || beginning.startsWith('\xef\xbb\xbf')
  // oxlint-disable-next-line no-control-regex -- controls, and bytes that are no character of Windows-1252
  const isWindows = !/[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/.test(text)
  if (decoded === undefined && isWindows && table.format === 'csv')
    options.note(
      `${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`,
    )
  else if (decoded === undefined || text.includes('\0')) refuseBytes(name, bytes)
  return { text, above, body }
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
  const at = `byte ${groupDigits(Buffer.byteLength(good))}`
  const line = `line ${groupDigits(good.split(/\r\n?|\n/).length)}`
  throw usageError(
    `${name} is not text in UTF-8: ${at} (${line})`,
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

/**
 * Finds how a text is written by its first line, and returns what is behind Excel's `sep=;` above csv. JSON begins with a
 * bracket, and is one value per line if that line is a whole object. Without a delimiter it is a list, unless the line has
 * quotes.
 */
function findLayout(text: string, table: Table) {
  const [first = ''] = text.split('\n', 1)
  if (/^\s*[[{]/.test(first)) {
    table.format = /^\s*\{.*\}\s*$/.test(first) ? 'ndjson' : 'json'
    return text
  }
  const separator = /^"?sep=([^\w\s"]|\t)"? *$/i.exec(first)?.[1]
  if (separator !== undefined) {
    Object.assign(table, { format: 'csv', delimiter: separator })
    table.options.note(`${table.name}: skipped Excel's "sep=" line`)
    return text.slice(first.length + 1)
  }
  // A delimiter that makes a known heading comes before any other, then the one that makes the most cells.
  const cuts = [',', ';', '\t', '|']
    .map((delimiter) => ({ delimiter, cells: cellsOf(first, delimiter) }))
    .toSorted((one, other) => other.cells.length - one.cells.length)
  const best = cuts.find(({ cells }) => isHeading(cells, table.rule)) ?? cuts[0]
  const isList = best?.cells.length === 1 && !first.includes('"')
  Object.assign(table, { format: isList ? 'lines' : 'csv', delimiter: best?.delimiter })
  return text
}

/** The cells of a line as csv, roughly: it may have quotes that are wrong. */
function cellsOf(line: string, delimiter: string) {
  return line
    .replace(/"([^"]*)"?/g, (_, inside: string) => inside.replaceAll(delimiter, ' '))
    .split(delimiter)
    .map((cell) => cell.trim())
}
