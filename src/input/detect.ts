/** Which format a text is in, from its first lines; the rules stand above `detectFormat`. Pure. */
import { isJson } from '../values.ts'
import { isId, trimBlanks, unwrapId } from './id.ts'
import { mostTitleRows, type Columns, type TableRule } from './columns.ts'
import type { TableForm } from './table.ts'

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

export function isBlankOrComment(line: string): boolean {
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

/** A cell in quotes, perhaps without its end. */
const quotedCell = /(?<=^|[,;\t|])"(?:[^"]|"")*"?/g

/** More of a line says nothing, and patterns do not take any length. */
const longestLine = 1 << 16

/** Cells of a line, without the delimiters in their quotes. */
function cutLine(line: string, delimiter: string): string[] {
  const head = line.slice(0, longestLine)
  const cells = head.replace(quotedCell, (cell) => cell.replaceAll(delimiter, ' '))
  return cells.split(delimiter)
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
 *   comma behind it is a line.
 *
 * `isTable`: whether a text that is no JSON is a table. `start`: the place of the first row,
 * behind blank and `#` lines, and Excel's `sep=` line.
 */
export function detectFormat(
  text: string,
  isTable: boolean,
  { list, isHeading }: Pick<TableRule<Columns>, 'list' | 'isHeading'>,
): Pick<TableForm, 'format' | 'delimiter' | 'isSeparatorSkipped'> & { start: number } {
  const lines = headLines(text)
  const [first = { text: '', start: text.length, next: text.length }] = lines
  const { start, next } = first
  const found = { delimiter: ',', start, isSeparatorSkipped: false }
  const format = jsonFormat(trimBlanks(first.text))
  if (format !== undefined) return { ...found, format }
  const separator = excelSeparator.exec(first.text)?.[1]
  if (separator !== undefined) {
    return { format: 'csv', delimiter: separator, start: next, isSeparatorSkipped: true }
  }
  const { delimiter, isList } = cutBest(lines, isHeading)
  const isOfLines = list !== undefined && isList && !isTable
  return isOfLines ? { ...found, format: 'lines' } : { ...found, format: 'csv', delimiter }
}

/** The delimiter that cuts the line that decides into the most cells, one of which counts if that can be, and whether that line may be of a list. */
function cutBest(lines: readonly { text: string }[], isHeading: (cell: string) => boolean) {
  const isWholeId = (cell: string): boolean => isId(unwrapId(cell))
  const counts = (cell: string): boolean => isWholeId(cell) || isHeading(trimBlanks(cell))
  const cuts = lines.flatMap(({ text }) =>
    [',', ';', '\t', '|'].map((delimiter) => {
      const cells = cutLine(text, delimiter)
      return { text, delimiter, width: cells.length, isWanted: cells.some(counts) }
    }),
  )
  const deciding = (cuts.find(({ isWanted }) => isWanted) ?? cuts[0])?.text
  const ofLine = cuts.filter(({ text }) => text === deciding)
  const wanted = ofLine.filter(({ isWanted }) => isWanted)
  const [best] = (wanted.length > 0 ? wanted : ofLine).toSorted((a, b) => b.width - a.width)
  const { text = '', delimiter = ',', width = 1 } = best ?? {}
  return { delimiter, isList: width === 1 || isWholeId(text) }
}

function jsonFormat(line: string): 'json' | 'ndjson' | undefined {
  if (line.startsWith('[')) return 'json'
  if (!line.startsWith('{')) return undefined
  return isJson(line) ? 'ndjson' : 'json'
}
