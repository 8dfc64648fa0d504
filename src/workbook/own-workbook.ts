/**
 * A workbook as it is, with more cells in one sheet; every byte that need not change stays. `input/annotated.ts` loads it when a user's own workbook is
 * given back: first for where the cells go, and then for the bytes.
 */
import { usageError } from '../errors.ts'
import { textOf } from './xml.ts'
import { Archive, directoryEntry } from './zip.ts'
import { mostColumns } from './cells.ts'
import { ZipWriter } from './writer.ts'
import {
  ChangedRows,
  applyEdits,
  headEdits,
  nameEdits,
  tailEdits,
  widenFilter,
  type Edit,
  type SheetLayout,
} from './changed-sheet.ts'
import type { PlacedRow, RowPlaces } from './row-places.ts'
import type { Sheet } from './sheet.ts'

/** A sheet of a workbook that is given back. */
export interface OwnSheet {
  readonly sheet: Sheet
  /** Path of the workbook, and its name in messages. */
  readonly path: string
  readonly name: string
  /** Where to write instead, for a workbook that cannot be given back. */
  readonly hint: string
}

/** Texts that are added to a row; undefined: it stays as it is. */
export type AddCells = (row: PlacedRow) => readonly string[] | undefined

/**
 * Finds columns that are free: those that an earlier one added, or those behind the last heading, or behind all that is used.
 * Throws exit 2 when there are none, for a workbook with macros, and for a signed one.
 */
export async function layOutSheet(
  { sheet, path, name, hint }: OwnSheet,
  { used, inTable, replaced, heading, last, formula }: RowPlaces,
  widths: readonly number[],
): Promise<SheetLayout> {
  if (formula !== undefined) {
    throw usageError(
      `${name}: cell ${formula} is a formula, and would be replaced`,
      'paste the column as values',
    )
  }
  await refuseSpecial(path, name, hint)
  const { tags, filterName } = sheet
  const merged = sheet.ranges.filter(({ cover }) => cover === 'merged')
  const isFree = (column: number): boolean => {
    const isUnused = replaced.includes(column) || inTable[column] === 0
    if (column >= mostColumns || !isUnused || sheet.isColumnHidden(column)) return false
    // Merged cells above the heading are titles.
    return !merged.some(
      ({ from, to }) => column >= from.column && column <= to.column && to.row >= heading,
    )
  }
  let furthest = used.lastIndexOf(1)
  for (const { to } of merged) furthest = Math.max(furthest, to.column)
  const columns = replaced.slice(0, 1)
  if (heading > 0) columns.push(last + 1)
  for (let column = furthest + 1; column < mostColumns; column += 1) columns.push(column)
  const column = columns.find((first) => widths.every((_, n) => isFree(first + n)))
  if (column === undefined) {
    throw usageError(`${name} has no ${widths.length} free columns beside its table`, hint)
  }
  const cleared = replaced.filter((place) => place < column || place >= column + widths.length)
  const isFilterWide = tags.every(({ name, attributes }) => {
    if (name !== 'autoFilter') return true
    const range = widenFilter(attributes?.['ref'], { heading, column, widths })
    return range !== undefined
  })
  const isFiltered = sheet.hasTables || !isFilterWide
  const place = { path, part: sheet.path, tags, filterName }
  return {
    ...place,
    heading,
    isFiltered,
    column,
    widths,
    cleared,
  }
}

/** Their signature would be broken, or the file that is written is of another kind. */
async function refuseSpecial(path: string, name: string, hint: string): Promise<void> {
  const archive = await Archive.open({ name, from: { path } })
  try {
    const types = await archive.text('[Content_Types].xml')
    const [type] = /macroEnabled|vbaProject|digital-signature/i.exec(types) ?? []
    if (type === undefined) return
    const isSigned = /sig/i.test(type)
    const words = isSigned ? 'is signed' : 'has macros'
    throw usageError(`${name} ${words}, and cannot be given back as it is`, hint)
  } finally {
    archive.close()
  }
}

/** The bytes of the workbook with the cells that `addCells` gives its rows. Parts that do not change are copied packed as they are. */
export async function* ownWorkbook(
  layout: SheetLayout,
  rows: RowPlaces,
  addCells: AddCells,
): AsyncGenerator<Buffer> {
  const archive = await Archive.open({ name: `"${layout.path}"`, from: { path: layout.path } })
  const zip = new ZipWriter()
  const filterNames = [...nameEdits(layout)]
  const names = (path: string): Iterator<Edit> | undefined =>
    path === layout.filterName?.part && filterNames.length > 0 ? filterNames.values() : undefined
  try {
    for (const { path, entry, bytes } of archive.contents()) {
      const changes = path === layout.part ? edits(layout, rows, addCells) : names(path)
      if (changes === undefined) yield* zip.copy((at) => directoryEntry(entry, at), bytes)
      else yield* zip.part(entry.fileNameRaw, applyEdits(textOf(archive, path), changes))
    }
    yield zip.end()
  } finally {
    archive.close()
  }
}

/** All edits of the sheet, in the order of its text. */
function* edits(layout: SheetLayout, rows: RowPlaces, addCells: AddCells): Generator<Edit> {
  yield* headEdits(layout)
  const changedRows = new ChangedRows(layout)
  for (const row of rows) {
    const added = addCells(row)
    if (added !== undefined) yield changedRows.edit(row, added)
  }
  yield* tailEdits(layout)
}
