/**
 * Reads a sheet of a workbook (.xlsx) with SheetJS. svc takes an id or a decision from a cell only if it shows what it stores: a
 * text, or a whole number with all its digits. svc itself unpacks the archive, within limits.
 *
 * SheetJS has short names. A cell has a type `t` (`n` number, `s` text, `e` error, `z` empty), a value `v`, a format `z`, and a
 * formula `f` or the range `F` of an array formula. A range goes from `s` to `e`, each of which has a row `r` and a column `c`.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import type { CellObject, Range, WorkSheet } from '@e965/xlsx'
import { SvcError, messageOf, usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold, shellWord } from '../words.ts'
import { parseZip, SSF, fromBufferPromise } from './packages.js'
import type { Cell } from './writer.ts'

/**
 * Returns the rows of the sheet with the `wanted` name. Without a name, there must be exactly one visible sheet with content; if no
 * sheet has content, there are no rows. Otherwise throws a usage error that suggests a sheet, if possible one whose first row
 * `hasHeading` accepts. Throws a usage error too if the file is damaged or not a workbook.
 */
export async function readWorkbook(
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
  hasHeading: (cells: readonly string[]) => boolean,
) {
  const sheets = await openSheets(name, bytes)
  const names = quoteAll(sheets.map((sheet) => sheet.name))
  if (wanted !== undefined) {
    const sheet = sheets.find((candidate) => fold(candidate.name) === fold(wanted))
    if (sheet !== undefined) return sheet.rows
    throw usageError(`${name} has no sheet "${shorten(wanted)}"`, `its sheets are ${names}`)
  }
  const filled = sheets.filter(({ rows }) => rows.length > 0)
  const [firstFilled] = filled
  if (firstFilled === undefined) return []
  const [visible, otherVisible] = filled.filter(({ isHidden }) => !isHidden)
  if (visible !== undefined && otherVisible === undefined) return visible.rows
  const withHeading = filled.find(({ rows: [row] }) => row && hasHeading(row.cells))
  const suggested = withHeading ?? firstFilled
  throw usageError(
    `${name} has no single visible sheet with content; its sheets are ${names}`,
    `name one: --sheet ${shellWord(suggested.name)}`,
  )
}

/** Options of SheetJS. */
const options = {
  // Keeps the formats of numbers.
  cellNF: true,
  // Keeps which rows and columns are hidden.
  cellStyles: true,
  cellHTML: false,
  // `textOf` formats numbers, only where that is needed.
  cellText: false,
  // Keeps a formula that has no result.
  sheetStubs: true,
  dense: true,
}

