/**
 * Reads the bytes of an input and decodes them to text, or says what they are instead. Finds whether the text is a list, csv or
 * JSON. An input is read whole, because the files that people have are small.
 */
import { usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { isId } from '../values.ts'
import { groupDigits, shellWord } from '../words.ts'
import { hasKnownHeading, type Table } from './table.ts'

export type InputHost = Pick<Host, 'disk' | 'stdin' | 'isTerminal'>

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
export async function readWhole(host: InputHost, path: string): Promise<Buffer> {
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
        throw usageError(`${name} is larger than 256 MB`, 'split it into several files')
      chunks.push(chunk)
    }
  } catch (error) {
    // fileError returns the usage error above as it is.
    throw fileError('usage', `${name} cannot be read`, error)
  }
  return Buffer.concat(chunks)
}

/** Throws a usage error if one of the words is the path of a file instead of an id. */
export function refuseFiles({ disk }: Pick<Host, 'disk'>, words: readonly string[]) {
  const path = words.find((word) => !isId(word.trim()) && disk.existsSync(word))
  if (path === undefined) return
  throw usageError(
    `"${shorten(path, 200)}" is a file, not an id`,
    `to read it: --file ${shellWord(path)}`,
  )
}

/** Files that are no tables. A pattern matches the first bytes of a file, or its name, which is in quotes behind them. */
const otherFiles = [
  {
    // oxlint-disable-next-line no-control-regex -- archives begin with one
    pattern: /^\x1f\x8b/,
    kind: 'a gzip archive',
    remedy: 'unpack it first: gunzip -c <file> | svc … -',
  },
  { pattern: /^%PDF-/, kind: 'a PDF document', remedy: 'export the ids as text or csv' },
  {
    pattern: /^(?:\xef\xbb\xbf)?\s*begin:vcard\b/i,
    kind: 'a vCard',
    remedy: 'save the address book as csv, with a heading and a row for each person',
  },
  {
    pattern: /^\xd0\xcf.\xe0\xa1\xb1/s,
    kind: 'an old Office file, such as an .xls workbook, or one with a password',
    remedy: 'save it as .xlsx without a password',
  },
  {
    pattern: /[\\/"]~\$[^\\/\n]*$/,
    kind: 'the lock file of a workbook that is open in Excel',
    remedy: 'name the workbook itself, without ~$',
  },
]

const encodingByMark = new Map([
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
])

const blankLinesAndComments = /^(?:[^\S\n]*(?:#.*)?\n)*/
// oxlint-disable-next-line no-control-regex -- controls, and bytes that have no character in Windows-1252
const neverInWindows1252 = /[\0-\x08\v\f\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/

/**
 * Decodes the bytes of a table, and sets its format, its delimiter and `needsMark`. Returns the text, whose lines end with line
 * feeds, and two parts of it: `above` has the blank lines and comments above the first row, and `body` begins with this row.
 * Throws a usage error if the bytes are no text.
 */
export function openText(bytes: Buffer, table: Table) {
  const { name, options } = table
  const beginning = bytes.toString('latin1', 0, 4096)
  const other = otherFiles.find(({ pattern }) => pattern.test(`${beginning}\n${name}`))
  if (other !== undefined)
    throw usageError(`${name} is not a table: it is ${other.kind}`, other.remedy)
  const encoding = encodingByMark.get(beginning.slice(0, 2)) ?? 'utf-8'
  const decoded = decode(bytes, encoding)
  const text = (decoded ?? decodeWindows(bytes)).replace(/\r\n?/g, '\n')
  const [above = ''] = blankLinesAndComments.exec(text) ?? []
  // The format comes first, because only csv may be in Windows-1252.
  const body = setFormat(text.slice(above.length), table)
  const isUtf8 = encoding === 'utf-8' && decoded !== undefined
  // Excel must recognize a csv copy as UTF-8, unless the input was UTF-8 without a mark.
  table.needsMark = !isUtf8 || beginning.startsWith('\xef\xbb\xbf')
  const isWindows =
    decoded === undefined && table.format === 'csv' && !neverInWindows1252.test(text)
  if (isWindows)
    options.note(
      `${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`,
    )
  const isText = (decoded !== undefined || isWindows) && !text.includes('\0')
  if (!isText) refuseBytes(name, bytes, encoding)
  return { text, above, body }
}

/** Decodes bytes. Returns undefined if they are not in this encoding. */
function decode(bytes: Buffer, encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Throws a usage error that says where the first byte is that is no text. */
function refuseBytes(name: string, bytes: Buffer, encoding: string): never {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const [goodText = ''] = text.split(/[\0\ufffd]/, 1)
  const goodBytes = encoding === 'utf-8' ? Buffer.byteLength(goodText) : 2 * goodText.length
  const line = goodText.split(/\r\n?|\n/).length
  if (name.toLowerCase().endsWith('.xlsx"'))
    throw usageError(
      `${name} is not a workbook, or it is damaged`,
      'save it again as .xlsx',
    )
  throw usageError(
    `${name} is not text in ${encoding.toUpperCase()}: byte ${groupDigits(goodBytes)} (line ${groupDigits(line)})`,
    'save it as UTF-8, or as a csv or JSON file',
  )
}

/** The characters of the bytes 80 to 9F in Windows-1252. Five bytes have no character. Node 20 wrongly decodes all as Latin-1. */
const windows1252Upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function decodeWindows(bytes: Buffer) {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? byte)
}

/**
 * Sets the format and the delimiter of a table by the first line of its text. A line that begins with a bracket is JSON: one value
 * per line if the first line is a whole object. A line without delimiters and quotes is a list. Any other line is csv. Returns
 * the text without Excel's line `sep=;`.
 */
function setFormat(text: string, table: Table) {
  const [first = ''] = text.split('\n', 1)
  if (/^\s*[[{]/.test(first)) {
    const isWholeObject = /^\s*\{.*\}\s*$/.test(first)
    table.format = isWholeObject ? 'ndjson' : 'json'
    return text
  }
  const separator = /^"?sep=([^\w\s"]|\t)"? *$/i.exec(first)?.[1]
  if (separator !== undefined) {
    table.format = 'csv'
    table.delimiter = separator
    table.options.note(`${table.name}: skipped Excel's "sep=" line`)
    return text.slice(first.length + 1)
  }
  const cellsBy = (delimiter: string) => roughCells(first, delimiter)
  // The delimiter that makes the most cells comes first. One that makes a known heading is better.
  const delimiters = [',', ';', '\t', '|'].toSorted(
    (one, other) => cellsBy(other).length - cellsBy(one).length,
  )
  const headingDelimiter = delimiters.find((delimiter) =>
    hasKnownHeading(cellsBy(delimiter), table.rule),
  )
  table.delimiter = headingDelimiter ?? delimiters[0] ?? ','
  const isSingleColumn = cellsBy(table.delimiter).length === 1
  table.format = isSingleColumn && !first.includes('"') ? 'lines' : 'csv'
  return text
}

/** Returns the cells of a line of csv. Works roughly, so that wrong quotes are no error here. */
function roughCells(line: string, delimiter: string) {
  return line
    .replace(/"([^"]*)"?/g, (_, inside: string) => inside.replaceAll(delimiter, ' '))
    .split(delimiter)
    .map((cell) => cell.trim())
}
