/** Text as rows: a list of lines, or csv, strictly as csv-parse reads it. */
import { parse } from 'csv-parse/sync'
import { invalid, noData, rowOf, type Row } from './row.ts'

/** Takes the next row. */
export type Take = (row: Row) => void

/** Reads a list, or what is above a table. Blank lines and comments are no data. */
export function readList(text: string, take: Take) {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const content = text.slice(start, end < 0 ? text.length : end)
    const isBlankOrComment = /^\s*(?:#|$)/.test(content)
    take(rowOf(line, [content], isBlankOrComment ? { finding: noData } : {}))
    start += content.length + 1
  }
}

const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quote',
  INVALID_OPENING_QUOTE:
    'a quote is in the middle of a cell; write "" for it, and quotes around the cell',
}

/**
 * Reads csv. A record whose quotes are wrong is a bad line, and so are lines that no record has: they are inside a cell of
 * one. `linesAbove`: lines in front of the text.
 */
export function readCsv(text: string, delimiter: string, linesAbove: number, take: Take) {
  /** Lines that are told. */
  let told = 0
  let lines: string[] | undefined
  const refuse = (reason: string, isNeverSkipped: boolean, last: number) => {
    lines ??= text.split('\n')
    const content = lines[told] ?? ''
    const finding = invalid({ reason, text: content, isNeverSkipped })
    take(rowOf(linesAbove + told + 1, [content], { finding }))
    told = last
  }
  const refuseLost = (next: number) => {
    if (next > told + 1)
      refuse('it is inside a cell whose quotes are wrong', true, next - 1)
  }
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      const code = error?.code ?? ''
      const last = Number(error?.['lines'])
      if (!(last > told)) return undefined
      // Only a quote in the middle of a cell has not swallowed other rows.
      const isNeverSkipped = code !== 'INVALID_OPENING_QUOTE' || last > told + 1
      refuse(quoteProblems[code] ?? code, isNeverSkipped, last)
      return undefined
    },
    on_record(cells: string[], { lines: last }) {
      const breaks = last > told + 1 ? cells.join('').split('\n').length - 1 : 0
      refuseLost(last - breaks)
      const isBlank = cells.every((cell) => cell.trim() === '')
      take(rowOf(linesAbove + last - breaks, cells, isBlank ? { finding: noData } : {}))
      told = last
      // So that the parser keeps nothing.
      return null
    },
  })
  // Without an error no line was lost.
  if (lines !== undefined) refuseLost(lines.length + (lines.at(-1) === '' ? 0 : 1))
}
