/** A row of a sheet. A cell counts if it shows what it stores: a text, or a whole number with all its digits. */
import { shorten } from '../safe-text.ts'
import { timeText, type NumberFormat } from './formats.ts'
import { limits, type Cell } from './writer.ts'

/** The contents of a cell. */
interface Content {
  text: string
  /** The cell of a table that is given back, if it is not the text. */
  original?: Cell
  /** Why nothing may be decided by the cell: people may see something else in it. */
  reason?: string | undefined
}

/** The hidden columns, sizes and ranges that the rows of a sheet share. They are complete when the whole sheet was read. */
export interface Layout {
  /** For each column that is described, whether it is hidden. */
  hiddenColumns: boolean[]
  /** The sizes of rows and columns that have none of their own. */
  defaultHeight: number
  defaultWidth: number
  /** The cells in ranges, by their positions. Nobody sees a covered one. */
  ranges: Map<number, 'merged' | 'covered' | 'formula'>
  /** How many more cells may be in ranges. */
  rangeCellsLeft: number
}

/** Nobody can read a text in a row or a column that is smaller. */
export const minSize = 0.5

/** Returns one number for a line, from 1, and a column, from 0. */
export const positionAt = (line: number, column: number) => line * limits.columns + column

const formulaReason = 'a formula; paste the column as values'

/** The members are those of a row in `input/rows.ts`. */
export class SheetRow {
  /** The number of the row, from 1. */
  readonly line: number
  readonly isHidden: boolean
  /** The texts, with holes. */
  readonly cells: string[] = []
  /** Whether any cell has a text or a formula. */
  isFilled = false
  /** The contents that are not a text alone. */
  readonly #contents: Content[] = []
  readonly #layout: Layout

  constructor(line: number, isHidden: boolean, layout: Layout) {
    this.line = line
    this.isHidden = isHidden
    this.#layout = layout
  }

  put(column: number, content: Content, isFormula: boolean) {
    if (isFormula) content.reason = formulaReason
    const { text, original, reason } = content
    if (text === '' && reason === undefined) return
    this.isFilled = true
    this.cells[column] = text
    if (original !== undefined || reason !== undefined) this.#contents[column] = content
  }

  /** Returns the cell for a table that is given back: its text, or its number with the format. */
  originalCell(column: number): Cell {
    return this.#contents[column]?.original ?? this.cells[column]
  }

  isColumnHidden(column: number) {
    const { hiddenColumns, defaultWidth } = this.#layout
    return hiddenColumns[column] ?? defaultWidth < minSize
  }

  /** Empties a cell that another cell of a merged range covers. */
  cover(column: number) {
    this.cells[column] = ''
    this.#contents[column] = { text: '' }
  }

  /** Returns why nothing may be decided by a cell; undefined if it may. */
  unfitReason(column: number) {
    const range = this.#layout.ranges.get(positionAt(this.line, column))
    if (range === 'formula') return formulaReason
    if (range !== undefined) return 'in merged cells; unmerge them'
    const reason = this.#contents[column]?.reason
    if (reason !== undefined || !this.cells[column]) return reason
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    return this.isColumnHidden(column) ? 'in a hidden column; show the column' : undefined
  }
}

/** Returns the content of a cell with a text. A text that may be shown otherwise is left out, so that nobody takes it. */
export function textContent(text: string, { changesTexts }: NumberFormat): Content {
  const reason = 'a text whose format may show another one; format the cell as Text'
  return changesTexts && text !== '' ? { text: '', reason } : { text }
}

/** Excel keeps 15 digits of a number, so smaller whole numbers are exact. */
const exactBelow = 1e15

/** Returns the content of a cell with a number. */
export function numberContent(
  value: string,
  { code, isPlain, isTime }: NumberFormat,
): Content {
  const raw = Number(value)
  // Number also reads 0x10 and Infinity.
  if (!/^[-+.\de]+$/i.test(value) || !Number.isFinite(raw))
    throw new Error(`"${shorten(value)}" is not a number`)
  const original = { raw, format: code }
  if (isTime) return { text: timeText(raw), original, reason: 'a date or time, not a text' }
  const isExact = Number.isInteger(raw) && Math.abs(raw) < exactBelow
  const reason =
    'a number that is not shown as it is: a spreadsheet drops all but 15 digits of an id; export the ids again, as text'
  return { text: String(raw), original, reason: isPlain && isExact ? undefined : reason }
}
