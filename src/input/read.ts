/** Reads the items of a command, ids or pairs, from arguments, a file or standard input. */
import { SvcError, usageError } from '../errors.ts'
import { firstTexts, pluralize } from '../words.ts'
import { isStdin, refuseFiles, type InputHost } from './bytes.ts'
import { foldHeading } from './columns.ts'
import { idRule, notConfirmed, pairRule, type ItemKind, type Sides } from './ids.ts'
import { Items } from './items.ts'
import type { Input } from './open.ts'
import { readTable, type FoundRow, type Table, type TableOptions } from './table.ts'

/** The options of an input, under the names that they have on the command line. */
export interface InputOptions extends Pick<TableOptions, 'sheet' | 'headingRow' | 'where'> {
  /** The path of a file, or `-`. */
  file?: string | undefined
  /** The column of the ids: its name or its number from 1. */
  column?: string | undefined
  /** The path of a file with ids to leave out. */
  except?: string | undefined
  /** Whether an input may have no ids. */
  allowEmpty?: boolean | undefined
}

/** The input of a command line, and what it has: ids of contacts or tickets, or pairs. */
export interface ReadOptions extends InputOptions, Pick<TableOptions, 'note'> {
  /** The arguments: ids, or `-` for standard input. */
  words?: readonly string[]
  item: ItemKind
  /** The headings of pairs; undefined to read ids. */
  sides?: Sides | undefined
  /** Whether the rows are kept, to give the table back. */
  keepsRows?: boolean
}

/**
 * Reads the input of a command line. Returns each item once, in the place where it came first, and counts the other rows; `table` and
 * `rows` serve to give the table back. Throws a usage error that shows all bad lines, or says that there are no ids.
 */
export async function readItems(host: InputHost, options: ReadOptions) {
  const { item, sides, column, note } = options
  const input = inputOf(host, options)
  const excepted = await readExcepted(host, options)
  const rule = sides === undefined ? idRule(item, column) : pairRule(sides)
  const table = await readTable(host, input, rule, { ...options, excepted })
  const {
    items: all,
    rows,
    notes,
    hasUnconfirmed,
    ...counts
  } = collect(table, options.keepsRows)
  const items = all.unique()
  // A heading or an empty JSON list shows that the input was written whole.
  const isWhole = (table.hasHeading || table.source.format === 'json') && notes.length === 0
  if (items.size === 0 && !isWhole && options.allowEmpty !== true)
    throw new SvcError('usage', `${table.name} has no ids to use`, {
      lines: notes,
      hint: hasUnconfirmed
        ? 'write yes in the column merge of the pairs that are to be merged'
        : 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
    })
  const employee = table.headings.find((heading) => foldHeading(heading) === 'employee')
  if (item === 'ticket' && sides === undefined && employee !== undefined)
    note(`the column "${employee}" is not read: --to holds for every row`)
  for (const text of notes) note(text)
  // Rows that were left out do not count as read.
  const read = all.size
  return { ...counts, items, rows, read, duplicates: read - items.size, table }
}

/**
 * Collects the items of a table, counts the other rows, and notes for each reason how many have no item. Returns also whether a pair
 * is not confirmed.
 */
function collect(table: Table, keepsRows = false) {
  const items = new Items()
  const rows: FoundRow[] = []
  const counts = { 'left-out': 0, undecided: 0 }
  const byReason = new Map<string, { isUndecided: boolean; lines: number[] }>()
  for (const found of table) {
    const { row, finding } = found
    const { line } = row
    if (keepsRows) rows.push(found)
    if (finding.kind === 'found') items.add({ id: finding.id, line, other: finding.other })
    else {
      const { kind, reason } = finding
      counts[kind] += 1
      const group = byReason.get(reason) ?? { isUndecided: kind === 'undecided', lines: [] }
      group.lines.push(line)
      byReason.set(reason, group)
    }
  }
  const notes = Array.from(byReason, ([reason, { isUndecided, lines }]) => {
    const note = `${pluralize(lines.length, 'row')} left out of ${table.name}: ${reason}`
    // Rows in which a decision is missing are named.
    return isUndecided ? `${note} (row ${firstTexts(lines.map(String)).join(', ')})` : note
  })
  const { undecided, 'left-out': leftOut } = counts
  const hasUnconfirmed = byReason.has(notConfirmed)
  return { items, rows, leftOut, undecided, notes, hasUnconfirmed }
}

/** Returns the input of a command line. Throws a usage error if there is none, or more than one. */
function inputOf(host: InputHost, { words = [], file, except = '' }: ReadOptions): Input {
  const typed = words.filter((word) => word !== '-')
  const dashes = words.filter((word) => word === '-')
  refuseFiles(host, typed)
  const inputs: Input[] = []
  if (typed.length > 0) inputs.push(typed)
  inputs.push(...dashes)
  if (file !== undefined) inputs.push(file)
  const [input, extra] = inputs
  if (input === undefined)
    throw usageError(
      'no ids were given',
      'give ids, a file with --file <path>, or - for standard input',
    )
  if (extra !== undefined)
    throw usageError('give one input: ids, one file with --file, or - for standard input')
  if (typeof input === 'string' && isStdin(input) && isStdin(except))
    throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  return input
}

/** Returns the ids of --except in lower case. Throws a usage error for a file with a bad or undecided row, or without ids. */
async function readExcepted(host: InputHost, { item, except, note }: ReadOptions) {
  if (except === undefined) return undefined
  const table = await readTable(host, except, idRule(item), { note })
  const { items, undecided, notes } = collect(table)
  if (undecided > 0)
    throw new SvcError('usage', `${table.name} of --except has rows without a decision`, {
      lines: notes,
    })
  for (const text of notes) note(text)
  if (items.size > 0) return new Set(items.ids.map((id) => id.toLowerCase()))
  throw usageError(
    `${table.name} of --except has no ids`,
    'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
  )
}
