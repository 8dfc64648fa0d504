/** Reads the rows of a sheet. */
import { shorten } from '../safe-text.ts'
import { attribute, type Element, type ReadPart } from './archive.ts'
import { charactersPerCell, charge, contentOf, wholeNumber, type Shared } from './cell.ts'
import { sheetLimits, type Cell } from './writer.ts'

/** A row that has content. Its columns are indexes from 0, with holes. */
interface SheetRow {
  /** The number of the row, from 1. */
  line: number
  isHidden: boolean
  cells: string[]
  /** Why nothing may be decided by a cell. */
  reasons: (string | undefined)[]
  /** The cells of a table that is given back, where they are not the texts. */
  originals: Cell[]
}

/** The facts of a sheet about its columns, and about cells that belong together. */
interface Layout {
  /** For each column that is described, whether it is hidden. */
  hiddenColumns: boolean[]
  /** The sizes of rows and columns that have none of their own. */
  defaultHeight: number
  defaultWidth: number
  ranges: CellRange[]
}

/** Cells that are merged, or that a formula fills. */
interface CellRange {
  from: Position
  to: Position
  isMerge: boolean
}

/** The line counts from 1, the column from 0. */
interface Position {
  line: number
  column: number
}

const charactersPerRow = 100

/**
 * A growing array gets room for 16 more cells, which a row of few columns need not keep: its arrays are copied. Longer ones may be
 * sparse.
 */
const maxTrimmed = 32

const formulaReason = 'a formula; paste the column as values'

/** Returns the rows of a sheet that have content, and whether a column is hidden. */
export async function readSheet(readPart: ReadPart, path: string, shared: Shared) {
  const rows: SheetRow[] = []
  const layout: Layout = {
    hiddenColumns: [],
    defaultHeight: Infinity,
    defaultWidth: Infinity,
    ranges: [],
  }
  let lastLine = 0
  /** Hidden columns are known before cells are read. */
  const requireNoRows = () => {
    if (lastLine > 0) throw new Error('describes its columns after its rows')
  }
  await readPart(path, {
    '/worksheet/sheetFormatPr'(element) {
      requireNoRows()
      layout.defaultHeight = Number(attribute(element, 'defaultRowHeight') ?? Infinity)
      layout.defaultWidth = Number(attribute(element, 'defaultColWidth') ?? Infinity)
    },
    '/worksheet/cols/col'(element) {
      requireNoRows()
      const { hiddenColumns, defaultWidth } = layout
      const first = wholeNumber(attribute(element, 'min'), sheetLimits.columns)
      const last = wholeNumber(attribute(element, 'max'), sheetLimits.columns)
      if (first <= hiddenColumns.length) throw new Error(`column ${first} is out of order`)
      for (let number = first; number <= last; number += 1)
        hiddenColumns[number - 1] = isHiddenAt(element, 'width', defaultWidth)
    },
    '/worksheet/sheetData/row'(element) {
      const line = wholeNumber(
        attribute(element, 'r') ?? `${lastLine + 1}`,
        sheetLimits.rows,
      )
      if (line <= lastLine) throw new Error(`row ${line} is out of order`)
      lastLine = line
      const row = rowOf(element, line, layout, shared)
      const { cells, reasons, originals } = row
      if (cells.length > maxTrimmed) rows.push(row)
      else if (cells.length > 0)
        rows.push({
          ...row,
          cells: cells.slice(),
          reasons: reasons.slice(),
          originals: originals.slice(),
        })
    },
    '/worksheet/mergeCells/mergeCell'(element) {
      addRange(layout, shared, attribute(element, 'ref') ?? '', true)
    },
  })
  applyRanges(rows, layout)
  return { rows, isColumnHidden: (column: number) => isColumnHidden(layout, column) }
}

