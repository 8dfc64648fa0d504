/** Reads the ids or pairs in arguments, files and standard input, and says which lines are bad. */
import { SvcError, usageError, say, svc, type Message } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { isId } from '../values.ts'
import { columnName, groupDigits, pluralize } from '../words.ts'
import { Items } from './items.ts'
import { readTable } from './rows.ts'
import { idRule, pairRule, type Sides } from './rules.ts'
import {
  noLine,
  Table,
  textAt,
  type Finding,
  type Found,
  type Invalid,
  type Row,
  type RowOptions,
  type TableRule,
} from './table.ts'
import { inputName, isStdin, refuseFiles, type InputHost } from './text.ts'

/** The inputs of a command line, and what they contain: ids of contacts or tickets, or pairs. */
export interface ReadOptions extends RowOptions {
  /** The arguments: ids, or `-` for standard input. */
  words?: readonly string[]
  /** The paths of files, or `-`. */
  file?: readonly string[]
  item: 'contact' | 'ticket'
  /** The headings of pairs; undefined to read ids. */
  sides?: Sides | undefined
  /** The column of the ids: its name, its number from 1, or the dotted path of a JSON member. */
  column?: string | undefined
  /** The paths of files with ids to leave out. */
  except?: readonly string[] | undefined
  /** Whether bad lines are skipped. Otherwise a bad line is an error. */
  skipInvalid?: boolean | undefined
  /** Whether an input may have no ids. */
  allowEmpty?: boolean | undefined
}

/**
 * Reads the inputs of a command line. Returns each item once, in the place where it came first, and counts the other rows. Notes
 * what was skipped. Throws a usage error that shows the bad lines, or that names an input without ids.
 */
export async function readItems(host: InputHost, options: ReadOptions) {
  const { item, sides, column, note } = options
  const { texts, paths } = inputsOf(host, options)
  if (paths.length === 0) checkTableOptions(options)
  const excepted = await readExcepted(host, options)
  const rule = sides === undefined ? idRule(item, column) : pairRule(sides)
  const collector = new ItemCollector()
  const rowOptions: RowOptions = {
    ...options,
    excepted,
    onRow(row, finding, table) {
      collector.take(row, finding, table)
      options.onRow?.(row, finding, table)
    },
  }
  const tables = texts.length === 0 ? [] : [readArguments(texts, rule, rowOptions)]
  for (const path of paths) tables.push(await readTable(host, path, rule, rowOptions))
  const { items, counts, hasUnskippable } = collector
  const isSkipping = options.skipInvalid === true && !hasUnskippable
  if (!isSkipping)
    collector.refuseBadLines(
      paths.length === 0 ? typedIdHint(item) : badLineHint(hasUnskippable),
    )
  const leftOutNotes = collector.leftOutNotes()
  // An empty list or a heading alone is meant to be empty. Any other input without ids may come from a command that failed.
  const unfilled = tables.find(({ hasFound, isEmptyList }) => !hasFound && !isEmptyList)
  if (unfilled !== undefined && options.allowEmpty !== true)
    throw new SvcError('usage', `${unfilled.name} has no ids to use`, {
      lines: [...collector.badLines(), ...leftOutNotes],
      hint: 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
    })
  for (const text of leftOutNotes) note(text)
  const { duplicates, invalid } = counts
  if (invalid > 0) note(`${pluralize(invalid, 'bad line was', 'bad lines were')} skipped`)
  // Rows that were left out do not count as read.
  return { ...counts, items, read: items.size + duplicates + invalid }
}

/** An error shows at most this many bad lines, and counts the others. */
const maxBadLines = 20

/** Collects the items of rows, and the reasons why other rows have none. */
class ItemCollector {
  readonly items = new Items()
  readonly counts = { duplicates: 0, invalid: 0, leftOut: 0 }
  /** Whether there is a bad line that --skip-invalid does not skip. */
  hasUnskippable = false
  /** The keys of all items. */
  readonly #keys = new Set<string>()
  readonly #firstBadLines: string[] = []
  /** How many rows were left out, for each input and reason. */
  readonly #leftOutCounts = new Map<string, number>()

  take(row: Row, finding: Finding, table: Table) {
    if (finding.kind === 'found') this.#takeItem(row, finding)
    if (finding.kind === 'left-out') {
      this.counts.leftOut += 1
      const reason = `${table.name}: ${finding.reason}`
      this.#leftOutCounts.set(reason, (this.#leftOutCounts.get(reason) ?? 0) + 1)
    }
    if (finding.kind === 'invalid') {
      this.counts.invalid += 1
      if (finding.isNeverSkipped) this.hasUnskippable = true
      if (this.#firstBadLines.length < maxBadLines)
        this.#firstBadLines.push(describeBadLine(row, finding, table))
    }
  }

  #takeItem({ line }: Row, found: Found) {
    const key = keyOf(found)
    if (this.#keys.has(key)) {
      this.counts.duplicates += 1
      return
    }
    this.#keys.add(key)
    this.items.add({ id: found.id, other: found.other, line })
  }

