/** Opens an input as rows: a list with an id per line, csv, JSON, or a workbook. */
import { usageError } from '../errors.ts'
import { decodeText, inputName, readWhole, refuseBytes, type InputHost } from './bytes.ts'
import { openJson } from './json-rows.ts'
import type { OpenAt, Row, TableKind } from './rows.ts'
import { openText } from './text-rows.ts'

/** The path of a file, or the words that were typed. */
export type Input = string | readonly string[]

/** Where the rows of an input are. */
export interface PlaceOptions {
  sheet?: string | undefined
  /** The number of the heading row; 0 if there is none. By default, it is row 1 of a table. */
  headingRow?: number | undefined
  /** Tells people how an input was read. */
  note: (text: string) => void
}

/** Opens an input. Throws a usage error if it cannot be read, or for an option that does not fit it. */
export async function openInput(
  host: InputHost,
  input: Input,
  kind: TableKind,
  options: PlaceOptions,
): Promise<OpenAt> {
  const { sheet, headingRow, note } = options
  const isPath = typeof input === 'string'
  const name = isPath ? inputName(input) : 'the command line'
  const bytes = isPath ? await readWhole(host, input) : Buffer.alloc(0)
  // A workbook is a zip archive, which begins with these characters.
  // oxlint-disable-next-line no-control-regex -- two of them are controls
  const isArchive = /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
  if (isArchive) return openSheet(name, bytes, kind, options)
  if (sheet !== undefined) throw usageError(`--sheet is for workbooks, and ${name} is not`)
  const decoded = decodeText(name, bytes)
  const { text } = decoded
  const isJson = /^\s*[[{]/.test(text)
  if ((isJson || !isPath) && headingRow !== undefined)
    throw usageError(`--heading-row is for tables of rows, and ${name} is not`)
  if (!isPath) return openWords(name, input)
  const openAt = isJson ? openJson(name, text) : openText(decoded, kind === 'ids')
  if (!decoded.isWindows) return openAt
  const { format, delimiter } = openAt(headingRow ?? 1)
  if (format !== 'csv' || !text.includes(delimiter)) refuseBytes(name, bytes)
  note(`${name} is read as Windows-1252; if its names look wrong, save it as UTF-8`)
  return openAt
}

function openWords(name: string, words: readonly string[]): OpenAt {
  const rows = words.map((word): Row => ({ line: 0, cells: [word] }))
  const source = { name, format: 'words', delimiter: ' ', needsMark: false } as const
  return () => ({ ...source, isList: true, headingLine: 0, rows: () => rows })
}

async function openSheet(
  name: string,
  bytes: Buffer,
  kind: TableKind,
  { sheet, note }: PlaceOptions,
): Promise<OpenAt> {
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const all = await readWorkbook(name, bytes, sheet)
  const leavesOut = kind === 'people'
  const rows: readonly Row[] = leavesOut ? all.filter(({ isHidden }) => !isHidden) : all
  const hasHidden = (row: (typeof all)[number]) =>
    row.isHidden || row.cells.some((_, column) => row.isColumnHidden(column))
  if (leavesOut && all.some(hasHidden)) note(`hidden rows or columns of ${name} left out`)
  return (headingRow) => ({
    name,
    format: 'xlsx',
    delimiter: ',',
    needsMark: true,
    isList: kind === 'ids' && rows.every(({ cells }) => cells.length === 1),
    headingLine: headingRow,
    rows: () => rows.filter(({ line }) => line >= headingRow),
  })
}