/** Returns a row with its texts, and the reasons why some of them do not count. */
function rowOf(element: Element, line: number, layout: Layout, shared: Shared) {
  const isHidden = isHiddenAt(element, 'ht', layout.defaultHeight)
  const row: SheetRow = { line, isHidden, cells: [], reasons: [], originals: [] }
  charge(shared, charactersPerRow)
  let column = -1
  for (const cell of element.children) {
    const next = column + 1
    column = columnOf(cell, line, next)
    const { text, original, reason } = contentOf(cell, shared)
    charge(shared, charactersPerCell + column - next + text.length)
    const formula = cell.children.find(({ name }) => name === 'f')
    // Each cell of a shared formula has an element, too. Of the other ranges, only the first cell has one.
    const range =
      formula && attribute(formula, 't') !== 'shared' && attribute(formula, 'ref')
    if (range) addRange(layout, shared, range, false)
    const unfit = formula === undefined ? reason : formulaReason
    if (text === '' && unfit === undefined) continue
    row.cells[column] = text
    if (original !== undefined) row.originals[column] = original
    if (unfit !== undefined) row.reasons[column] = unfit
    else if (isHidden)
      row.reasons[column] = 'in a hidden row; show the row (a filter may hide it)'
    else if (isColumnHidden(layout, column))
      row.reasons[column] = 'in a hidden column; show the column'
  }
  return row
}

function isColumnHidden({ hiddenColumns, defaultWidth }: Layout, column: number) {
  return hiddenColumns[column] ?? defaultWidth < minSize
}

/** Returns the column of a cell: the next one, or one after it that the cell names. */
function columnOf(cell: Element, line: number, next: number) {
  const address = attribute(cell, 'r')
  const position = address === undefined ? { line, column: next } : positionOf(address)
  const isInOrder = position.line === line && position.column >= next
  if (isInOrder && position.column < sheetLimits.columns) return position.column
  throw new Error(`row ${line} has the cell ${address ?? next} out of order`)
}

/** Adds a range such as A1:B2. */
function addRange({ ranges }: Layout, shared: Shared, ref: string, isMerge: boolean) {
  const [first = '', last = first] = ref.split(':')
  const from = positionOf(first)
  const to = positionOf(last)
  const lines = to.line - from.line + 1
  const columns = to.column - from.column + 1
  if (lines < 1 || columns < 1) throw new Error(`"${shorten(ref)}" is not a range`)
  charge(shared, lines * columns * charactersPerCell)
  ranges.push({ from, to, isMerge })
}

/** Says why the cells in ranges do not count. Empties those that another cell of a merged range covers: nobody sees them. */
function applyRanges(rows: readonly SheetRow[], { ranges }: Layout) {
  const rowByLine = new Map(rows.map((row) => [row.line, row]))
  for (const range of ranges)
    for (let { line } = range.from; line <= range.to.line; line += 1) {
      const row = rowByLine.get(line)
      if (row !== undefined) applyRange(row, range)
    }
}

function applyRange({ line, cells, reasons, originals }: SheetRow, range: CellRange) {
  const { from, to, isMerge } = range
  for (let { column } = from; column <= to.column; column += 1) {
    reasons[column] = isMerge ? 'in merged cells; unmerge them' : formulaReason
    const isCovered = isMerge && (line > from.line || column > from.column)
    if (!isCovered) continue
    cells[column] = ''
    originals[column] = undefined
  }
}

/** Whether an attribute is there and true. */
export function isOn(element: Element, name: string) {
  return !['0', 'false'].includes(attribute(element, name) ?? '0')
}

/** Nobody can read a text in a row or a column that is smaller. */
const minSize = 0.5

function isHiddenAt(element: Element, sizeName: string, defaultSize: number) {
  const size = Number(attribute(element, sizeName) ?? defaultSize)
  return isOn(element, 'hidden') || size < minSize
}

function positionOf(address: string): Position {
  const [, letters = '', line = ''] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(address) ?? []
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  if (column < 1 || column > sheetLimits.columns || Number(line) > sheetLimits.rows)
    throw new Error(`"${shorten(address)}" is not a cell`)
  return { line: Number(line), column: column - 1 }
}
