/**
 * A workbook as it is, with more cells in one sheet; every byte that need not change stays. `input/annotated.ts` loads it when a user's own
 * workbook is given back (`--annotate`): first for where the cells go, and then for the bytes.
 *
 * The sheet was read as XML before, so its tags are found by patterns here. What would deceive these, such as a comment, is refused.
 */
import { usageError } from '../../errors.ts'
import { safe } from '../../safe-text.ts'
import { columnName } from '../../words.ts'
import { mostColumns, parseCell, parseRange } from './cells.ts'
import type { Sheet, SheetRow } from './sheet.ts'
import { ZipWriter, textCell } from './writer.ts'

/** A sheet of a workbook that is written again. */
export interface OwnSheet {
  readonly sheet: Sheet
  /** Its cells of the table; cells above them are titles. */
  readonly rows: readonly SheetRow[]
  /** The row of the heading; 0 without one. */
  readonly heading: number
  /** The columns that an earlier annotation added. */
  readonly replaced: readonly number[]
  /** Where to write instead, for a workbook that cannot be written again. */
  readonly hint: string
}

/** The sheet and its heading; the first column that is added, from 0, and how wide they are; and the filter's range with them, if there is one of this table. */
export type SheetLayout = ReturnType<typeof layOutSheet>

/**
 * Finds columns that are free: those that an earlier annotation added, or else the next ones behind the table. Throws exit 2 when there are none,
 * and for a workbook that cannot be given back as it is.
 */
export function layOutSheet(own: OwnSheet, widths: readonly number[]) {
  const { sheet, rows, heading, replaced, hint } = own
  const { name } = sheet.archive
  const special = specialty(sheet)
  if (special !== undefined)
    throw usageError(`${name} ${special}, so svc cannot write it again as it was`, hint)
  const taken = new Set(rows.flatMap(({ stored }) => stored.map(({ column }) => column)))
  for (const column of replaced) taken.delete(column)
  const isFree = (column: number): boolean =>
    column < mostColumns && !taken.has(column) && isSeen(sheet, heading, column)
  const next = Math.max(-1, ...taken) + 1
  const [first = next] = replaced
  const last = replaced.length === 0 ? mostColumns : first
  let column = first
  while (column <= last && !widths.every((_, n) => isFree(column + n))) column += 1
  if (column > last) {
    throw usageError(`${name} has no ${widths.length} free columns to add`, hint)
  }
  const place = { heading, column, widths }
  return { sheet, ...place, filter: widenFilter(sheet.filter, place) }
}

/** Whether a column is neither hidden nor merged. Merged cells above the heading are titles. */
function isSeen(sheet: Sheet, heading: number, column: number): boolean {
  if (sheet.hiddenColumn(column) !== undefined) return false
  return !sheet.ranges.some(
    ({ cover, from, to }) =>
      cover === 'merged' &&
      to.row >= heading &&
      column >= from.column &&
      column <= to.column,
  )
}

/** The columns that are added are part of a filter whose heading is that of the table; otherwise sorting by it would tear rows apart. */
function widenFilter(
  filter: string | undefined,
  {
    heading,
    column,
    widths,
  }: Pick<OwnSheet, 'heading'> & { column: number; widths: readonly number[] },
): string | undefined {
  const { from, to } = parseRange(filter ?? '') ?? {}
  if (from === undefined || to === undefined) return undefined
  if (from.row !== heading || from.column > column) return undefined
  const last = Math.max(to.column, column + widths.length - 1)
  return `${columnName(from.column)}${from.row}:${columnName(last)}${to.row}`
}

/** Why a workbook cannot be given back: its signature would be broken, it is written as a file of another kind, or patterns do not find its cells. */
function specialty({ archive, path }: Sheet): string | undefined {
  const types = archive.text('[Content_Types].xml')
  const [type] = /macroEnabled|vbaProject|digital-signature/i.exec(types) ?? []
  if (type !== undefined) return /sig/i.test(type) ? 'is signed' : 'has macros'
  const text = archive.text(path)
  const hasOthers = text.includes('<!') || text.includes('<?', 1)
  return hasOthers || cutSheet(text).cells.includes('extLst')
    ? 'has comments or extensions among its cells'
    : undefined
}

/** The text of a sheet: what is above its rows, these, and what is below. */
function cutSheet(text: string): Record<'above' | 'cells' | 'below', string> {
  const from = text.search(/<(?:[^\s<>/:]+:)?sheetData[\s/>]/)
  const to = text.search(/<\/(?:[^\s<>/:]+:)?sheetData\s*>/)
  return {
    above: text.slice(0, from),
    cells: text.slice(from, to),
    below: text.slice(to),
  }
}

/** The bytes of the workbook with more cells in its rows, by their lines. Parts that do not change are copied packed as they are. */
export function* ownWorkbook(
  layout: SheetLayout,
  added: ReadonlyMap<number, readonly string[]>,
): Generator<Buffer> {
  const { archive, path: sheetPath, bookPath } = layout.sheet
  const zip = new ZipWriter()
  for (const { path, entry, bytes } of archive.contents()) {
    const isNamed = path === bookPath && layout.filter !== undefined
    if (path !== sheetPath && !isNamed) {
      yield zip.copy(entry, bytes)
      continue
    }
    yield zip.begin(path)
    const pieces = isNamed ? [widenName(layout)] : changeSheet(layout, added)
    for (const piece of pieces) yield zip.add(piece)
    yield* zip.end('')
  }
  yield zip.directory()
}

