/** Which format a text is in, from its first lines. */
import { isId, trimBlanks, unwrapId } from './id.ts'

export type InputFormat = 'lines' | 'csv' | 'json' | 'ndjson'

export type Delimiter = ',' | ';' | '\t'

/** A header of exactly one of these is the column, and a key of this name the member, that carries the id. */
export const idNames: readonly string[] = ['id', 'contactId', 'contact_id']

export interface Detected {
  readonly format: InputFormat
  readonly delimiter: Delimiter
  /** Bytes and lines of blank and `#` lines before the first one that counts. */
  readonly skip: { readonly bytes: number; readonly lines: number }
}

/** The first line that is neither blank nor a comment. `ended`: whether its end is in sight. */
interface FirstLine {
  readonly text: string
  readonly start: number
  readonly line: number
  readonly ended: boolean
}

function firstLine(head: Buffer, complete: boolean): FirstLine {
  let start = 0
  let line = 0
  while (start < head.length) {
    let end = start
    while (end < head.length && head[end] !== 0x0a && head[end] !== 0x0d) end += 1
    const text = head.toString('utf8', start, end)
    const bare = trimBlanks(text)
    if (bare !== '' && !bare.startsWith('#')) return { text, start, line, ended: end < head.length || complete }
    line += 1
    start = head[end] === 0x0d && head[end + 1] === 0x0a ? end + 2 : end + 1
  }
  return { text: '', start: Math.min(start, head.length), line, ended: complete }
}

/** Cells of a line, cut at a delimiter outside quotes; good enough to look at, not to read. */
export function roughCells(text: string, delimiter: string): string[] {
  const cells: string[] = []
  let cell = ''
  let inQuotes = false
  for (const character of text) {
    if (character === '"') inQuotes = !inQuotes
    else if (character === delimiter && !inQuotes) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  cells.push(cell)
  return cells
}

function findDelimiter(text: string): { delimiter: Delimiter; cells: number } {
  let best: { delimiter: Delimiter; cells: number } = { delimiter: ',', cells: 1 }
  for (const delimiter of [',', ';', '\t'] as const) {
    const cells = roughCells(text, delimiter).length
    if (cells > best.cells) best = { delimiter, cells }
  }
  return best
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Finds the format from the first line that is neither blank nor a `#` comment:
 *
 * - it begins with `[`: a JSON document
 * - it begins with `{`: NDJSON when the line is a complete value by itself, else a JSON document
 * - it is an id, in quotes or with a comma behind it too: lines
 * - it has a comma, semicolon or tab outside quotes (the most frequent counts), or a column is asked for: csv
 * - anything else, a header of one word included: lines
 *
 * `known`: the format when it was named; then only the delimiter and the first line are looked for.
 */
export function detectFormat(
  head: Buffer,
  complete: boolean,
  options: { readonly known: InputFormat | 'auto'; readonly column: string | undefined },
): Detected {
  const first = firstLine(head, complete)
  const { delimiter, cells } = findDelimiter(first.text)
  const skip = { bytes: first.start, lines: first.line }
  if (options.known !== 'auto') return { format: options.known, delimiter, skip }
  const bare = trimBlanks(first.text)
  const of = (format: InputFormat): Detected => ({ format, delimiter, skip })
  if (bare.startsWith('[')) return of('json')
  if (bare.startsWith('{')) return of(first.ended && isJson(bare) ? 'ndjson' : 'json')
  if (options.column !== undefined && bare !== '') return of('csv')
  if (isId(unwrapId(bare))) return of('lines')
  // A spreadsheet's blank columns behind the first one do not make it a table.
  return of(cells > 1 ? 'csv' : 'lines')
}
