/** An input as a table whose columns are known: it says for each row what was found there. One bad line stops the whole table. */
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { columnName, fold, groupDigits, pluralize } from '../words.ts'
import { sheetLimits } from '../workbook/writer.ts'
import { decodeText, inputName, isJson, readWhole } from './bytes.ts'
import { openJson } from './json-rows.ts'
import {
  requireColumn,
  textAt,
  textsOf,
  type Headed,
  type OpenAt,
  type Row,
  type Source,
} from './rows.ts'
import { openText } from './text-rows.ts'

/** The meaning of a row. */
export type Finding =
  /**
   * `target` is that of a merge, or the employee who gets the ticket: an id, or a name. In a row of people, whose cells are
   * read later, the id is empty.
   */
  | { kind: 'found'; id: string; target?: string | undefined }
  /** `undecided`: nobody has decided yet which contact the row is. */
  | { kind: 'left-out' | 'undecided'; reason: string }

/** Why a row is bad. `column` is that of the bad cell, if not the whole row is bad. */
export interface Bad {
  kind: 'bad'
  reason: string
  column?: number
}

export interface FoundRow {
  row: Row
  finding: Finding
}

/** The columns of a table that are read, and the meaning of a row by its cells there. */
export interface TableReading {
  columns: readonly number[]
  /** Undefined for a table of people, whose cells are read later. */
  judge?: (row: Row) => Finding | Bad
}

/** The columns that a command looks for in a table, and how it judges their cells. */
export interface TableReader {
  /** The content: one column of `ids` is a list, which needs no heading; of `people`, hidden rows and columns are left out. */
  kind: 'ids' | 'pairs' | 'people'
  /** Whether a heading names a known column. */
  isKnown: (heading: string) => boolean
  /** Whether a text is data of the columns that are read, so that a row with it is no heading. */
  isValue: (text: string) => boolean
  /** Throws a usage error if the columns to read cannot be known. */
  readingOf(table: OpenTable): TableReading
}

/** Where the rows of a table are, and which of them count. */
export interface TableOptions {
  sheet?: string | undefined
  /** The number of the heading row; 0 if there is none. By default, it is row 1 of a table. */
  headingRow?: number | undefined
  /** The texts of --where. Rows that do not meet all of these conditions are left out. */
  where?: readonly string[] | undefined
  /** Tells people how an input was read. */
  note: (text: string) => void
}

/** A table whose heading is known. */
export interface OpenTable extends Headed {
  source: Source
  /** Whether a csv that is given back begins with a byte order mark. */
  needsMark: boolean
  /** The row of the headings, if there is one; else all headings are empty. */
  heading: Row | undefined
}

/** A table whose columns are known. */
export interface Table extends OpenTable, TableReading {
  /** The conditions of --where. A row that does not meet them is not judged. */
  conditions: readonly ReturnType<typeof conditionOf>[]
}

/** A heading is looked for in this many rows. */
const maxHeadingRow = 20

/** An error shows at most this many lines, and counts the others. */
const maxShown = 20

