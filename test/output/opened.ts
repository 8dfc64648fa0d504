/** Reads a workbook back with SheetJS. */
import { CFB, read } from '@e965/xlsx'

/** The parts of the archive, as texts by their names. */
export function partsOf(bytes: Buffer): Map<string, string> {
  const { FileIndex, FullPaths } = CFB.read(bytes, { type: 'buffer' })
  return new Map(
    FullPaths.map((path: string, n: number) => [
      path.replace('Root Entry/', ''),
      Buffer.from(FileIndex[n]?.content ?? []).toString(),
    ]),
  )
}

/** The rows of the first sheet: the type and the text of each cell, undefined where there is none. */
export function rowsOf(bytes: Buffer): ([type: string, text: string] | undefined)[][] {
  const { Sheets, SheetNames } = read(bytes, { type: 'buffer', dense: true })
  const rows = Sheets[SheetNames[0] ?? '']?.['!data'] ?? []
  return Array.from(rows, (cells) =>
    Array.from(cells ?? [], (cell) => cell && [cell.t, String(cell.v)]),
  )
}

/** The texts of the first sheet, row by row. */
export const textsOf = (bytes: Buffer): string[][] =>
  rowsOf(bytes).map((cells) => cells.map((cell) => cell?.[1] ?? ''))
