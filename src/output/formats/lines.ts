/** The formats that write a line, or one csv record, for a row: ndjson, csv, tsv and ids. */
import { usageError } from '../../errors.ts'
import { cellText, columnsOf, projection, valueOf } from '../fields.ts'
import type { PrintOptions, View } from '../result.ts'
import { pieceLength, safe, safePieces } from '../text/safe.ts'
import { unmarked } from '../incomplete.ts'
import { csvPieces, csvRecord } from './csv.ts'
import type { JsonWriter } from '../json.ts'

/** The header, which may be empty, and the line of a row, both with their line ends. A long line comes in several pieces. */
export function lineWriter<T>(
  view: View<T>,
  options: PrintOptions,
  json: JsonWriter,
): { header: string; line: (row: T) => Iterable<string> } {
  const { format } = options
  if (format === 'ndjson') {
    const project = projection(view, options.fields)
    return { header: '', line: (row) => json.pieces(project(row), undefined, '', '\n') }
  }
  if (format === 'ids') {
    const { id } = view
    if (id === undefined) throw usageError('this command has no format "ids"')
    return { header: '', line: (row) => [unmarked(`${safe(id(row))}\n`)] }
  }
  const columns = columnsOf(view, options.fields)
  const record = (cells: readonly string[]): string =>
    format === 'csv' ? csvRecord(cells, options.csvRaw) : unmarked(`${cells.map((cell) => safe(cell)).join('\t')}\n`)
  const pieces = (cells: readonly string[]): Iterable<string> => {
    if (!cells.some(({ length }) => length > pieceLength)) return [record(cells)]
    return format === 'csv' ? csvPieces(cells, options.csvRaw) : tsvPieces(cells)
  }
  return {
    header: options.header ? record(columns.map(({ field }) => field)) : '',
    line: (row) => pieces(columns.map(({ field }) => cellText(valueOf(row, field, view)))),
  }
}

function* tsvPieces(cells: readonly string[]): Generator<string> {
  for (const [index, cell] of cells.entries()) {
    for (const piece of safePieces(cell)) yield index === 0 ? unmarked(piece) : piece
    yield index === cells.length - 1 ? '\n' : '\t'
  }
}
