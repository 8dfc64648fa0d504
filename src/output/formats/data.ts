/**
 * The formats that programs read: json as one document, and ndjson, csv and ids as lines. Called by `render.ts`. What an
 * output says that ended early is decided in `incomplete.ts`; a document then stays open, so that no parser takes it for whole.
 */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, fieldPicker, valueOf } from '../fields.ts'
import type { Column, PrintOptions, View, Ending, Rows } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { escapeMark } from '../incomplete.ts'
import { csvRow } from './csv.ts'
import type { JsonWriter } from '../json.ts'
import type { Sink } from '../sink.ts'
import type { RowSource } from '../ending.ts'

/** The header, which may be empty, and the line of a row, both with their line ends. */
interface LineWriter<T> {
  readonly header: string
  readonly line: (row: T) => string
}

/**
 * The writer of a format that is lines: ndjson, ids and csv. Throws exit 2 where the view has no ids to print.
 * A line that would read like the mark of an incomplete output is escaped, so that only `incomplete.ts` can say that.
 */
export function lineWriter<T>(
  view: View<T>,
  options: PrintOptions,
  json: JsonWriter,
): LineWriter<T> {
  const { format } = options
  if (format === 'ndjson') {
    const project = fieldPicker(view, options.fields)
    return {
      header: '',
      line: (row) => `${json.text(project(row))}\n`,
    }
  }
  if (format === 'ids') {
    const { id } = view
    if (id === undefined) throw usageError('this command has no format "ids"')
    return {
      header: '',
      line: (row) => escapeMark(`${safe(id(row))}\n`),
    }
  }
  const columns = columnsOf(view, options.fields)
  const fields = columns.map(({ field }) => field)
  return {
    header: options.header ? csvRow(columns.map(headingOf)) : '',
    line: (row) => {
      const cells = fields.map((field) => cellText(valueOf(row, field, view)))
      return csvRow(cells)
    },
  }
}

/** Programs find a column by its field, whatever people call it; a column of a user's own table keeps its name. */
function headingOf({ title, field, isOwn }: Column): string {
  return isOwn === true ? title : field
}

interface JsonForm<T> {
  /** The object around the rows, if there is one. */
  readonly frame: Rows<T>['frame'] | undefined
  readonly view: View<T>
  readonly fields: PrintOptions['fields']
}

/** The value that a row is in its document. Members of an object around the rows are not repeated by each of them, unless they were asked for. */
function rowProjection<T>({ frame, view, fields }: JsonForm<T>): (row: T) => unknown {
  const repeated = frame?.repeated
  if (fields !== undefined || repeated === undefined) return fieldPicker(view, fields)
  return (row) => ({ ...row, [repeated]: undefined })
}

/** Rows as one document: an array, or an object around it. It is closed only when the source has ended. */
export async function printJsonRows<T>(
  source: RowSource<T>,
  form: JsonForm<T>,
  json: JsonWriter,
  sink: Sink,
): Promise<void> {
  const { frame } = form
  const project = rowProjection(form)
  const margin = frame === undefined ? '  ' : '    '
  let count = 0

  const open = (): string => {
    if (frame === undefined) return '['
    const before = members(frame.before, json).map((member) => `${member},\n`)
    const key = json.text(frame.key)
    return `{\n${before.join('')}  ${key}: [`
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
    // Most rows only go to the buffer: to await nothing would cost each of them a turn.
    const wait = sink.write(before + margin + text)
    if (wait !== undefined) await wait
  }
  const start = count === 0 ? open() : ''
  await sink.write(start + close(source.ending))
}

/** The members of the object around the rows, each as its indented text; undefined ones are left out. */
function members(values: Readonly<Record<string, unknown>>, json: JsonWriter): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return []
    const name = json.text(key)
    return `  ${name}: ${json.text(value, 2, '  ')}`
  })
}
