/** Reads the items of a command, ids or pairs, from arguments, a file or standard input. */
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { findId, findTicket, isId } from '../identifiers.ts'
import { firstTexts, pluralize, shellWord } from '../words.ts'
import { isStdin } from './bytes.ts'
import { idReader, pairReader, type ItemKind, type Sides } from './ids.ts'
import { Items } from './items.ts'
import { foldHeading } from './rows.ts'
import {
  findRows,
  readTable,
  type Finding,
  type FoundRow,
  type Table,
  type TableOptions,
} from './table.ts'

/** The options of an input, under the names that they have on the command line. */
export interface InputOptions extends Omit<TableOptions, 'note'> {
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
export interface ReadOptions extends InputOptions, TableOptions {
  /** The arguments: ids, or `-` for standard input. */
  words?: readonly string[]
  item: ItemKind
  /** The headings of pairs; undefined to read ids. */
  sides?: Sides | undefined
  /** Whether the rows are kept, to give the table back. */
  keepsRows?: boolean
}

const commandLine = 'the command line'

/**
 * Reads the input of a command line. Returns each item once, in the place where it came first, and counts the other rows; `table` and
 * `rows` serve to give the table back. Throws a usage error that shows all bad lines, or says that there are no ids.
 */
export async function readItems(host: Host, options: ReadOptions) {
  const { item, sides, note } = options
  const { typed, path } = inputOf(host, options)
  const excepted = await readExcepted(host, options)
  const reader = sides === undefined ? idReader(item, options.column) : pairReader(sides)
  const table =
    path === undefined ? undefined : await readTable(host, path, reader, options)
  const found = table === undefined ? findWords(typed, item) : findRows(table)
  const {
    items: all,
    rows,
    notes,
    ...counts
  } = collect(table?.name ?? commandLine, found, excepted, options.keepsRows)
  if (all.size === 0 && options.allowEmpty !== true) refuseEmpty(table, notes)
  // A table of pairs is read for its ids alone when --to is typed.
  const employee = table?.headings.find((heading) => foldHeading(heading) === 'employee')
  if (item === 'ticket' && sides === undefined && employee !== undefined)
    note(`the column "${employee}" is not read: --to holds for every row`)
  for (const text of notes) note(text)
  const items = all.unique()
  // Rows that were left out do not count as read.
  const read = all.size
  return { ...counts, items, rows, read, duplicates: read - items.size, table }
}

/** Throws a usage error for an input without ids, unless a heading or an empty JSON list shows that it was written whole. */
function refuseEmpty(table: Table | undefined, notes: readonly string[]) {
  const isWhole = table?.heading !== undefined || table?.source.format === 'json'
  if (isWhole && notes.length === 0) return
  throw new SvcError('usage', `${table?.name ?? commandLine} has no ids to use`, {
    lines: notes,
    hint:
      notes.length > 0
        ? 'if that is meant, add --allow-empty'
        : 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
  })
}

/** Finds the ids in typed words. Throws a usage error that shows those that are none. */
function findWords(words: readonly string[], item: ItemKind) {
  const badWords: string[] = []
  const found = words.map((word): FoundRow => {
    const { id = '', reason } = item === 'ticket' ? findTicket(word) : findId(word)
    if (reason !== undefined) badWords.push(`"${shorten(word)}": ${reason}`)
    return { row: { line: 0, cells: [word] }, finding: { kind: 'found', id } }
  })
  if (badWords.length === 0) return found
  const whereIds =
    item === 'contact'
      ? 'to find the id of a person:\n  svc contacts find <words>\n'
      : 'copy the id, or the address of the ticket, from the service; '
  throw new SvcError(
    'usage',
    `${commandLine} has ${pluralize(badWords.length, 'bad id')}`,
    {
      lines: firstTexts(badWords),
      hint: `${whereIds}to read ids from a file, use --file <path>`,
    },
  )
}

/** Collects the items of rows, counts the other rows, and notes for each reason how many have no item. */
function collect(
  name: string,
  all: Iterable<FoundRow>,
  excepted?: ReadonlySet<string>,
  keepsRows = false,
) {
  const items = new Items()
  const rows: FoundRow[] = []
  const counts = { 'left-out': 0, undecided: 0 }
  const byReason = new Map<string, { kind: keyof typeof counts; lines: number[] }>()
  for (const { row, finding: found } of all) {
    const isExcepted = found.kind === 'found' && excepted?.has(found.id.toLowerCase())
    const finding: Finding =
      isExcepted === true ? { kind: 'left-out', reason: 'excluded by --except' } : found
    if (keepsRows) rows.push({ row, finding })
    if (finding.kind === 'found') {
      items.add({ id: finding.id, line: row.line, target: finding.target })
      continue
    }
    const { kind, reason } = finding
    counts[kind] += 1
    const group = byReason.get(reason) ?? { kind, lines: [] }
    group.lines.push(row.line)
    byReason.set(reason, group)
  }
  const notes = Array.from(byReason, ([reason, { kind, lines }]) => {
    const note = `${pluralize(lines.length, 'row')} left out of ${name}: ${reason}`
    // Rows in which a decision is missing are named.
    return kind === 'undecided'
      ? `${note} (row ${firstTexts(lines.map(String)).join(', ')})`
      : note
  })
  return { items, rows, leftOut: counts['left-out'], undecided: counts.undecided, notes }
}

/** Returns the ids or the path of the input. Throws a usage error if there is no input, or more than one. */
function inputOf(host: Host, options: ReadOptions) {
  const { words = [], file, except = '' } = options
  const typed = words.filter((word) => word !== '-')
  const paths = [...words.filter((word) => word === '-'), file ?? []].flat()
  const filePath = typed.find((word) => !isId(word.trim()) && host.disk.existsSync(word))
  if (filePath !== undefined)
    throw usageError(
      `"${shorten(filePath, 200)}" is a file, not an id`,
      `to read it: --file ${shellWord(filePath)}`,
    )
  const inputs = paths.length + Math.min(typed.length, 1)
  if (inputs === 0)
    throw usageError(
      'no ids were given',
      'give ids, a file with --file <path>, or - for standard input',
    )
  if (inputs > 1)
    throw usageError('give one input: ids, one file with --file, or - for standard input')
  const [path] = paths
  const ofTables = {
    '--column': options.column,
    '--sheet': options.sheet,
    '--heading-row': options.headingRow,
    '--where': options.where?.[0],
  }
  for (const [option, value] of Object.entries(ofTables))
    if (path === undefined && value !== undefined)
      throw usageError(`${option} needs --file or -`)
  if (isStdin(path ?? '') && isStdin(except))
    throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  return { typed, path }
}

/** Returns the ids of --except in lower case. Throws a usage error for a file with a bad or undecided row, or without ids. */
async function readExcepted(host: Host, { item, except, note }: ReadOptions) {
  if (except === undefined) return undefined
  const table = await readTable(host, except, idReader(item), { note })
  const { items, undecided, notes } = collect(table.name, findRows(table))
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
