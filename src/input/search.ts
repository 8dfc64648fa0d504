/** Searches inputs for ids or for pairs, and collects bad lines, notes and sample rows. */
import { SvcError, usageError } from '../errors.ts'
import { safe, shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import type { Input } from './input.ts'
import { isNullAlone, type Found, type Problem, type Row, type RowFinding } from './row.ts'
import { readRows, type RowOptions } from './rows.ts'
import type { TableRule } from './columns.ts'
import type { OnRow, Table } from './table.ts'

/** A search for ids or for pairs. */
interface Search {
  ruleFor: (input: string) => TableRule
  /** Searches a row of data. */
  inRow: (row: Row, places: readonly number[], table: Table) => RowFinding
  /** Adds an id or a pair. Returns whether it is new. */
  add: (found: Found, line: number) => boolean
}

export interface SearchOptions extends RowOptions {
  /** Skip bad lines instead of refusing the input. */
  skipInvalid: boolean
  /** Accept an input without an id. Undefined for commands without that option. */
  allowEmpty?: boolean | undefined
  /** The ids of `--except`: rows that have one of them are left out. */
  except?: { has(id: string): boolean } | undefined
  /** The input is one of `--except`: a line that is skipped would no longer be left out. */
  isException?: boolean
  sample?: Sample | undefined
  /** Called with each row of a table and what was found in it. It adds columns to the rows, so JSON is refused. */
  onRow?: OnRow | undefined
}

/**
 * Searches all inputs. Returns counts, and sentences about what was skipped. Throws exit 2 as `readRows` does and, unless
 * bad lines are skipped, one error for all of them, which names the first twenty.
 */
export async function findInInputs(
  inputs: readonly Input[],
  { ruleFor, inRow, add }: Search,
  options: SearchOptions,
) {
  const { onRow, sample, skipInvalid, allowEmpty, except } = options
  const bad = new BadLines()
  let unique = 0
  let duplicates = 0
  /** Tables in which an id or a pair was found. */
  const filled = new Set<Table>()
  const tables = await readRows(inputs, ruleFor, options, (row, table) => {
    const { columns = [], form } = table
    if (onRow !== undefined) refuseJson(table)
    if (row.finding.kind === 'data') row.finding = inRow(row, columns, table)
    if (row.finding.kind === 'found' && except?.has(row.finding.id) === true)
      row.finding = table.filter.leaveOut('excluded by --except')
    const { finding } = row
    if (finding.kind === 'invalid') bad.add(finding.problem, row, table)
    if (finding.kind === 'found') {
      filled.add(table)
      const isInFile = form.format !== 'words'
      const isNew = add(finding, isInFile ? row.line : 0)
      if (isNew && isInFile) sample?.add(unique, row)
      if (isNew) unique += 1
      else duplicates += 1
    }
    onRow?.(row, table)
  })
  bad.hasUnskippable ||= bad.count > 0 && options.isException === true
  if (bad.hasUnskippable || (bad.count > 0 && !skipInvalid)) throw bad.error
  for (const table of tables) {
    if (!filled.has(table) && !table.isProvenEmpty) checkEmpty(table, bad, allowEmpty)
  }
  sample?.setTable(tables)
  return {
    /** Including bad lines and duplicates. */
    read: unique + duplicates + bad.count,
    duplicates,
    invalid: bad.count,
    bad: bad.first,
    notes: tables.flatMap(({ notes }) => notes),
    leftOut: tables.reduce((sum, { filter }) => sum + filter.leftOut, 0),
    formats: tables.map(({ form }) => form.format),
  }
}

/** Throws exit 2 for JSON, which has no columns to add to. */
function refuseJson({ input, form }: Table) {
  if (!form.format.endsWith('json')) return
  throw usageError(
    `--annotate adds columns to csv, workbooks and plain lists, but ${input} is JSON`,
    'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
  )
}

/** Throws exit 2 for an input without ids, which a failed command leaves, and for a mistyped `--where`. */
function checkEmpty(
  { input, filter }: Table,
  bad: BadLines,
  allowEmpty: boolean | undefined,
) {
  if (allowEmpty === true) return
  if (filter.leftOut > 0)
    throw usageError(
      `no row of ${input} is left`,
      `${filter.notes.join('\n')}\nif that is expected, add --allow-empty`,
    )
  const wayOut =
    allowEmpty === undefined
      ? 'one that is meant to be empty is [] or only a heading'
      : 'if it can be empty, add --allow-empty'
  const hint =
    bad.count > 0
      ? 'fix the input: without these lines it has no ids'
      : `a command that failed leaves an empty input; ${wayOut}`
  throw new SvcError('usage', `${input} has no ids`, { lines: bad.lines, hint })
}

/** Bad lines that an error names; the others are counted. */
const namedBadLines = 20

/** The bad lines of all inputs. */
class BadLines {
  readonly first: BadLine[] = []
  count = 0
  /** Whether --skip-invalid cannot skip one of them. */
  hasUnskippable = false

  add(problem: Problem, row: Row, { input, form }: Table) {
    const { reason, text, cell, isNeverSkipped = false } = problem
    this.count += 1
    this.hasUnskippable ||= isNeverSkipped || isNullAlone(row)
    if (this.count > namedBadLines) return
    const { line } = row
    const unit = form.format === 'json' ? 'item' : 'line'
    const place = cell === undefined ? `${unit} ${groupDigits(line)}` : `cell ${safe(cell)}`
    const where = form.format === 'words' ? `argument ${line}` : `${input} ${place}`
    // The rest of a bad line tells nothing more.
    this.first.push({ where, line, reason, text: text.slice(0, 200) })
  }

  /** Sentences about the first, and how many there are more. */
  get lines() {
    const lines = this.first.map(describeBadLine)
    const more = this.count - lines.length
    return more > 0 ? [...lines, `and ${groupDigits(more)} more`] : lines
  }

  /** One error for all of them. */
  get error() {
    const { first, count, lines } = this
    const words = count === 1 ? 'id is' : 'ids are'
    const fix = this.hasUnskippable
      ? 'fix the input: --skip-invalid cannot skip lines like these'
      : 'fix the input, or skip such lines with --skip-invalid'
    const isTyped = first.every(({ where }) => where.startsWith('argument'))
    const hint = isTyped
      ? 'an id has 24 hexadecimal digits; for a file of ids, use --file'
      : fix
    return new SvcError('usage', `${groupDigits(count)} ${words} invalid`, { lines, hint })
  }
}

export interface BadLine {
  /** Its place in an input: `"old.csv" line 4`, `item 4` of a JSON document, `cell B4` of a sheet; `argument 4`. */
  where: string
  /** Physical line (item, row of a sheet, argument), from 1. */
  line: number
  reason: string
  /** Its beginning, unchanged. Not safe for a terminal. */
  text: string
}

/** A bad line as one line of harmless text. */
export function describeBadLine({ where, text, reason }: BadLine): string {
  const bare = text.trim()
  return bare === '' ? `${where}: ${reason}` : `${where}: "${shorten(bare)}": ${reason}`
}

/** A row of the only table that ids come from, with all its cells, to show a person whether it is the right table. */
interface SampleRow {
  /** Position of its id among the ids. */
  position: number
  cells: readonly string[]
}

/** How many of the first rows, ids or people are shown as an example. */
export const fewShown = 5

/** The first rows with a new id, and the last one. */
export class Sample {
  /** The table of the rows; undefined if there are several tables, or none. */
  table: { headings: readonly string[] } | undefined
  readonly first: SampleRow[] = []
  last: SampleRow | undefined

  /** Adds the row with the id at this position. */
  add(position: number, { cells }: Row) {
    if (this.first.length < fewShown) this.first.push({ position, cells })
    else this.last = { position, cells }
  }

  /** Takes the only table that has columns, if there is one. */
  setTable(tables: readonly Table[]) {
    const [only, other] = tables.filter(
      ({ form }) => form.format !== 'lines' && form.format !== 'words',
    )
    this.table = other === undefined ? only : undefined
  }
}
