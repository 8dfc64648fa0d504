/**
 * The formats that programs read: json as one document, and ndjson, csv, tsv and ids as lines. Called by `render.ts`. What an
 * output says that ended early is decided in `incomplete.ts`; a document then stays open, so that no parser takes it for whole.
 */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, fieldPicker, valueOf } from '../fields.ts'
import type { Column, PrintOptions, View, Ending, Rows } from '../result.ts'
import { safe } from '../text/safe.ts'
import { escapeMark } from '../incomplete.ts'
import { csvRow } from './csv.ts'
import type { JsonWriter } from '../json.ts'
import type { Sink } from '../sink.ts'
import type { RowSource } from '../ending.ts'

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

/** Rows as one document: an array, or an object around it. It is closed only when the source has ended. */
export async function printJsonRows<T>(
  source: RowSource<T>,
  { frame, project }: { frame: Rows<T>['frame'] | undefined; project: (row: T) => unknown },
  json: JsonWriter,
  sink: Sink,
): Promise<void> {
  const margin = frame === undefined ? '  ' : '    '
  let count = 0

  const open = (): string => {
    if (frame === undefined) return '['
    const before = members(frame.before, json).map((member) => `${member},\n`)
    return `{\n${before.join('')}  ${json.text(frame.key)}: [`
  }
  const close = ({ cursor }: Ending): string => {
    const end = count === 0 ? ']' : `\n${margin.slice(2)}]`
    if (frame === undefined) return `${end}\n`
    const after = members({ [frame.cursor]: cursor }, json)
    return `${[end, ...after].join(',\n')}\n}\n`
  }

  for await (const row of source) {
    const before = count === 0 ? `${open()}\n` : ',\n'
    count += 1
    const text = json.text(project(row), 2, margin)
    const wait = sink.write(before + margin + text)
    if (wait !== undefined) await wait
  }
  const start = count === 0 ? open() : ''
  await sink.write(start + close(source.ending))
}

function members(values: Readonly<Record<string, unknown>>, json: JsonWriter): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return []
    return `  ${json.text(key)}: ${json.text(value, 2, '  ')}`
  })
}