/** The part of the workbook with the name of the filter's cells, which LibreOffice uses. */
function widenName({ sheet, filter = '' }: SheetLayout): string {
  // `A1` is `$A$1` there.
  const absolute = (range: string): string =>
    `!${range.replaceAll(/[A-Z]+(?=\d)/g, '$$$&$$')}`
  const filterName = /<[^<>]*definedName\s[^<>]*_xlnm\._FilterDatabase[^<>]*>[^<]*/g
  return sheet.archive.text(sheet.bookPath).replace(filterName, (name) => {
    if (!new RegExp(`localSheetId=["']${sheet.index}["']`).test(name)) return name
    return name.replace(absolute(sheet.filter ?? ''), () => absolute(filter))
  })
}

const pieceLength = 1 << 17
const attributes = `(?:[^>"']|"[^"]*"|'[^']*')*?`
/** An element with its attributes and its content. */
const elements = (name: string): RegExp =>
  new RegExp(
    `<(?:[^\\s<>/:]+:)?${name}(?=[\\s/>])(${attributes})(?:/>|>([^]*?)</(?:[^\\s<>/:]+:)?${name}\\s*>)`,
    'g',
  )
const rowElements = elements('row')
const cellElements = elements('c')

/** The text of a sheet with more cells in its rows. */
function* changeSheet(
  layout: SheetLayout,
  added: ReadonlyMap<number, readonly string[]>,
): Generator<string> {
  const { sheet, filter } = layout
  const { above, cells, below } = cutSheet(sheet.archive.text(sheet.path))
  const prefix = /^<([^\s/>:]+:)?/.exec(cells)?.[1] ?? ''
  let text = widen(above, layout, prefix)
  let line = 0
  let done = 0
  for (const row of cells.matchAll(rowElements)) {
    line = Number(attributesOf(row[1]).r ?? line + 1)
    const texts = added.get(line)
    if (texts === undefined) continue
    text += cells.slice(done, row.index) + changeRow(row, { line, texts, layout, prefix })
    done = row.index + row[0].length
    if (text.length < pieceLength) continue
    yield text
    text = ''
  }
  yield text + cells.slice(done)
  const range = new RegExp(
    `(<(?:[^\\s<>/:]+:)?autoFilter\\s(?:[^>]*\\s)?ref=)["'][^"']*["']`,
  )
  yield filter === undefined ? below : below.replace(range, `$1"${filter}"`)
}

/** Place and style of a row or a cell. */
function attributesOf(facts = ''): { r?: string; s?: string } {
  const each = facts.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return Object.fromEntries(
    Array.from(each, ([, name, double, single]) => [name, double ?? single]),
  )
}

/** With a width for each column that is added, unless the last columns have one. The extent of the sheet only helps programs to be fast. */
function widen(
  above: string,
  { sheet, column, widths }: SheetLayout,
  prefix: string,
): string {
  const text = above.replace(elements('dimension'), '')
  if (sheet.columns.length > column) return text
  const cols = widths.map((width, n) => {
    const place = column + n + 1
    return `<${prefix}col min="${place}" max="${place}" width="${width}" customWidth="1"/>`
  })
  if (sheet.columns.length > 0)
    return text.replace(/<\/[^<>]*cols\s*>/, (end) => cols.join('') + end)
  return `${text}<${prefix}cols>${cols.join('')}</${prefix}cols>`
}

interface AddedCells {
  readonly line: number
  readonly texts: readonly string[]
  readonly layout: SheetLayout
  readonly prefix: string
}

/** A row with cells that are added, in the style of those that were there, or of the heading. Its extent also only helps programs to be fast. */
function changeRow(
  [, facts = '', content = '']: readonly string[],
  { line, texts, layout, prefix }: AddedCells,
): string {
  const { column, heading } = layout
  const { cells, styles } = cellsIn(content, line)
  for (const [n, text] of texts.entries()) {
    const at = column + n
    const style = styles[at] ?? (line === heading ? styles[column - 1] : undefined)
    const name = `${columnName(at)}${line}`
    cells[at] = textCell(name, safe(text), style, prefix)
    if (text === '' && style === undefined) cells[at] = ''
  }
  const others = facts.replace(/\sspans\s*=\s*(?:"[^"]*"|'[^']*')/, '')
  return `<${prefix}row${others}>${cells.join('')}</${prefix}row>`
}

/** The cells of a row at their places, and their styles. */
function cellsIn(content: string, line: number) {
  const cells: string[] = []
  const styles: (string | undefined)[] = []
  let place = -1
  for (const [cell, facts = ''] of content.matchAll(cellElements)) {
    const { r: name, s: style = '' } = attributesOf(facts)
    place = name === undefined ? place + 1 : (parseCell(name)?.column ?? 0)
    // A cell without a name may not follow the one before it any more.
    const named = ` r="${columnName(place)}${line}"`
    cells[place] = name === undefined ? cell.replace(/[\s/>]/, `${named}$&`) : cell
    styles[place] = /^\d{1,6}$/.test(style) ? style : undefined
  }
  return { cells, styles }
}
