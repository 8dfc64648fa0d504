/** The formats that write a line, or one csv record, for a row: ndjson, csv, tsv and ids. */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, projection, valueOf } from '../fields.ts'
import type { PrintOptions, View } from '../result.ts'
import { safe } from '../safe.ts'
import { csvRecord } from './csv.ts'
import type { JsonWriter } from '../json.ts'

export interface LineWriter<T> {
  /** With its line end; may be empty. */
  readonly header: string
  readonly line: (row: T) => string
}

export function lineWriter<T>(view: View<T>, options: PrintOptions, json: JsonWriter): LineWriter<T> {
  const { format } = options
  if (format === 'ndjson') {
    const project = projection(view, options.fields)
    return { header: '', line: (row) => `${json.text(project(row))}\n` }
  }
  if (format === 'ids') {
    const { id } = view
    if (id === undefined) throw usageError('this command has no format "ids"')
    return { header: '', line: (row) => `${safe(id(row))}\n` }
  }
  const columns = columnsOf(view, options.fields)
  const record = (cells: readonly string[]): string =>
    format === 'csv' ? csvRecord(cells, options.csvRaw) : `${cells.map((cell) => safe(cell)).join('\t')}\n`
  return {
    header: options.header ? record(columns.map(({ field }) => field)) : '',
    line: (row) => record(columns.map(({ field }) => cellText(valueOf(row, field, view)))),
  }
}
