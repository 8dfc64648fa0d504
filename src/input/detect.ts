/** Which format an input is in, from its first lines. */
import { usageError } from '../errors.ts'
import { isJson } from '../values.ts'
import { mostTitleRows } from './columns.ts'
import { refuseIncompleteText } from './row.ts'
import { cutCells } from './text/lines.ts'
import { isZip } from './text/encoding.ts'
import type { InputFormat } from './formats.ts'
import { isId, trimBlanks, unwrapId } from './id.ts'
import type { OpenInput } from './input.ts'

/** Bytes and lines of blank and `#` lines, and of Excel's `sep=` line, before the first one that counts. */
export interface Skip {
  readonly bytes: number
  readonly lines: number
}

export interface Detected {
  readonly format: InputFormat
  /** One ASCII character. */
  readonly delimiter: string
  readonly skip: Skip
  readonly note: string | undefined
}

export interface DetectOptions {
  readonly known: InputFormat | 'auto'
  /** Whether a column was asked for: then a text that is no JSON is a table. */
  readonly isTable: boolean
  /** Whether lines may be a list, and not a table of one column. */
  readonly takesLists: boolean
  readonly isHeading: (cell: string) => boolean
}

interface HeadLine {
  readonly text: string
  readonly start: number
  readonly next: number
  /** From 0. */
  readonly line: number
  readonly ended: boolean
}

/** The first lines that count, the last one maybe cut; `end`: the whole text when there are none. */
function headLines({ name, head, complete }: OpenInput): { lines: HeadLine[]; end: Skip } {
  const lines: HeadLine[] = []
  let start = 0
  let line = 0
  for (; start < head.length && lines.length < mostTitleRows + 2; line += 1) {
    let end = start
    while (end < head.length && head[end] !== 0x0a && head[end] !== 0x0d) end += 1
    const text = head.toString('utf8', start, end)
    const next = Math.min(
      head.length,
      head[end] === 0x0d && head[end + 1] === 0x0a ? end + 2 : end + 1,
    )
    const bare = trimBlanks(text)
    if (bare.startsWith('#')) refuseIncompleteText(name, bare)
    if (bare !== '' && !bare.startsWith('#')) {
      lines.push({ text, start, next, line, ended: end < head.length || complete })
    }
    start = next
  }
  return { lines, end: { bytes: start, lines: line } }
}

/** The delimiter that cuts a line into the most cells, among those that leave a cell that counts, if there is one. */
function findDelimiter(text: string, counts: (cell: string) => boolean) {
  let best = { text, delimiter: ',', cells: 1, isFound: counts(trimBlanks(text)) }
  for (const delimiter of [',', ';', '\t', '|']) {
    const cells = cutCells(text, delimiter)
    const isFound = cells.some((cell) => counts(trimBlanks(cell)))
    const isBetter = isFound === best.isFound ? cells.length > best.cells : isFound
    if (isBetter) best = { text, delimiter, cells: cells.length, isFound }
  }
  return best
}

/** A line that tells Excel which character separates the cells. */
const excelSeparator = /^"?sep=([!#-/:-@[-`{-~\t])"? *$/i

/**
 * A zip archive is a workbook, or refused when it is opened. For all else, finds the format from the first line that is
 * neither blank nor a `#` comment:
 *
 * - it begins with `[`: a JSON document
 * - it begins with `{`: NDJSON when the line is a complete value by itself, else a JSON document
 * - it is Excel's `sep=;`, or a column is asked for: csv
 * - otherwise the first line with an id or a heading that is looked for decides, or, without one, the first line: csv when
 *   it has a comma, semicolon, tab or pipe outside quotes (the most frequent counts), else lines. An id alone in quotes or with a
 *   comma behind it is a line.
 */
export function detectFormat(open: OpenInput, options: DetectOptions): Detected {
  const named = namedFormat(open, options.known)
  if (named === 'xlsx') {
    return { format: 'xlsx', delimiter: ',', skip: { bytes: 0, lines: 0 }, note: undefined }
  }
  const { lines, end } = headLines(open)
  const [first] = lines
  const skip = first === undefined ? end : { bytes: first.start, lines: first.line }
  const known = named === 'auto' ? jsonFormat(first) : named
  if (known === 'json' || known === 'ndjson')
    return { format: known, delimiter: ',', skip, note: undefined }
  const separator = known === 'lines' ? undefined : excelSeparator.exec(first?.text ?? '')?.[1]
  if (first !== undefined && separator !== undefined) {
    const behind = { bytes: first.next, lines: first.line + 1 }
    return {
      format: 'csv',
      delimiter: separator,
      skip: behind,
      note: `${open.name}: skipped Excel's "sep=" line`,
    }
  }
  return { ...listOrTable(lines, known, options), skip, note: undefined }
}

/** The format that was asked for, or `xlsx` for a zip archive. Throws exit 2 when these contradict each other. */
function namedFormat({ name, head }: OpenInput, known: InputFormat | 'auto'): InputFormat | 'auto' {
  if (isZip(head)) {
    if (known === 'auto' || known === 'xlsx') return 'xlsx'
    throw usageError(
      `${name} is not text: it is a workbook or a zip archive`,
      'leave out --input-format',
    )
  }
  if (known === 'xlsx')
    throw usageError(`${name} is not an .xlsx workbook`, 'leave out --input-format')
  return known
}

function listOrTable(
  lines: readonly HeadLine[],
  known: 'lines' | 'csv' | undefined,
  { isTable, takesLists, isHeading }: DetectOptions,
): Pick<Detected, 'format' | 'delimiter'> {
  const deciding = findDeciding(lines, (cell) => isId(unwrapId(cell)) || isHeading(cell))
  const isList = deciding === undefined || deciding.cells === 1 || isId(unwrapId(deciding.text))
  const format = known ?? (isList && !isTable ? 'lines' : 'csv')
  if (format === 'lines' && takesLists) return { format, delimiter: ',' }
  return { format: 'csv', delimiter: deciding?.delimiter ?? ',' }
}

function jsonFormat(first: HeadLine | undefined): 'json' | 'ndjson' | undefined {
  const bare = trimBlanks(first?.text ?? '')
  if (bare.startsWith('[')) return 'json'
  if (!bare.startsWith('{')) return undefined
  return first?.ended === true && isJson(bare) ? 'ndjson' : 'json'
}

/** The first line with a cell that counts, or else the first one, cut at its delimiter. */
function findDeciding(lines: readonly HeadLine[], counts: (cell: string) => boolean) {
  const found = lines.map(({ text }) => findDelimiter(text, counts))
  return found.find(({ isFound }) => isFound) ?? found[0]
}
