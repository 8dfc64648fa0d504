/** Reads the ids or pairs of arguments, files and standard input, and says which lines are bad. */
import { SvcError, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits, pluralize } from '../words.ts'
import { isId } from './id.ts'
import { Items } from './items.ts'
import { idRule, pairRule, type Sides } from './rules.ts'
import { readTable } from './rows.ts'
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

/** The inputs of a command line, and what is read of them: ids of contacts or tickets, or pairs. */
export interface ReadOptions extends RowOptions {
  /** Ids, or `-`. */
  words?: readonly string[]
  file?: readonly string[]
  item: 'contact' | 'ticket'
  sides?: Sides | undefined
  /** Name, number from 1, or dotted path of the column or member that has the ids. */
  column?: string | undefined
  /** Files of ids that are left out. */
  except?: readonly string[] | undefined
  /** The input is one of `--except`, of which no bad line is skipped. */
  isException?: boolean
  /** Skip bad lines instead of refusing the input. */
  skipInvalid?: boolean | undefined
  /** Accept an input without an id. */
  allowEmpty?: boolean | undefined
}

/** Bad lines that an error names; the others are counted. */
const namedBadLines = 20

/**
 * Reads the inputs of a command line. An item that appears twice is there once, as it first came. Returns counts, and
 * sentences about what was skipped. Throws exit 2, for all bad lines at once.
 */
export async function readItems(host: InputHost, options: ReadOptions) {
  const { item, sides, column } = options
  const { texts, paths } = inputsOf(host, options)
  const excepted = await readExcepted(host, options)
  const rule = sides === undefined ? idRule(item, column) : pairRule(sides)
  const items = new Items()
  const keys = new Set<string>()
  const bad: string[] = []
  const leftOut = new Map<string, number>()
  const counts = { duplicates: 0, invalid: 0, leftOut: 0 }
  let mustRefuse = options.isException === true
  const onRow: OnRow = (row, finding, table) => {
    if (finding.kind === 'found') {
      const { id, other } = finding
      const { size } = keys.add(keyOf(finding))
      if (size > items.size) items.add({ id, other, line: row.line })
      else counts.duplicates += 1
    }
    if (finding.kind === 'left-out') {
      counts.leftOut += 1
      const why = `${table.name}: ${finding.reason}`
      leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
    }
    if (finding.kind === 'invalid') {
      counts.invalid += 1
      mustRefuse ||= finding.isNeverSkipped === true
      if (bad.length < namedBadLines) bad.push(badLine(row, finding, table))
    }
    options.onRow?.(row, finding, table)
  }
  const how = { ...options, excepted, onRow }
  const tables = texts.length === 0 ? [] : [readWords(texts, rule, how)]
  for (const path of paths) tables.push(await readTable(host, path, rule, how))
  const { invalid } = counts
  const reasons = [...leftOut].map(
    ([why, count]) => `${pluralize(count, 'row')} left out of ${why}`,
  )
  if (invalid > bad.length) bad.push(`and ${groupDigits(invalid - bad.length)} more`)
  if (invalid > 0 && (mustRefuse || options.skipInvalid !== true))
    throw new SvcError('usage', `${pluralize(invalid, 'id is', 'ids are')} invalid`, {
      lines: bad,
      hint: mustRefuse
        ? 'fix the input: --skip-invalid cannot skip lines like these'
        : 'fix the input, name its column of ids with --column, or skip such lines with --skip-invalid',
    })
  const empty = tables.find(({ hasFound, isProvenEmpty }) => !hasFound && !isProvenEmpty)
  if (empty !== undefined && options.allowEmpty !== true)
    throw new SvcError('usage', `${empty.name} has no ids to use`, {
      lines: [...bad, ...reasons],
      hint: 'a command that failed leaves an empty input; if it can be empty, add --allow-empty',
    })
  for (const reason of reasons) options.note(reason)
  if (invalid > 0)
    options.note(`${pluralize(invalid, 'bad line was', 'bad lines were')} skipped`)
  return { ...counts, items, read: items.size + counts.duplicates + invalid }
}

/** The words that are ids, and the paths. Throws exit 2 without any, for words that name files, and for standard input twice. */
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

/** The ids of `--except` in lower case. Throws exit 2 for a file that has none. */
async function readExcepted(host: InputHost, options: ReadOptions) {
  const { item, column, sheet, note, except = [] } = options
  const excepted = new Set<string>()
  for (const path of except) {
    const how = { item, column, sheet, note, allowEmpty: true, isException: true }
    const { items } = await readItems(host, { ...how, file: [path] })
    if (items.size === 0)
      throw usageError(
        `${inputName(path)} of --except has no ids`,
        'a command that failed leaves an empty file; if nothing is to be left out, leave out --except',
      )
    for (const id of items.ids) excepted.add(id.toLowerCase())
  }
  return excepted
}

/** Words of the command line are a list without a heading. */
function readWords(texts: readonly string[], rule: TableRule, options: RowOptions) {
  const table = new Table('the arguments', rule, { ...options, where: [] })
  table.columns = [0]
  for (const text of texts) table.take({ line: 0, cells: [text] })
  return table
}

/** A pair with the same first id and another second one is new; the operation judges contradictions. */
function keyOf({ id, other }: Found) {
  const key = id.toLowerCase()
  if (other === undefined) return key
  return `${key} ${isId(other) ? other.toLowerCase() : other}`
}

/** `"old.csv" line 4: "xyz": …`; item 4 of a JSON document, cell B4 of a sheet; arguments have no line. */
function badLine(
  row: Row,
  { reason, column }: Invalid,
  { name, format, delimiter }: Table,
) {
  const unit = format === 'json' ? 'item' : 'line'
  const line = row.line === 0 ? '' : ` ${unit} ${groupDigits(row.line)}`
  const isCell = format === 'xlsx' && column !== undefined
  const place = isCell ? ` cell ${columnName(column)}${row.line}` : line
  const text = column === undefined ? row.cells.join(delimiter) : textAt(row, column)
  // The rest of a long line tells nothing more.
  return `${name}${place}: "${shorten(text.slice(0, 200).trim())}": ${reason}`
}
