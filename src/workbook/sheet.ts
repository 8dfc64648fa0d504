/** Reads the rows of a sheet. */
import { shorten } from '../safe-text.ts'
import { attribute, type Elements, type ReadPart } from './archive.ts'
import { unknownFormat, type NumberFormat } from './formats.ts'
import type { Tag } from './packages.js'
import {
  SheetRow,
  minSize,
  numberContent,
  positionAt,
  textContent,
  type Layout,
} from './row.ts'
import { limits } from './writer.ts'

/** The texts, formats and limits that the sheets of a workbook share. */
export interface Shared {
  texts: readonly string[]
  /** By the style numbers of cells. */
  formats: readonly NumberFormat[]
  /** How many more characters may be read. Each cell and row counts as some more, and so does each column left out before a cell. */
  charactersLeft: number
}

/** A cell while its elements are read. */
interface OpenCell {
  type: string
  format: NumberFormat
  value: string
  isFormula: boolean
}

/** How many characters the sheets of a workbook may have. A cell and a row take time and memory even without any. */
export const maxCharacters = 500e6
const charactersPerCell = 64
const charactersPerRow = 100

/** How many cells of a sheet may be in ranges. */
const maxRangeCells = 2e6

/** Returns the rows of a sheet that have content. */
export async function readSheet(readPart: ReadPart, path: string, shared: Shared) {
  const rows: SheetRow[] = []
  const layout: Layout = {
    hiddenColumns: [],
    defaultHeight: Infinity,
    defaultWidth: Infinity,
    ranges: new Map(),
    rangeCellsLeft: maxRangeCells,
  }
  let row = new SheetRow(0, false, layout)
  let column = -1
  let cell: OpenCell = { type: 'n', format: unknownFormat, value: '', isFormula: false }
  const charge = (characters: number) => {
    shared.charactersLeft -= characters
    if (shared.charactersLeft < 0) throw new Error('too many cells, or too much text')
  }
  await readPart(path, 'worksheet', {
    ...layoutElements(layout),
    '/worksheet/sheetData': {},
    '/worksheet/sheetData/row': {
      open(tag) {
        const line = wholeNumber(attribute(tag, 'r') ?? String(row.line + 1), limits.rows)
        if (line <= row.line) throw new Error(`row ${line} is out of order`)
        charge(charactersPerRow)
        row = new SheetRow(line, isHidden(tag, 'ht', layout.defaultHeight), layout)
        column = -1
      },
      close() {
        if (row.isFilled) rows.push(row)
      },
    },
    '/worksheet/sheetData/row/c': {
      open(tag) {
        const next = column + 1
        column = columnOf(tag, row.line, next)
        charge(charactersPerCell + column - next)
        const format = shared.formats[Number(attribute(tag, 's') ?? 0)] ?? unknownFormat
        cell = { type: attribute(tag, 't') ?? 'n', format, value: '', isFormula: false }
      },
      close() {
        const content = contentOf(cell, shared.texts)
        charge(content.text.length)
        row.put(column, content, cell.isFormula)
      },
    },
    '/worksheet/sheetData/row/c/f': {
      open(tag) {
        cell.isFormula = true
        // Each cell of a shared formula has an element, too. Of the other ranges, only the first cell has one.
        const ref = attribute(tag, 'ref')
        const hasOwnRange = ref !== undefined && attribute(tag, 't') !== 'shared'
        if (hasOwnRange) addRange(layout, ref, false)
      },
    },
    '/worksheet/sheetData/row/c/v': {
      close(text) {
        if (cell.value !== '') throw new Error('a cell has two values')
        cell.value = text
      },
    },
    ...textElements('/worksheet/sheetData/row/c/is', (text) => {
      cell.value += text
    }),
  })
  const rowByLine = new Map(rows.map((each) => [each.line, each]))
  for (const [position, kind] of layout.ranges)
    if (kind === 'covered')
      rowByLine.get(Math.floor(position / limits.columns))?.cover(position % limits.columns)
  return rows
}

