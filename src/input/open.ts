/** Opens an input as rows: a list with an id per line, csv, JSON, or a workbook. */
import { usageError } from '../errors.ts'
import { decodeText, inputName, isJson, readWhole, type InputHost } from './bytes.ts'
import { openJson } from './json-rows.ts'
import type { OpenAt, TableKind } from './rows.ts'
import { openText } from './text-rows.ts'

/** Where the rows of an input are. */
export interface PlaceOptions {
  sheet?: string | undefined
  /** The number of the heading row; 0 if there is none. By default, it is row 1 of a table. */
  headingRow?: number | undefined
  /** Tells people how an input was read. */
  note: (text: string) => void
}

/** Opens the input at a path. Throws a usage error if it cannot be read, or for an option that does not fit it. */
export async function openInput(
  host: InputHost,
  path: string,
  kind: TableKind,
  options: PlaceOptions,
) {
  const { sheet, headingRow, note } = options
  const name = inputName(path)
  const bytes = await readWhole(host, path)
  // A workbook is a zip archive, which begins with these characters.
  // oxlint-disable-next-line no-control-regex -- two of them are controls
  const isArchive = /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
  if (isArchive)
    return { ...(await openSheet(name, bytes, kind, options)), needsMark: true }
  if (sheet !== undefined) throw usageError(`--sheet is for workbooks, and ${name} is not`)
  const { text, needsMark } = decodeText(name, bytes, note)
  if (isJson(text) && headingRow !== undefined)
    throw usageError(`--heading-row is for tables of rows, and ${name} is not`)
  const openAt = isJson(text) ? openJson(name, text) : openText(text, kind === 'ids')
  return { name, openAt, needsMark }
}

async function openSheet(
  name: string,
  bytes: Buffer,
  kind: TableKind,
  { sheet, note }: PlaceOptions,
) {
  const { readWorkbook } = await import('../workbook/workbook.ts')
  const { rows: all, isColumnHidden } = await readWorkbook(name, bytes, sheet)
  const rows = kind === 'people' ? all.filter(({ isHidden }) => !isHidden) : all
  const hasHidden = all.some(
    ({ isHidden, cells }) => isHidden || cells.some((_, column) => isColumnHidden(column)),
  )
  if (kind === 'people' && hasHidden) note(`hidden rows or columns of ${name} left out`)
  const openAt: OpenAt = (headingRow) => ({
    format: 'xlsx',
    isList: kind === 'ids' && rows.every(({ cells }) => cells.length === 1),
    headingLine: headingRow,
    isColumnHidden,
    rows: () => rows.filter(({ line }) => line >= headingRow),
  })
  return { name, openAt }
}
