/** Reads the text of an input: its bytes, and the rows of a list or of csv. */
import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import { usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { idRuns } from '../identifiers.ts'
import { shorten } from '../safe-text.ts'

/** Whether the path of an input names standard input. */
export function isStdin(path: string) {
  return path === '-' || path === '/dev/stdin'
}

/** Returns the name of an input for messages: its path in quotes, or "standard input". */
export function inputName(path: string): string {
  return isStdin(path) ? 'standard input' : `"${shorten(path, 200)}"`
}

const maxBytes = 256 << 20

/**
 * Returns all bytes of an input, which is read whole, because the files that people have are small. Throws a usage error if it cannot be
 * read, or is too large: `/dev/zero` never ends.
 */
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

/** The characters of the bytes 80 to 9F in Windows-1252; five have none. Node 20 wrongly decodes all as Latin-1. */
const windows1252Upper = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

/**
 * Decodes a text, with line feeds at the ends of its lines: UTF-8, or UTF-16 with a mark. A table that is neither is read as
 * Windows-1252, with a note. Throws a usage error for bytes that are no text, and for HTML, XML and JSON.
 */
export function decodeText(name: string, bytes: Buffer, note: (text: string) => void) {
  const wide = ['utf-16le', 'utf-16be'][
    ['fffe', 'feff'].indexOf(bytes.toString('hex', 0, 2))
  ]
  let text = new TextDecoder(wide ?? 'utf-8').decode(bytes)
  let isText = wide === undefined || !text.includes('\ufffd')
  const isWindows = wide === undefined && !isUtf8(bytes)
  if (isWindows) {
    text = bytes
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (byte) => windows1252Upper[byte.charCodeAt(0) - 0x80] ?? '')
    // Delimiters in the comments of a list make no table.
    isText = /^(?! *#).*[,;\t|]/m.test(text)
  }
  // Web addresses can stand in angle brackets, and begin with a text in brackets.
  if (/^\s*<(?!https?:)[!?a-z]/i.test(text))
    throw usageError(
      `${name} is HTML or XML, not a table`,
      'open it in a spreadsheet program and save it as .xlsx or csv',
    )
  if (/^\s*(?:\{|\[(?![^\]\n]*\]\())/.test(text))
    throw usageError(
      `${name} is JSON`,
      "write its ids with jq, one id per line: jq -r '.[].id'",
    )
  // oxlint-disable-next-line no-control-regex -- no text has these
  if (!isText || /[\0-\x08]/.test(text))
    throw usageError(
      `${name} is no text`,
      'save it as csv in UTF-8, or a workbook as .xlsx without a password',
    )
  if (isWindows)
    note(`${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`)
  return text.replace(/\r\n?/g, '\n')
}

/** A row of a text or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, or its number in a sheet. Counts from 1. */
  line: number
  /** The texts by their columns, with holes: see `textAt`. */
  cells: readonly string[]
  /** Why the whole row is bad. */
  problem?: string | undefined
  /** Whether it is the last row of a text and does not end its line, so that it may be cut. */
  isOpen?: boolean
  /** Why nothing may be decided by a cell, such as a formula. */
  reasons?: readonly (string | undefined)[]
  isHidden?: boolean
}

export const textAt = ({ cells }: Row, column: number): string => cells[column] ?? ''

export const isBlank = (text = '') => text.trim() === ''

/** Returns where a line begins. Lines count from 1. */
export function startOfLine(text: string, line: number) {
  let start = 0
  for (let at = 1; at < line && start < text.length; at += 1) start = endOfLine(text, start)
  return start
}

/** Returns where the line ends that a position is in, its line break included. */
function endOfLine(text: string, position: number) {
  const end = text.indexOf('\n', position)
  return end < 0 ? text.length : end + 1
}

/**
 * Returns the rows of a list, one per line. Blank lines and comments are left out. The rows of a text are read anew whenever they are
 * needed: a million of them take much memory.
 */
export function* listRows(text: string, firstLine: number): Generator<Row> {
  for (let start = 0, line = firstLine; start < text.length; line += 1) {
    const end = endOfLine(text, start)
    const content = text.slice(start, end).trimEnd()
    if (!/^\s*(?:#|$)/.test(content)) yield { line, cells: [content] }
    start = end
  }
}

/** How many characters of csv are parsed at once: one record at a time would take ten times as long. */
const pieceLength = 1 << 16

/** Returns the rows of csv that are not blank. A line with a wrong quote is a bad row. */
export function* csvRows(
  text: string,
  delimiter: string,
  firstLine: number,
): Generator<Row> {
  let line = firstLine
  for (let start = 0; start < text.length;) {
    const piece = text.slice(start, endOfLine(text, start + pieceLength))
    // The parser takes five times as long.
    if (!piece.includes('"')) {
      const lines = piece.split('\n')
      yield* lines
        .map((each, at) => ({
          line: line + at,
          cells: each.split(delimiter),
          isOpen: at === lines.length - 1,
        }))
        .filter(({ cells }) => !cells.every(isBlank))
      start += piece.length
      line += lines.length - 1
      continue
    }
    const rows: Row[] = []
    let sound = ''
    for (const pieceEnd = start + pieceLength; start < text.length && start < pieceEnd;) {
      const { end, problem } = recordAt(text, start, delimiter)
      if (problem === undefined) sound += text.slice(start, end)
      rows.push({ line, cells: [], problem, isOpen: text[end - 1] !== '\n' })
      for (; start < end; line += 1) start = endOfLine(text, start)
    }
    const records = parse(sound, {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
    })
    let count = 0
    for (const row of rows) {
      if (row.problem === undefined) row.cells = records[count++] ?? []
      if (row.cells.some(hasInnerId))
        row.problem = 'a cell has an id in a later line; a quote may be missing'
      if (row.problem ?? !row.cells.every(isBlank)) yield row
    }
  }
}

/**
 * Returns where the record at a position ends, and what is wrong with its quotes. The parser would take 20 times as long to say that.
 * A record ends with the line that has the wrong quote.
 */
function recordAt(text: string, start: number, delimiter: string) {
  const isEdge = (sign = '\n') => sign === delimiter || sign === '\n'
  let isQuoted = false
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at]
    if (isQuoted) {
      isQuoted = sign !== '"'
      continue
    }
    const before = text[at - 1]
    isQuoted = sign === '"'
    // Behind a quote that closes a cell, another one opens it again: the two stand for one.
    const isSound = isQuoted
      ? before === '"' || isEdge(before)
      : before !== '"' || isEdge(sign)
    if (!isSound)
      return {
        end: endOfLine(text, at),
        problem: 'a quote is wrong; write "" for one in a cell, and quotes around the cell',
      }
    if (sign === '\n') return { end: at + 1 }
  }
  return { end: text.length, problem: isQuoted ? 'a quote is not closed' : undefined }
}

/** Whether a cell may have swallowed other rows. */
const hasInnerId = (text: string) =>
  text.includes('\n') && idRuns(text.slice(text.indexOf('\n'))).length > 0
