/** The one loop over inputs: each is read whole, decoded, and cut into rows, for readers of ids, of pairs and of people. */
import { usageError } from '../errors.ts'
import type { TableRule } from './columns.ts'
import { readCsv, readList } from './csv.ts'
import { checkInputs, inputName, readWhole, type Input } from './input.ts'
import { readJson } from './json.ts'
import { rowOf, withoutHoles } from './row.ts'
import { Table, type OnRow } from './table.ts'
import { decode, encodingNote, isHeading, isZip, layoutOf } from './text.ts'

export interface RowOptions {
  sheet?: string | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows for which all of them hold. */
  where?: readonly string[] | undefined
}

/** Reads every input by its rule. Throws exit 2 for what cannot be read, or does not say where its columns are. */
export async function readRows(
  inputs: readonly Input[],
  ruleFor: (input: string) => TableRule,
  { sheet, where = [] }: RowOptions,
  onRow: OnRow,
): Promise<Table[]> {
  checkInputs(inputs)
  const tables: Table[] = []
  for (const input of inputs) {
    const name = inputName(input)
    const isOfWords = input.kind === 'words'
    const table = new Table(name, ruleFor(name), isOfWords ? [] : where, onRow)
    tables.push(table)
    if (isOfWords) readWords(input.texts, table)
    else {
      const bytes = await readWhole(input)
      if (isZip(bytes)) await readSheet(bytes, sheet, table)
      else readText(bytes, sheet, table)
    }
    table.notes.push(...table.leftOutNotes)
  }
  return tables
}

/** Words of the command line are a list. Throws exit 2 where lists are not taken. */
function readWords(texts: readonly string[], table: Table) {
  if (table.rule.kind !== 'ids')
    throw usageError('pairs are read from a file: --file <path>')
  table.columns = [0]
  for (const [n, text] of texts.entries()) table.take(rowOf(n + 1, [text]))
}

/** Reads a sheet of a workbook. */
async function readSheet(bytes: Buffer, sheet: string | undefined, table: Table) {
  table.format = 'xlsx'
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const { rows, notes } = await readWorkbook(table.input, bytes, sheet, (cells) =>
    isHeading(table.rule, withoutHoles(cells)),
  )
  table.notes.push(...notes)
  for (const row of rows) table.take(rowOf(row.line, row.texts, { sheetRow: row }))
}

/** Reads a text. What is above its first row is no data. */
function readText(bytes: Buffer, sheet: string | undefined, table: Table) {
  const { input, rule, notes, take } = table
  const { text, hasMark, badByte } = decode(input, bytes)
  const { format, delimiter, start, hasSeparatorLine } = layoutOf(text, rule)
  Object.assign(table, { format, delimiter, needsMark: hasMark })
  if (badByte !== undefined)
    notes.push(encodingNote(input, text, badByte, format === 'csv'))
  if (hasSeparatorLine) notes.push(`${input}: skipped Excel's "sep=" line`)
  if (sheet !== undefined) notes.push(`--sheet is not used: ${input} is not a workbook`)
  if (format === 'lines') return readList(text, take)
  if (format !== 'csv') return readJson(text, format, table)
  const above = text.slice(0, start)
  if (above !== '' && !hasSeparatorLine) readList(above, take)
  readCsv(text.slice(start), delimiter, above.split('\n').length - 1, take)
}
