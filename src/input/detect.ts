/** Which format a text is in, from its first lines; the rules stand above `detectFormat`. Pure. */
import { isJson } from '../values.ts'
import { isId, unwrapId } from './id.ts'
import { mostTitleRows, type TableRule } from './columns.ts'

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
  const isWholeId = (cell: string): boolean => isId(unwrapId(cell))
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