/** Opens the table at a path. Throws a usage error if it cannot be read, or if its columns cannot be known. */
export async function readTable(
  host: Host,
  path: string,
  reader: TableReader,
  options: TableOptions,
): Promise<Table> {
  const { headingRow = 1, where = [] } = options
  const { name, openAt, needsMark } = await openInput(host, path, reader, options)
  const source = openAt(headingRow)
  const headingHint = () => findHeading(openAt, reader, headingRow)
  const opened = { name, source, needsMark, headingHint }
  const [first] = source.rows()
  if (first === undefined) {
    const [anyRow] = openAt(0).rows()
    if (anyRow === undefined)
      return { ...opened, heading: undefined, headings: [], columns: [], conditions: [] }
    throw usageError(`${name} has no row ${groupDigits(headingRow)}`)
  }
  const isKnownList = source.isList && options.headingRow === undefined
  const isHeading = isKnownList
    ? source.headingLine > 0 && reader.isKnown(textAt(first, 0))
    : headingRow > 0
  const problem = isHeading && !isKnownList ? headingProblem(first, source) : undefined
  if (problem !== undefined)
    throw usageError(
      `the heading row of ${name} cannot be read: ${problem}`,
      headingHint() ?? 'name another one with --heading-row <n>',
    )
  const headings = textsOf(first).map((text, column) => {
    const isLeftOut = reader.kind === 'people' && source.isColumnHidden?.(column) === true
    if (isLeftOut && text === 'contactId')
      throw usageError(`the column contactId of ${name} is hidden`, 'show the column')
    return isHeading && !isLeftOut ? text.trim() : ''
  })
  if (headings.length > sheetLimits.columns)
    throw usageError(`${name} has more than ${groupDigits(sheetLimits.columns)} columns`)
  const headed = { ...opened, headings, heading: isHeading ? first : undefined }
  const reading = reader.readingOf(headed)
  const value = reading.columns.map((column) => headings[column] ?? '').find(reader.isValue)
  if (value !== undefined)
    throw usageError(
      `row ${groupDigits(headingRow)} of ${name} is not a heading: it has "${shorten(value)}"`,
      'if the table has no heading: --heading-row 0',
    )
  const conditions = where.map((text) => conditionOf(headed, text))
  return { ...headed, ...reading, conditions }
}

/**
 * Opens an input as rows: a list with an id per line, csv, JSON, or a workbook. Throws a usage error if it cannot be read, or for an
 * option that does not fit it.
 */
async function openInput(
  host: Host,
  path: string,
  { kind }: TableReader,
  { sheet, headingRow, note }: TableOptions,
) {
  const name = inputName(path)
  const bytes = await readWhole(host, path)
  // A workbook is a zip archive, which begins with these characters.
  // oxlint-disable-next-line no-control-regex -- two of them are controls
  const isArchive = /^PK[\x03\x05]/.test(bytes.toString('latin1', 0, 3))
  if (isArchive) {
    const { readWorkbook } = await import('../workbook/workbook.ts')
    const { rows: all, isColumnHidden } = await readWorkbook(name, bytes, sheet)
    const rows = kind === 'people' ? all.filter(({ isHidden }) => !isHidden) : all
    const hasHidden = all.some(
      ({ isHidden, cells }) =>
        isHidden || cells.some((_, column) => isColumnHidden(column)),
    )
    if (kind === 'people' && hasHidden) note(`hidden rows or columns of ${name} left out`)
    const openAt: OpenAt = (from) => ({
      format: 'xlsx',
      isList: kind === 'ids' && rows.every(({ cells }) => cells.length === 1),
      headingLine: from,
      isColumnHidden,
      rows: () => rows.filter(({ line }) => line >= from),
    })
    return { name, openAt, needsMark: true }
  }
  if (sheet !== undefined) throw usageError(`--sheet is for workbooks, and ${name} is not`)
  const { text, needsMark } = decodeText(name, bytes, note)
  if (isJson(text) && headingRow !== undefined)
    throw usageError(`--heading-row is for tables of rows, and ${name} is not`)
  const openAt = isJson(text) ? openJson(name, text) : openText(text, kind === 'ids')
  return { name, openAt, needsMark }
}

/** Returns why a row cannot be the heading. */
function headingProblem({ line, problem, isHidden }: Row, { headingLine }: Source) {
  if (line !== headingLine) return 'it is empty'
  return problem ?? (isHidden === true ? 'it is hidden' : undefined)
}

/** Returns a hint at the first other row that has a known heading. */
function findHeading(openAt: OpenAt, reader: TableReader, headingRow: number) {
  for (let row = 2; row <= maxHeadingRow; row += 1) {
    const { rows, headingLine } = openAt(row)
    const [first] = rows()
    if (first === undefined) break
    const isHeading =
      headingLine > 0 &&
      row !== headingRow &&
      first.line === headingLine &&
      textsOf(first).some((text) => reader.isKnown(text))
    if (isHeading) return `if row ${row} is its heading: --heading-row ${row}`
  }
  return undefined
}

