/**
 * The formats that programs read: json as one document, and ndjson, csv and ids as lines. A document of a
 * read that failed stays open, so that no parser takes it for whole.
 */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, fieldPicker, valueOf } from '../fields.ts'
import type { Column, PrintOptions, Rows, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { csvRow } from './csv.ts'
import type { JsonWriter } from '../json.ts'
import type { RowSource } from '../ending.ts'
import type { Writers } from '../workbook.ts'

/** Everything that a format prints rows from. */
export interface Printed<T> {
  readonly source: RowSource<T>
  readonly view: View<T>
  readonly options: PrintOptions
  readonly frame: Rows<T>['frame'] | undefined
  readonly conversation: Rows<T>['conversation'] | undefined
  /** Writes the values of JSON, and counts what it replaces in them. */
  readonly json: JsonWriter
  readonly writers: Writers
}

/** Lines of ndjson, ids or csv. Programs find a column of csv by its field, whatever people call it. */
export async function* lines<T>({
  source,
  view,
  options,
  json,
}: Printed<T>): AsyncGenerator<string> {
  const columns = columnsOf(view, options.fields)
  const isCsv = options.format === 'csv'
  if (isCsv && options.header) yield csvRow(columns.map(({ field }) => field))
  const lineOf = lineWriter(view, columns, options, json)
  for await (const row of source) yield lineOf(row)
}

/** Writes a row as a line. Throws exit 2 where the view has no ids to print. */
function lineWriter<T>(
  view: View<T>,
  columns: readonly Column[],
  { format, fields }: PrintOptions,
  json: JsonWriter,
): (row: T) => string {
  if (format === 'ndjson') {
    const project = fieldPicker(view, fields)
    return (row) => `${json.text(project(row, row))}\n`
  }
  if (format === 'csv') {
    return (row) => csvRow(columns.map(({ field }) => cellText(valueOf(row, field, view))))
  }
  const { id } = view
  if (id === undefined) throw usageError(`this command has no format "${format}"`)
  return (row) => `${safe(id(row))}\n`
}

/** Rows as one document: an array, or an object around it. It is closed only when the source has ended. */
export async function* jsonRows<T>({
  source,
  view,
  options: { fields },
  frame,
  json,
}: Printed<T>): AsyncGenerator<string> {
  const project = fieldPicker(view, fields)
  // A member of the object around the rows is not repeated by each of them, unless it was asked for.
  const repeated = fields === undefined ? frame?.repeated : undefined
  const margin = frame === undefined ? '  ' : '    '
  const open =
    frame === undefined
      ? '['
      : json.text({ ...frame.before, [frame.key]: [] }, 2).slice(0, -']\n}'.length)
  let before = `${open}\n`
  for await (const row of source) {
    const whole = repeated === undefined ? row : { ...row, [repeated]: undefined }
    yield before + margin + json.text(project(whole, row), 2, margin)
    before = ',\n'
  }
  const isEmpty = before !== ',\n'
  const end = isEmpty ? `${open}]` : `\n${margin.slice(2)}]`
  const { cursor } = source.ending
  const after =
    frame === undefined || cursor === undefined
      ? ''
      : `,\n  ${json.text(frame.cursor)}: ${json.text(cursor)}`
  yield frame === undefined ? `${end}\n` : `${end}${after}\n}\n`
}
