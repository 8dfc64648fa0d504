/** Reads the ids or pairs of a command, from arguments, a file or standard input, and says which lines are bad. */
import { SvcError, usageError } from '../errors.ts'
import { firstTexts, pluralize } from '../words.ts'
import { BadLines, maxShown } from './bad-lines.ts'
import { inputName, isStdin, refuseFiles, type InputHost } from './bytes.ts'
import { foldHeading } from './columns.ts'
import { Items } from './items.ts'
import type { Row, Source } from './rows.ts'
import { idRule, notConfirmed, pairRule, typedIdIn, type Sides } from './rules.ts'
import { readTable, type Finding, type FoundRow, type TableOptions } from './table.ts'

/** The name of ids that are typed, in messages. */
const typedName = 'the command line'

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
export interface ReadOptions extends InputOptions, Pick<TableOptions, 'note'> {
  /** The arguments: ids, or `-` for standard input. */
  words?: readonly string[]
  item: 'contact' | 'ticket'
  /** The headings of pairs; undefined to read ids. */
  sides?: Sides | undefined
  /** Whether the rows are kept, to give the table back. */
  keepsRows?: boolean
}

/**
 * Reads the input of a command line. Returns each item once, in the place where it came first, and counts the other rows; `table` and
 * `rows` are what a table is given back from. Throws a usage error that shows all bad lines, or says that there are no ids.
 */
export async function readItems(host: InputHost, options: ReadOptions) {
  const { item, words = [], note } = options
  const path = inputPath(host, options)
  const name = path === undefined ? typedName : inputName(path)
  const collector = new ItemCollector(name, await readExcepted(host, options))
  if (path === undefined) collectTyped(words, item, collector)
  const { table, rows } =
    path === undefined
      ? { table: undefined, rows: [] }
      : await collectRows(host, path, options, collector)
  const { items: all, leftOut, undecided } = collector
  const items = all.unique()
  const notes = collector.notes()
  if (items.size === 0 && table?.isEmptyOnPurpose !== true && options.allowEmpty !== true)
    throw new SvcError('usage', `${name} has no ids to use`, {
      lines: notes,
      hint: notes.some((note) => note.includes(notConfirmed))
        ? 'write yes in the column merge of the pairs that are to be merged'
        : 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
    })
  for (const text of notes) note(text)
  // Rows that were left out do not count as read.
  const read = all.size
  return { items, read, duplicates: read - items.size, leftOut, undecided, table, rows }
}

/** Takes the rows of a file or of standard input. Returns them if they are kept. */
async function collectRows(
  host: InputHost,
  path: string,
  options: ReadOptions,
  collector: ItemCollector,
) {
  const { item, sides, column, keepsRows, note } = options
  const rule = sides === undefined ? idRule(item, column) : pairRule(sides)
  const table = await readTable(host, path, rule, options)
  const { source, headings } = table
  const employee = headings.find((heading) => foldHeading(heading) === 'employee')
  if (item === 'ticket' && sides === undefined && employee !== undefined)
    note(`the column "${employee}" is not read: --to holds for every row`)
  const rows: FoundRow[] = []
  for (const { row, finding } of table) {
    const taken = collector.take(row, finding, source)
    if (keepsRows === true) rows.push({ row, finding: taken })
  }
  // Bad lines in a list without a heading can be those of a table below its title.
  const hint = table.hasHeading ? undefined : table.headingHint
  collector.badLines.refuse(
    hint ?? 'fix the input, or name its column of ids with --column',
  )
  return { table, rows }
}

/** The lines of rows without an item that are not bad. */
interface OtherRows {
  kind: 'left-out' | 'undecided'
  lines: number[]
}

/** Collects the items of rows, and the reasons why other rows have none. */
class ItemCollector {
  readonly items = new Items()
  readonly badLines: BadLines
  leftOut = 0
  undecided = 0
  readonly #inputName: string
  /** Ids to leave out, in lower case. */
  readonly #excepted: ReadonlySet<string>
  /** The rows without an item that are not bad, by the reason. */
  readonly #linesByReason = new Map<string, OtherRows>()

  constructor(inputName: string, excepted: ReadonlySet<string> = new Set()) {
    this.#inputName = inputName
    this.badLines = new BadLines(inputName, inputName === typedName ? 'bad id' : undefined)
    this.#excepted = excepted
  }

