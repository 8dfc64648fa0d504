/** The formats that write a line, or a row of csv: ndjson, csv, tsv and ids. */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, fieldPicker, valueOf } from '../fields.ts'
import type { Column, PrintOptions, View } from '../result.ts'
import { safe } from '../text/safe.ts'
import { escapeMark } from '../incomplete.ts'
import { csvRow } from './csv.ts'
import type { JsonWriter } from '../json.ts'

/** The header, which may be empty, and the line of a row, both with their line ends. */
export function lineWriter<T>(
  view: View<T>,
  options: PrintOptions,
  json: JsonWriter,
): { header: string; line: (row: T) => string } {
  const { format } = options
  if (format === 'ndjson') {
    const project = fieldPicker(view, options.fields)
    return { header: '', line: (row) => `${json.text(project(row))}\n` }
  }
  if (format === 'ids') {
    const { id } = view
    if (id === undefined) throw usageError('this command has no format "ids"')
    return { header: '', line: (row) => escapeMark(`${safe(id(row))}\n`) }
  }
  const columns = columnsOf(view, options.fields)
  const rowOf = (cells: readonly string[]): string => {
    if (format === 'csv') return csvRow(cells, options.csvRaw)
    const safeCells = cells.map((cell) => safe(cell))
    return escapeMark(`${safeCells.join('\t')}\n`)
  }
  const fields = columns.map(({ field }) => field)
  return {
    header: options.header ? rowOf(columns.map(headingOf)) : '',
    line: (row) => rowOf(fields.map((field) => cellText(valueOf(row, field, view)))),
  }
}

const headingOf = ({ title, field, isOwn }: Column): string => (isOwn === true ? title : field)