/** Reads a --where. Throws a usage error if it cannot be read, or names no column. */
function conditionOf(table: Headed, condition: string) {
  const [, name = '', sign = '', value = ''] = /^(.*?)(!?=)(.*)$/s.exec(condition) ?? []
  if (name.trim() === '')
    throw usageError(
      `--where takes <column>=<value> or <column>!=<value>, not "${shorten(condition)}"`,
    )
  const wanted = fold(value)
  return {
    column: requireColumn(table, name),
    isMet: (text: string) => (fold(text) === wanted) === (sign === '='),
  }
}

/** Yields the rows below the heading with what was found in them. Then throws a usage error that shows bad lines, if there are any. */
export function* findRows(table: Table): Generator<FoundRow> {
  const { name, source, heading, headingHint } = table
  const badLines: string[] = []
  let badCount = 0
  for (const row of source.rows()) {
    if (row.line === heading?.line) continue
    const finding = findingIn(row, table)
    if (finding.kind !== 'bad') {
      yield { row, finding }
      continue
    }
    badCount += 1
    if (badCount <= maxShown) badLines.push(describe(row, finding, source))
  }
  if (badCount === 0) return
  if (badCount > maxShown) badLines.push(`and ${groupDigits(badCount - maxShown)} more`)
  throw new SvcError('usage', `${name} has ${pluralize(badCount, 'bad line')}`, {
    lines: badLines,
    // Bad lines in a list without a heading can be those of a table below its title.
    hint:
      (heading === undefined ? headingHint() : undefined) ??
      'fix these lines: one bad line refuses the whole input',
  })
}

function findingIn(
  row: Row,
  { source, headings, conditions, columns, judge }: Table,
): Finding | Bad {
  const problem = row.problem ?? widthProblem(row, source, headings.length)
  if (problem !== undefined) return { kind: 'bad', reason: problem }
  const refused = refusedCell(
    row,
    conditions.map(({ column }) => column),
  )
  if (refused !== undefined) return refused
  if (conditions.some(({ column, isMet }) => !isMet(textAt(row, column))))
    return { kind: 'left-out', reason: 'excluded by --where' }
  if (judge === undefined) return { kind: 'found', id: '' }
  return refusedCell(row, columns) ?? judge(row)
}

/** Returns the first of these cells by which nothing may be decided, such as a formula. */
function refusedCell({ reasons = [] }: Row, columns: readonly number[]): Bad | undefined {
  for (const column of columns) {
    const reason = reasons[column]
    if (reason !== undefined) return { kind: 'bad', reason, column }
  }
  return undefined
}

/** Returns what is wrong with a row of csv that has more cells than the table has columns. */
function widthProblem({ cells }: Row, { format, delimiter }: Source, width: number) {
  if (format !== 'csv' || cells.length <= width) return undefined
  const counts = `${pluralize(cells.length, 'cell')} for ${pluralize(width, 'column')}`
  return `${counts}; put a text with "${delimiter}" in quotes`
}

/** Returns the place, the text and the reason of a bad line: `line 4: "xyz": contains "x", …`. */
function describe(row: Row, { column, reason }: Bad, { format, delimiter }: Source) {
  const text = column === undefined ? textsOf(row).join(delimiter) : textAt(row, column)
  // The beginning of a long line is enough to find it.
  const shown = `"${shorten(text.slice(0, 200).trim())}": ${reason}`
  if (format === 'xlsx' && column !== undefined)
    return `cell ${columnName(column)}${row.line}: ${shown}`
  return `${format === 'json' ? 'item' : 'line'} ${groupDigits(row.line)}: ${shown}`
}
