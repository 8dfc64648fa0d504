/**
 * A workbook as it is, with more cells in one sheet; every byte that need not change stays. `input/annotated.ts` loads it when a user's own workbook is given
 * back (`--annotate`): first for where the cells go, and then for the bytes.
 */
import { usageError } from '../errors.ts'
import { mostColumns } from './cells.ts'
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
import type { Entry } from './packages.js'
import type { SheetRow } from './rows.ts'
import type { Sheet } from './sheet.ts'
import { ZipWriter, numbers } from './writer.ts'
import { largeNumbers } from './zip.ts'

/** A row of the sheet that is given back; `other` ones are none of the table. */
export interface OwnRow {
  readonly row: SheetRow
  readonly kind: 'heading' | 'data' | 'other'
}

/** A sheet of a workbook that is given back. */
export interface OwnSheet {
  readonly sheet: Sheet
  readonly rows: readonly OwnRow[]
  /** The columns that an earlier annotation added. */
  readonly replaced: readonly number[]
  /** Where to write instead, for a workbook that cannot be given back. */
  readonly hint: string
}

/**
 * Finds columns that are free: those that an earlier one added, or those behind the last heading, or behind all that is used.
 * Throws exit 2 when there are none, for a workbook with macros, and for a signed one.
 */
export function layOutSheet(own: OwnSheet, widths: readonly number[]): SheetLayout {
  const { sheet, rows, replaced, hint } = own
  const { tags, archive } = sheet
  refuseFormulas(own)
  refuseSpecial(sheet, hint)
  const top = rows.find(({ kind }) => kind === 'heading')?.row
  const heading = top?.line ?? 0
  const isFree = freeColumns(own, heading)
  const last = top?.stored.findLast(
    ({ column, text }) => text.trim() !== '' && !replaced.includes(column),
  )
  const columns = replaced.slice(0, 1)
  if (top !== undefined) columns.push((last?.column ?? -1) + 1)
  for (let column = firstBehind(own); column < mostColumns; column += 1) columns.push(column)
  const column = columns.find((first) => widths.every((_, n) => isFree(first + n)))
  if (column === undefined) {
    throw usageError(`${archive.name} has no ${widths.length} free columns beside its table`, hint)
  }
  const behind = column + widths.length
  const cleared = replaced.filter((place) => place < column || place >= behind)
  const filters = tags.filter(({ name }) => name === 'autoFilter')
  const isFilterWide = filters.every(
    ({ attributes }) => widenFilter(attributes?.['ref'], { heading, column, widths }) !== undefined,
  )
  const isFiltered = sheet.hasTables || !isFilterWide
  return { sheet, heading, isFiltered, column, widths, cleared }
}

/** The first column behind all that is used. */
function firstBehind({ sheet, rows }: OwnSheet): number {
  let furthest = -1
  for (const { row } of rows) furthest = Math.max(furthest, row.stored.at(-1)?.column ?? -1)
  for (const { cover, to } of sheet.ranges) {
    if (cover === 'merged') furthest = Math.max(furthest, to.column)
  }
  return furthest + 1
}

/** Whether a column has nothing of the table in it, and is seen. */
function freeColumns(
  { sheet, rows, replaced }: OwnSheet,
  heading: number,
): (column: number) => boolean {
  /** Columns in which the table has a cell. */
  const inTable = new Set<number>()
  for (const { row, kind } of rows) {
    const isOfTable = kind !== 'other' || (heading > 0 && row.line > heading)
    for (const { column } of isOfTable ? row.stored : []) inTable.add(column)
  }
  // Merged cells above the heading are titles.
  const merged = sheet.ranges.filter(({ cover, to }) => cover === 'merged' && to.row >= heading)
  return (column) => {
    const isUnused = replaced.includes(column) || !inTable.has(column)
    if (column >= mostColumns || !isUnused || sheet.isColumnHidden(column)) return false
    return !merged.some(({ from, to }) => column >= from.column && column <= to.column)
  }
}

/** Throws exit 2 for a formula in a column that is replaced. */
function refuseFormulas({ sheet, rows, replaced }: OwnSheet): void {
  for (const { row, kind } of rows) {
    if (kind === 'other') continue
    const formula = row.stored.find(
      ({ column, isFormula }) => isFormula && replaced.includes(column),
    )
    if (formula === undefined) continue
    throw usageError(
      `${sheet.archive.name}: cell ${row.cell(formula.column)} is a formula, and would be replaced`,
      'paste the column as values',
    )
  }
}

/** Throws exit 2 for a workbook whose signature would be broken, or that is written as a file of another kind. */
function refuseSpecial({ archive }: Sheet, hint: string): void {
  const types = archive.text('[Content_Types].xml')
  const [type] = /macroEnabled|vbaProject|digital-signature/i.exec(types) ?? []
  if (type === undefined) return
  const words = /sig/i.test(type) ? 'is signed' : 'has macros'
  throw usageError(`${archive.name} ${words}, and cannot be given back as it is`, hint)
}

/** The bytes of the workbook with the cells that `addCells` gives its rows. Parts that do not change are copied packed as they are. */
export async function* ownWorkbook(
  layout: SheetLayout,
  rows: readonly OwnRow[],
  addCells: (n: number) => readonly string[] | undefined,
): AsyncGenerator<Buffer> {
  const { archive, path: sheetPath, filterName } = layout.sheet
  const zip = new ZipWriter()
  const filterNames = [...nameEdits(layout)]
  /** The edits of a part; none for one that does not change. */
  const editsOf = (path: string): Iterable<Edit> => {
    if (path === sheetPath) return edits(layout, rows, addCells)
    return path === filterName?.part ? filterNames : []
  }
  for (const { path, entry, bytes } of archive.contents()) {
    const isChanged = path === sheetPath || (path === filterName?.part && filterNames.length > 0)
    if (isChanged) {
      yield* zip.part(entry.fileNameRaw, applyEdits(archive.text(path), editsOf(path)))
    } else {
      yield zip.copy((at) => directoryEntry(entry, at), bytes)
    }
  }
  yield zip.end()
}

/** All edits of the sheet, in the order of its text. */
function* edits(
  layout: SheetLayout,
  rows: readonly OwnRow[],
  addCells: (n: number) => readonly string[] | undefined,
): Generator<Edit> {
  yield* headEdits(layout)
  const changedRows = new ChangedRows(layout)
  for (const [n, { row }] of rows.entries()) {
    const added = addCells(n)
    if (added !== undefined) yield changedRows.edit(row, added)
  }
  yield* tailEdits(layout)
}

/** The directory's entry of a part that was copied to another place. */
function directoryEntry(entry: Entry, offset: number): Buffer {
  const { fileNameRaw, fileCommentRaw } = entry
  const fields: Buffer[] = []
  for (const { id, data } of entry.extraFields) {
    if (id !== largeNumbers) fields.push(numbers(2, id, data.length), data)
  }
  const extra = Buffer.concat(fields)
  return Buffer.concat([
    numbers(4, 0x02014b50),
    numbers(2, entry.versionMadeBy, entry.versionNeededToExtract, entry.generalPurposeBitFlag),
    numbers(2, entry.compressionMethod, entry.lastModFileTime, entry.lastModFileDate),
    numbers(4, entry.crc32, entry.compressedSize, entry.uncompressedSize),
    numbers(
      2,
      fileNameRaw.length,
      extra.length,
      fileCommentRaw.length,
      0,
      entry.internalFileAttributes,
    ),
    numbers(4, entry.externalFileAttributes, offset),
    fileNameRaw,
    extra,
    fileCommentRaw,
  ])
}