  /** Describes the first bad lines, and says how many more there are. */
  badLines() {
    const more = this.counts.invalid - this.#firstBadLines.length
    if (more === 0) return this.#firstBadLines
    return [...this.#firstBadLines, `and ${groupDigits(more)} more`]
  }

  /** Throws a usage error if there are bad lines. */
  refuseBadLines(hint: Message) {
    const { invalid } = this.counts
    if (invalid === 0) return
    throw new SvcError('usage', `${pluralize(invalid, 'id is', 'ids are')} invalid`, {
      lines: this.badLines(),
      hint,
    })
  }

  /** Returns a note for each reason why rows were left out. */
  leftOutNotes() {
    return Array.from(
      this.#leftOutCounts,
      ([reason, count]) => `${pluralize(count, 'row')} left out of ${reason}`,
    )
  }
}

function typedIdHint(item: string): Message {
  return item === 'contact'
    ? say`to find the id of a person:\n  ${svc`contacts find <words>`}\nto read ids from a file, use --file <path>`
    : 'copy the id, or the address of the ticket, from the service; to read ids from a file, use --file <path>'
}

function badLineHint(hasUnskippable: boolean) {
  return hasUnskippable
    ? 'fix the input: --skip-invalid cannot skip lines like these'
    : 'fix the input, name its column of ids with --column, or skip such lines with --skip-invalid'
}

/**
 * Splits the inputs into `texts`, which are typed ids, and the `paths` to read. Throws a usage error if there are neither, if an
 * argument names a file, or if standard input would be read twice.
 */
function inputsOf(host: InputHost, { words = [], file = [], except = [] }: ReadOptions) {
  const texts = words.filter((word) => word !== '-')
  const paths = [...words.filter((word) => word === '-'), ...file]
  if (texts.length + paths.length === 0)
    throw usageError(
      'no ids were given',
      'give ids, a file with --file <path>, or - for standard input',
    )
  if ([...paths, ...except].filter(isStdin).length > 1)
    throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  refuseFiles(host, texts)
  return { texts, paths }
}

/** Returns the ids of --except in lower case. Throws a usage error for a file with a bad line or without ids. */
async function readExcepted(host: InputHost, options: ReadOptions) {
  const { item, column, sheet, note, except = [] } = options
  const rule = idRule(item, column)
  const excepted = new Set<string>()
  for (const path of except) {
    const collector = new ItemCollector()
    await readTable(host, path, rule, {
      sheet,
      note,
      onRow: (row, finding, table) => collector.take(row, finding, table),
    })
    collector.refuseBadLines(badLineHint(true))
    for (const text of collector.leftOutNotes()) note(text)
    const { items } = collector
    if (items.size === 0)
      throw usageError(
        `${inputName(path)} of --except has no ids`,
        'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
      )
    for (const id of items.ids) excepted.add(id.toLowerCase())
  }
  return excepted
}

/** Throws a usage error for an option about tables, if the command reads no table. Such an option would silently do nothing. */
function checkTableOptions({ column, sheet, where = [], except = [] }: ReadOptions) {
  if (where.length > 0) throw usageError('--where needs --file')
  // --column and --sheet also apply to the files of --except.
  if (except.length > 0) return
  if (column !== undefined) throw usageError('--column needs --file')
  if (sheet !== undefined) throw usageError('--sheet needs --file')
}

/** Reads each argument as a row with one cell. Even the first one is never a heading. */
function readArguments(texts: readonly string[], rule: TableRule, options: RowOptions) {
  const table = new Table('the arguments', rule, { ...options, where: [] })
  table.setColumns([''], { isHeading: false })
  for (const text of texts) table.take({ line: noLine, cells: [text] })
  return table
}

/**
 * Returns a text that only duplicates of an item share. Two pairs with the same first id and another second side are no
 * duplicates; runs/jobs/parties.ts refuses them. `other` can be the name of an employee, and two names can differ in letter case
 * alone.
 */
function keyOf({ id, other }: Found) {
  const key = id.toLowerCase()
  if (other === undefined) return key
  return `${key} ${isId(other) ? other.toLowerCase() : other}`
}

/** Returns the place, the text and the reason of a bad line: `"old.csv" line 4: "xyz": contains "x", …`. */
function describeBadLine(row: Row, finding: Invalid, table: Table) {
  const { column, reason } = finding
  const text = column === undefined ? row.cells.join(table.delimiter) : textAt(row, column)
  // The beginning of a long line is enough to find it.
  const shown = shorten(text.slice(0, 200).trim())
  return `${table.name}${placeOf(row, finding, table)}: "${shown}": ${reason}`
}

/** Returns ` line 4`, ` item 4` of JSON, or ` cell C4`; empty for an argument. */
function placeOf({ line }: Row, { column, isNeverSkipped }: Invalid, { format }: Table) {
  if (line === noLine) return ''
  // Such a row with a column has a decision that svc cannot read, which a person corrects in its cell.
  const isCellNamed = format === 'xlsx' || (format === 'csv' && isNeverSkipped === true)
  if (isCellNamed && column !== undefined) return ` cell ${columnName(column)}${line}`
  return ` ${format === 'json' ? 'item' : 'line'} ${groupDigits(line)}`
}
