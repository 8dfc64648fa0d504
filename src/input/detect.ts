/**
 * Which format a text is in, from its first lines. Called by `rows.ts` alone; the rules stand above `detectFormat`. Pure.
 */
import { isWholeMark } from '../output/incomplete.ts'
import { isJson } from '../values.ts'
import { mostTitleRows } from './columns.ts'
import { type InputFormat, isId, trimBlanks, unwrapId } from './id.ts'
import { refuseIncompleteText } from './row.ts'

export interface Detected {
  readonly format: Exclude<InputFormat, 'xlsx'>
  /** One character. */
  readonly delimiter: string
  /** Place in the text, and number of lines before it: blank and `#` lines, and Excel's `sep=` line. */
  readonly start: number
  readonly linesAbove: number
  readonly isSeparatorSkipped: boolean
}

interface DetectOptions {
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

/** One of the first lines: its place and that of the next one, and how many lines are above it. */
interface HeadLine {
  readonly text: string
  readonly start: number
  readonly next: number
  readonly above: number
}

/** The first lines that are neither blank nor comments. */
function headLines(name: string, text: string, takesUnmatched: boolean): HeadLine[] {
  const lines: HeadLine[] = []
  let above = 0
  for (let start = 0; start < text.length && lines.length < mostTitleRows + 2; above += 1) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(start, end < 0 ? undefined : end)
    const bare = trimBlanks(line)
    const isComment = bare.startsWith('#')
    // The mark can be a comment above the first row. Above a table of people a title can begin with the word.
    const mayBeMark = isComment && lines.length === 0
    if (mayBeMark && (!takesUnmatched || isWholeMark(bare))) refuseIncompleteText(name, bare)
    if (bare !== '' && !isComment) lines.push({ text: line, start, next, above })
    start = next
  }
  return lines
}

/** Cells of a line that may end within quotes, with their quotes. */
function cutLine(line: string, delimiter: string): string[] {
  const cells: string[] = []
  let isInside = false
  for (const part of line.split(delimiter)) {
    const last = cells.length - 1
    if (isInside) cells[last] = `${cells[last] ?? ''}${delimiter}${part}`
    else cells.push(part)
    const hasOddQuotes = part.split('"').length % 2 === 0
    if (hasOddQuotes && (isInside || part.startsWith('"'))) isInside = !isInside
  }
  return cells
}

/** A line as its best delimiter cuts it. `counts`: whether a cell is an id, or a heading that is looked for. */
interface CutLine {
  readonly text: string
  readonly delimiter: string
  readonly cells: number
  readonly counts: boolean
}

/** The delimiter that cuts a line into the most cells, among those that leave a cell that counts, if there is one. */
function cutAtBest(text: string, isWanted: (cell: string) => boolean): CutLine {
  let best: CutLine = { text, delimiter: ',', cells: 1, counts: isWanted(trimBlanks(text)) }
  for (const delimiter of [',', ';', '\t', '|']) {
    const cells = cutLine(text, delimiter)
    const counts = cells.some((cell) => isWanted(trimBlanks(cell)))
    const isBetter = counts === best.counts ? cells.length > best.cells : counts
    if (isBetter) best = { text, delimiter, cells: cells.length, counts }
  }
  return best
}

/** A line that tells Excel which character separates the cells. */
const excelSeparator = /^"?sep=([!#-/:-@[-`{-~\t])"? *$/i

/**
 * Finds the format from the first line that is neither blank nor a `#` comment:
 *
 * - it begins with `[`: a JSON document
 * - it begins with `{`: NDJSON when the line is a complete value by itself, else a JSON document
 * - it is Excel's `sep=;`, or a column is asked for: csv
 * - otherwise the first line with an id or a heading that is looked for decides, or, without one, the first line: csv when
 *   it has a comma, semicolon, tab or pipe outside quotes (the most frequent counts), else lines. An id alone in quotes or with a
 *   comma behind it is a line.
 */
export function detectFormat(name: string, text: string, options: DetectOptions): Detected {
  const { typed, takesUnmatched } = options
  const lines = headLines(name, text, takesUnmatched)
  const [first = { text: '', start: text.length, next: text.length, above: 0 }] = lines
  const { start, next, above } = first
  const found = { delimiter: ',', start, linesAbove: above, isSeparatorSkipped: false }
  const format =
    typed === 'auto' || typed === 'xlsx' ? jsonFormat(trimBlanks(first.text)) : typed
  if (format === 'json' || format === 'ndjson') return { ...found, format }
  const separator = format === 'lines' ? undefined : excelSeparator.exec(first.text)?.[1]
  if (separator === undefined) return { ...found, ...listOrTable(lines, format, options) }
  const linesAbove = above + 1
  return {
    format: 'csv',
    delimiter: separator,
    start: next,
    linesAbove,
    isSeparatorSkipped: true,
  }
}

/** Lines or csv, by the line that decides; csv alone where lists are not taken. */
function listOrTable(
  lines: readonly HeadLine[],
  typed: 'lines' | 'csv' | undefined,
  { isTable, takesLists, isHeading }: DetectOptions,
): Pick<Detected, 'format' | 'delimiter'> {
  const isWholeId = (cell: string): boolean => isId(unwrapId(cell))
  const isWanted = (cell: string): boolean => isWholeId(cell) || isHeading(cell)
  const cut = lines.map(({ text }) => cutAtBest(text, isWanted))
  const deciding = cut.find(({ counts }) => counts) ?? cut[0]
  const isList = deciding === undefined || deciding.cells === 1 || isWholeId(deciding.text)
  const likely = isList && !isTable ? 'lines' : 'csv'
  const format = typed ?? likely
  if (format === 'lines' && takesLists) return { format, delimiter: ',' }
  return { format: 'csv', delimiter: deciding?.delimiter ?? ',' }
}

function jsonFormat(line: string): 'json' | 'ndjson' | undefined {
  if (line.startsWith('[')) return 'json'
  if (!line.startsWith('{')) return undefined
  return isJson(line) ? 'ndjson' : 'json'
}
