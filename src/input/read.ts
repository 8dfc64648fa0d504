/** Reads the ids or pairs of arguments, files and standard input, and says which lines are bad. */
import { SvcError, usageError } from '../errors.ts'
import { say, svc, type Message } from '../message.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits, pluralize } from '../words.ts'
import { isId } from './id.ts'
import { Items } from './items.ts'
import { readTable } from './rows.ts'
import { idRule, pairRule, type Sides } from './rules.ts'
import { inputName, isStdin, refuseFiles, type InputHost } from './source.ts'
import {
  Table,
  textAt,
  type Found,
  type Invalid,
  type OnRow,
  type Row,
  type RowOptions,
  type TableRule,
} from './table.ts'

/** The inputs of a command line, and what is read from them: ids of contacts or tickets, or pairs. */
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
  /** Whether the input is a file of --except. No bad line of it can be skipped. */
  isException?: boolean
  /** Whether bad lines are skipped; otherwise one refuses the input. */
  skipInvalid?: boolean | undefined
  /** Whether an input without an id is accepted. */
  allowEmpty?: boolean | undefined
}

/** An error names this many bad lines, and counts the others. */
const maxBadLines = 20

/**
 * Reads the inputs of a command line. Returns each item once, where it came first, with counts of the others. Notes what was
 * skipped. Throws a usage error that names the bad lines, or if there are no ids.
 */
export async function readItems(host: InputHost, options: ReadOptions) {
  const { item, sides, column } = options
  const { texts, paths } = inputsOf(host, options)
  const excepted = await readExcepted(host, options)
  const rule = sides === undefined ? idRule(item, column) : pairRule(sides)
  const items = new Items()
  const keys = new Set<string>()
  const counts = { duplicates: 0, invalid: 0, leftOut: 0 }
  const badLines: string[] = []
  /** How many rows were left out, by input and reason. */
  const leftOut = new Map<string, number>()
  let canSkip = options.isException !== true
  const onRow: OnRow = (row, finding, table) => {
    if (finding.kind === 'found') {
      const { size } = keys.add(keyOf(finding))
      const isNew = size > items.size
      if (isNew) items.add({ id: finding.id, other: finding.other, line: row.line })
      else counts.duplicates += 1
    }
    if (finding.kind === 'left-out') {
      counts.leftOut += 1
      const reason = `${table.name}: ${finding.reason}`
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
    }
    if (finding.kind === 'invalid') {
      counts.invalid += 1
      if (finding.isNeverSkipped) canSkip = false
      if (badLines.length < maxBadLines) badLines.push(badLine(row, finding, table))
    }
    options.onRow?.(row, finding, table)
  }
  const rowOptions = { ...options, excepted, onRow }
  const tables = texts.length === 0 ? [] : [readArguments(texts, rule, rowOptions)]
  for (const path of paths) tables.push(await readTable(host, path, rule, rowOptions))
  const { invalid } = counts
  const omitted = invalid - badLines.length
  if (omitted > 0) badLines.push(`and ${groupDigits(omitted)} more`)
  const isSkipping = canSkip && options.skipInvalid === true
  if (invalid > 0 && !isSkipping)
    throw new SvcError('usage', `${pluralize(invalid, 'id is', 'ids are')} invalid`, {
      lines: badLines,
      hint: hintForInvalid(item, paths, canSkip),
    })
  const reasons = [...leftOut].map(
    ([reason, count]) => `${pluralize(count, 'row')} left out of ${reason}`,
  )
  const empty = tables.find(({ hasFound, isProvenEmpty }) => !hasFound && !isProvenEmpty)
  if (empty !== undefined && options.allowEmpty !== true)
    throw new SvcError('usage', `${empty.name} has no ids to use`, {
      lines: [...badLines, ...reasons],
      hint: 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
    })
  for (const reason of reasons) options.note(reason)
  if (invalid > 0)
    options.note(`${pluralize(invalid, 'bad line was', 'bad lines were')} skipped`)
  return { ...counts, items, read: items.size + counts.duplicates + invalid }
}

function hintForInvalid(item: string, paths: readonly string[], canSkip: boolean): Message {
  if (paths.length === 0 && item === 'contact')
    return say`to find the id of a person:\n  ${svc`contacts find <words>`}\nto read ids from a file, use --file <path>`
  if (paths.length === 0)
    return 'copy the id, or the address of the ticket, from the service; to read ids from a file, use --file <path>'
  if (!canSkip) return 'fix the input: --skip-invalid cannot skip lines like these'
  return 'fix the input, name its column of ids with --column, or skip such lines with --skip-invalid'
}

/**
 * Returns the arguments that are ids, and the paths to read. Throws a usage error if there are neither, if an argument names a
 * file, and if standard input would be read twice.
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
  const excepted = new Set<string>()
  for (const path of except) {
    const shared = { item, column, sheet, note }
    const { items } = await readItems(host, {
      ...shared,
      file: [path],
      allowEmpty: true,
      isException: true,
    })
    if (items.size === 0)
      throw usageError(
        `${inputName(path)} of --except has no ids`,
        'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
      )
    for (const id of items.ids) excepted.add(id.toLowerCase())
  }
  return excepted
}

/** Reads arguments as a list without a heading. */
function readArguments(texts: readonly string[], rule: TableRule, options: RowOptions) {
  const table = new Table('the arguments', rule, { ...options, where: [] })
  table.columns = [0]
  for (const text of texts) table.take({ line: 0, cells: [text] })
  return table
}

/** Returns a text that only duplicates of an item share. Pairs with the same first id differ; whether they may, the operation says. */
function keyOf({ id, other }: Found) {
  const key = id.toLowerCase()
  if (other === undefined) return key
  return `${key} ${isId(other) ? other.toLowerCase() : other}`
}

/** Returns the place, the text and the reason of a bad line, such as `"old.csv" line 4: "xyz": contains "x", …`. */
function badLine(row: Row, { reason, column, isNeverSkipped }: Invalid, table: Table) {
  const { format, delimiter } = table
  const text = column === undefined ? row.cells.join(delimiter) : textAt(row, column)
  // In csv, the cell of a decision is named, because a person has to correct it.
  const isCellNamed = format === 'xlsx' || (format === 'csv' && isNeverSkipped === true)
  const unit = format === 'json' ? 'item' : 'line'
  let place = row.line === 0 ? '' : ` ${unit} ${groupDigits(row.line)}`
  if (isCellNamed && column !== undefined) place = ` cell ${columnName(column)}${row.line}`
  // 200 characters of a long line are enough to find it.
  return `${table.name}${place}: "${shorten(text.slice(0, 200).trim())}": ${reason}`
}
