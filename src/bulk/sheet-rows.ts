/** The rows of a sheet as they are written again: empty ones too, with numbers as numbers and dates as dates. Loaded for workbooks. */
import type { OpenInput } from '../ids/input.ts'
import type { SheetCell, SheetRow } from '../ids/row-reader.ts'
import { openWorkbook } from '../ids/workbook.ts'
import type { Cell } from '../output/workbook.ts'
import type { Source } from './run.ts'
import type { InputRow } from './text-rows.ts'

export async function* sheetRows({ name }: OpenInput, { path, sheet }: Source): AsyncGenerator<InputRow[]> {
  const workbook = await openWorkbook({ name, from: { path } })
  try {
    let last = 0
    for await (const row of (await workbook.sheet(sheet)).rows()) {
      for (let line = last + 1; line < row.row; line += 1) yield [emptyRow(line)]
      yield [rowOf(row)]
      last = row.row
    }
  } finally {
    await workbook.close()
  }
}

function emptyRow(line: number): InputRow {
  return { cells: [], values: [], line, raw: '', end: '\n', isSkipped: true }
}

function rowOf({ row, cells }: SheetRow): InputRow {
  const texts: string[] = []
  const values: Cell[] = []
  for (const [column, cell] of cells) {
    for (; texts.length < column; values.push(undefined)) texts.push('')
    texts.push(cell.text)
    values.push(valueOf(cell))
  }
  return { cells: texts, values, line: row, raw: '', end: '\n', isSkipped: false }
}

/** The result of a formula is a value like any other. What is not of the form of its kind is text. */
function valueOf({ kind, text, raw }: SheetCell): Cell {
  switch (kind) {
    case 'number':
      return isNumber(raw) ? { kind, raw } : text
    case 'date':
      return isNumber(raw) ? { kind: text.includes(' ') ? 'time' : text.includes('-') ? 'day' : 'clock', raw } : text
    case 'boolean':
      return text === '' ? undefined : { kind, raw: text === 'TRUE' ? 1 : 0 }
    case 'error':
      return /^#[A-Z0-9/]+[!?]?$/.test(text) ? { kind, raw: text } : text
    case 'text':
      return text
  }
}

function isNumber(raw: string): boolean {
  return raw.trim() !== '' && Number.isFinite(Number(raw))
}