/** Returns readers of the elements that describe columns and merged cells. */
function layoutElements(layout: Layout): Elements {
  return {
    '/worksheet/sheetFormatPr': {
      open(tag) {
        layout.defaultHeight = Number(attribute(tag, 'defaultRowHeight') ?? Infinity)
        layout.defaultWidth = Number(attribute(tag, 'defaultColWidth') ?? Infinity)
      },
    },
    '/worksheet/cols/col': { open: (tag) => addColumns(layout, tag) },
    '/worksheet/mergeCells/mergeCell': {
      open: (tag) => addRange(layout, attribute(tag, 'ref') ?? '', true),
    },
  }
}

/** Returns readers of an element that has a text, plain or in pieces with their own fonts. */
export function textElements(
  path: string,
  addText: (text: string) => void,
  close?: () => void,
): Elements {
  const piece = { close: (text: string) => addText(unescape(text)) }
  return {
    [path]: { close },
    [`${path}/t`]: piece,
    [`${path}/r`]: {},
    [`${path}/r/t`]: piece,
  }
}

/** Adds columns that are described together. */
function addColumns({ hiddenColumns, defaultWidth }: Layout, tag: Tag) {
  const first = wholeNumber(attribute(tag, 'min'), limits.columns)
  const last = wholeNumber(attribute(tag, 'max'), limits.columns)
  if (first <= hiddenColumns.length) throw new Error(`column ${first} is out of order`)
  for (let number = first; number <= last; number += 1)
    hiddenColumns[number - 1] = isHidden(tag, 'width', defaultWidth)
}

/** Returns the column of a cell: the next one, or one after it that the cell names. */
function columnOf(tag: Tag, line: number, next: number) {
  const address = attribute(tag, 'r')
  const position = address === undefined ? { line, column: next } : positionOf(address)
  const isInOrder = position.line === line && position.column >= next
  if (isInOrder && position.column < limits.columns) return position.column
  throw new Error(`row ${line} has the cell ${address ?? next} out of order`)
}

/** Adds the cells of a range such as A1:B2. */
function addRange(layout: Layout, ref: string, isMerge: boolean) {
  const { ranges } = layout
  const [first = '', last = first] = ref.split(':')
  const from = positionOf(first)
  const to = positionOf(last)
  const lines = to.line - from.line + 1
  const columns = to.column - from.column + 1
  layout.rangeCellsLeft -= lines * columns
  if (lines < 1 || columns < 1 || layout.rangeCellsLeft < 0)
    throw new Error(`the range ${shorten(ref)} is wrong or too large`)
  for (let { line } = from; line <= to.line; line += 1)
    for (let { column } = from; column <= to.column; column += 1)
      ranges.set(positionAt(line, column), isMerge ? 'covered' : 'formula')
  if (isMerge) ranges.set(positionAt(from.line, from.column), 'merged')
}

/** Returns what a cell has. */
function contentOf({ type, format, value }: OpenCell, texts: readonly string[]) {
  const bare = value.trim()
  if (bare === '') return { text: value }
  switch (type) {
    case 'n':
      return numberContent(bare, format)
    case 's':
      return textContent(texts[wholeNumber(bare, texts.length - 1)] ?? '', format)
    case 'inlineStr':
      return textContent(value, format)
    case 'str':
      return textContent(unescape(value), format)
    case 'b':
      return { text: bare === '1' ? 'TRUE' : 'FALSE', reason: 'true or false, not a text' }
    default:
      return { text: bare, reason: 'an error or a date, not a text' }
  }
}

/** Returns a text without the escapes of Excel, such as `_x000D_`. */
function unescape(text: string) {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** Whether an attribute is there and true. */
export function isOn(tag: Tag, name: string) {
  return !['0', 'false'].includes(attribute(tag, name) ?? '0')
}

function isHidden(tag: Tag, sizeName: string, defaultSize: number) {
  return isOn(tag, 'hidden') || Number(attribute(tag, sizeName) ?? defaultSize) < minSize
}

function wholeNumber(text = '', max: number) {
  if (/^\d+$/.test(text) && Number(text) <= max) return Number(text)
  throw new Error(`"${shorten(text)}" is not a number up to ${max}`)
}

/** Returns the line, from 1, and the column, from 0, of an address such as B12. */
function positionOf(address: string) {
  const [, letters = '', line = ''] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(address) ?? []
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  if (column < 1 || column > limits.columns || Number(line) > limits.rows)
    throw new Error(`"${shorten(address)}" is not a cell`)
  return { line: Number(line), column: column - 1 }
}
