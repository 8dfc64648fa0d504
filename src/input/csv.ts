/** Text as rows: a list of lines, or csv, strictly as csv-parse reads it. */
import { parse } from 'csv-parse/sync'
import type { Take } from './table.ts'

/** Reads a list, or what is above a table. Blank lines and comments are no data. */
export function readList(text: string, take: Take) {
  let line = 1
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const content = text.slice(start, end < 0 ? text.length : end)
    const isBlankOrComment = /^\s*(?:#|$)/.test(content)
    take({ line, cells: [content] }, isBlankOrComment ? { kind: 'no-data' } : undefined)
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
 * Reads csv. A record whose quotes are wrong is a bad line that is never skipped, because nobody knows where it ends.
 * `linesAbove`: lines in front of the text.
 */
export function readCsv(text: string, delimiter: string, linesAbove: number, take: Take) {
  /** Lines of the text that are read. */
  let read = 0
  let lines: string[] | undefined
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      const last = Number(error?.['lines'])
      // There can be several problems with one record.
      if (!(last > read)) return undefined
      lines ??= text.split('\n')
      const content = lines[read] ?? ''
      const code = error?.code ?? ''
      const reason = quoteProblems[code] ?? code
      const line = linesAbove + read + 1
      take({ line, cells: [content] }, { kind: 'invalid', reason, isNeverSkipped: true })
      read = last
      return undefined
    },
    on_record(cells: string[], { lines: last }) {
      const breaks = last > read + 1 ? cells.join('').split('\n').length - 1 : 0
      const isBlank = cells.every((cell) => cell.trim() === '')
      const line = linesAbove + last - breaks
      take({ line, cells }, isBlank ? { kind: 'no-data' } : undefined)
      read = last
      // So that the parser keeps nothing.
      return null
    },
  })
}
