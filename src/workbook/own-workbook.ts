/**
 * A workbook as it is, with more cells in one sheet; every byte that need not change stays. Called by `input/annotated.ts` alone, which loads it when a
 * user's own workbook is given back (`--annotate`): first for where the cells go, and then for the bytes.
 */
import { usageError } from '../errors.ts'
import { textOf } from './xml.ts'
import { Archive, largeNumbers } from './zip.ts'
import { mostColumns } from './cells.ts'
import { ZipWriter, numbers } from './writer.ts'
import type { Entry } from './packages.js'
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
  /** All of the workbook, and its name in messages. */
  readonly bytes: Buffer
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
  own: OwnSheet,
  rows: RowPlaces,
  widths: readonly number[],
): Promise<SheetLayout> {
  const { sheet, bytes, name, hint } = own
  const { used, inTable, replaced, heading, last, formula } = rows
  if (formula !== undefined) {
    throw usageError(
      `${name}: cell ${formula} is a formula, and would be replaced`,
      'paste the column as values',
    )
  }
  await refuseSpecial(bytes, name, hint)
  const { tags, filterName } = sheet
  const merged = sheet.ranges.filter(({ cover }) => cover === 'merged')
  const isFree = (column: number): boolean => {
    const isUnused = replaced.includes(column) || inTable[column] === 0
    if (column >= mostColumns || !isUnused || sheet.isColumnHidden(column)) return false
    const isMerged = merged.some(({ from, to }) => {
      // Merged cells above the heading are titles.
      if (to.row < heading) return false
      return column >= from.column && column <= to.column
    })
    return !isMerged
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
  const behind = column + widths.length
  const cleared = replaced.filter((place) => place < column || place >= behind)
  const isFilterWide = tags.every(({ name, attributes }) => {
    if (name !== 'autoFilter') return true
    const range = widenFilter(attributes?.['ref'], { heading, column, widths })
    return range !== undefined
  })
  return {
    bytes,
    name,
    part: sheet.path,
    tags,
    filterName,
    heading,
    isFiltered: sheet.hasTables || !isFilterWide,
    column,
    widths,
    cleared,
  }
}

/** Their signature would be broken, or the file that is written is of another kind. */
async function refuseSpecial(bytes: Buffer, name: string, hint: string): Promise<void> {
  const archive = await Archive.open({ name, from: { bytes } })
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
  const { name, bytes } = layout
  const archive = await Archive.open({ name, from: { bytes } })
  const zip = new ZipWriter()
  const filterNames = [...nameEdits(layout)]
  /** The edits of a part; undefined for one that does not change. */
  const editsOf = (path: string): Iterator<Edit> | undefined => {
    if (path === layout.part) return edits(layout, rows, addCells)
    const hasName = path === layout.filterName?.part && filterNames.length > 0
    return hasName ? filterNames.values() : undefined
  }
  try {
    for (const { path, entry, bytes: packed } of archive.contents()) {
      const changes = editsOf(path)
      if (changes === undefined) {
        yield* zip.copy((at) => directoryEntry(entry, at), packed)
      } else {
        const texts = textOf(archive, path)
        yield* zip.part(entry.fileNameRaw, applyEdits(texts, changes))
      }
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
