/**
 * Which format a text is in, from its first lines. Called by `rows.ts` alone; the rules stand above `detectFormat`. Pure.
 */
import { isJson } from '../values.ts'
import { type InputFormat, isId, trimBlanks, unwrapId } from './id.ts'
import { mostTitleRows, type Columns, type TableRule } from './columns.ts'

export interface Detected {
  readonly format: Exclude<InputFormat, 'xlsx'>
  /** One character. */
  readonly delimiter: string
  /** Place of the first row in the text, behind blank and `#` lines, and Excel's `sep=` line. */
  readonly start: number
  readonly isSeparatorSkipped: boolean
}

interface Line {
  /** From 1. */
  readonly line: number
  /** Without its end. */
  readonly text: string
  /** Places of it and of the next one. */
  readonly start: number
  readonly next: number
}

/** The lines of a text. */
export function* linesOf(text: string): Generator<Line> {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const to = end < 0 ? text.length : end
    yield { line, text: text.slice(start, to), start, next: to + 1 }
    start = to + 1
  }
}

export function isBlankOrComment(line: string): boolean {
  return /^\s*(?:#|$)/.test(line)
}

/** The first lines that are neither blank nor comments. */
function headLines(text: string): Line[] {
  const lines: Line[] = []
  for (const line of linesOf(text)) {
    if (!isBlankOrComment(line.text)) lines.push(line)
    if (lines.length === mostTitleRows + 2) break
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
 *
 * `typed`: as it was typed, `auto` when it is to be found out. `isTable`: whether a text that is no JSON is a table.
 */
export function detectFormat(
  text: string,
  typed: InputFormat | 'auto',
  isTable: boolean,
  { list, isHeading }: Pick<TableRule<Columns>, 'list' | 'isHeading'>,
): Detected {
  const lines = headLines(text)
  const [first = { text: '', start: text.length, next: text.length }] = lines
  const { start, next } = first
  const found = { delimiter: ',', start, isSeparatorSkipped: false }
  const format =
    typed === 'auto' || typed === 'xlsx' ? jsonFormat(trimBlanks(first.text)) : typed
  if (format === 'json' || format === 'ndjson') return { ...found, format }
  const separator = format === 'lines' ? undefined : excelSeparator.exec(first.text)?.[1]
  if (separator !== undefined) {
    return { format: 'csv', delimiter: separator, start: next, isSeparatorSkipped: true }
  }
  const { delimiter, isList } = cutBest(lines, isHeading)
  const likely = isList && !isTable ? 'lines' : 'csv'
  const isOfLines = list !== undefined && (format ?? likely) === 'lines'
  return isOfLines ? { ...found, format: 'lines' } : { ...found, format: 'csv', delimiter }
}

/** The delimiter of the line that decides, and whether that one may be of a list. */
function cutBest(lines: readonly Line[], isHeading: (cell: string) => boolean) {
  const isWholeId = (cell: string): boolean => isId(unwrapId(cell))
  const isWanted = (cell: string): boolean => isWholeId(cell) || isHeading(cell)
  const cut = lines.map((line) => cutAtBest(line.text, isWanted))
  const { text, delimiter, cells } = cut.find(({ counts }) => counts) ??
    cut[0] ?? { text: '', delimiter: ',', cells: 1 }
  return { delimiter, isList: cells === 1 || isWholeId(text) }
}

function jsonFormat(line: string): 'json' | 'ndjson' | undefined {
  if (line.startsWith('[')) return 'json'
  if (!line.startsWith('{')) return undefined
  return isJson(line) ? 'ndjson' : 'json'
}