  /** Takes a row, and returns what was found in it: an id of `--except` is left out. */
  take(row: Row, given: Finding, source?: Source): Finding {
    const isExcepted = given.kind === 'found' && this.#excepted.has(given.id.toLowerCase())
    const finding: Finding = isExcepted
      ? { kind: 'left-out', reason: 'excluded by --except' }
      : given
    if (finding.kind === 'found') {
      const { id, other } = finding
      this.items.add({ id, line: row.line, other })
    }
    if (finding.kind === 'invalid') this.badLines.add(row, finding, source)
    if (finding.kind === 'left-out' || finding.kind === 'undecided') {
      if (finding.kind === 'left-out') this.leftOut += 1
      else this.undecided += 1
      const { kind, reason } = finding
      const { lines }: OtherRows = this.#linesByReason.get(reason) ?? { kind, lines: [] }
      lines.push(row.line)
      this.#linesByReason.set(reason, { kind, lines })
    }
    return finding
  }

  /** Returns a note for each reason why rows have no item. It names those in which a decision is missing. */
  notes() {
    return Array.from(this.#linesByReason, ([reason, { kind, lines }]) => {
      const note = `${pluralize(lines.length, 'row')} left out of ${this.#inputName}: ${reason}`
      const shown = firstTexts(lines.map(String), maxShown).join(', ')
      return kind === 'undecided' ? `${note} (row ${shown})` : note
    })
  }
}

/** The options about tables, which do nothing for ids that are typed. */
const tableOptions = ['column', 'sheet', 'headingRow', 'where'] as const

/**
 * Returns the path of the input; undefined for ids that are typed. Throws a usage error if there is no input, or more than one, and
 * for an option about tables beside typed ids.
 */
function inputPath(host: InputHost, options: ReadOptions) {
  const { words = [], file, except = '' } = options
  const typed = words.filter((word) => word !== '-')
  const dashes = words.filter((word) => word === '-')
  const [path, otherPath] = file === undefined ? dashes : [...dashes, file]
  refuseFiles(host, typed)
  if (typed.length === 0 && path === undefined)
    throw usageError(
      'no ids were given',
      'give ids, a file with --file <path>, or - for standard input',
    )
  if (otherPath !== undefined || (typed.length > 0 && path !== undefined))
    throw usageError('give one input: ids, one file with --file, or - for standard input')
  if (path !== undefined && isStdin(path) && isStdin(except))
    throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  const unused = tableOptions.find((name) => [options[name] ?? []].flat().length > 0)
  if (path === undefined && unused !== undefined)
    throw usageError(`--${unused.replace('R', '-r')} needs --file`)
  return path
}

/** Takes ids that were typed. Throws a usage error for those that are none. */
function collectTyped(
  words: readonly string[],
  item: 'contact' | 'ticket',
  collector: ItemCollector,
) {
  for (const word of words) {
    const { id, reason } = typedIdIn(word, item)
    const finding: Finding =
      id === undefined ? { kind: 'invalid', reason } : { kind: 'found', id }
    collector.take({ line: 0, cells: [word] }, finding)
  }
  collector.badLines.refuse(typedIdHint(item))
}

function typedIdHint(item: string): string {
  return item === 'contact'
    ? 'to find the id of a person:\n  svc contacts find <words>\nto read ids from a file, use --file <path>'
    : 'copy the id, or the address of the ticket, from the service; to read ids from a file, use --file <path>'
}

/** Returns the ids of --except in lower case. Throws a usage error for a file with a bad or undecided row, or without ids. */
async function readExcepted(host: InputHost, { item, except, note }: ReadOptions) {
  if (except === undefined) return new Set<string>()
  const collector = new ItemCollector(inputName(except))
  const table = await readTable(host, except, idRule(item), { note })
  for (const { row, finding } of table) {
    const isUndecided = finding.kind === 'undecided'
    collector.take(
      row,
      isUndecided ? { ...finding, kind: 'invalid' } : finding,
      table.source,
    )
  }
  collector.badLines.refuse('fix the file of --except')
  const { items } = collector
  if (items.size === 0)
    throw usageError(
      `${inputName(except)} of --except has no ids`,
      'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
    )
  for (const text of collector.notes()) note(text)
  return new Set(items.ids.map((id) => id.toLowerCase()))
}
