/** Searches inputs for ids or for pairs, and collects bad lines and notes. */
import { SvcError, usageError } from '../errors.ts'
import { safe, shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import type { TableRule } from './columns.ts'
import type { Input } from './input.ts'
import type { Found, Problem, Row, RowFinding } from './row.ts'
import { readRows, type RowOptions } from './rows.ts'
import type { OnRow, Table } from './table.ts'

/** A search for ids or for pairs. */
export interface Search {
  ruleFor: (input: string) => TableRule
  /** Searches a row of data. */
  inRow: (row: Row, places: readonly number[], table: Table) => RowFinding
  /** Adds an id or a pair. Returns whether it is new. */
  add: (found: Found, line: number) => boolean
}

export interface SearchOptions extends RowOptions {
  /** Skip bad lines instead of refusing the input. */
  skipInvalid: boolean
  /** Accept an input without an id. */
  allowEmpty?: boolean | undefined
  /** The ids of `--except`: rows that have one of them are left out. */
  except?: { has(id: string): boolean } | undefined
  /** The input is one of `--except`: a line that is skipped would no longer be left out. */
  isException?: boolean
  /** Called with each row of a table and what was found in it. It adds columns to the rows, so JSON is refused. */
  onRow?: OnRow | undefined
}

/** Bad lines that an error names; the others are counted. */
const namedBadLines = 20

/**
 * Searches all inputs. Returns counts, and sentences about what was skipped. Throws exit 2 as `readRows` does and, unless
 * bad lines are skipped, one error for all of them.
 */
export async function findInInputs(
  inputs: readonly Input[],
  { ruleFor, inRow, add }: Search,
  options: SearchOptions,
) {
  const { onRow, skipInvalid, allowEmpty, except } = options
  const bad: string[] = []
  const counts = { unique: 0, duplicates: 0, invalid: 0 }
  let mustRefuse = options.isException === true
  /** Tables in which an id or a pair was found. */
  const filled = new Set<Table>()
  const tables = await readRows(inputs, ruleFor, options, (row, table) => {
    if (onRow !== undefined && table.format.endsWith('json'))
      throw usageError(
        `--annotate adds columns to csv, workbooks and plain lists, but ${table.input} is JSON`,
        'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
      )
    if (row.finding.kind === 'data') row.finding = inRow(row, table.columns ?? [], table)
    if (row.finding.kind === 'found' && except?.has(row.finding.id) === true)
      row.finding = table.leaveOut('excluded by --except')
    const { finding, line } = row
    if (finding.kind === 'invalid') {
      counts.invalid += 1
      mustRefuse ||= finding.problem.isNeverSkipped === true
      if (bad.length < namedBadLines) bad.push(badLine(finding.problem, line, table))
    }
    if (finding.kind === 'found') {
      filled.add(table)
      const isNew = add(finding, table.format === 'words' ? 0 : line)
      counts[isNew ? 'unique' : 'duplicates'] += 1
    }
    onRow?.(row, table)
  })
  const { unique, duplicates, invalid } = counts
  const lines =
    invalid > bad.length ? [...bad, `and ${groupDigits(invalid - bad.length)} more`] : bad
  if (invalid > 0 && (mustRefuse || !skipInvalid))
    throw badLinesError(lines, invalid, mustRefuse)
  const empty = tables.find((table) => !filled.has(table) && !table.isProvenEmpty)
  if (empty !== undefined && allowEmpty !== true) throw emptyError(empty, lines)
  return {
    /** Including bad lines and duplicates. */
    read: unique + duplicates + invalid,
    duplicates,
    invalid,
    notes: tables.flatMap(({ notes }) => notes),
    leftOut: tables.reduce((sum, table) => sum + table.leftOut, 0),
  }
}

/** The error of an input without ids, which a failed command leaves, or of a mistyped `--where`. */
function emptyError({ input, leftOut, leftOutNotes }: Table, lines: readonly string[]) {
  const isFiltered = leftOut > 0
  const what = isFiltered ? `no row of ${input} is left` : `${input} has no ids`
  const hint = isFiltered
    ? 'if that is expected, add --allow-empty'
    : 'a command that failed leaves an empty input; if it can be empty, add --allow-empty'
  return new SvcError('usage', what, { lines: [...lines, ...leftOutNotes], hint })
}

/** `"old.csv" line 4: "xyz": …`; item 4 of a JSON document, cell B4 of a sheet, argument 4. */
function badLine({ reason, text, cell }: Problem, line: number, { input, format }: Table) {
  const unit = format === 'json' ? 'item' : 'line'
  const place = cell === undefined ? `${unit} ${groupDigits(line)}` : `cell ${safe(cell)}`
  const where = format === 'words' ? `argument ${line}` : `${input} ${place}`
  // The rest of a long line tells nothing more.
  const bare = text.slice(0, 200).trim()
  return bare === '' ? `${where}: ${reason}` : `${where}: "${shorten(bare)}": ${reason}`
}

/** One error for all bad lines. */
function badLinesError(lines: readonly string[], count: number, mustRefuse: boolean) {
  const isTyped = lines.every((line) => line.startsWith('argument'))
  const fix = mustRefuse
    ? 'fix the input: --skip-invalid cannot skip lines like these'
    : 'fix the input, or skip such lines with --skip-invalid'
  const hint = isTyped
    ? 'an id has 24 hexadecimal digits; for a file of ids, use --file'
    : fix
  const words = count === 1 ? 'id is' : 'ids are'
  return new SvcError('usage', `${groupDigits(count)} ${words} invalid`, { lines, hint })
}
