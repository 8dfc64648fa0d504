/**
 * Which format an input is in, from its first lines. Called by `rows.ts` alone, before it reads an input; the rules stand above `detectFormat`.
 * Pure: the first bytes were read when the input was opened.
 */
import { usageError } from '../errors.ts'
import { isJson } from '../values.ts'
import { mostTitleRows } from './columns.ts'
import { isWholeMark } from '../output/incomplete.ts'
import { refuseIncompleteText } from './row.ts'
import { cutCells } from './text/lines.ts'
import { isZip } from './text/encoding.ts'
import { type InputFormat, isId, trimBlanks, unwrapId } from './id.ts'
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
  /** The format as it was typed; `auto` when it is to be found out. */
  readonly typed: InputFormat | 'auto'
  /** Whether a column was asked for: then a text that is no JSON is a table. */
  readonly isTable: boolean
  /** Whether lines may be a list, and not a table of one column. */
  readonly takesLists: boolean
  /** Whether it may be a table of people. */
  readonly takesUnmatched: boolean
  readonly isHeading: (cell: string) => boolean
}

/** One of the first lines. */
interface HeadLine {
  readonly text: string
  /** Places of its first byte, and of the first one behind its line end. */
  readonly start: number
  readonly next: number
  /** From 0. */
  readonly line: number
  /** Whether all of it is there: the first bytes may end within it. */
  readonly isWhole: boolean
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Place of the line end behind `start`; the length of the bytes when they have none. */
function endOfLine(head: Buffer, start: number): number {
  const end = head.subarray(start).findIndex((byte) => byte === lineFeed || byte === carriageReturn)
  return end < 0 ? head.length : start + end
}

/** The first lines that count, the last one maybe cut; `end`: the whole text when there are none. */
function headLines(
  { name, head, complete }: OpenInput,
  takesUnmatched: boolean,
): { lines: HeadLine[]; end: Skip } {
  const lines: HeadLine[] = []
  let start = 0
  let line = 0
  for (; start < head.length && lines.length < mostTitleRows + 2; line += 1) {
    const end = endOfLine(head, start)
    const text = head.toString('utf8', start, end)
    const isCrLf = head[end] === carriageReturn && head[end + 1] === lineFeed
    const behind = isCrLf ? end + 2 : end + 1
    const next = Math.min(head.length, behind)
    const bare = trimBlanks(text)
    const isComment = bare.startsWith('#')
    // The mark can be a comment above the first row, and that one is skipped. Above a table of people a title can begin with the word.
    const mayBeMark = isComment && lines.length === 0
    if (mayBeMark && (!takesUnmatched || isWholeMark(bare))) refuseIncompleteText(name, bare)
    if (bare !== '' && !isComment) {
      const isWhole = end < head.length || complete
      lines.push({ text, start, next, line, isWhole })
    }
    start = next
  }
  return { lines, end: { bytes: start, lines: line } }
}

/** A line as its best delimiter cuts it. */
interface CutLine {
  readonly text: string
  readonly delimiter: string
  /** How many cells it has. */
  readonly cells: number
  /** Whether one of them is an id, or a heading that is looked for. */
  readonly counts: boolean
}

/** The delimiter that cuts a line into the most cells, among those that leave a cell that counts, if there is one. */
function cutAtBest(text: string, isWanted: (cell: string) => boolean): CutLine {
  let best: CutLine = {
    text,
    delimiter: ',',
    cells: 1,
    counts: isWanted(trimBlanks(text)),
  }
  for (const delimiter of [',', ';', '\t', '|']) {
    const cells = cutCells(text, delimiter)
    const counts = cells.some((cell) => isWanted(trimBlanks(cell)))
    const hasMore = cells.length > best.cells
    const isBetter = counts === best.counts ? hasMore : counts
    if (!isBetter) continue
    best = {
      text,
      delimiter,
      cells: cells.length,
      counts,
    }
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
  const named = namedFormat(open, options.typed)
  if (named === 'xlsx') {
    return {
      format: 'xlsx',
      delimiter: ',',
      skip: { bytes: 0, lines: 0 },
      note: undefined,
    }
  }
  const { lines, end } = headLines(open, options.takesUnmatched)
  const [first] = lines
  const skip = first === undefined ? end : { bytes: first.start, lines: first.line }
  const format = named === 'auto' ? jsonFormat(first) : named
  if (format === 'json' || format === 'ndjson') {
    return {
      format,
      delimiter: ',',
      skip,
      note: undefined,
    }
  }
  const line = format === 'lines' ? '' : (first?.text ?? '')
  const [, separator] = excelSeparator.exec(line) ?? []
  if (first !== undefined && separator !== undefined) {
    return {
      format: 'csv',
      delimiter: separator,
      skip: { bytes: first.next, lines: first.line + 1 },
      note: `${open.name}: skipped Excel's "sep=" line`,
    }
  }
  const chosen = listOrTable(lines, format, options)
  return {
    ...chosen,
    skip,
    note: undefined,
  }
}

/** The format that was asked for, or `xlsx` for a zip archive. Throws exit 2 when these contradict each other. */
function namedFormat({ name, head }: OpenInput, typed: InputFormat | 'auto'): InputFormat | 'auto' {
  if (isZip(head)) {
    if (typed === 'auto' || typed === 'xlsx') return 'xlsx'
    throw usageError(
      `${name} is not text: it is a workbook or a zip archive`,
      'leave out --input-format',
    )
  }
  if (typed === 'xlsx') {
    throw usageError(`${name} is not an .xlsx workbook`, 'leave out --input-format')
  }
  return typed
}

/** Lines or csv, by the line that decides; csv alone where lists are not taken. */
function listOrTable(
  lines: readonly HeadLine[],
  typed: 'lines' | 'csv' | undefined,
  { isTable, takesLists, isHeading }: DetectOptions,
): Pick<Detected, 'format' | 'delimiter'> {
  const isWholeId = (cell: string): boolean => isId(unwrapId(cell))
  const deciding = findDeciding(lines, (cell) => isWholeId(cell) || isHeading(cell))
  const isOneCell = deciding === undefined || deciding.cells === 1
  const isList = isOneCell || isWholeId(deciding.text)
  const likely = isList && !isTable ? 'lines' : 'csv'
  const format = typed ?? likely
  if (format === 'lines' && takesLists) return { format, delimiter: ',' }
  return { format: 'csv', delimiter: deciding?.delimiter ?? ',' }
}

function jsonFormat(first: HeadLine | undefined): 'json' | 'ndjson' | undefined {
  const bare = trimBlanks(first?.text ?? '')
  if (bare.startsWith('[')) return 'json'
  if (!bare.startsWith('{')) return undefined
  const isLineOfJson = first?.isWhole === true && isJson(bare)
  return isLineOfJson ? 'ndjson' : 'json'
}

/** The first line with a cell that counts, or else the first one, cut at its delimiter. */
function findDeciding(
  lines: readonly HeadLine[],
  isWanted: (cell: string) => boolean,
): CutLine | undefined {
  const cut = lines.map(({ text }) => cutAtBest(text, isWanted))
  const deciding = cut.find(({ counts }) => counts)
  return deciding ?? cut[0]
}