/** Returns all sheets with their rows. Throws a usage error if the workbook cannot be read. */
async function openSheets(name: string, bytes: Buffer) {
  const { SheetNames, Sheets, Workbook } = await openBook(name, bytes)
  if (Workbook?.WBProps?.date1904 === true)
    throw usageError(`${name} counts its days from 1904`, 'save its table as csv')
  return SheetNames.map((title, index) => {
    const sheet = Sheets[title]
    // SheetJS leaves out a sheet that it cannot read.
    if (sheet == null) throw damageError(name, `the sheet "${title}" cannot be read`)
    const isHidden = (Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    return { name: title, isHidden, rows: rowsOf(sheet) }
  })
}

async function openBook(name: string, bytes: Buffer) {
  // SheetJS throws and catches an error for each cell of a workbook without styles. Without a stack trace, that is quick.
  const { stackTraceLimit } = Error
  try {
    const files = await partsOf(name, bytes)
    Error.stackTraceLimit = 0
    return parseZip({ files }, options)
  } catch (error) {
    throw error instanceof SvcError ? error : damageError(name, messageOf(error))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function damageError(name: string, problem: string) {
  return usageError(
    `${name} is damaged or no .xlsx workbook: ${problem}`,
    'open it in a spreadsheet program and save it as .xlsx, or save its table as csv',
  )
}

type StoredCells = readonly (CellObject | undefined)[]

/** Returns the rows of a sheet that have content. */
function rowsOf(sheet: WorkSheet): SheetRow[] {
  const lines: readonly StoredCells[] = sheet['!data'] ?? []
  /** The merged ranges that each row is in. */
  const merges = new Map<number, Range[]>()
  for (const range of sheet['!merges'] ?? []) {
    // A merged range can reach far below the last row.
    const last = Math.min(range.e.r, lines.length)
    for (let row = range.s.r; row <= last; row += 1)
      merges.set(row, [...(merges.get(row) ?? []), range])
  }
  return lines.flatMap((stored, index) => {
    const row = new SheetRow(sheet, index, stored, merges.get(index))
    return row.isFilled ? [row] : []
  })
}

/** Excel keeps 15 digits of a number, so smaller whole numbers are exact. */
const exactBelow = 1e15

/** Whether a cell is a number that is shown as a day or a time. */
const isTime = ({ t, z }: CellObject) => t === 'n' && SSF.is_date(String(z))

/** Returns a number as its format shows it. */
const formatted = ({ z, v }: CellObject) => SSF.format(String(z), v)

/** Whether a cell is a whole number that is shown with all its digits and nothing else. */
function isPlainNumber(cell: CellObject) {
  const { t, v, z } = cell
  const isExact = t === 'n' && Number.isInteger(v) && Math.abs(Number(v)) < exactBelow
  return isExact && (z === 'General' || formatted(cell) === String(v))
}

/** Returns what a cell shows. Days are written in the form of ISO, because spreadsheet programs show them in different ways. */
function textOf(cell: CellObject) {
  const { t, v } = cell
  if (v === undefined || t === 'z') return ''
  if (t === 'e') return '#ERROR'
  if (t !== 'n' || isPlainNumber(cell)) return String(v)
  if (isTime(cell)) return SSF.format('yyyy-mm-dd hh:mm:ss', v).replace(' 00:00:00', '')
  return formatted(cell)
}

/** A row of a sheet. Its members are those that `input/table.ts` reads. */
export class SheetRow {
  /** The number of the row, from 1. */
  readonly line: number
  /** The texts that the cells show. The array can have holes. */
  readonly cells: string[] = []
  /** Whether any cell has a text or a formula. */
  readonly isFilled: boolean = false
  readonly isHidden: boolean
  readonly #sheet: WorkSheet
  readonly #stored: StoredCells
  readonly #merges: readonly Range[]

  constructor(sheet: WorkSheet, index: number, stored: StoredCells, merges: Range[] = []) {
    this.line = index + 1
    this.isHidden = sheet['!rows']?.[index]?.hidden === true
    this.#sheet = sheet
    this.#stored = stored
    this.#merges = merges
    // Object.entries skips holes, of which there can be thousands before the last cell.
    for (const [column, cell] of Object.entries(stored)) {
      if (cell === undefined) continue
      const text = textOf(cell)
      this.cells[Number(column)] = text
      this.isFilled ||= text !== '' || cell.f !== undefined
    }
  }

  /** Returns the content of a cell, for a copy of the table. */
  originalCell(column: number): Cell {
    const cell = this.#stored[column]
    if (cell?.t !== 'n') return this.cells[column]
    // The shown text of a day is 2026-03-01, and that of a moment is longer.
    const isDay = this.cells[column]?.length === 10
    const timeFormat = isDay ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss'
    return { raw: Number(cell.v), format: isTime(cell) ? timeFormat : String(cell.z) }
  }

  /** Returns why a cell must not decide anything: people may see something else in it. Returns undefined if it may. */
  unfitReason(column: number): string | undefined {
    const cell = this.#stored[column]
    if (this.#merges.some(({ s, e }) => column >= s.c && column <= e.c))
      return 'in merged cells; unmerge them'
    if (cell?.f !== undefined || cell?.F !== undefined)
      return 'a formula; paste the column as values'
    if (cell === undefined || textOf(cell) === '') return undefined
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    if (this.#sheet['!cols']?.[column]?.hidden === true)
      return 'in a hidden column; show the column'
    return cell.t === 's' || isPlainNumber(cell) ? undefined : otherKindReason(cell)
  }
}

/** Returns why a cell that is neither a text nor a plain number must not decide anything. */
function otherKindReason(cell: CellObject) {
  if (cell.t !== 'n') return 'true, false or an error, not a text'
  if (isTime(cell)) return 'a date, not a text'
  return 'a number that is not shown as it is: a spreadsheet drops all but 15 digits of an id; export the ids again, as text'
}

/**
 * How many bytes all parts together may unpack to: `base`, and `perByte` for each byte of the archive, but at most `max`. The XML
 * of a million ids has 130 MB, which is 10 to 30 times the size of its archive.
 */
const unpackedBytes = { base: 16 << 20, perByte: 100, max: 256 << 20 }

/**
 * The paths of the XML parts. META-INF is left out: with it, SheetJS may take the archive for an OpenDocument, and not say which
 * rows are hidden.
 */
const workbookPart = /^(?!META-INF\/).*\.(?:xml|rels)$/i

/**
 * An empty entry `<si/>` of the shared texts, to which cells refer by position. SheetJS skips it, which would shift all later
 * ones.
 */
const emptyText = /<((?:\w+:)?si)\s*\/>/g

/**
 * Returns the unpacked XML parts by their paths, as texts with a character for each byte. Throws a usage error if the parts are
 * too large or encrypted. Any other error says what is damaged.
 */
export async function partsOf(name: string, bytes: Buffer) {
  const parts: Record<string, { name: string; data: string }> = {}
  const { base, perByte, max } = unpackedBytes
  let bytesLeft = Math.min(max, base + perByte * bytes.length)
  const zip = await fromBufferPromise(bytes, { autoClose: false })
  for await (const entry of zip.eachEntry()) {
    const { fileName: path, uncompressedSize, compressedSize } = entry
    if (!workbookPart.test(path)) continue
    bytesLeft -= uncompressedSize
    if (bytesLeft < 0)
      throw usageError(
        `${name} unpacks to more than a workbook of its size should`,
        'save that sheet as a separate workbook or csv',
      )
    if (entry.isEncrypted())
      throw usageError(`${name} is encrypted`, 'save it as .xlsx without a password')
    const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry)
    const packed = bytes.subarray(start, start + compressedSize)
    const unpacked =
      entry.compressionMethod === 0
        ? packed
        : // Throws an error for a part that is larger than the directory says.
          inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
    if (crc32(unpacked) !== entry.crc32)
      throw new Error(`the checksum of "${path}" is wrong`)
    const data = unpacked.toString('latin1').replace(emptyText, '<$1></$1>')
    parts[path] = { name: path, data }
  }
  return parts
}
