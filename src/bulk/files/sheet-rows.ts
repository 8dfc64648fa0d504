/** The rows of a sheet as they are written again: empty ones too, with numbers as numbers and dates as dates. Loaded for workbooks. */
import { inputName } from '../../ids/input.ts'
import type { SheetCell, SheetRow } from '../../ids/workbook/row-reader.ts'
import { openWorkbook } from '../../ids/workbook/workbook.ts'
import type { Cell } from '../../output/workbook/workbook.ts'
import type { Source } from '../record/run.ts'
import type { InputRow } from './text-rows.ts'

/** The columns that have a value in any row, and the one that is named by its number. Others would be written again in every row, up to the furthest. */
export async function usedColumns(source: Source): Promise<number[]> {
  const used = new Set(/^[1-9]\d{0,4}$/.test(source.column ?? '') ? [Number(source.column) - 1] : [])
  for await (const { cells } of rowsOf(source)) for (const column of cells.keys()) used.add(column)
  return [...used].sort((one, other) => one - other)
}

/** With these columns alone. */
export async function* sheetRows(source: Source, columns: readonly number[]): AsyncGenerator<InputRow[]> {
  const places = new Map(columns.map((column, place) => [column, place]))
  let last = 0
  for await (const row of rowsOf(source)) {
    for (let line = last + 1; line < row.row; line += 1) yield [emptyRow(line)]
    yield [inputRow(row, places)]
    last = row.row
  }
}

async function* rowsOf({ path, sheet }: Source): AsyncGenerator<SheetRow> {
  const workbook = await openWorkbook({ name: inputName({ kind: 'file', path }), from: { path } })
  try {
    yield* (await workbook.sheet(sheet)).rows()
  } finally {
    await workbook.close()
  }
}

function emptyRow(line: number): InputRow {
  return { cells: [], values: [], line, raw: '', end: '\n', isSkipped: true }
}

function inputRow({ row, cells }: SheetRow, places: ReadonlyMap<number, number>): InputRow {
  const texts: string[] = []
  const values: Cell[] = []
  for (const [column, cell] of cells) {
    for (; texts.length < (places.get(column) ?? 0); values.push(undefined)) texts.push('')
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
