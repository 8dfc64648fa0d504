/** The rows of one input: it is read whole, decoded, and cut, for readers of ids, of pairs and of people. */
import { readCsv, readList } from './csv.ts'
import { readJson } from './json.ts'
import { inputName, readWhole, type InputHost } from './source.ts'
import { isHeading, Table, type RowOptions, type TableRule } from './table.ts'
import { decode, encodingNote, isZip, layoutOf } from './text.ts'

/** Reads a file or standard input. Throws exit 2 for what cannot be read, or does not say where its columns are. */
export async function readTable(
  host: InputHost,
  path: string,
  rule: TableRule,
  options: RowOptions,
) {
  const table = new Table(inputName(path), rule, options)
  const bytes = await readWhole(host, path)
  if (isZip(bytes)) await readSheet(bytes, table)
  else readText(bytes, table)
  return table
}

/** Reads a sheet of a workbook. */
async function readSheet(bytes: Buffer, table: Table) {
  const { name, rule, options, take } = table
  table.format = 'xlsx'
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const hasColumn = (cells: readonly string[]) => isHeading(cells, rule)
  for (const row of await readWorkbook(name, bytes, options, hasColumn)) take(row)
}

/** Reads a text. What is above its first row is no data. */
function readText(bytes: Buffer, table: Table) {
  const { name, rule, options, take } = table
  const { text, needsMark, isWindows } = decode(name, bytes)
  const { format, delimiter, start, separatorLine } = layoutOf(text, rule)
  Object.assign(table, { format, delimiter, needsMark })
  if (isWindows) options.note(encodingNote(table, text, bytes))
  if (separatorLine !== '') options.note(`${name}: skipped Excel's "sep=" line`)
  if (format === 'lines') return readList(text, take)
  if (format !== 'csv') return readJson(text, table)
  const above = text.slice(0, start)
  readList(above, take)
  const linesAbove = `${above}${separatorLine}`.split('\n').length - 1
  readCsv(text.slice(start + separatorLine.length), delimiter, linesAbove, take)
}
