/** The rows of a text with the very bytes that they have in the file. A character of `raw` is a byte: whatever encoding it is in, it is written back as it was. */
import type { Row } from '../../ids/columns.ts'
import { OpenRecord } from '../../ids/csv.ts'
import type { Detected } from '../../ids/detect.ts'
import { trimBlanks } from '../../ids/id.ts'
import type { Cell } from '../../output/workbook/workbook.ts'

export interface InputRow extends Row {
  /** What a workbook has in its cells. */
  readonly values: readonly Cell[]
  /** Of a text: its bytes, each as a character, without and with its line end. */
  readonly raw: string
  readonly end: string
  /** A blank line or a comment, which the reader of ids passes over. */
  readonly isSkipped: boolean
}

interface PhysicalLine {
  readonly raw: string
  /** Empty at the end of a file without a last line end. */
  readonly end: string
}

export async function* textRows(chunks: AsyncIterable<Buffer>, detected: Detected): AsyncGenerator<InputRow[]> {
  const rows = new Records(detected)
  for await (const lines of physicalLines(chunks)) yield lines.flatMap((line) => rows.take(line))
  yield rows.end()
}

async function* physicalLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<PhysicalLine[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1')
    // A carriage return at the very end may be the first half of a line end.
    const lines = [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r(?=[^]))/g)]
    const last = lines.at(-1)
    rest = last === undefined ? text : text.slice(last.index + last[0].length)
    yield lines.map(([, raw = '', end = '']) => ({ raw, end }))
  }
  if (rest !== '') yield [rest.endsWith('\r') ? { raw: rest.slice(0, -1), end: '\r' } : { raw: rest, end: '' }]
}

/** A text as its bytes, each as a character. */
export function rawOf(text: string): string {
  return isPlain(text) ? text : Buffer.from(text).toString('latin1')
}

/** The text that such bytes are. */
export function textOf(raw: string): string {
  return isPlain(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8')
}

function isPlain(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

function rowOf(row: Omit<InputRow, 'values'>): InputRow {
  return { ...row, values: row.cells }
}

/** Lines, or records of csv: a quoted cell may go on over several lines. */
class Records {
  readonly #detected: Detected
  #line = 0
  #open: { record: OpenRecord; line: number; raw: string } | undefined

  constructor(detected: Detected) {
    this.#detected = detected
  }

  take({ raw, end }: PhysicalLine): InputRow[] {
    const { format, delimiter, skip } = this.#detected
    this.#line += 1
    if (format !== 'csv') {
      const bare = trimBlanks(textOf(raw))
      const isSkipped = bare === '' || bare.startsWith('#')
      return [rowOf({ cells: [textOf(raw)], line: this.#line, raw, end, isSkipped })]
    }
    if (this.#line <= skip.lines) return [rowOf({ cells: [], line: this.#line, raw, end, isSkipped: true })]
    const open = (this.#open ??= { record: new OpenRecord(delimiter), line: this.#line, raw: '' })
    open.raw += raw
    if (!open.record.take(textOf(raw))) {
      open.raw += end
      return []
    }
    this.#open = undefined
    const { cells } = open.record
    const isSkipped = cells.every((cell) => cell.trim() === '')
    return [rowOf({ cells, line: open.line, raw: open.raw, end, isSkipped })]
  }

  /** A quote that is never closed: such an input was refused when its ids were read. */
  end(): InputRow[] {
    if (this.#open === undefined) return []
    const { record, line, raw } = this.#open
    return [rowOf({ cells: record.cells, line, raw, end: '', isSkipped: true })]
  }
}
